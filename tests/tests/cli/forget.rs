//! `myao forget`, and how long messages are kept.

use std::fs;

use myao_tests::export::{post, time, write_export};
use myao_tests::program::{Program, demo_export};
use rusqlite::Connection;
use serde_json::{Value, json};

const GENERAL: &str = "C07GENERAL1";
const RECORDED: &str = "memory: { recording: true }\n";

/// A program with the demo's memories and recordings.
fn remembered() -> Program {
    let program = Program::with_config(RECORDED);
    program.run(&["import", &demo_export()]).succeeded();
    program.run(&["backfill"]).succeeded();
    program
}

/// Each line of at least 12 characters of the longest messages that a condition selects.
fn long_lines(program: &Program, database: &str, condition: &str) -> Vec<String> {
    let database = Connection::open(program.path(database)).unwrap();
    let sql = format!(
        "SELECT m.text FROM messages AS m JOIN channels AS c ON c.key = m.channel \
         WHERE m.deleted_at IS NULL AND {condition} ORDER BY LENGTH(m.text) DESC LIMIT 8"
    );
    let mut statement = database.prepare(&sql).unwrap();
    let texts = statement
        .query_map([], |row| row.get::<_, String>(0))
        .unwrap();
    let texts: Vec<String> = texts.map(Result::unwrap).collect();
    assert!(!texts.is_empty());
    let lines = texts.iter().flat_map(|text| text.lines());
    lines
        .filter(|line| line.chars().count() >= 12)
        .map(str::to_owned)
        .collect()
}

/// Those of the texts that are in the bytes of the database's files.
fn in_files(program: &Program, database: &str, texts: &[String]) -> Vec<String> {
    let mut found = Vec::new();
    for suffix in ["", "-wal", "-shm"] {
        let path = program.path(&format!("{database}{suffix}"));
        let Ok(bytes) = fs::read(&path) else { continue };
        let holds = |text: &&String| {
            bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        };
        found.extend(texts.iter().filter(holds).cloned());
    }
    found
}

#[test]
fn what_a_person_said_is_in_no_byte_of_the_database_and_does_not_come_back() {
    let program = remembered();
    let said = long_lines(&program, "myao.db", "m.user_id = 'U07AKARI001'");
    assert!(said.len() >= 8 && !in_files(&program, "myao.db", &said).is_empty());
    let before = program.rows();
    let tried = program
        .run(&["--json", "forget", "--user", "@akari", "--dry-run"])
        .json();
    assert_eq!(
        (&tried["dry_run"], &tried["search"]),
        (&json!(true), &Value::Null)
    );
    assert_eq!(program.rows(), before);
    let receipt = program.run(&["--json", "forget", "--user", "akari"]).json();
    assert_eq!(receipt["erased"], tried["erased"]);
    for layer in ["messages", "lines", "memories", "recordings"] {
        assert!(
            receipt["erased"][layer].as_u64() > Some(0),
            "{layer}: {receipt}"
        );
    }
    assert_eq!(
        (
            &receipt["search"]["found"],
            &receipt["search"]["kept_pages"]
        ),
        (&json!([]), &Value::Null)
    );
    assert_eq!(in_files(&program, "myao.db", &said), [""; 0]);
    // Neither the export nor a backfill brings it back.
    let again = program.run(&["--json", "import", &demo_export()]).json();
    assert_eq!(
        again["stored"]["messages"]["forgotten"],
        receipt["erased"]["messages"]
    );
    program.run(&["backfill"]).succeeded();
    program.run(&["generate"]).succeeded();
    assert_eq!(in_files(&program, "myao.db", &said), [""; 0]);
}

#[test]
fn what_lost_lines_said_of_others_is_remembered_anew() {
    let program = remembered();
    let list = |program: &Program| program.run(&["memory", "show", "#general"]).output();
    let decided = "監視ツールは Beacon に決めます";
    assert!(list(&program).contains(decided), "{}", list(&program));
    let database = Connection::open(program.path("myao.db")).unwrap();
    let id = "SELECT PRINTF('%d.%06d', ts_key / 1000000, ts_key % 1000000) FROM messages \
        WHERE text LIKE '%' || ?1 || '%'";
    let id: String = database.query_row(id, [decided], |row| row.get(0)).unwrap();
    drop(database);
    let link = format!(
        "https://team.slack.com/archives/{GENERAL}/p{}",
        id.replace('.', "")
    );
    let told = program.run(&["forget", "--message", &link]).output();
    assert!(
        told.contains(&format!("Forgotten: message {id} of #general")),
        "{told}"
    );
    assert!(
        told.contains("1  messages") && told.contains("myao --config myao.yaml generate"),
        "{told}"
    );
    assert!(told.contains("Not reached: backups"), "{told}");
    assert!(!list(&program).contains(decided));
    program
        .run(&["generate", "--now", "2026-03-06T22:00:00+09:00"])
        .succeeded();
    let anew = list(&program);
    assert!(
        !anew.contains(decided) && anew.contains("version 9"),
        "{anew}"
    );
}

#[test]
fn a_channel_is_forgotten_with_its_memories() {
    let program = remembered();
    let said = long_lines(&program, "myao.db", "c.id = 'C07GENERAL1'");
    program
        .run(&["forget", "--channel", "#general"])
        .succeeded();
    assert_eq!(in_files(&program, "myao.db", &said), [""; 0]);
    let memories = program.run(&["--json", "memory", "list"]).json();
    let of_general = |memory: &&Value| memory["scope_id"].as_str().unwrap().starts_with(GENERAL);
    let memories = memories.as_array().unwrap();
    assert_eq!(memories.iter().filter(of_general).count(), 0);
    assert!(!memories.is_empty());
}

#[test]
fn a_day_is_the_first_that_stays() {
    let program = Program::with_demo();
    program
        .run(&["forget", "--before", "2026-03-03"])
        .succeeded();
    let database = Connection::open(program.path("myao.db")).unwrap();
    let oldest = "SELECT MIN(ts_key) / 1000000 FROM messages WHERE deleted_at IS NULL";
    let oldest: i64 = database.query_row(oldest, [], |row| row.get(0)).unwrap();
    // 3 March 2026 in UTC, the configured time zone.
    assert!(oldest >= 1_772_496_000, "{oldest}");
}

/// Keeps credentials, as a program that does not recognise them.
pub(crate) const UNREDACTED: &str = "redact_secrets: false\nmemory:\n  recording: true\n";

/// A token of no account.
fn token() -> String {
    format!("ghp_{}", "aB3dE6gH9jKm".repeat(3))
}

fn import_token(program: &Program) {
    let said = format!(
        "We decided to deploy Beacon with {} on 5 March 2026.",
        token()
    );
    write_export(program, &[post("general", 0, "ann", &said)]);
    program.run(&["import", "export"]).succeeded();
}

/// Fails if one command does not take a token out of a program's messages, memories and recordings. `texts` are those of its
/// database.
pub(crate) fn assert_token_goes(program: &Program, redacted: &str, texts: impl Fn() -> String) {
    import_token(program);
    program.run(&["generate", "--now", &time(180)]).succeeded();
    let listed = program.run(&["memory", "show", "CGENERAL"]).output();
    assert!(listed.contains(&token()), "{listed}");
    program.write("myao.yaml", redacted);
    let credentials = ["--json", "forget", "--credentials"];
    let erased = |receipt: &Value| receipt["erased"].clone();
    let tried = program.run(&[&credentials[..], &["--dry-run"]].concat());
    let tried = tried.json();
    assert!(texts().contains(&token()));
    let receipt = program.run(&credentials).json();
    assert_eq!(erased(&receipt), erased(&tried));
    for layer in ["messages", "memories", "recordings"] {
        assert!(
            receipt["erased"][layer].as_u64() > Some(0),
            "{layer}: {receipt}"
        );
    }
    assert_eq!(receipt["search"]["found"], json!([]), "{receipt}");
    assert!(!texts().contains(&token()));
    program.run(&["generate", "--now", &time(400)]).succeeded();
    for shown in [
        ["memory", "show", "CGENERAL"],
        ["search", "Beacon", "--limit=1"],
    ] {
        let shown = program.run(&shown).output();
        assert!(
            shown.contains("with [redacted: GitHub token] on"),
            "{shown}"
        );
    }
    let again = program.run(&credentials).json();
    assert_eq!(again["erased"]["messages"], 0);
}

#[test]
fn a_credential_that_was_stored_before_leaves_a_placeholder() {
    let program = Program::with_config(UNREDACTED);
    assert_token_goes(&program, "", || program.rows().join("\n"));
    assert_eq!(in_files(&program, "myao.db", &[token()]), [""; 0]);
}

#[test]
fn a_credential_is_never_stored() {
    let program = Program::default();
    import_token(&program);
    assert_eq!(in_files(&program, "myao.db", &[token()]), [""; 0]);
    let found = program.run(&["search", "Beacon"]).output();
    assert!(
        found.contains("with [redacted: GitHub token] on"),
        "{found}"
    );
}

#[test]
fn what_names_nothing_is_refused_with_what_does() {
    let program = Program::with_demo();
    let before = program.rows();
    for (arguments, why) in [
        (
            ["--user", "akarl"],
            "no user `akarl`: did you mean `akari` (U07AKARI001)?",
        ),
        (
            ["--channel", "genral"],
            "no channel `genral`: did you mean `general` (C07GENERAL1)?",
        ),
        (
            ["--message", "yesterday"],
            "`yesterday` names no message: give the link that Slack copies",
        ),
        (
            ["--message", "general:x"],
            "`general:x` names no message: its id is like 1709287200.000100",
        ),
    ] {
        let refusal = program
            .run(&[&["forget"], arguments.as_slice()].concat())
            .refusal();
        assert!(refusal.contains(why), "{refusal}");
    }
    for arguments in [
        vec!["forget"],
        vec!["forget", "--user", "akari", "--channel", "general"],
    ] {
        assert_eq!(program.run(&arguments).code, Some(2));
    }
    assert_eq!(program.rows(), before);
}

/// All messages of the example are older than a month.
#[test]
fn the_clock_alone_removes_nothing_if_nobody_has_written_for_a_month() {
    let program = remembered();
    let before = program.rows();
    program.write(
        "myao.yaml",
        "retention: { messages_days: 2, memories_days: 2 }\n",
    );
    let ran = program.run(&["generate"]);
    assert_eq!(ran.code, Some(0), "{ran:#?}");
    assert!(ran.stderr.contains("the clock may be ahead"), "{ran:#?}");
    let messages = |rows: Vec<String>| -> Vec<String> {
        let messages = rows.into_iter();
        messages
            .filter(|row| row.starts_with("messages "))
            .collect()
    };
    assert_eq!(messages(program.rows()), messages(before));
}

#[test]
fn messages_are_kept_for_the_configured_days_and_what_was_remembered_of_them_stays() {
    let program = remembered();
    let count = |what: &str| {
        let database = Connection::open(program.path("myao.db")).unwrap();
        let sql = format!("SELECT COUNT(*) FROM {what}");
        database
            .query_row(&sql, [], |row| row.get::<_, i64>(0))
            .unwrap()
    };
    let (said, texts) = (
        "messages WHERE deleted_at IS NULL AND text <> ''",
        "memories WHERE content <> '-'",
    );
    let (messages, memories) = (count(said), count(texts));
    let retention = "retention: { messages_days: 2 }\n";
    program.write("myao.yaml", format!("{RECORDED}{retention}"));
    program
        .run(&["generate", "--now", "2026-03-06T09:00:00+09:00"])
        .succeeded();
    assert!(0 < count(said) && count(said) < messages);
    assert!(count(texts) >= memories);
    program.run(&["import", &demo_export()]).succeeded();
    assert!(count(said) < messages);
    program.write(
        "myao.yaml",
        "retention: { messages_days: 2, memories_days: 3 }\n",
    );
    program
        .run(&["generate", "--now", "2026-05-06T09:00:00+09:00"])
        .succeeded();
    assert_eq!((count(said), count(texts)), (0, 0));
    let told = program.run(&["memory", "show", "#general"]).refusal();
    assert!(told.contains("nothing is remembered"), "{told}");
    for (days, least) in [
        ("messages_days: 0", "from 1 on"),
        ("calls_days: 1", "from 2 on"),
    ] {
        program.write("myao.yaml", format!("retention: {{ {days} }}\n"));
        let refusal = program.run(&["generate"]).refusal();
        assert!(refusal.contains(least), "{refusal}");
    }
}
