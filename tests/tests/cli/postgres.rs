//! The commands over PostgreSQL: they print what they print over SQLite.

use crate::cli::forget::{UNREDACTED, assert_token_goes};
use myao_tests::export::{post, time, ts, write_export};
use myao_tests::llm_server::{LlmServer, answer};
use myao_tests::page::Served;
use myao_tests::postgres::ServerDatabase;
use myao_tests::program::{Program, Ran, demo_export};
use myao_tests::read_project_file;
use rusqlite::Connection;
use serde_json::Value;

/// The week of the demo's export, and some hours.
const END: &str = "2026-03-07T00:00:00Z";
const GENERAL: &str = "C07GENERAL1";

/// One step after the other: so memories get the same ids.
const IN_ORDER: &str = "memory:\n  channels_in_flight: 1\n";

/// The same conversation over both engines.
struct Both {
    file: Program,
    server: Program,
    database: ServerDatabase,
}

impl Both {
    fn new() -> Self {
        let database = ServerDatabase::default();
        Self {
            file: Program::with_config(IN_ORDER),
            server: database.program("", IN_ORDER),
            database,
        }
    }

    fn with_demo() -> Self {
        let both = Self::new();
        both.same(&["import", &demo_export()]);
        both.same(&["backfill", "--until", END]);
        both
    }

    /// What both print.
    #[track_caller]
    fn same(&self, arguments: &[&str]) -> String {
        let [file, server] = [&self.file, &self.server].map(|program| program.run(arguments));
        assert_eq!((&file.stderr, file.code), (&server.stderr, server.code));
        assert_same(&file.stdout, &server.stdout);
        assert_eq!(server.code, Some(0), "{server:#?}");
        server.stdout
    }

    #[track_caller]
    fn same_json(&self, arguments: &[&str]) -> Value {
        let printed = self.same(&[&["--json"], arguments].concat());
        serde_json::from_str(&printed).unwrap()
    }
}

/// Fails at the first line that differs: the texts are long.
#[track_caller]
fn assert_same(file: &str, server: &str) {
    for (file, server) in file.lines().zip(server.lines()) {
        assert_eq!(file, server, "over SQLite, and over PostgreSQL");
    }
    assert_eq!(file.len(), server.len());
}

/// What is said to a run that ended with a failure; it has no password.
#[track_caller]
fn refusal(ran: Ran) -> String {
    let text = ran.refusal();
    ServerDatabase::assert_no_password(&text);
    text
}

/// A message of a small export.
fn message(minute: i64) -> String {
    format!("CGENERAL:{}", ts(minute))
}

#[test]
fn memories_are_made_shown_found_and_asked_for() {
    let both = Both::with_demo();
    let memories = both.same_json(&["memory", "list"]);
    assert!(memories.as_array().unwrap().len() > 5, "{memories:#}");
    both.same(&["memory", "list"]);
    both.same(&["memory", "show", GENERAL]);
    both.same(&["memory", "history", GENERAL]);
    both.same(&["memory", "history", GENERAL, "--long-term"]);
    let found = both.same_json(&["search", "リリース", "--as-of", END]);
    assert!(!found["hits"].as_array().unwrap().is_empty());
    both.same(&["search", "release", "--in", GENERAL, "--limit", "3"]);
    both.same(&["ask", "いつリリースしますか？"]);
    both.same(&["ask", "What was decided?"]);
    both.same(&[
        "prompt",
        "--scope=channel",
        "--memory-type=long-term",
        "--channel",
        GENERAL,
        "--now",
        END,
    ]);
    both.same(&["usage"]);
}

#[test]
fn messages_come_in_are_summarised_and_forgotten() {
    let both = Both::new();
    let first = post(
        "general",
        0,
        "ann",
        "We release Harbour on 4 March at 14:00.",
    );
    let second = post("general", 200, "bob", "The budget is 45,000 yen.");
    let posts = [first.clone()];
    for program in [&both.file, &both.server] {
        write_export(program, &posts);
    }
    both.same(&["import", "export"]);
    both.same(&["generate", "--now", &time(180)]);
    let posts = [first, second];
    for program in [&both.file, &both.server] {
        write_export(program, &posts);
    }
    // What is known already is not stored again.
    both.same(&["import", "export"]);
    both.same(&["generate", "--now", &time(400)]);
    both.same(&["pin", &message(0)]);
    both.same(&["memory", "show", "CGENERAL"]);
    for program in [&both.file, &both.server] {
        let correct = ["correct", "--in", "general", "Harbour is a ship."];
        program.run(&correct).succeeded();
    }
    both.same(&["off", "--channel", "general"]);
    both.same(&["on", "--channel", "general"]);
    both.same_json(&["memory", "list"]);
    both.same(&["rebuild"]);
    both.same(&["forget", "--message", &message(200), "--dry-run"]);
    // What is left of it differs, and so does what is said of that.
    let forget = ["forget", "--message", &message(200)];
    let [file, server] = [&both.file, &both.server].map(|program| program.run(&forget));
    assert_eq!(
        (file.code, server.code),
        (Some(0), Some(0)),
        "{file:#?} {server:#?}"
    );
    let left = both.same(&["search", "budget"]);
    assert!(!left.contains("45,000"), "{left}");
    let count = "SELECT count(*) FROM messages WHERE text LIKE '%45,000%'";
    assert_eq!(both.database.run(count), "0");
}

#[test]
fn a_credential_that_was_stored_before_leaves_a_placeholder() {
    let database = ServerDatabase::default();
    let program = database.program("", UNREDACTED);
    assert_token_goes(&program, &database.config("", ""), || database.texts());
}

#[test]
fn a_run_leaves_out_what_a_bot_is_making() {
    let database = ServerDatabase::default();
    let program = database.program("", IN_ORDER);
    program.run(&["import", &demo_export()]).succeeded();
    let channel = format!("channel:{GENERAL}");
    let _ = database.run(&format!(
        "INSERT INTO leases (workspace, work, generation, holder, expires_at) \
         SELECT key, '{channel}', 1, 'a bot', 9000000000000 FROM workspaces"
    ));
    let generate = ["generate", "--now", END];
    let made = || {
        program.run(&generate).succeeded();
        database.run(&format!(
            "SELECT COUNT(*) FROM memories WHERE scope_id = '{GENERAL}'"
        ))
    };
    assert_eq!(made(), "0");
    let _ = database.run("DELETE FROM leases");
    assert_ne!(made(), "0");
    assert_eq!(database.run("SELECT COUNT(*) FROM leases"), "0");
}

#[test]
fn an_estimate_is_the_same_and_changes_nothing() {
    let asked = LlmServer::start(|_| answer("- a memory"));
    let config = format!("{IN_ORDER}{}", asked.config());
    let database = ServerDatabase::default();
    let (file, server) = (Program::with_config(&config), database.program("", &config));
    for program in [&file, &server] {
        program.run(&["import", &demo_export()]).succeeded();
    }
    let before = database.texts();
    for arguments in [
        &["backfill", "--until", END, "--estimate"][..],
        &["generate", "--now", END, "--estimate"],
        &["rebuild", "general", "--estimate"],
    ] {
        let [there, here] = [&file, &server].map(|program| program.run(arguments).output());
        assert_same(&there, &here);
    }
    let told = server.run(&["backfill", "--until", END, "--estimate"]);
    assert!(told.output().contains("channel short-term"));
    assert_eq!(database.texts(), before);
    assert!(asked.calls().is_empty());
}

#[test]
fn the_page_shows_what_is_stored_there() {
    let both = Both::with_demo();
    let Both {
        file,
        server,
        database: _database,
    } = both;
    let [file, server] = [file, server].map(Served::opened);
    for path in [
        "/workspace",
        "/channel/C07GENERAL1.json",
        "/upkeep.json",
        "/search?q=release",
    ] {
        let [file, server] = [&file, &server].map(|served| served.get(path));
        assert_eq!((file.status, server.status), (200, 200), "{path}");
        assert_same(&file.body, &server.body);
    }
}

#[test]
fn the_python_bots_database_is_imported() {
    let both = Both::new();
    for program in [&both.file, &both.server] {
        let database = Connection::open(program.path("bot.db")).unwrap();
        database
            .execute_batch(&read_project_file("tests/fixtures/python-bot/database.sql"))
            .unwrap();
    }
    both.same(&["import", "bot.db"]);
    let memories = both.same_json(&["memory", "list"]);
    assert_eq!(memories.as_array().unwrap().len(), 5);
}

#[test]
fn a_copy_is_made_by_pg_dump_and_is_whole() {
    let database = ServerDatabase::default();
    let program = database.program("", "");
    program.run(&["import", &demo_export()]).succeeded();
    program.run(&["generate", "--now", END]).succeeded();
    let told = program.run(&["backup", "copy.dump"]).output();
    assert!(
        told.contains(&database.shown()) && told.contains("copy.dump"),
        "{told}"
    );
    let restored = ServerDatabase::default();
    let ran = std::process::Command::new("pg_restore")
        .args(["--no-owner", "--dbname", &restored.url()])
        .arg(program.path("copy.dump"))
        .output()
        .unwrap();
    assert!(ran.status.success(), "{ran:?}");
    let list = ["--json", "memory", "list"];
    assert_eq!(
        restored.program("", "").run(&list).json(),
        program.run(&list).json()
    );
    refusal(program.run(&["backup", "copy.dump"]));
}

#[test]
fn where_nothing_can_be_written_commands_that_look_work() {
    let database = ServerDatabase::default();
    let program = database.program("", "");
    program.run(&["import", &demo_export()]).succeeded();
    program.run(&["generate", "--now", END]).succeeded();
    let replica = "?options=-cdefault_transaction_read_only%3Don";
    let looking = database.program(replica, "health_check: { port: 0 }\n");
    for arguments in [
        &["memory", "list"][..],
        &["search", "release"],
        &["ask", "What was decided?"],
        &["usage"],
    ] {
        let [there, here] = [&program, &looking].map(|program| program.run(arguments).output());
        assert_eq!(there, here);
    }
    let text = refusal(looking.run(&["import", &demo_export()]));
    assert!(
        text.contains("read-only") && text.contains(&database.shown()),
        "{text}"
    );
    let doctor = doctor(&looking);
    assert_eq!(doctor.0, "failed");
    assert!(doctor.1.contains("read-only"), "{doctor:?}");
}

#[test]
fn an_empty_database_is_not_touched_by_those_that_look() {
    let database = ServerDatabase::default();
    let program = database.program("", "health_check: { port: 0 }\n");
    let text = refusal(program.run(&["memory", "list"]));
    for part in [
        "there is no database",
        "memory.database_url",
        "import",
        &database.shown(),
    ] {
        assert!(text.contains(part), "no {part} in {text}");
    }
    let (state, found) = doctor(&program);
    assert_eq!(state, "warning", "{found}");
    assert!(found.contains("no tables yet"), "{found}");
    assert_eq!(
        database.run("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"),
        "0"
    );
    program.run(&["import", &demo_export()]).succeeded();
    let (state, found) = doctor(&program);
    assert_eq!(state, "ok", "{found}");
    for part in ["PostgreSQL", "can be written", "schema 1", "connections"] {
        assert!(found.contains(part), "no {part} in {found}");
    }
}

#[test]
fn what_does_not_work_is_one_line_without_the_password() {
    let database = ServerDatabase::default();
    let program = database.program("", "health_check: { port: 0 }\n");
    for (config, part) in [
        (database.config("_nowhere", ""), "does not exist"),
        (database.config("?sslmode=require", ""), "TLS"),
        (database.config("?sslmode=sometimes", ""), "sslmode"),
        (
            database.config("", "").replace("127.0.0.1", "127.0.0.2"),
            "cannot be reached",
        ),
        (database.config("", "").replace("${", "x${"), "password"),
        (
            database
                .config("", "")
                .replace("memory:\n", "memory:\n  database_path: a.db\n"),
            "(line 2, column 3)",
        ),
    ] {
        program.write("myao.yaml", config);
        for command in [
            &["memory", "list"][..],
            &["import", &demo_export()],
            &["generate"],
        ] {
            let text = refusal(program.run(command));
            assert!(text.contains(part), "no {part} in {text}");
        }
        let ran = program.run(&["--json", "doctor"]);
        ServerDatabase::assert_no_password(&(ran.stdout + &ran.stderr));
        assert_eq!(ran.code, Some(1));
    }
}

/// State of the database, and what is said of it.
fn doctor(program: &Program) -> (String, String) {
    let ran = program.run(&["--json", "doctor"]);
    ServerDatabase::assert_no_password(&ran.stdout);
    let report: Value = serde_json::from_str(&ran.stdout).unwrap();
    let checks = report["checks"].as_array().unwrap().iter();
    let mut checks = checks.filter(|check| check["check"] == "database");
    let check = checks.next().unwrap();
    let text = |key: &str| check[key].as_str().unwrap_or_default().to_owned();
    (text("state"), text("found") + " " + &text("advice"))
}
