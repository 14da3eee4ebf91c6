//! `myao embed`, and what is found by its meaning.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use myao_testkit::WordEmbedder;
use myao_tests::export::{Post, post, program_with};
use myao_tests::llm_server::{API_KEY, LlmServer, Reply, error};
use myao_tests::program::Program;
use serde_json::{Value, json};

/// Much talk, and one message about money.
fn posts() -> Vec<Post> {
    let about_money = post("general", 1, "ann", "予算 は 百二十万");
    let talk = (2..14).map(|minute| {
        let text = format!("talk number {minute}");
        post("general", minute, "bob", &text)
    });
    std::iter::once(about_money).chain(talk).collect()
}

/// The server refuses calls with a text that has this in it.
const REFUSED: &str = "unspeakable";

/// A server for which `予算` and `budget` mean the same, unless it is told to fail.
fn server() -> (LlmServer, Arc<AtomicBool>) {
    let fails = Arc::new(AtomicBool::new(false));
    let told = fails.clone();
    let embedder = WordEmbedder::new("words", &[&["予算", "budget"]]);
    let server = LlmServer::start(move |call| {
        assert_eq!(call.target, "POST /v1/embeddings");
        if told.load(Ordering::Relaxed) {
            return error(503, "");
        }
        let texts = call.body["input"].as_array().unwrap().iter();
        let mut words = texts.clone().filter_map(Value::as_str);
        if words.any(|text| text.contains(REFUSED)) {
            return error(400, "");
        }
        let vectors = texts.map(|text| embedder.vector(text.as_str().unwrap()).unwrap());
        let data: Vec<Value> = vectors
            .enumerate()
            .map(|(index, vector)| json!({ "index": index, "embedding": vector.numbers() }))
            .collect();
        let body = json!({ "data": data, "usage": { "prompt_tokens": 100 } });
        Reply::Http(200, "content-type: application/json", body.to_string())
    });
    (server, fails)
}

fn program(server: &LlmServer) -> Program {
    program_over(server, &posts())
}

fn program_over(server: &LlmServer, posts: &[Post]) -> Program {
    program_with(&config(server), posts)
}

fn config(server: &LlmServer) -> String {
    let url = server.base_url();
    format!(
        "recall:\n  embeddings:\n    model_id: openai/words\n    \
         client_args: {{ base_url: '{url}', api_key: {API_KEY}, max_retries: 0 }}\n"
    )
}

#[test]
fn messages_are_found_by_their_meaning_once_they_have_vectors() {
    let (server, _) = server();
    let program = program(&server);
    let nothing = program.run(&["--json", "search", "budget"]).json();
    assert_eq!(nothing["hits"], json!([]));
    let made = program.run(&["embed"]).output();
    let expected = "Made 13 vectors. Now 13 messages can be found by what they mean.\n";
    assert_eq!(made, expected);
    // Letters and digits come first: they show the embedder's mean. The author is part of what a message means.
    assert_eq!(server.calls()[1].body["input"][0], "a");
    let embedded = server.calls()[2].body["input"][0].clone();
    assert_eq!(embedded, "ann: 予算 は 百二十万");
    let found = program.run(&["--json", "search", "budget"]).json();
    assert_eq!(found["hits"][0]["text"], "予算 は 百二十万");
    let answer = program.run(&["ask", "What is the budget?"]).output();
    assert!(answer.contains("百二十万"), "{answer}");
    let again = program.run(&["--json", "embed"]).json();
    assert_eq!(again, json!({ "made": 0, "all": 13 }));
}

#[test]
fn calls_of_the_embedder_are_counted_apart() {
    let (server, _) = server();
    let program = program(&server);
    program.run(&["embed"]).succeeded();
    program.run(&["search", "budget"]).succeeded();
    let usage = program.run(&["usage"]).output();
    let note = "note: vectors by which messages are found took 3 calls more, with 300 tokens\n";
    assert!(usage.ends_with(note), "{usage}");
}

#[test]
fn without_its_server_messages_are_found_by_their_words() {
    let (server, fails) = server();
    let program = program(&server);
    fails.store(true, Ordering::Relaxed);
    let ran = program.run(&["embed"]);
    assert_eq!(ran.code, Some(1), "{ran:#?}");
    assert!(
        ran.stderr.contains("0 of 13 messages have a vector"),
        "{ran:#?}"
    );
    assert!(!ran.stderr.contains(API_KEY), "{ran:#?}");
    let ran = program.run(&["--json", "search", "予算"]);
    assert!(
        ran.stderr.contains("found by their words alone"),
        "{ran:#?}"
    );
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["hits"][0]["text"], "予算 は 百二十万");
}

#[test]
fn a_refused_text_costs_no_other_its_vector() {
    let (server, _) = server();
    let mut posts = posts();
    let refused = format!("{REFUSED} words");
    posts.push(post("general", 20, "cy", &refused));
    let program = program_over(&server, &posts);
    let ran = program.run(&["embed"]);
    assert!(ran.stdout.starts_with("Made 13 vectors."), "{ran:#?}");
    let note = "1 message is found by its words alone";
    assert!(ran.stderr.contains(note), "{ran:#?}");
    let found = program.run(&["--json", "search", "budget"]).json();
    assert_eq!(found["hits"][0]["text"], "予算 は 百二十万");
    // It is not asked for again and again.
    let asked = server.calls().len();
    program.run(&["embed"]).succeeded();
    assert_eq!(server.calls().len(), asked);
}

#[test]
fn the_budget_of_a_day_counts_vectors_and_stops_them() {
    let (server, _) = server();
    let with_budget = |tokens: u32| {
        let budget = format!("budget: {{ tokens_per_day: {tokens} }}\n");
        config(&server) + &budget
    };
    let program = program_with(&with_budget(2_000), &posts());
    program.run(&["embed"]).succeeded();
    // The call took 100 tokens.
    program.write("myao.yaml", with_budget(120));
    let asked = server.calls().len();
    let ran = program.run(&["--json", "search", "予算"]);
    assert!(ran.stderr.contains("budget.tokens_per_day"), "{ran:#?}");
    assert_eq!(server.calls().len(), asked);
    let found: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(found["hits"][0]["text"], "予算 は 百二十万");
}

/// What `doctor` says of the embedder.
fn examined(program: &Program, arguments: &[&str]) -> (String, String) {
    let ran = program.run(&[&["--json", "doctor"], arguments].concat());
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let mut checks = report["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["check"] == "model for embeddings");
    let text = |key: &str| check.unwrap()[key].as_str().unwrap().to_owned();
    (text("state"), text("found"))
}

#[test]
fn doctor_looks_at_the_embedder() {
    let (server, fails) = server();
    let program = program(&server);
    let origin = server.base_url().replace("/v1", "");
    let answers = format!("openai/words at {origin} answers");
    let called = examined(&program, &["--call-models"]);
    assert_eq!(called, ("ok".to_owned(), answers));
    fails.store(true, Ordering::Relaxed);
    let (state, found) = examined(&program, &["--call-models"]);
    assert_eq!(state, "failed");
    assert!(found.starts_with("openai/words at "), "{found}");
    let unset = "none: messages are found by their words".to_owned();
    let without = examined(&Program::default(), &[]);
    assert_eq!(without, ("not-configured".to_owned(), unset));
}

#[test]
fn command_without_a_model_says_where_to_name_one() {
    let ran = program_with("", &posts()).run(&["embed"]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.stderr.contains("recall.embeddings.model_id"),
        "{ran:#?}"
    );
}

#[test]
fn file_that_is_no_model_is_named_and_stops_the_search() {
    let program = program_with("", &posts());
    let config = std::fs::read_to_string(program.path("myao.yaml")).unwrap();
    let with = |embeddings: &str| format!("{config}recall: {{ embeddings: {embeddings} }}\n");
    program.write("myao.yaml", with("{ file: posts.gguf }"));
    program.write("posts.gguf", "GGUF, or not");
    for command in [&["embed"][..], &["search", "budget"]] {
        let ran = program.run(command);
        assert_eq!(ran.code, Some(1));
        assert!(ran.stderr.contains("posts.gguf: it is"), "{ran:#?}");
    }
    let (state, found) = examined(&program, &[]);
    assert_eq!(state, "failed");
    assert!(found.contains("posts.gguf"), "{found}");
    program.write("myao.yaml", with("{ file: posts.gguf, local: false }"));
    assert_eq!(program.run(&["search", "budget"]).code, Some(0));
}
