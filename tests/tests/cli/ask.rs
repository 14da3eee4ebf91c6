//! `myao ask`.

use myao_tests::export::{Post, import_private, post, program_with, time, ts};
use myao_tests::llm_server::{LlmServer, answer_with_usage};
use myao_tests::program::Program;
use rusqlite::Connection;
use serde_json::{Value, json};

fn posts() -> Vec<Post> {
    vec![
        post(
            "general",
            0,
            "ann",
            "We release Harbour on 4 March at 14:00.",
        ),
        post("general", 7, "bob", "I will write the notes.").in_thread(0),
        post("random", 60, "ann", "決済の障害は A-1234 が原因でした"),
        post(
            "random",
            2000,
            "bob",
            "The release of Harbour was moved to 6 March.",
        ),
    ]
}

fn program() -> Program {
    program_with("", &posts())
}

fn ask(program: &Program, arguments: &[&str]) -> Value {
    program
        .run(&[&["--json", "ask"], arguments].concat())
        .json()
}

fn ts_of(response: &Value) -> Vec<&str> {
    let sources = response["sources"].as_array().unwrap();
    sources
        .iter()
        .map(|source| source["ts"].as_str().unwrap())
        .collect()
}

fn text(response: &Value) -> &str {
    response["answer"].as_str().unwrap()
}

#[test]
fn answer_stands_above_its_sources_with_date_channel_author_and_message() {
    let answered = program().run(&["ask", "What", "caused A-1234?"]).output();
    assert!(
        answered.contains("決済の障害は A-1234 が原因でした"),
        "{answered}"
    );
    let source = format!(
        "\n[1]  2026-03-02 01:00  #random  ann  CRANDOM:{}\n",
        ts(60)
    );
    assert!(answered.contains(&source), "{answered}");
    assert!(!answered.contains('\u{1b}'), "{answered}");
}

#[test]
fn answer_is_printed_as_json() {
    let response = ask(&program(), &["決済の障害の原因は？"]);
    assert!(text(&response).contains("A-1234"), "{response}");
    let expected = [
        ("outcome", json!("answered")),
        ("engine", json!("extractive")),
        ("truncated", json!(false)),
        ("calls", json!(0)),
        ("tokens", json!({ "input": 0, "output": 0 })),
    ];
    for (key, value) in expected {
        assert_eq!(response[key], value, "{key}");
    }
    let source = &response["sources"][0];
    let expected = [
        ("number", json!(1)),
        ("channel_id", json!("CRANDOM")),
        ("channel_name", json!("random")),
        ("ts", json!(ts(60))),
        ("time", json!("2026-03-02T01:00:00+00:00")),
        ("user_name", json!("ann")),
        ("permalink", Value::Null),
    ];
    for (key, value) in expected {
        assert_eq!(source[key], value, "{key}");
    }
}

#[test]
fn what_nobody_said_is_not_found() {
    let response = ask(&program(), &["Which kubernetes cluster do we use?"]);
    assert_eq!(response["outcome"], json!("nothing-found"), "{response}");
    assert_eq!(ts_of(&response), [""; 0]);
}

#[test]
fn question_in_the_past_is_answered_from_what_was_said_by_then() {
    let program = program();
    let when = "When is the release of Harbour?";
    let now = ask(&program, &[when]);
    assert!(text(&now).contains("6 March"), "{now}");
    for moment in ["2026-03-02", &time(1999)] {
        let then = ask(&program, &[when, "--as-of", moment]);
        assert!(text(&then).contains("4 March"), "{then}");
        assert!(!text(&then).contains("6 March"), "{then}");
    }
}

#[test]
fn time_and_a_channel_are_answered_with_what_was_said_there_and_then() {
    let program = program();
    let as_of = ["--as-of", "2026-03-04"];
    for question in [
        "What did I miss since Monday in #random?",
        "今週の #random を教えて",
    ] {
        let response = ask(&program, &[&[question], &as_of[..]].concat());
        let mut cited = ts_of(&response);
        cited.sort_unstable();
        assert_eq!(cited, [ts(60), ts(2000)], "{response}");
        assert!(text(&response).contains("moved to 6 March"), "{response}");
        assert!(text(&response).contains("A-1234"), "{response}");
        assert!(!text(&response).contains("14:00"), "{response}");
    }
    let yesterday = ask(&program, &["What happened on 3 March?", as_of[0], as_of[1]]);
    assert_eq!(ts_of(&yesterday), [ts(2000)], "{yesterday}");
    let silence = ask(
        &program,
        &["What did I miss since 4 March?", as_of[0], as_of[1]],
    );
    assert_eq!(silence["outcome"], json!("nothing-found"), "{silence}");
}

#[test]
fn channel_is_answered_with_what_everybody_in_it_may_see() {
    let program = program();
    let secret = "Ann's salary is 5000";
    import_private(&program, &post("hr", 3000, "ann", secret));
    for question in [
        "What is Ann's salary?",
        "What was said in #hr since 1 March?",
    ] {
        let inside = ask(&program, &[question, "--in", "hr"]);
        assert!(text(&inside).contains("5000"), "{inside}");
        let outside = ask(&program, &[question, "--in", "general"]);
        assert!(!outside.to_string().contains("5000"), "{outside}");
    }
    let error = program.run(&["ask", "salary", "--in", "genral"]).refusal();
    assert!(error.contains("did you mean `general`"), "{error}");
}

#[test]
fn asking_changes_nothing() {
    let program = program();
    let before = program.rows();
    program.run(&["ask", "When is the release?"]).succeeded();
    program
        .run(&["ask", "since Monday in #random", "--in", "general"])
        .succeeded();
    assert_eq!(program.rows(), before);
}

#[test]
fn model_answers_with_sources_and_its_calls_are_accounted() {
    let model = LlmServer::start(|_| {
        let answer = "It was moved to 6 March [1], so they say [99].";
        answer_with_usage(answer, (1200, None, 30))
    });
    let program = program_with(&model.config(), &posts());
    let response = ask(
        &program,
        &["When is the release of Harbour?", "--in", "random"],
    );
    assert_eq!(text(&response), "It was moved to 6 March [1], so they say.");
    assert_eq!(ts_of(&response).len(), 1, "{response}");
    let expected = [
        ("engine", json!("llm")),
        ("outcome", json!("answered")),
        ("calls", json!(1)),
        ("tokens", json!({ "input": 1200, "output": 30 })),
    ];
    for (key, value) in expected {
        assert_eq!(response[key], value, "{key}");
    }
    let prompt = &model.prompts()[0];
    assert!(prompt.contains("moved to 6 March"), "{prompt}");
    let usage = program.run(&["--json", "usage", "--by", "layer"]).json();
    assert_eq!(usage["groups"][0]["layer"], json!("reply"), "{usage}");
    assert_eq!(usage["groups"][0]["input_tokens"], json!(1200), "{usage}");
    // The operator's question is not of a channel.
    ask(&program, &["When is the release of Harbour?"]);
    let usage = program.run(&["--json", "usage", "--by", "channel"]).json();
    assert_eq!(usage["groups"].as_array().unwrap().len(), 2, "{usage}");
    // Of the answers, nothing is kept.
    let rows = program.rows().join("\n");
    assert!(!rows.contains("so they say"), "{rows}");
}

#[test]
fn model_may_search_in_other_words_before_it_answers_and_each_call_counts() {
    let model = LlmServer::start(|call| {
        let has_searched = call.prompt().contains("障害の原因");
        let answer = match has_searched {
            true => "Because of A-1234 [1].",
            false => r#"{"search": ["障害の原因"]}"#,
        };
        answer_with_usage(answer, (1000, None, 20))
    });
    let program = program_with(&model.config(), &posts());
    let question = "Why could nobody pay us?";
    let response = ask(&program, &[question]);
    assert_eq!(text(&response), "Because of A-1234 [1].", "{response}");
    assert_eq!(ts_of(&response), [ts(60)]);
    assert_eq!(response["calls"], json!(2));
    let tokens = json!({ "input": 2000, "output": 40 });
    assert_eq!(response["tokens"], tokens);
    assert!(!model.prompts()[0].contains("A-1234"), "by its own words");
    let usage = program.run(&["--json", "usage", "--by", "layer"]).json();
    assert_eq!(usage["groups"][0]["input_tokens"], json!(2000), "{usage}");
}

#[test]
fn answer_without_a_source_says_so() {
    let model = LlmServer::start(|_| answer_with_usage("I do not know that.", (1, None, 1)));
    let program = program_with(&model.config(), &posts());
    let answered = program.run(&["ask", "When is the release?"]).output();
    assert_eq!(answered, "I do not know that. (no source)\n");
}

#[test]
fn texts_cannot_control_the_terminal() {
    let said = post("general", 0, "ann", "The budget\u{1b}[2K is 500\u{7} euros");
    let program = program_with("", &[said]);
    let answered = program.run(&["ask", "What is the budget?"]).output();
    assert!(answered.contains("500"), "{answered}");
    assert!(
        !answered.contains(|c: char| c.is_control() && c != '\n'),
        "{answered:?}"
    );
}

#[test]
fn a_message_is_imported_up_to_its_limit_and_a_question_beyond_its_own_is_refused() {
    let long = format!("The zeppelin is grey. {}", "log ".repeat(40_000));
    let program = program_with("", &[post("general", 0, "ann", &long)]);
    let database = Connection::open(program.path("myao.db")).unwrap();
    let sql = "SELECT LENGTH(text) FROM messages WHERE text LIKE '%too long]'";
    let length: i64 = database.query_row(sql, [], |row| row.get(0)).unwrap();
    assert_eq!(length, 100_000);
    let asked = "x".repeat(4001);
    for command in ["ask", "search"] {
        let limit = "the question has 4001 characters; it can have 4000";
        program.run(&[command, &asked]).is_refused_with(&[limit]);
    }
}
