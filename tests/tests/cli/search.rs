//! `myao search`.

use myao_plugin::state::sync::SyncState as _;
use myao_testkit::blocking;
use myao_tests::export::{Post, import_private, post, program_with, time, ts};
use myao_tests::program::Program;
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
        post("random", 60, "ann", "決済の障害は A-1234 が原因"),
        post("random", 2000, "bob", "The release was moved\nto Friday"),
    ]
}

fn program() -> Program {
    program_with("", &posts())
}

fn texts(found: &Value) -> Vec<&str> {
    let hits = found["hits"].as_array().unwrap();
    hits.iter()
        .map(|hit| hit["text"].as_str().unwrap())
        .collect()
}

#[test]
fn messages_are_found_with_date_channel_author_and_text() {
    let found = program().run(&["search", "release", "Friday?"]).output();
    let expected = format!(
        "2026-03-03 09:20  #random  bob  CRANDOM:{}\n    The release was moved\n    to Friday\n",
        ts(2000)
    );
    assert!(found.starts_with(&expected), "{found}");
    assert!(!found.contains('\u{1b}'), "{found}");
}

#[test]
fn hits_are_printed_as_json() {
    let found = program().run(&["--json", "search", "障害"]).json();
    let hit = &found["hits"][0];
    assert_eq!(hit["terms"], json!(["障害"]));
    assert!(hit["score"].as_f64().unwrap() > 0.0);
    let expected = [
        ("channel_id", json!("CRANDOM")),
        ("channel_name", json!("random")),
        ("ts", json!(ts(60))),
        ("thread_ts", Value::Null),
        ("time", json!("2026-03-02T01:00:00+00:00")),
        ("user_id", json!("UANN")),
        ("user_name", json!("ann")),
        ("is_bot", json!(false)),
        ("permalink", Value::Null),
        ("text", json!("決済の障害は A-1234 が原因")),
    ];
    for (key, value) in expected {
        assert_eq!(hit[key], value, "{key}");
    }
    assert_eq!(
        (&found["since"], &found["until"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn times_and_the_limit_bound_the_hits() {
    let program = program();
    let search = |arguments: &[&str]| {
        program
            .run(&[&["--json", "search", "release"], arguments].concat())
            .json()
    };
    assert_eq!(texts(&search(&[])).len(), 3);
    assert_eq!(texts(&search(&["--limit", "1"])).len(), 1);
    let moved = ["The release was moved\nto Friday"];
    assert_eq!(texts(&search(&["--since", "2026-03-03"])), moved);
    assert_eq!(texts(&search(&["--since", &time(2000)])), moved);
    let until = search(&["--until", "2026-03-02"]);
    assert!(!texts(&until).contains(&moved[0]), "{until}");
    assert_eq!(until["until"], json!("2026-03-02T23:59:59+00:00"));
    assert!(texts(&search(&["--until", &time(0)])).is_empty());
    let as_of = search(&["--as-of", "2026-03-02"]);
    assert!(!texts(&as_of).contains(&moved[0]), "{as_of}");
    assert_eq!(as_of["until"], Value::Null);
    // What was said at that time is known then.
    let as_of = search(&["--as-of", &time(2000)]);
    assert!(texts(&as_of).contains(&moved[0]), "{as_of}");
}

#[test]
fn channel_shows_only_what_everybody_in_it_may_see() {
    let program = program();
    let secret = "Ann's salary is 5000";
    import_private(&program, &post("hr", 3000, "ann", secret));
    let search = |arguments: &[&str]| {
        program
            .run(&[&["--json", "search", "salary"], arguments].concat())
            .json()
    };
    assert_eq!(texts(&search(&[])), [secret]);
    assert_eq!(texts(&search(&["--in", "hr"])), [secret]);
    assert!(texts(&search(&["--in", "general"])).is_empty());
    let error = program
        .run(&["search", "salary", "--in", "genral"])
        .refusal();
    assert!(error.contains("did you mean `general`"), "{error}");
}

#[test]
fn what_is_only_said_to_the_bot_is_not_found() {
    let told = "@myao the zeppelin has landed. Did you know?";
    let posts = [
        "@myao when does the zeppelin land?",
        "@myao correction: the zeppelin lands at noon",
        told,
        "@ann when does the zeppelin start?",
    ];
    let said = |(minute, text)| post("general", minute, "bob", text);
    let posts: Vec<Post> = (100..).zip(posts).map(said).collect();
    let program = program_with("", &posts);
    let found = program.run(&["--json", "search", "zeppelin"]).json();
    let mut found = texts(&found);
    found.sort();
    assert_eq!(found, ["@ann when does the zeppelin start?", told]);
}

#[test]
fn what_is_not_found_is_said() {
    let program = program();
    let search = |arguments: &[&str]| {
        let arguments = [&["search", "kubernetes"], arguments].concat();
        program.run(&arguments).output()
    };
    let found = search(&[]);
    assert!(
        found.starts_with("Nothing is found for kubernetes.\n"),
        "{found}"
    );
    let found = search(&["--since", "2026-03-03"]);
    let expected = "Nothing is found for kubernetes since 2026-03-03 00:00.\n";
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn search_changes_nothing() {
    let program = program();
    let before = program.rows();
    program.run(&["search", "release"]).succeeded();
    assert_eq!(program.rows(), before);
}

#[test]
fn hits_have_links_once_the_address_of_the_workspace_is_known() {
    let program = program();
    let workspace = myao_tests::kills::workspace(&program);
    blocking(workspace.set_address("https://harbour.slack.com/")).unwrap();
    drop(workspace);
    let link = format!(
        "https://harbour.slack.com/archives/CRANDOM/p{}",
        ts(60).replace('.', "")
    );
    let found = program.run(&["search", "障害"]).output();
    assert!(found.contains(&link), "{found}");
    let found = program.run(&["--json", "search", "障害"]).json();
    assert_eq!(found["hits"][0]["permalink"], json!(link));
}
