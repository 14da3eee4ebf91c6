//! `myao items`, and the tools of `myao mcp` for them: what a model reported with the memories.

use myao_tests::export::{channel_id, post, program_with, ts};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::program::Program;
use serde_json::{Value, json};

use crate::cli::mcp::calls;

/// A model that reports a decision and two tasks; one is done five hours later.
fn model() -> LlmServer {
    LlmServer::start(|call| {
        let prompt = call.prompt();
        let Some((_, asked)) = prompt.rsplit_once("\"quote\"") else {
            return answer("- The crane comes, and a letter is sent.");
        };
        let done = asked
            .lines()
            .find(|line| line.contains(": I send the letter"));
        let done = done.and_then(|line| line.split('.').next());
        let report = match done.filter(|_| prompt.contains("the letter is out")) {
            Some(number) => {
                format!(r#"[{{"item": {number}, "state": "done", "quote": "the letter is out"}}]"#)
            }
            None => r#"[{"kind": "decision", "quote": "We take the blue crane"},
                {"kind": "task", "quote": "I send the letter", "owner": "ann", "due": "2026-03-06"},
                {"kind": "task", "quote": "Bob sweeps", "owner": "Bob"},
                {"kind": "task", "quote": "nobody said this"}]"#
                .to_owned(),
        };
        let text = if done.is_some() {
            "- The letter is out."
        } else {
            "- The blue crane is taken."
        };
        answer(&format!("{text}\n```json\n{report}\n```"))
    })
}

fn program(llm: &LlmServer) -> Program {
    let posts = [
        post(
            "general",
            0,
            "ann",
            "We take the blue crane. Bob sweeps the yard.",
        ),
        post("general", 1, "ann", "I send the letter until 6 March 2026."),
        post("general", 300, "bob", "By the way, the letter is out"),
    ];
    let program = program_with(&llm.config(), &posts);
    program.run(&["backfill"]).succeeded();
    program
}

fn letter() -> String {
    format!("{}:{}/task", channel_id("general"), ts(1))
}

#[test]
fn items_are_listed_set_taken_back_and_explained() {
    let llm = model();
    let program = program(&llm);
    let list = |options: &[&str]| program.run(&[&["items"], options].concat()).output();
    let open = list(&[]);
    assert!(
        open.starts_with("Tasks\n- Bob sweeps the yard.\n  Bob · ann in #general, "),
        "{open}"
    );
    assert!(
        open.contains("\n\nDecisions\n- We take the blue crane.\n") && !open.contains("letter"),
        "{open}"
    );
    let all = list(&["--all", "--kind", "task"]);
    assert!(
        all.contains(
            "- I send the letter until 6 March 2026.\n  done · ann · due 2026-03-06 · ann in"
        ),
        "{all}"
    );
    assert!(list(&["--all", "--owner", "ann"]).contains("letter"));
    let before = list(&["--as-of", &myao_tests::export::time(200)]);
    assert!(
        before.contains("- I send the letter") && !before.contains("done"),
        "{before}"
    );
    let name = letter();
    let set = program
        .run(&["items", "set", &name, "--state", "open"])
        .output();
    assert!(set.contains("letter") && !set.contains("done"), "{set}");
    program
        .run(&["items", "set", &name, "--owner", "bob"])
        .succeeded();
    let told = program.run(&["items", "history", &name]).output();
    for words in [
        "for ann: ",
        "due 2026-03-06: ",
        "done: ",
        "open: set by operator",
        "for bob: set by operator",
    ] {
        assert!(told.contains(words), "{words}: {told}");
    }
    for left in ["ann", "ann"] {
        let undone = program.run(&["--json", "items", "undo", &name]);
        assert_eq!(undone.json()["owner"], left);
    }
    program
        .run(&["items", "undo", &name])
        .is_refused_with(&["no person has changed"]);
    let refused = program.number("SELECT SUM(refused_items) FROM memory_coverage");
    assert!(refused > 0, "{refused}");
}

#[test]
fn agents_list_items_their_history_and_what_changed() {
    let llm = model();
    let program = program(&llm);
    let told = calls(
        &program,
        &[],
        &[
            ("list_items", json!({ "kind": "task" })),
            (
                "list_items",
                json!({ "owner": "ann", "closed": true, "channel": "general" }),
            ),
            ("item_history", json!({ "item": letter() })),
            (
                "changes_since",
                json!({ "since": myao_tests::export::time(250) }),
            ),
            ("list_items", json!({ "kind": "wish" })),
            ("item_history", json!({ "item": "x" })),
        ],
    );
    let texts = |of: &Value| -> Vec<String> {
        let items = of["structuredContent"]["items"].as_array().unwrap().iter();
        items
            .map(|item| {
                format!(
                    "{} {}",
                    item["text"].as_str().unwrap(),
                    item["state"].as_str().unwrap()
                )
            })
            .collect()
    };
    let letter = "I send the letter until 6 March 2026. done";
    assert_eq!(texts(&told[0]), ["Bob sweeps the yard. open"]);
    assert_eq!(texts(&told[1]), [letter]);
    let changes = told[2]["structuredContent"]["changes"].as_array().unwrap();
    assert_eq!(changes.last().unwrap()["state"], "done");
    assert_eq!(changes.last().unwrap()["message"], ts(300));
    assert_eq!(texts(&told[3]), [letter]);
    for (refused, words) in [
        (&told[4], "it is decision, task"),
        (&told[5], "no id of an item"),
    ] {
        assert!(
            refused["isError"] == json!(true) && refused.to_string().contains(words),
            "{refused}"
        );
    }
}

#[test]
fn what_is_no_item_is_named_with_a_remedy() {
    let program = program_with("", &[post("general", 0, "ann", "We take the blue crane.")]);
    let none = program.run(&["items"]).output();
    assert!(none.contains("names no model"), "{none}");
    let unknown = letter();
    for (arguments, words) in [
        (
            vec!["items", "undo", "letter"],
            "names no item: `myao items` lists them",
        ),
        (vec!["items", "undo", &unknown], "no such item"),
        (
            vec!["items", "history", &unknown],
            "`myao items --all` lists them",
        ),
        (
            vec!["items", "set", &unknown, "--due", "soon"],
            "write it as in 2026-08-07",
        ),
    ] {
        let refused = program.run(&arguments).refusal();
        assert!(refused.contains(words), "{refused}");
    }
}
