//! `myao memory list`, `show`, `history` and `diff`.

use myao_tests::export::{Post, post, program_with, time, ts, write_export};
use myao_tests::program::Program;
use serde_json::{Value, json};
use unicode_width::UnicodeWidthStr as _;

use crate::cli::terminal::in_terminal;

/// The width of tables where the output is no terminal.
const WIDTH: usize = 100;

fn first() -> Vec<Post> {
    vec![
        post(
            "general",
            0,
            "ann",
            "We release Harbour on 4 March at 14:00.",
        ),
        post("general", 7, "bob", "I will write the notes.").in_thread(0),
    ]
}

/// A channel with two versions, and a thread.
fn program() -> Program {
    let program = program_with("memory:\n  thread_memories: always\n", &first());
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let second = post(
        "general",
        200,
        "bob",
        "The budget is 45,000 yen, decided by Friday.",
    );
    write_export(&program, &[&first()[..], &[second]].concat());
    program.run(&["import", "export"]).succeeded();
    program.run(&["generate", "--now", &time(400)]).succeeded();
    program
}

#[test]
fn list_shows_the_newest_version_of_each_memory() {
    let list = program().run(&["--json", "memory", "list"]).json();
    let of = |memory: &Value| {
        let text = |key: &str| memory[key].as_str().unwrap().to_owned();
        (
            text("scope_id"),
            text("memory_type"),
            memory["version"].as_u64().unwrap(),
        )
    };
    let thread = format!("CGENERAL:{}", ts(0));
    assert_eq!(
        list.as_array().unwrap().iter().map(of).collect::<Vec<_>>(),
        [
            ("default".to_owned(), "long-term".to_owned(), 1),
            ("CGENERAL".to_owned(), "long-term".to_owned(), 1),
            ("CGENERAL".to_owned(), "short-term".to_owned(), 2),
            (thread, "short-term".to_owned(), 1),
        ]
    );
}

#[test]
fn list_fits_its_lines_whatever_is_written() {
    let program = Program::with_demo();
    let long = "とても長い名前のチャンネル".repeat(3);
    let long: &'static str = Box::leak(long.into_boxed_str());
    write_export(
        &program,
        &[
            post(
                "general",
                0,
                "ann",
                &"次のリリースは三月四日の十四時に決定しました。".repeat(9),
            ),
            post(long, 0, "ann", "🎉🎉🎉 リリースは 3月4日 14:00 です。"),
            post("general", 3, "bob", "ok 👍🏽 その日にします").in_thread(0),
        ],
    );
    program.run(&["import", "export"]).succeeded();
    program
        .run(&["generate", "--now=2026-03-02T09:00:00Z"])
        .succeeded();
    let output = in_terminal(&program, &["memory", "list"], &[]).output();
    assert!(output.lines().count() > 8, "{output}");
    for line in output.lines() {
        assert!(line.width() <= WIDTH, "{} columns: {line}", line.width());
        assert_eq!(line.trim_end(), line);
    }
    assert!(output.contains("…"), "{output}");
}

#[test]
fn list_takes_one_line_for_each_memory() {
    let wide = "次のリリースは三月四日の十四時に決定しました。".repeat(9);
    let program = program_with("", &[post("general", 0, "ann", &wide)]);
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let memories = program.run(&["--json", "memory", "list"]).json();
    let output = in_terminal(&program, &["memory", "list"], &[]).output();
    let lines: Vec<&str> = output.lines().skip(1).collect();
    assert_eq!(
        Some(lines.len()),
        memories.as_array().map(Vec::len),
        "{output}"
    );
    for line in lines {
        assert!(line.ends_with('…') && line.width() <= WIDTH, "{line}");
        assert!(line.width() + 2 >= WIDTH - 2, "{line} leaves room");
    }
}

#[test]
fn list_shows_threads_by_their_first_words_and_whole_texts_to_programs() {
    let program = program();
    let thread = format!("#general:{}", ts(0));
    let name = "2026-03-02 00:00 “We release Harbour";
    let shown = in_terminal(&program, &["memory", "list"], &[]).output();
    let cut = "2026-03-02 00:00 “We";
    assert!(shown.contains(&thread) && shown.contains(cut), "{shown}");
    let piped = program.run(&["memory", "list"]).output();
    let heading = format!("## {thread} short-term, version 1, made ");
    assert!(piped.contains(&heading) && piped.contains(name), "{piped}");
    let memories = program.run(&["--json", "memory", "list"]).json();
    for memory in memories.as_array().unwrap() {
        let text = memory["content"].as_str().unwrap();
        assert!(piped.contains(text), "{text} is not whole in {piped}");
    }
}

#[test]
fn list_keeps_to_a_scope_a_channel_and_a_time() {
    let program = program();
    let other = post("random", 300, "ann", "Lunch is at noon on 3 March.");
    write_export(&program, &[&first()[..], &[other]].concat());
    program.run(&["import", "export"]).succeeded();
    program.run(&["generate", "--now", &time(500)]).succeeded();
    let list = |options: &[&str]| {
        let arguments = [&["--json", "memory", "list"], options].concat();
        let list = program.run(&arguments).json();
        let id = |memory: &Value| memory["scope_id"].as_str().unwrap().to_owned();
        let mut ids: Vec<String> = list.as_array().unwrap().iter().map(id).collect();
        ids.dedup();
        ids
    };
    let thread = format!("CGENERAL:{}", ts(0));
    assert_eq!(list(&["--scope", "thread"]), std::slice::from_ref(&thread));
    assert_eq!(
        list(&["--channel", "general"]),
        ["CGENERAL".to_owned(), thread]
    );
    assert_eq!(list(&["--since", &time(450)]), ["default", "CRANDOM"]);
    assert_eq!(
        list(&["--scope", "channel", "--channel", "#random"]),
        ["CRANDOM"]
    );
    let none = program
        .run(&["memory", "list", "--since", "2030-01-01"])
        .output();
    assert!(
        none.contains("No memory fits these options") && none.contains("memory list"),
        "{none}"
    );
}

#[test]
fn list_says_what_to_do_where_there_is_nothing() {
    let program = program_with("", &first());
    let output = program.run(&["memory", "list"]).output();
    assert_eq!(
        output,
        "There are no memories yet. Next: myao --config myao.yaml backfill\n"
    );
    assert_eq!(program.run(&["--json", "memory", "list"]).json(), json!([]));
}

#[test]
fn show_finds_a_channel_by_name_id_and_hash() {
    let program = program();
    let by_name = program.run(&["memory", "show", "general"]).output();
    for name in ["#general", "CGENERAL"] {
        assert_eq!(
            program.run(&["memory", "show", name]).output(),
            by_name,
            "{name}"
        );
    }
    assert!(
        by_name.contains("## #general long-term, version 1\n"),
        "{by_name}"
    );
    assert!(
        by_name.contains("## #general short-term, version 2\n"),
        "{by_name}"
    );
}

#[test]
fn show_names_the_sources_and_times() {
    let program = program();
    let shown = program.run(&["--json", "memory", "show", "general"]).json();
    let [long_term, short_term] = shown.as_array().unwrap().as_slice() else {
        panic!("{shown:#}")
    };
    let texts: Vec<&Value> = short_term["sources"]["messages"]
        .as_array()
        .unwrap()
        .iter()
        .map(|m| &m["ts"])
        .collect();
    assert_eq!(texts, [&json!(ts(0)), &json!(ts(7)), &json!(ts(200))]);
    assert_eq!(short_term["created_at"], json!(time(400)));
    assert_eq!(short_term["source_latest_message_ts"], json!(ts(200)));
    let merged: Vec<(&Value, &Value)> = long_term["sources"]["memories"]
        .as_array()
        .unwrap()
        .iter()
        .map(|memory| (&memory["memory_type"], &memory["version"]))
        .collect();
    assert!(
        merged.contains(&(&json!("short-term"), &json!(2))),
        "{long_term:#}"
    );
    assert_eq!(long_term["merged_through"], short_term["id"]);

    let output = program.run(&["memory", "show", "general"]).output();
    let made = format!(
        "made 2026-03-02 06:40 by the engine extractive, from 3 messages up to {}\n",
        ts(200)
    );
    assert!(output.contains(&made), "{output}");
    assert!(
        output.contains(&format!("from {}  ann: We release", ts(0))),
        "{output}"
    );
}

#[test]
fn sources_name_the_messages_of_each_line() {
    let program = program();
    let shown = program
        .run(&["--json", "memory", "sources", "general"])
        .json();
    for memory in shown.as_array().unwrap() {
        let content = memory["content"].as_str().unwrap();
        let lines = memory["sources"]["lines"].as_array().unwrap();
        assert!(!lines.is_empty(), "{memory:#}");
        for line in lines {
            assert!(content.contains(line["text"].as_str().unwrap()), "{line:#}");
            let messages = line["messages"].as_array().unwrap();
            assert!(!messages.is_empty(), "{memory:#}");
            assert!(messages.iter().all(|of| of["channel_id"] == "CGENERAL"));
        }
    }
    let output = program.run(&["memory", "sources", "general"]).output();
    let source = format!("    #general {}  ann: We release", ts(0));
    assert!(output.contains(&source), "{output}");
    let nothing = program.run(&["memory", "sources", "nowhere"]);
    nothing.is_refused_with(&["nowhere"]);
}

#[test]
fn show_finds_threads_and_the_workspace() {
    let program = program();
    let thread = format!("general:{}", ts(0));
    let output = program.run(&["memory", "show", &thread]).output();
    assert!(
        output.starts_with(&format!("## #{thread} short-term, version 1\n")),
        "{output}"
    );
    let output = program.run(&["memory", "show", "default"]).output();
    assert!(
        output.starts_with("## workspace long-term, version 1\n"),
        "{output}"
    );
}

#[test]
fn history_lists_versions_oldest_first() {
    let program = program();
    let history = program
        .run(&["--json", "memory", "history", "general"])
        .json();
    let numbers: Vec<&Value> = history
        .as_array()
        .unwrap()
        .iter()
        .map(|v| &v["number"])
        .collect();
    assert_eq!(numbers, [&json!(1), &json!(2)]);
    let output = program.run(&["memory", "history", "#general"]).output();
    let (old, new) = (
        output.find("## version 1, made 2026-03-02 03:00 from 2 messages (extractive)\n"),
        output.find("## version 2, made 2026-03-02 06:40 from 3 messages (extractive)\n"),
    );
    assert!(old.is_some() && old < new, "{output}");
}

#[test]
fn history_keeps_the_older_texts_of_a_long_term_memory() {
    let program = program();
    let texts = program
        .run(&["--json", "memory", "history", "--long-term", "general"])
        .json();
    let texts = texts.as_array().unwrap();
    assert_eq!(texts.len(), 2, "{texts:#?}");
    assert!(texts.iter().all(|text| text["version"] == json!(1)));
    assert_ne!(texts[0]["superseded_at"], Value::Null);
    assert_eq!(texts[1]["superseded_at"], Value::Null);
    assert!(texts[1]["content"].as_str().unwrap().contains("45,000 yen"));
}

#[test]
fn diff_shows_what_was_added_and_taken_away() {
    let program = program();
    let output = program
        .run(&["memory", "diff", "general", "1", "2"])
        .output();
    assert!(
        output.starts_with("--- version 1\n+++ version 2\n"),
        "{output}"
    );
    let added = |line: &str| line.starts_with("+ - ") && line.contains("45,000 yen");
    assert!(output.lines().any(added), "{output}");
    let back = program
        .run(&["--json", "memory", "diff", "general", "2", "1"])
        .json();
    let taken = |line: &Value| {
        line["change"] == json!("-") && line["line"].as_str().unwrap().contains("45,000 yen")
    };
    assert!(
        back["lines"].as_array().unwrap().iter().any(taken),
        "{back:#}"
    );
    assert_eq!((&back["from"], &back["to"]), (&json!(2), &json!(1)));
    let long = program
        .run(&["memory", "diff", "--long-term", "general", "1", "2"])
        .output();
    assert!(long.lines().any(added), "{long}");
    let last = program.run(&["memory", "diff", "general"]).output();
    assert_eq!(last, output);
}

#[test]
fn workspace_and_thread_have_a_history_and_differences_too() {
    let program = program();
    let history = |of: &str| {
        let history = program.run(&["--json", "memory", "history", of]).json();
        let texts = history.as_array().unwrap().iter();
        texts.map(|text| text["number"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(history("workspace"), [json!(1), json!(2)]);
    let thread = format!("general:{}", ts(0));
    assert_eq!(history(&thread), [json!(1)]);
    let diff = program.run(&["memory", "diff", "workspace", "1", "2"]);
    let diff = diff.output();
    let added = |line: &str| line.starts_with("+ ") && line.contains("45,000 yen");
    assert!(diff.lines().any(added), "{diff}");
    program
        .run(&["memory", "diff", &thread])
        .is_refused_with(&["fewer than two versions", "memory history general:"]);
    let none = ["memory", "history", &thread, "--long-term"];
    program
        .run(&none)
        .is_refused_with(&["a thread", "--long-term"]);
}

#[test]
fn looking_changes_nothing() {
    let program = program();
    let before = program.rows();
    for command in [
        &["list"][..],
        &["show", "general"],
        &["sources", "general"],
        &["history", "general"],
        &["history", "workspace"],
        &["diff", "general", "1", "2"],
    ] {
        program.run(&[&["memory"], command].concat()).succeeded();
    }
    assert_eq!(program.rows(), before);
}

#[test]
fn history_names_the_sources_of_every_version() {
    let program = program();
    let history = program
        .run(&["--json", "memory", "history", "general"])
        .json();
    let versions = history.as_array().unwrap();
    assert!(versions.len() > 1, "{history:#}");
    for version in versions {
        let sources = version["sources"]["messages"].as_array().unwrap();
        assert_eq!(json!(sources.len()), version["source_message_count"]);
        let last = sources.last().unwrap();
        assert_eq!(last["ts"], version["source_latest_message_ts"]);
    }
}
