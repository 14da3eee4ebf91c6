//! What cannot be imported: one line that names file, place and remedy, and the database as it was.

use std::fs;
use std::path::Path;

use myao_tests::export::{post, program_with, write_export};
use myao_tests::program::{Program, demo_export};
use rusqlite::Connection;

use crate::import::zip_folder;

/// Imports `source` into a database that is there, and into one that is not.
#[track_caller]
fn assert_refused(program: &Program, source: &str, words: &[&str]) {
    let before = program.rows();
    program.run(&["import", source]).is_refused_with(words);
    assert_eq!(program.rows(), before, "{source}");
    program.write("myao.yaml", "memory: { database_path: new.db }\n");
    program.run(&["import", source]).is_refused_with(words);
    for file in ["new.db", "new.db-wal", "new.db-shm", "new.db-journal"] {
        assert!(!program.path(file).exists(), "{source} left {file}");
    }
    program.write("myao.yaml", "");
}

/// A program with a message in its database, and its export in `export`.
fn program() -> Program {
    program_with(
        "",
        &[post("general", 0, "ann", "We release Harbour on 4 March.")],
    )
}

#[test]
fn a_path_that_is_not_there_is_named() {
    assert_refused(&program(), "nowhere.zip", &["nowhere.zip", "No such file"]);
}

#[test]
fn a_truncated_zip_is_named() {
    let program = program();
    zip_folder(Path::new(&demo_export()), "", &program.path("whole.zip"));
    let whole = fs::read(program.path("whole.zip")).unwrap();
    for part in [whole.len() / 2, whole.len() - 10] {
        program.write("cut.zip", &whole[..part]);
        assert_refused(
            &program,
            "cut.zip",
            &["cut.zip", "damaged or incomplete", "download"],
        );
    }
}

#[test]
fn a_zip_with_a_damaged_entry_is_named() {
    let program = program();
    zip_folder(&program.path("export"), "", &program.path("whole.zip"));
    let mut bytes = fs::read(program.path("whole.zip")).unwrap();
    let inside = 80;
    bytes[inside] ^= 0xff;
    program.write("bent.zip", &bytes);
    assert_refused(&program, "bent.zip", &["bent.zip"]);
}

#[test]
fn a_folder_or_zip_that_is_no_export_is_named() {
    let program = program();
    program.write("holiday/beach.txt", "sand");
    zip_folder(&program.path("holiday"), "", &program.path("holiday.zip"));
    for source in ["holiday", "holiday.zip"] {
        let words = [
            source,
            "is not a Slack workspace export",
            "`users.json`",
            "beach.txt",
        ];
        assert_refused(&program, source, &words);
    }
}

#[test]
fn a_file_of_another_kind_is_named() {
    let program = program();
    program.write("notes.txt", "hello");
    program.write("empty.zip", "");
    for source in ["notes.txt", "empty.zip"] {
        assert_refused(
            &program,
            source,
            &[source, "Slack workspace export", "SQLite"],
        );
    }
}

#[test]
fn broken_json_is_named_with_file_and_line() {
    let program = program();
    let day = "export/general/2026-03-02.json";
    for (text, line) in [
        ("[\n  {\"type\": \"message\",\n   \"ts\": }\n]", "line 3"),
        ("[\n  {\"type\": \"message\"},\n", "line 3"),
        ("[{\"ts\": 5}]", "line 1"),
        ("", "line 1"),
    ] {
        program.write(day, text);
        assert_refused(&program, "export", &["general/2026-03-02.json", line]);
    }
    write_export(&program, &[post("general", 0, "ann", "hi")]);
    program.write("export/users.json", "[\n{]");
    assert_refused(&program, "export", &["users.json", "line 2"]);
}

#[test]
fn broken_json_inside_a_zip_is_named_with_its_entry() {
    let program = program();
    program.write("export/general/2026-03-02.json", "[\n{]");
    zip_folder(&program.path("export"), "top/", &program.path("export.zip"));
    assert_refused(
        &program,
        "export.zip",
        &["export.zip", "general/2026-03-02.json", "line 2"],
    );
}

#[test]
fn a_message_with_a_broken_id_is_named() {
    let program = program();
    program.write(
        "export/general/2026-03-02.json",
        r#"[{ "type": "message", "user": "UANN", "text": "hi", "ts": "1772409600.000100" },
            { "type": "message", "user": "UANN", "text": "hi", "ts": "soon" }]"#,
    );
    assert_refused(
        &program,
        "export",
        &["general/2026-03-02.json", "message 2", "`soon`"],
    );
}

#[test]
fn a_database_of_another_program_is_named() {
    let program = program();
    let other = Connection::open(program.path("other.db")).unwrap();
    other
        .execute_batch("CREATE TABLE songs (title TEXT)")
        .unwrap();
    drop(other);
    assert_refused(&program, "other.db", &["other.db", "not the Python bot's"]);
    assert_refused(&program, "myao.db", &["myao.db", "not the Python bot's"]);
}

#[test]
fn a_broken_row_of_the_bots_database_is_named() {
    let program = program();
    let sql = myao_tests::read_project_file("tests/fixtures/python-bot/database.sql");
    let broken = sql.replacen("2026-02-26 04:00:00.000000", "yesterday", 1);
    assert_ne!(broken, sql);
    Connection::open(program.path("bot.db"))
        .unwrap()
        .execute_batch(&broken)
        .unwrap();
    let words = [
        "bot.db",
        "`memories`",
        "default",
        "`created_at`",
        "`yesterday`",
    ];
    assert_refused(&program, "bot.db", &words);

    // Opened in place it stays the bot's.
    let before = fs::read(program.path("bot.db")).unwrap();
    program.write("myao.yaml", "memory: { database_path: bot.db }\n");
    program.run(&["memory", "list"]).is_refused_with(&words);
    assert!(
        fs::read(program.path("bot.db")).unwrap() == before,
        "bot.db changed"
    );
}
