//! What a collector is told of a run.

use std::net::TcpListener;
use std::process::Command;

use myao_tests::collector::{Collector, Span, attributes};
use myao_tests::export::{post, program_with, time};
use myao_tests::llm_server::{API_KEY, LlmServer, Reply, answer, cut_off, error, events};
use myao_tests::program::{Program, Ran};
use serde_json::{Value, json};

const MESSAGE: &str = "We release on 4 March.";
const ANSWER: &str = "- The release is on 4 March.";

const ENDPOINT: &str = "OTEL_EXPORTER_OTLP_ENDPOINT";

/// A channel with one message.
fn program(llm: &LlmServer) -> Program {
    program_with(&llm.config(), &[post("general", 0, "ann", MESSAGE)])
}

/// A generation run with variables of its own.
fn generate(program: &Program, variables: &[(&str, &str)]) -> Ran {
    Ran::of(command(program).envs(variables.iter().copied()))
}

fn command(program: &Program) -> Command {
    program.command(&["--json", "generate", "--now", &time(300)])
}

/// Each span below the one that it is part of: name, attributes, error.
fn tree(spans: &[Span], parent: &str, depth: usize) -> String {
    let mut lines = String::new();
    for span in spans.iter().filter(|span| span.parent == parent) {
        let indent = "    ".repeat(depth);
        lines += &format!("{indent}{}\n", span.name);
        for (key, value) in &span.attributes {
            lines += &format!("{indent}  {key}: {value}\n");
        }
        if let Some(error) = &span.error {
            lines += &format!("{indent}  failed: {error}\n");
        }
        lines += &tree(spans, &span.id, depth + 1);
    }
    lines
}

fn server_port(llm: &LlmServer) -> String {
    let url = llm.base_url();
    let port = url.trim_end_matches("/v1").rsplit(':').next().unwrap();
    port.to_owned()
}

/// The calls of a model, by the GenAI conventions, and their attributes.
fn chats(spans: &[Span]) -> Vec<&Span> {
    spans
        .iter()
        .filter(|span| span.name.starts_with("chat "))
        .collect()
}

#[test]
fn a_run_is_told_as_calls_of_the_component_with_the_models_calls_below() {
    let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
    generate(&program(&llm), &[(ENDPOINT, &collector.endpoint())]).succeeded();
    let chat = |scope: &str, scope_id: &str, memory_type: &str, max_tokens: u32| {
        let port = server_port(&llm);
        format!(
            r#"    chat test-model
      gen_ai.operation.name: "chat"
      gen_ai.provider.name: "openai"
      gen_ai.request.max_tokens: {max_tokens}
      gen_ai.request.model: "test-model"
      gen_ai.response.finish_reasons: ["stop"]
      gen_ai.response.model: "test-model-1"
      gen_ai.usage.input_tokens: 10
      gen_ai.usage.output_tokens: 5
      myao.attempts: 1
      myao.memory_type: "{memory_type}"
      myao.scope: "{scope}"
      myao.scope_id: "{scope_id}"
      server.address: "127.0.0.1"
      server.port: {port}
"#
        )
    };
    let expected = [
        "next_steps\n".to_owned(),
        "generate_channel #general\n  myao.scope: \"channel\"\n  myao.scope_id: \"CGENERAL\"\n"
            .to_owned(),
        chat("channel", "CGENERAL", "short-term", 500),
        chat("channel", "CGENERAL", "long-term", 500),
        "next_steps\n".to_owned(),
        "generate_workspace\n  myao.scope: \"workspace\"\n  myao.scope_id: \"default\"\n"
            .to_owned(),
        chat("workspace", "default", "long-term", 500),
        "next_steps\n".to_owned(),
    ];
    assert_eq!(tree(&collector.spans(), "", 0), expected.concat());
}

#[test]
fn spans_of_a_call_share_its_trace_and_lie_within_its_time() {
    let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
    generate(&program(&llm), &[(ENDPOINT, &collector.endpoint())]).succeeded();
    let spans = collector.spans();
    assert_eq!(chats(&spans).len(), 3);
    for chat in chats(&spans) {
        let parent = spans.iter().find(|span| span.id == chat.parent).unwrap();
        assert_eq!((chat.kind, parent.kind), (3, 1));
        assert_eq!(chat.trace, parent.trace);
        assert!(
            parent.time.0 <= chat.time.0
                && chat.time.0 < chat.time.1
                && chat.time.1 <= parent.time.1,
            "{parent:#?}\n{chat:#?}"
        );
    }
}

#[test]
fn prompts_answers_and_keys_are_not_told() {
    let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
    generate(&program(&llm), &[(ENDPOINT, &collector.endpoint())]).succeeded();
    let requests = collector.requests();
    assert!(!requests.is_empty());
    let told = format!("{requests:?}");
    for secret in [MESSAGE, ANSWER, "4 March", API_KEY] {
        assert!(!told.contains(secret), "{secret}: {told}");
    }
}

#[test]
fn prompts_and_answers_are_told_when_asked_for_but_no_key() {
    let llm = LlmServer::start(|_| cut_off(&format!("{ANSWER}\n- Ann ")));
    let collector = Collector::start();
    let variables = [
        (ENDPOINT, &*collector.endpoint()),
        ("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT", "True"),
    ];
    generate(&program(&llm), &variables).succeeded();
    let spans = collector.spans();
    let json = |span: &Span, key: &str| serde_json::from_str::<Value>(span.text(key)).unwrap();
    let told: Vec<Value> = chats(&spans)
        .iter()
        .map(|chat| json(chat, "gen_ai.system_instructions"))
        .collect();
    let sent: Vec<Value> = llm
        .prompts()
        .iter()
        .map(|prompt| json!([{ "type": "text", "content": prompt }]))
        .collect();
    assert_eq!(told, sent);
    let text = format!("{ANSWER}\n- Ann ");
    let answered = json!([{
        "role": "assistant",
        "parts": [{ "type": "text", "content": text }],
        "finish_reason": "length",
    }]);
    for chat in chats(&spans) {
        assert_eq!(json(chat, "gen_ai.output.messages"), answered);
    }
    assert!(!format!("{:?}", collector.requests()).contains(API_KEY));
}

#[test]
fn a_failure_is_told_by_its_kind_and_without_the_servers_words() {
    let body = format!("{{\"error\":{{\"message\":\"no {MESSAGE}\"}}}}");
    let llm = LlmServer::start(move |_| error(500, &body));
    let collector = Collector::start();
    let ran = generate(&program(&llm), &[(ENDPOINT, &collector.endpoint())]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    let spans = collector.spans();
    let [chat] = chats(&spans)[..] else {
        panic!("{spans:#?}")
    };
    assert_eq!(chat.error.as_deref(), Some("unavailable"));
    assert_eq!(chat.text("error.type"), "unavailable");
    assert_eq!(chat.text("gen_ai.request.model"), "test-model");
    assert!(!chat.attributes.contains_key("gen_ai.response.model"));
    let channel = spans.iter().find(|span| span.id == chat.parent).unwrap();
    assert_eq!(channel.name, "generate_channel #general");
    assert_eq!(channel.text("error.type"), "llm.unavailable");
    assert!(!format!("{:?}", collector.requests()).contains(MESSAGE));
}

#[test]
fn longest_answer_is_the_one_that_was_sent() {
    let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
    let config = llm.config_with("params: { max_tokens: 120 }");
    let program = program_with(&config, &[post("general", 0, "ann", MESSAGE)]);
    generate(&program, &[(ENDPOINT, &collector.endpoint())]).succeeded();
    for chat in chats(&collector.spans()) {
        assert_eq!(chat.attributes["gen_ai.request.max_tokens"], 120);
    }
    assert_eq!(llm.calls()[0].body["max_tokens"], 120);
}

#[test]
fn providers_have_the_conventions_names() {
    for (provider, name) in [
        ("azure", "azure.ai.openai"),
        ("groq", "groq"),
        ("mistral", "mistral_ai"),
        ("xai", "x_ai"),
    ] {
        let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
        let config = llm.config().replace("openai/", &format!("{provider}/"));
        let config = config.replace("/v1'", "/openai/v1'");
        let program = program_with(&config, &[post("general", 0, "ann", MESSAGE)]);
        generate(&program, &[(ENDPOINT, &collector.endpoint())]).succeeded();
        let spans = collector.spans();
        assert_eq!(chats(&spans).len(), 3, "{provider}");
        for chat in chats(&spans) {
            assert_eq!(chat.text("gen_ai.provider.name"), name);
        }
    }
}

#[test]
fn tokens_that_the_provider_had_cached_are_told() {
    let usage = json!({
        "prompt_tokens": 40, "completion_tokens": 5, "prompt_tokens_details": { "cached_tokens": 32 },
    });
    let choice = json!({ "index": 0, "delta": { "content": ANSWER }, "finish_reason": "stop" });
    let llm = LlmServer::start(move |_| {
        events(&[
            json!({ "choices": [choice] }),
            json!({ "choices": [], "usage": usage }),
        ])
    });
    let collector = Collector::start();
    generate(&program(&llm), &[(ENDPOINT, &collector.endpoint())]).succeeded();
    let spans = collector.spans();
    assert_eq!(chats(&spans).len(), 3);
    for chat in chats(&spans) {
        let count = |key: &str| chat.attributes[key].as_u64();
        assert_eq!(count("gen_ai.usage.input_tokens"), Some(40));
        assert_eq!(count("gen_ai.usage.cache_read.input_tokens"), Some(32));
    }
}

#[test]
fn what_the_environment_says_of_collector_and_program_is_kept_to() {
    let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
    let program = program(&llm);
    generate(&program, &[(ENDPOINT, &collector.endpoint())]).succeeded();
    let variables = [
        (
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
            &*format!("{}/own/path", collector.endpoint()),
        ),
        ("OTEL_EXPORTER_OTLP_HEADERS", "api-key=for-the-collector"),
        ("OTEL_SERVICE_NAME", "memories"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test,service.name=other",
        ),
    ];
    generate(&program, &variables).succeeded();
    let [by_default, configured] = &collector.requests()[..] else {
        panic!("{:#?}", collector.requests())
    };
    let resource = |body: &Value| attributes(&body["resourceSpans"][0]["resource"]);
    assert_eq!(by_default.target, "POST /v1/traces");
    assert_eq!(resource(&by_default.body)["service.name"], "myao");
    assert_eq!(configured.target, "POST /own/path");
    assert!(
        configured
            .headers
            .contains(&"api-key: for-the-collector".to_owned())
    );
    let resource = resource(&configured.body);
    assert_eq!(resource["service.name"], "memories");
    assert_eq!(resource["deployment.environment.name"], "test");
}

#[test]
fn traces_that_are_switched_off_reach_nobody() {
    let (llm, collector) = (LlmServer::start(|_| answer(ANSWER)), Collector::start());
    for off in [
        ("OTEL_SDK_DISABLED", "TRUE"),
        ("OTEL_TRACES_EXPORTER", "none"),
    ] {
        generate(&program(&llm), &[(ENDPOINT, &collector.endpoint()), off]).succeeded();
    }
    assert_eq!(collector.requests().len(), 0);
}

/// The run is as one without traces, but for one line of warning.
#[track_caller]
fn warns(variables: &[(&str, &str)], words: &str) {
    let llm = LlmServer::start(|_| answer(ANSWER));
    let expected = generate(&program(&llm), &[]).output();
    let ran = generate(&program(&llm), variables);
    assert_eq!((ran.code, &ran.stdout), (Some(0), &expected), "{ran:#?}");
    assert_eq!(ran.stderr.lines().count(), 1, "{ran:#?}");
    for word in ["WARN", words, "OTEL_EXPORTER_OTLP_"] {
        assert!(ran.stderr.contains(word), "no `{word}`: {ran:#?}");
    }
}

#[test]
fn a_collector_that_is_away_costs_a_warning() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    warns(&[(ENDPOINT, &endpoint)], "traces cannot be sent");
}

#[test]
fn a_collector_that_never_answers_costs_a_warning() {
    let collector = LlmServer::start(|_| Reply::Hang);
    let endpoint = collector.base_url();
    let variables = [
        (ENDPOINT, &*endpoint),
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "100"),
    ];
    warns(&variables, "traces cannot be sent");
    assert!(!collector.calls().is_empty());
}

#[test]
fn an_address_that_is_none_costs_a_warning() {
    warns(&[(ENDPOINT, "no address")], "no traces are sent");
}
