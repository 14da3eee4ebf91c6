//! What the journal of the model's calls saves, and what it does not keep.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use myao_tests::export::{Post, post, program_with, time};
use myao_tests::llm_server::{API_KEY, LlmServer, Reply, answer};
use myao_tests::program::Program;
use rusqlite::Connection;
use serde_json::json;

const FAIL_SAVES: &str = "CREATE INDEX fail ON memories (abs(id * 0 - 9223372036854775807 - 1))";

fn posts() -> Vec<Post> {
    vec![
        post("gamma", 10, "bob", "The budget is 45,000 yen."),
        post("gamma", 12, "ann", "We release Harbour on 4 March."),
    ]
}

fn generate(program: &Program, minute: i64) -> Option<i32> {
    let ran = program.run(&["--json", "generate", "--now", &time(minute)]);
    assert_eq!(ran.stderr, "");
    ran.code
}

fn is_asked_twice(server: &LlmServer) -> bool {
    let prompts = server.prompts();
    prompts.iter().collect::<BTreeSet<_>>().len() < prompts.len()
}

#[test]
fn a_store_that_fails_between_answer_and_save_costs_no_second_call() {
    let server = LlmServer::start(|_| answer("- The budget is 45,000 yen."));
    let program = program_with(&server.config(), &posts());
    let database = Connection::open(program.path("myao.db")).unwrap();
    database.execute_batch(FAIL_SAVES).unwrap();
    assert_eq!(
        (generate(&program, 300), server.calls().len()),
        (Some(1), 1)
    );
    database.execute_batch("DROP INDEX fail").unwrap();
    assert_eq!(
        (generate(&program, 300), server.calls().len()),
        (Some(0), 3)
    );
    assert!(!is_asked_twice(&server));
}

/// A thread that takes several prompts with a small context window.
fn long_thread() -> Vec<Post> {
    let message = |n: i64| {
        let text = format!(
            "Item {n}: {}",
            "the crane of the harbour is late again; ".repeat(12)
        );
        post("gamma", 10 + n, "bob", &text)
    };
    let replies = (1..24).map(|n| message(n).in_thread(10));
    std::iter::once(message(0)).chain(replies).collect()
}

/// The items of a long thread that a prompt holds.
fn items(prompt: &str) -> BTreeSet<String> {
    let items = prompt.split("Item ").skip(1);
    items
        .filter_map(|rest| Some(rest.split_once(':')?.0.to_owned()))
        .collect()
}

/// A server that keeps the chunk with the last item waiting while the switch is on.
fn hanging_at_the_last_chunk() -> (LlmServer, Arc<AtomicBool>) {
    let switch = Arc::new(AtomicBool::new(true));
    let on = switch.clone();
    let server = LlmServer::start(move |call| {
        let last = items(call.prompt()).contains("23");
        if on.load(Ordering::SeqCst) && last {
            Reply::Hang
        } else {
            answer("- The crane of the harbour is late again.")
        }
    });
    (server, switch)
}

#[test]
fn a_run_that_is_killed_between_two_chunks_does_not_ask_for_the_first_again() {
    let (server, switch) = hanging_at_the_last_chunk();
    let config = server.config_with("context_window: 4000");
    let program = program_with(&config, &long_thread());
    let now = time(300);
    let mut command = program.command(&["generate", "--now", &now]);
    let mut child = command
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let database = Connection::open(program.path("myao.db")).unwrap();
    let answered = || {
        let sql = "SELECT COUNT(*) FROM llm_calls WHERE answer IS NOT NULL";
        let count = database.query_row(sql, [], |row| row.get::<_, i64>(0));
        count.map_or(0, |count| usize::try_from(count).unwrap())
    };
    // The answers of all chunks but the last are written down.
    let chunks = loop {
        let calls = server.calls();
        let waits = calls.iter().any(|call| items(call.prompt()).contains("23"));
        if waits && calls.len() > 1 && answered() == calls.len() - 1 {
            break calls.len();
        }
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::yield_now();
    };
    child.kill().unwrap();
    child.wait().unwrap();
    switch.store(false, Ordering::SeqCst);
    assert_eq!(generate(&program, 300), Some(0));
    let again = server.prompts().split_off(chunks);
    let first: BTreeSet<String> = server.prompts().into_iter().take(chunks).collect();
    let repeated: Vec<&String> = again
        .iter()
        .filter(|prompt| first.contains(*prompt))
        .collect();
    assert_eq!(
        repeated.len(),
        1,
        "only what was not answered: {repeated:#?}"
    );
    assert!(items(repeated[0]).contains("23"));
}

/// Whether a file below a folder, the configuration left out, holds these bytes.
fn holds(folder: &Path, wanted: &str) -> bool {
    std::fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            return holds(&path, wanted);
        }
        let bytes = std::fs::read(&path).unwrap();
        !path.ends_with("myao.yaml")
            && bytes
                .windows(wanted.len())
                .any(|part| part == wanted.as_bytes())
    })
}

#[test]
fn a_database_without_recording_holds_no_prompt_no_bad_answer_and_no_key() {
    let bad = "申し訳ありませんが、要約する会話の内容を提供してください。";
    // Every first answer is bad, and every second is good.
    let told = AtomicBool::new(false);
    let server = LlmServer::start(move |_| {
        if told.fetch_xor(true, Ordering::SeqCst) {
            answer("- 予算は 45,000 円\n- 公開は 3 月 4 日")
        } else {
            answer(bad)
        }
    });
    let posts = [
        post("gamma", 10, "bob", "予算は 45,000 円です。"),
        post("gamma", 12, "ann", "公開は 3 月 4 日です。"),
    ];
    let program = program_with(&server.config(), &posts);
    assert_eq!(generate(&program, 300), Some(0));
    assert_eq!(
        server.calls().len(),
        6,
        "each of three memories took two calls"
    );
    let prompt = server.prompts().remove(0);
    let line = prompt
        .lines()
        .find(|line| line.starts_with("## 要約対象"))
        .unwrap();
    assert!(
        holds(program.folder(), "公開は 3 月 4 日"),
        "memories are there"
    );
    for secret in [bad, line, API_KEY] {
        assert!(!holds(program.folder(), secret), "{secret}");
    }
    let shown = program.run(&["--json", "memory", "show", "gamma"]).json();
    assert_eq!(
        (&shown[1]["taken"]["calls"], &shown[1]["taken"]["failed"]),
        (&json!(2), &json!(0))
    );
}

#[test]
fn an_answer_that_waits_for_its_memory_is_kept_and_then_forgotten() {
    let text = "- The budget is 45,000 yen, says the answer.";
    let waits = AtomicBool::new(true);
    let server = LlmServer::start(move |_| {
        if waits.swap(false, Ordering::SeqCst) {
            answer(text)
        } else {
            answer("- Another text altogether: 45,000 yen.")
        }
    });
    let program = program_with(&server.config(), &posts());
    let database = Connection::open(program.path("myao.db")).unwrap();
    database.execute_batch(FAIL_SAVES).unwrap();
    assert_eq!(generate(&program, 300), Some(1));
    let answers = || -> Vec<Option<String>> {
        let mut statement = database
            .prepare("SELECT answer FROM llm_calls ORDER BY id")
            .unwrap();
        let rows = statement.query_map([], |row| row.get(0)).unwrap();
        rows.map(Result::unwrap).collect()
    };
    assert_eq!(answers(), [Some(text.to_owned())]);
    database.execute_batch("DROP INDEX fail").unwrap();
    assert_eq!(generate(&program, 300), Some(0));
    assert_eq!(answers(), [None, None, None]);
}

#[test]
fn a_bad_answer_is_asked_for_anew_after_its_deferral() {
    let server = LlmServer::start(|_| answer(""));
    let program = program_with(&server.config(), &posts());
    assert_eq!(generate(&program, 300), Some(1));
    let calls = server.calls().len();
    assert_eq!(calls, 2, "an empty answer, and once more");
    let ran = program.run(&["--json", "generate", "--retry", "--now", &time(300)]);
    assert_eq!((ran.code, server.calls().len()), (Some(1), 2 * calls));
}
