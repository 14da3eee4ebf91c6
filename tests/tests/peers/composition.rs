//! Components alone: the example in `tests/composition/`, composed with `wac` and run by the command `wasmtime`, makes the
//! same of a talk as the host in Rust.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Barrier};

use myao_plugin::{
    Context, ConversationHistory, MemoryPlugin, MemoryType, Message, Persona, Scope, Settings,
    Timestamp, User,
};
use myao_testkit::ScriptedLlm;
use myao_tests::llm_server::{API_KEY, LlmServer, Reply, error};
use myao_tests::peer::peer_file;
use myao_tests::{component_of, project_file, read_project_file};
use serde_json::json;
use tempfile::TempDir;

const TALK: &str = "tests/composition/talk.txt";
const SUMMARY: &str = "- Harbour 2.4 is released on 4 March at 10:00.\n- The summer camp is in Hakone, for 45,000 yen.";
/// Too short for a long talk.
const CONTEXT_WINDOW: u32 = 6000;

/// The components with their digests, in a folder that goes away.
fn components() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in [
        "myao_summarizer.wasm",
        "provider.wasm",
        "app.wasm",
        "SHA256SUMS",
    ] {
        let built = project_file("target/component").join(name);
        fs::copy(&built, folder.path().join(name)).unwrap();
    }
    folder
}

/// Composes the components of a folder, and runs them over a talk.
fn summarize(folder: &Path, talk: &str, environment: &[(&str, &str)]) -> Output {
    let input = folder.join("talk.txt");
    fs::write(&input, talk).unwrap();
    let installed = peer_file("composition/bin");
    let path = std::env::var("PATH").unwrap();
    Command::new(project_file("tests/composition/summarize"))
        .arg(folder)
        .env_remove("LLM_BASE_URL")
        .envs(environment.iter().copied())
        .env("PATH", format!("{}:{path}", installed.display()))
        .stdin(Stdio::from(File::open(input).unwrap()))
        .output()
        .unwrap()
}

fn printed(output: &Output) -> (&str, &str) {
    let text = |bytes| std::str::from_utf8(bytes).unwrap();
    (text(&output.stdout), text(&output.stderr))
}

/// An answer as servers give it in one piece.
fn answer(text: &str) -> Reply {
    let choice = json!({ "index": 0, "message": { "role": "assistant", "content": text }, "finish_reason": "stop" });
    let body = json!({ "model": "test-model-1", "choices": [choice], "usage": { "prompt_tokens": 10, "completion_tokens": 5 } });
    Reply::Http(200, "content-type: application/json", body.to_string())
}

/// The answers to the questions in order, the last one again and again.
fn in_order(answers: &'static [&'static str]) -> impl Fn() -> &'static str + Send + Sync {
    let asked = AtomicUsize::new(0);
    move || answers[asked.fetch_add(1, Ordering::Relaxed).min(answers.len() - 1)]
}

fn server(answers: &'static [&'static str]) -> LlmServer {
    let next = in_order(answers);
    LlmServer::start(move |_| answer(next()))
}

fn model(answers: &'static [&'static str]) -> ScriptedLlm {
    let next = in_order(answers);
    ScriptedLlm::new(move |_, _| next())
        .with_count(|text| u32::try_from(text.chars().count()).unwrap())
}

/// What the host in Rust makes of a talk.
async fn summary(talk: &str, model: &Arc<ScriptedLlm>) -> String {
    let settings = Settings::default().with(|settings| {
        settings.set("engines.memory", "llm");
        settings.set("memory.prompt_language", "en");
    });
    let plugin = MemoryPlugin::builder()
        .component(component_of("myao_summarizer"))
        .llm(model.clone())
        .settings(settings)
        .build()
        .unwrap();
    let context = context(talk);
    let made = plugin.summarize(&context, Scope::Channel, MemoryType::ShortTerm, None);
    made.await.unwrap().text
}

/// The context of `tests/composition/app/`.
fn context(talk: &str) -> Context {
    let messages = talk.lines().zip(1..);
    Context {
        persona: Persona {
            name: "myao".to_owned(),
            system_prompt: "You keep the minutes of a team.".to_owned(),
        },
        conversation_history: ConversationHistory {
            channel_id: "talk".to_owned(),
            channel_name: "talk".to_owned(),
            top_level_messages: messages
                .map(|(line, number)| message(line, number))
                .collect(),
            threads: Vec::new(),
        },
        workspace_long_term_memory: None,
        workspace_short_term_memory: None,
        channel_memories: Vec::new(),
        thread_memories: Vec::new(),
        target_thread_ts: None,
        notes: None,
    }
}

fn message(line: &str, number: usize) -> Message {
    let (seconds, said) = line.split_once(' ').unwrap();
    let (name, text) = said.split_once(": ").unwrap();
    Message {
        ts: format!("{seconds}.{number:06}"),
        user: User {
            id: name.to_owned(),
            name: name.to_owned(),
            is_bot: false,
        },
        text: text.to_owned(),
        timestamp: Timestamp {
            unix_seconds: seconds.parse().unwrap(),
            utc_offset_seconds: 0,
        },
        thread_ts: None,
        edited_at: None,
        is_for_bot: false,
    }
}

#[tokio::test]
#[ignore = "needs wac and wasmtime: make test-peers"]
async fn composed_components_make_what_the_rust_host_makes() {
    // Nothing is a bad answer: the model is asked once more.
    let answers = &["", SUMMARY];
    let (talk, server) = (read_project_file(TALK), server(answers));
    let ran = summarize(
        components().path(),
        &talk,
        &[
            ("LLM_BASE_URL", &server.base_url()),
            ("LLM_MODEL", "test-model"),
            ("LLM_API_KEY", API_KEY),
        ],
    );
    let model = Arc::new(model(answers));
    let expected = summary(&talk, &model).await;
    assert_eq!(expected, SUMMARY);
    assert_eq!(printed(&ran).0, format!("{expected}\n"), "{ran:?}");
    assert_eq!(ran.status.code(), Some(0), "{ran:?}");
    assert_eq!(server.prompts(), model.prompts());
    for (call, request) in server.calls().iter().zip(model.requests()) {
        assert_eq!(call.target, "POST /v1/chat/completions");
        let key = format!("authorization: Bearer {API_KEY}");
        assert!(call.headers.contains(&key), "{call:?}");
        assert_eq!(call.body["model"], "test-model");
        assert_eq!(call.body["max_tokens"], request.max_tokens);
    }
}

#[tokio::test]
#[ignore = "needs wac and wasmtime: make test-peers"]
async fn a_talk_that_does_not_fit_the_model_is_summarised_in_parts() {
    let talk = read_project_file(TALK).repeat(30);
    // They are asked for side by side: the first is answered when the second has come.
    let (asked, both) = (AtomicUsize::new(0), Barrier::new(2));
    let server = LlmServer::start(move |_| {
        if asked.fetch_add(1, Ordering::Relaxed) < 2 {
            both.wait();
        }
        answer(SUMMARY)
    });
    let ran = summarize(
        components().path(),
        &talk,
        &[
            ("LLM_BASE_URL", &server.base_url()),
            ("LLM_MODEL", "test-model"),
            ("LLM_CONTEXT_WINDOW", &CONTEXT_WINDOW.to_string()),
        ],
    );
    let model = Arc::new(model(&[SUMMARY]).with_context_window(CONTEXT_WINDOW));
    let expected = summary(&talk, &model).await;
    assert_eq!(printed(&ran).0, format!("{expected}\n"), "{ran:?}");
    let in_any_order = |mut prompts: Vec<String>| {
        prompts.sort();
        prompts
    };
    let prompts = in_any_order(server.prompts());
    assert!(prompts.len() > 2, "{prompts:#?}");
    assert_eq!(prompts, in_any_order(model.prompts()));
}

#[test]
#[ignore = "needs wac and wasmtime: make test-peers"]
fn a_component_that_was_changed_is_not_composed() {
    for changed in ["myao_summarizer.wasm", "provider.wasm", "app.wasm"] {
        let folder = components();
        let path = folder.path().join(changed);
        let mut bytes = fs::read(&path).unwrap();
        *bytes.last_mut().unwrap() ^= 1;
        fs::write(&path, bytes).unwrap();
        let ran = summarize(folder.path(), &read_project_file(TALK), &[]);
        let (stdout, stderr) = printed(&ran);
        assert_eq!(ran.status.code(), Some(1), "{ran:?}");
        assert_eq!(stdout, format!("{changed}: FAILED\n"), "{stderr}");
        assert!(!folder.path().join("summarize.wasm").exists());
    }
}

#[test]
#[ignore = "needs wac and wasmtime: make test-peers"]
fn what_keeps_a_summary_from_being_made_is_said() {
    let refusing = LlmServer::start(|_| error(401, r#"{"error":{"message":"no such key"}}"#));
    let (refusing, talk) = (refusing.base_url(), read_project_file(TALK));
    let nobody = "http://127.0.0.1:9/v1";
    for (talk, url, window, said) in [
        (
            talk.as_str(),
            refusing.as_str(),
            "",
            "InvalidRequest(\"401: no such key\")",
        ),
        (&talk, nobody, "", "Unavailable("),
        (&talk, "", "", "InvalidRequest(\"LLM_BASE_URL is not set\")"),
        (
            &talk,
            nobody,
            "8k",
            "InvalidRequest(\"LLM_CONTEXT_WINDOW is not a number of tokens\")",
        ),
        (
            "1772409600 ann: Hello\nbob: Hello",
            nobody,
            "",
            "line 2 is not `SECONDS NAME: TEXT`",
        ),
    ] {
        let environment = [
            ("LLM_BASE_URL", url),
            ("LLM_MODEL", "test-model"),
            ("LLM_CONTEXT_WINDOW", window),
        ];
        let ran = summarize(components().path(), talk, &environment);
        let (stdout, stderr) = printed(&ran);
        assert_eq!((ran.status.code(), stdout), (Some(1), ""), "{ran:?}");
        assert!(stderr.contains(said), "{said}: {stderr}");
    }
}
