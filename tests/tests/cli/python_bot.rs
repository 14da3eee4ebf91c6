//! The import of the Python bot's database.

use myao_tests::program::{Program, Ran};
use myao_tests::read_project_file;
use rusqlite::Connection;
use serde_json::{Value, json};

/// A program beside whose database the bot's lies, as `bot.db`.
fn program() -> Program {
    let program = Program::default();
    let database = Connection::open(program.path("bot.db")).unwrap();
    database
        .execute_batch(&read_project_file("tests/fixtures/python-bot/database.sql"))
        .unwrap();
    program
}

pub(crate) fn imported() -> Program {
    let program = program();
    program.run(&["import", "bot.db"]).succeeded();
    program
}

fn memories(program: &Program, arguments: &[&str]) -> Vec<Value> {
    let list = program
        .run(&[arguments, &["--json", "memory", "list"]].concat())
        .json();
    list.as_array().unwrap().clone()
}

fn prompt(program: &Program, more: &[&str]) -> String {
    program
        .run(&[&["prompt", "--memory-type=short-term"], more].concat())
        .output()
}

#[test]
fn its_memories_are_imported_as_version_1() {
    let memories = memories(&imported(), &[]);
    assert_eq!(memories.len(), 5, "{memories:#?}");
    for memory in &memories {
        assert_eq!(
            (&memory["version"], &memory["engine"]),
            (&json!(1), &json!("imported"))
        );
    }
    let general = memories.iter().find(|memory| {
        (&memory["scope_id"], &memory["memory_type"])
            == (&json!("C07GENERAL1"), &json!("long-term"))
    });
    assert_eq!(
        general.unwrap()["content"],
        json!("- 監視ツールの見積もりは emiko が 3月2日(月) に共有する")
    );
    assert_eq!(
        general.unwrap()["created_at"],
        json!("2026-02-26T04:00:00+00:00")
    );
}

#[test]
fn its_workspace_short_term_memory_is_kept_and_not_shown() {
    let program = imported();
    let is_retired = |memory: &Value| {
        memory["scope"] == json!("workspace") && memory["memory_type"] == json!("short-term")
    };
    assert!(!memories(&program, &[]).iter().any(is_retired));
    assert!(
        !program
            .run(&["memory", "show", "default"])
            .output()
            .contains("short-term")
    );
    let thread = [
        "--scope=thread",
        "--channel=project-harbour",
        "--thread=1772069405.118200",
    ];
    // It is not known who reads the channel, so it is not shown there, whatever the setting says.
    let accepted = program.run(&["memory", "accept"]).output();
    assert!(accepted.contains("memories are used again"), "{accepted}");
    let legacy = [&thread[..], &["--legacy-workspace-short-term"]].concat();
    for arguments in [&thread[..], &legacy] {
        assert!(!prompt(&program, arguments).contains("見積もりの依頼"));
    }

    let legacy = ["--legacy-workspace-short-term"];
    let kept = memories(&program, &legacy).into_iter().find(is_retired);
    assert_eq!(
        kept.unwrap()["content"],
        json!("- リリース日の調整と見積もりの依頼があった")
    );
}

#[test]
fn importing_it_twice_changes_nothing() {
    let program = imported();
    let before = program.rows();
    let report = program.run(&["--json", "import", "bot.db"]).json();
    let tally = |kind: &str| report["stored"][kind].clone();
    assert_eq!(
        tally("messages"),
        json!({ "new": 0, "changed": 0, "unchanged": 12, "forgotten": 0 })
    );
    assert_eq!(
        tally("memories"),
        json!({ "new": 0, "changed": 0, "unchanged": 6, "forgotten": 0 })
    );
    assert_eq!(program.rows(), before);
}

#[test]
fn importing_it_leaves_its_file_alone() {
    let program = program();
    let before = std::fs::read(program.path("bot.db")).unwrap();
    program.run(&["import", "bot.db"]).succeeded();
    assert!(
        std::fs::read(program.path("bot.db")).unwrap() == before,
        "the bot's file changed"
    );
}

#[test]
fn it_is_not_opened_in_place() {
    let program = program();
    program.write("myao.yaml", "memory: { database_path: bot.db }\n");
    let refused = program.run(&["memory", "list"]);
    refused.is_refused_with(&[
        "bot.db",
        "the Python bot's database",
        "`myao import bot.db`",
    ]);
}

/// Regression 2.
#[test]
fn its_posts_with_random_ids_get_the_time_at_which_they_were_posted() {
    let program = imported();
    let context = [
        "--scope=thread",
        "--channel=project-harbour",
        "--thread=1772069405.118200",
    ];
    let prompt = prompt(
        &program,
        &[&context[..], &["--now=2026-02-26T02:00:00Z"]].concat(),
    );
    let (question, answer) = (
        "**2026-02-26 01:41:12** akari:\nでは 3月4日(水) 14:00 にします。 @myao 覚えておいて。\n\n",
        "**2026-02-26 01:41:40** myao:\nはい。Harbour 2.4 は 3月4日(水) 14:00 リリース、と覚えました。\n\n",
    );
    assert!(
        prompt.contains(&format!("{question}{answer}---\n")),
        "{prompt}"
    );
    // The thread's memory was made of that post: once it is accepted, nothing in it is new.
    let accepted = program.run(&["--json", "memory", "accept"]).json();
    assert!(accepted["accepted"].as_u64() > Some(1), "{accepted}");
    let report = program
        .run(&["--json", "generate", "--now=2026-02-26T12:00:00Z"])
        .json();
    let threads = report["entries"].as_array().unwrap().iter();
    assert_eq!(
        threads
            .filter(|entry| entry["scope"] == json!("thread"))
            .count(),
        0,
        "{report:#}"
    );
}

/// Regression 7.
#[test]
fn blanked_names_leave_no_blanks_in_the_prompt() {
    let program = imported();
    let lost = [
        "--scope=channel",
        "--channel=C07LOST0001",
        "--now=2026-02-27T03:00:00Z",
    ];
    let lost = prompt(&program, &lost);
    assert!(
        lost.contains("This is the recent conversation in #C07LOST0001."),
        "{lost}"
    );
    let guest = [
        "--scope=channel",
        "--channel=project-harbour",
        "--now=2026-02-26T03:00:00Z",
    ];
    let guest = prompt(&program, &guest);
    assert!(
        guest.contains("**2026-02-26 02:30:18** (unknown user):\n"),
        "{guest}"
    );
    for prompt in [lost, guest] {
        assert!(
            !prompt.lines().any(|line| line.trim_end().ends_with('#')),
            "{prompt}"
        );
    }
}

#[test]
fn its_channels_are_private_until_an_export_says_that_they_are_not() {
    let program = program();
    let output = program.run(&["import", "bot.db"]).output();
    let private = output
        .lines()
        .find(|line| line.starts_with("private: "))
        .unwrap();
    assert!(
        private.contains(" channels, because it is not known who reads them; `myao "),
        "{private}"
    );
    let open = || {
        let connection = Connection::open(program.path("myao.db")).unwrap();
        let query = "SELECT COUNT(*) FROM channel_audience WHERE is_open";
        connection
            .query_row(query, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    assert_eq!(open(), 0);
    program.write("export/users.json", "[]");
    program.write(
        "export/channels.json",
        r#"[{ "id": "C07GENERAL1", "name": "general", "members": [] }]"#,
    );
    program.run(&["import", "export"]).succeeded();
    assert_eq!(open(), 1);
    // And the bot's database takes nothing of that back.
    program.run(&["import", "bot.db"]).succeeded();
    assert_eq!(open(), 1);
}

#[test]
fn an_export_gives_a_blanked_channel_its_name_again() {
    let program = imported();
    program.write("export/users.json", "[]");
    program.write(
        "export/channels.json",
        r#"[{ "id": "C07LOST0001", "name": "archive" }]"#,
    );
    program.run(&["import", "export"]).succeeded();
    let now = "--now=2026-02-27T03:00:00Z";
    assert!(prompt(&program, &["--scope=channel", "--channel=archive", now]).contains("#archive"));
    // And the bot's database does not blank it anew.
    program.run(&["import", "bot.db"]).succeeded();
    assert!(prompt(&program, &["--scope=channel", "--channel=archive", now]).contains("#archive"));
}

/// Regression 8.
#[test]
fn its_naive_times_are_utc_wherever_the_program_runs() {
    let reference = imported();
    for zone in ["Asia/Tokyo", "America/New_York", "UTC"] {
        let program = program();
        Ran::of(program.command(&["import", "bot.db"]).env("TZ", zone)).succeeded();
        assert_eq!(program.rows(), reference.rows(), "TZ={zone}");
    }
}

/// Regression 16.
#[test]
fn its_entities_reach_the_prompt_as_readable_text() {
    let program = imported();
    let mut texts = String::new();
    for (channel, now) in [
        ("general", "--now=2026-02-26T03:00:00Z"),
        ("project-harbour", "--now=2026-02-27T03:00:00Z"),
        ("project-harbour", "--now=2026-02-26T03:00:00Z"),
    ] {
        texts += &prompt(&program, &["--scope=channel", "--channel", channel, now]);
    }
    for readable in [
        "今日から @myao が記録を手伝います。",
        "Let's avoid the 1st & 2nd",
        "@ben どうですか?",
        "HBR (https://tickets.example.com/HBR)",
    ] {
        assert!(texts.contains(readable), "no `{readable}` in {texts}");
    }
    for raw in ["<@", "<#", "<http", "&amp;"] {
        assert!(!texts.contains(raw), "`{raw}` in {texts}");
    }
}

/// Regression 15: the bot's tables allowed a message outside threads twice.
#[test]
fn rows_that_it_stored_twice_are_one_message() {
    let program = Program::default();
    let sql = read_project_file("tests/fixtures/python-bot/database.sql");
    let unique = ",\n    UNIQUE (message_id, channel_id)";
    assert!(sql.contains(unique));
    let database = Connection::open(program.path("bot.db")).unwrap();
    database.execute_batch(&sql.replace(unique, "")).unwrap();
    database
        .execute_batch("INSERT INTO messages SELECT * FROM messages")
        .unwrap();
    program.run(&["import", "bot.db"]).succeeded();
    let messages = |program: &Program| {
        program
            .rows()
            .into_iter()
            .filter(|row| row.starts_with("messages "))
            .collect::<Vec<_>>()
    };
    assert_eq!(messages(&program), messages(&imported()));
}
