//! Against llmock, which breaks what it answers as it is told, watches every attempt and grades its client:
//! each run must end with the memories of a run without faults, and the grade must be clean.

use std::process::Command;

use myao_tests::export::{Post, post, program_with};
use myao_tests::peer::{Peer, peer_file};
use myao_tests::program::Program;
use serde_json::{Value, json};

use crate::end_state::{Saved, generate, saved};

/// When the conversation is over.
const LATER: i64 = 300;
/// The deferral after one failure is over by then.
const RETRIED: i64 = LATER + 120;
/// The calls of a run without faults: the thread, the channel's recent events and its past, the workspace.
const CALLS: u64 = 4;
const ANSWER: &str = "- Harbour 2.4 is released on 4 March.\n\
                      - Carol signed off the budget of 45,000 yen.\n\
                      - Bob writes the release notes by Tuesday.";
/// The answer for a conversation in parts: no part holds all values of `ANSWER`, and lines with other values go.
const ANSWER_WITHOUT_VALUES: &str = "- The team prepares the release of Harbour.\n\
                                     - Carol signed off the budget.";

/// How llmock is spoken to: a model, and the path of its wire.
const OPENAI: (&str, &str) = ("openai/mock-1", "/v1");
const WIRES: [(&str, &str); 3] = [
    OPENAI,
    ("anthropic/mock-1", "/anthropic"),
    ("gemini/mock-1", "/gemini/v1beta"),
];

fn posts() -> Vec<Post> {
    vec![
        post("harbour", 0, "ann", "We release Harbour 2.4 on 4 March."),
        post(
            "harbour",
            3,
            "bob",
            "Carol signed off the budget of 45,000 yen.",
        ),
        post("harbour", 5, "ann", "Who writes the release notes?"),
        post("harbour", 9, "bob", "I write them by Tuesday.").in_thread(5),
    ]
}

/// A running llmock.
struct Llmock(Peer);

impl Llmock {
    fn start(options: &[&str]) -> Self {
        let mut command = Command::new(peer_file("llmock/bin/llmock"));
        // Paced, so that a client that hangs up in the middle is seen to.
        command.args(["serve", "--log-level=error", "--stream-chunk-delay-ms=5"]);
        command.args(options);
        Self(Peer::start(&mut command, "--port", "/health"))
    }

    /// Forgets what was, and then answers everything, with these faults in it.
    fn script(&self, faults: &[Value]) {
        self.script_answer(ANSWER, faults);
    }

    fn script_answer(&self, answer: &str, faults: &[Value]) {
        let mut behaviors = vec![json!({ "type": "reply", "text": answer, "times": null })];
        behaviors.extend_from_slice(faults);
        self.behave(&behaviors);
    }

    fn behave(&self, behaviors: &[Value]) {
        self.0.post("/_llmock/reset", &json!({}));
        self.0
            .post("/_llmock/scenario", &json!({ "behaviors": behaviors }));
    }

    /// A configuration with this server as the model; it waits for a first token for two seconds, and for the
    /// next one for one.
    fn config(&self, (model_id, path): (&str, &str), more: &str) -> String {
        let url = self.0.url(path);
        format!(
            "memory: {{ thread_memories: always }}\nagents:\n  memory:\n    model_id: {model_id}\n    client_args: {{ base_url: '{url}', api_key: any, \
             timeout: 60, first_token_timeout: 2, stall_timeout: 1{more} }}\n"
        )
    }

    /// A program with the conversation and this server as its model.
    fn program(&self, wire: (&str, &str), more: &str) -> Program {
        program_with(&self.config(wire, more), &posts())
    }

    /// How many requests came, after a clean grade without errors and without warnings.
    #[track_caller]
    fn attempts(&self) -> u64 {
        let verdict = self.0.get("/_llmock/verdict");
        let findings = &verdict["findings"];
        assert_eq!((&verdict["passed"], findings), (&json!(true), &json!([])));
        verdict["attempts"].as_u64().unwrap()
    }

    /// How many requests were answered with an error.
    fn refused(&self) -> u64 {
        let verdict = self.0.get("/_llmock/verdict");
        verdict["faults_injected"].as_u64().unwrap()
    }
}

/// What a run without faults saves if this is the answer.
fn all_saved(answer: &str) -> Vec<Saved> {
    let memories = [
        ("workspace", "long-term"),
        ("channel", "long-term"),
        ("channel", "short-term"),
        ("thread", "short-term"),
    ];
    let saved = memories.map(|(scope, memory_type)| Saved {
        scope: scope.to_owned(),
        memory_type: memory_type.to_owned(),
        engine: "llm".to_owned(),
        content: answer.to_owned(),
    });
    saved.into()
}

/// On every wire, a run with these faults ends as one without, at the cost of so many attempts more.
#[track_caller]
fn survives(faults: &[Value], more_attempts: u64) {
    let server = Llmock::start(&[]);
    for wire in WIRES {
        server.script(faults);
        let program = server.program(wire, "");
        let run = generate(&program, LATER);
        assert_eq!(run.code, Some(0), "{wire:?}: {run:#?}");
        assert_eq!(run.outcomes(), ["done"; 3], "{wire:?}: {run:#?}");
        assert_eq!(saved(&program), all_saved(ANSWER), "{wire:?}");
        assert_eq!(server.attempts(), CALLS + more_attempts, "{wire:?}");
    }
}

/// A run whose every call fails: it says why and saves nothing, and the next run, without the fault, makes all.
#[track_caller]
fn fails(server: &Llmock, more: &str, faults: &[Value], attempts: u64, words: &str) {
    server.script(faults);
    let program = server.program(OPENAI, more);
    let run = generate(&program, LATER);
    assert_eq!(run.code, Some(1), "{run:#?}");
    // There is nothing to merge into the workspace's memory.
    assert_eq!(run.outcomes(), ["failed", "failed", "skipped"], "{run:#?}");
    for reason in run.reasons().into_iter().take(2) {
        assert!(reason.contains(words), "no `{words}` in: {reason}");
    }
    assert_eq!(saved(&program), []);
    assert_eq!(server.attempts(), attempts);

    server.script(&[]);
    let run = generate(&program, RETRIED);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert_eq!(saved(&program), all_saved(ANSWER));
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn without_faults_each_memory_is_one_call() {
    survives(&[], 0);
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_rate_limit_is_waited_for_as_long_as_it_asks() {
    survives(
        &[json!({ "type": "fail", "status": 429, "retry_after": 1.5, "times": 2 })],
        2,
    );
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_rate_limit_that_names_no_time_of_its_own_is_waited_for() {
    survives(&[json!({ "type": "fail", "status": 429 })], 1);
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_burst_of_errors_is_survived_with_growing_waits() {
    survives(&[json!({ "type": "fail", "status": 500, "times": 3 })], 3);
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_slow_first_token_is_waited_for() {
    survives(&[json!({ "type": "slow_first_token", "seconds": 1.2 })], 0);
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_first_token_that_does_not_come_is_asked_for_again() {
    survives(&[json!({ "type": "slow_first_token", "seconds": 30 })], 1);
}

/// A fault within the stream, early and late.
#[track_caller]
fn survives_in_stream(kind: &str) {
    let fault = |chunk: u32| json!({ "type": "stream_fault", "kind": kind, "after_chunks": chunk, "times": 1 });
    survives(&[fault(1), fault(9)], 2);
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_stream_that_stalls_is_asked_for_again() {
    survives_in_stream("stall");
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_truncated_stream_is_no_answer() {
    survives_in_stream("truncate");
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_disconnected_stream_is_no_answer() {
    survives_in_stream("disconnect");
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_malformed_stream_is_no_answer() {
    survives_in_stream("malformed");
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn faults_one_after_another_are_survived() {
    survives(
        &[
            json!({ "type": "fail", "status": 503, "retry_after": 0.5 }),
            json!({ "type": "stream_fault", "kind": "truncate", "after_chunks": 4 }),
            json!({ "type": "stream_fault", "kind": "malformed", "after_chunks": 2 }),
        ],
        3,
    );
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn an_outage_is_reported_after_a_few_attempts_and_made_up_for() {
    let outage = json!({ "type": "fail", "status": 500, "times": null });
    let server = Llmock::start(&[]);
    fails(&server, ", max_retries: 2", &[outage], 6, "status 500");
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn what_cannot_succeed_is_asked_for_once() {
    let server = Llmock::start(&[]);
    for status in [400, 401, 403, 404, 422] {
        let fault = json!({ "type": "fail", "status": status, "times": null });
        let words = format!("status {status}");
        fails(&server, "", &[fault], 2, &words);
    }
}

/// Too small for the words around the messages alone. Gemini is left out: llmock does not count its system message.
#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_context_window_that_holds_no_prompt_is_reported() {
    let server = Llmock::start(&["--context-window=40"]);
    for wire in &WIRES[..2] {
        server.script(&[]);
        let program = server.program(*wire, "");
        let run = generate(&program, LATER);
        assert_eq!(run.code, Some(1), "{wire:?}: {run:#?}");
        assert_eq!(run.outcomes(), ["failed", "failed", "skipped"], "{wire:?}");
        for reason in run.reasons().into_iter().take(2) {
            // The window is smaller than the longest answer alone.
            assert!(
                reason.contains("where 0 fit the model"),
                "{wire:?}: {reason}"
            );
        }
        assert_eq!(saved(&program), []);
        server.attempts();
    }
}

/// Less than half of what [`long_conversation`] takes, as llmock counts.
const WINDOW: u32 = 2400;

fn long_conversation() -> Vec<Post> {
    let mut posts = posts();
    posts.extend((10..90).map(|minute| {
        let text = format!(
            "Booking {minute} of pier {} went through the new payment page after {} retries; I wrote the \
             details of what the customer saw into ticket HB-{} for the review.",
            minute % 7,
            minute % 4,
            4000 + minute * 13
        );
        post("harbour", minute, "ann", &text)
    }));
    posts
}

/// A run over the long conversation makes and saves everything, in parts; returns how many calls it says it made.
#[track_caller]
fn summarizes_in_parts(program: &Program) -> u64 {
    let run = generate(program, LATER);
    assert_eq!(run.code, Some(0), "{run:#?}");
    assert_eq!(run.outcomes(), ["done"; 3], "{run:#?}");
    assert_eq!(saved(program), all_saved(ANSWER_WITHOUT_VALUES));
    let made = run.made();
    let recent = made
        .iter()
        .find(|made| made["scope"] == "channel" && made["memory_type"] == "short-term");
    let coverage = &recent.unwrap()["coverage"];
    assert!(coverage["chunks"].as_u64() > Some(1), "{coverage}");
    let messages = long_conversation().len();
    let covered = json!([messages, messages]);
    assert_eq!(json!([coverage["messages"], coverage["covered"]]), covered);
    made.iter()
        .map(|made| made["coverage"]["calls"].as_u64().unwrap())
        .sum()
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_prompt_that_the_server_finds_too_long_is_asked_for_in_parts() {
    let server = Llmock::start(&[&format!("--context-window={WINDOW}")]);
    for wire in &WIRES[..2] {
        server.script_answer(ANSWER_WITHOUT_VALUES, &[]);
        let program = program_with(&server.config(*wire, ""), &long_conversation());
        let calls = summarizes_in_parts(&program);
        assert_eq!(server.attempts(), calls, "{wire:?}");
        // Each of the three steps may learn it once: nothing is kept from one to the next.
        let refused = server.refused();
        assert!((1..=3).contains(&refused), "{wire:?}: {refused} refused");
    }
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_context_window_that_is_known_is_never_exceeded() {
    let server = Llmock::start(&[&format!("--context-window={WINDOW}")]);
    for wire in &WIRES[..2] {
        server.script_answer(ANSWER_WITHOUT_VALUES, &[]);
        let config = server.config(*wire, "") + &format!("    context_window: {WINDOW}\n");
        let program = program_with(&config, &long_conversation());
        let calls = summarizes_in_parts(&program);
        assert_eq!(server.attempts(), calls, "{wire:?}");
        assert_eq!(server.refused(), 0, "{wire:?}");
    }
}

/// The answer to a question whose words stand in no message, and how many calls it took, if the model says this, call by call.
#[track_caller]
fn asked(said: &[&str]) -> (String, u64) {
    let server = Llmock::start(&[]);
    let behavior = |text: &&str| json!({ "type": "reply", "text": text, "times": 1 });
    let behaviors: Vec<Value> = said.iter().map(behavior).collect();
    server.behave(&behaviors);
    let url = server.0.url(OPENAI.1);
    let agent = |name| {
        let (model_id, _) = OPENAI;
        format!(
            "  {name}: {{ model_id: {model_id}, client_args: {{ base_url: '{url}', api_key: any }} }}\n"
        )
    };
    let config = format!("agents:\n{}{}", agent("memory"), agent("response"));
    let program = program_with(&config, &posts());
    let question = "Who documents the launch?";
    let response = program.run(&["--json", "ask", question]).json();
    let attempts = server.attempts();
    assert_eq!(response["calls"], json!(attempts));
    (response["answer"].as_str().unwrap().to_owned(), attempts)
}

const SEARCH: &str = r#"{"search": ["release notes"]}"#;

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_model_searches_before_it_answers_or_does_not() {
    for (said, calls) in [
        (&["Bob does [1]."][..], 1),
        (&[SEARCH, "Bob does [1]."], 2),
        (&[SEARCH, SEARCH, "Bob does [1]."], 3),
        (&[r#"{"search": ["release"#, "Bob does [1]."], 2),
    ] {
        let (answer, made) = asked(said);
        assert!(answer.starts_with("Bob does"), "{said:?}: {answer}");
        assert_eq!(made, calls, "{said:?}");
    }
}

#[test]
#[ignore = "needs llmock: make test-peers"]
fn a_model_that_searches_for_ever_found_nothing() {
    let (answer, calls) = asked(&[SEARCH; 4]);
    assert_eq!(answer, "I found nothing about that.");
    assert_eq!(calls, 3);
}
