//! What cannot be imported: one line that names file, place and remedy, and the database as it was.

use std::fs;
use std::path::Path;

use myao_tests::export::{post, program_with, write_export};
use myao_tests::program::{Program, demo_export, rows};
use rusqlite::Connection;

use crate::cli::import::zip_folder;

/// Imports `source` into a database that is there, and into one that is not.
#[track_caller]
fn assert_refused(program: &Program, source: &str, words: &[&str]) {
    let before = program.rows();
    program.run(&["import", source]).is_refused_with(words);
    assert_eq!(program.rows(), before, "{source}");
    program.write("myao.yaml", "memory: { database_path: new.db }\n");
    program.run(&["import", source]).is_refused_with(words);
    // What was made for it may stay, but holds nothing.
    if program.path("new.db").exists() {
        assert_eq!(content(&program.path("new.db")), [""; 0], "{source}");
    }
    program.write("myao.yaml", "");
}

/// The rows of a database, but for those of SQLite itself and of its indexes.
fn content(database: &Path) -> Vec<String> {
    let mut rows = rows(database);
    rows.retain(|row| {
        let table = row.split(|c: char| !c.is_alphanumeric() && c != '_').next();
        let table = table.unwrap_or_default();
        let is_of_index = table.ends_with("_index_data") || table.ends_with("_index_config");
        !is_of_index && !table.starts_with("sqlite_")
    });
    rows
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
fn odd_messages_are_left_out_and_named_and_stop_nothing() {
    let program = program();
    let odd = [
        r#"{"user": "UANN", "text": "no id", "ts": "soon"}"#,
        r#"{"user": "UANN", "text": 7, "ts": "1772409600.000200"}"#,
        r#"{"user": "UANN", "text": "half \ud83d", "ts": "1772409600.000300"}"#,
    ];
    let good = r#"{"user": "UANN", "text": "whole", "ts": "1772409600.000900"}"#;
    let mut day = format!("[\n{},\n{good},\n\"", odd.join(",\n")).into_bytes();
    day.extend(b"not UTF-8: \xff\"\n]");
    program.write("export/general/2026-03-02.json", day);
    let output = program.run(&["import", "export"]).output();
    assert!(output.contains("  messages  1    0        0\n"), "{output}");
    assert!(
        output.contains("left out: 4 records that cannot be read\n"),
        "{output}"
    );
    for place in ["message 1: `soon`", "line 3", "line 4", "line 6"] {
        let told = format!("warning: left out: general/2026-03-02.json, {place}");
        assert!(output.contains(&told), "no `{told}` in: {output}");
    }
}

#[test]
fn what_is_no_plain_file_is_refused_by_name_and_its_content_is_told_nowhere() {
    let program = program();
    program.write("secret", r#"["root:x:0", {"id": "root:x:0"}]"#);
    for (name, kind, make) in [
        ("users.json", "a symbolic link", "ln -s ../secret"),
        ("channels.json", "a symbolic link", "ln -s /etc/passwd"),
        (
            "general/2026-03-03.json",
            "a symbolic link",
            "ln -s ../../secret",
        ),
        ("other", "a symbolic link", "ln -s .."),
        ("general/2026-03-03.json", "a named pipe", "mkfifo"),
        ("general/2026-03-03.json", "a device", "mknod"),
    ] {
        write_export(&program, &[post("general", 0, "ann", "hi")]);
        let path = format!("export/{name}");
        let arguments = if make == "mknod" { "c 1 5" } else { "" };
        let script = format!("rm -f {path}; {make} {path} {arguments}");
        let made = std::process::Command::new("sh")
            .args(["-c", &script])
            .current_dir(program.folder())
            .status();
        if make == "mknod" && !made.as_ref().unwrap().success() {
            eprintln!("not tested: this user may make no device");
            continue;
        }
        assert!(made.unwrap().success());
        let line = program.run(&["import", "export"]).refusal();
        let told = line.contains(name) && line.contains(kind) && !line.contains("root:x");
        assert!(told, "{line}");
        fs::remove_file(program.path(&path)).unwrap();
    }
    let made = std::process::Command::new("mkfifo")
        .arg(program.path("pipe"))
        .status();
    assert!(made.unwrap().success());
    assert_refused(&program, "pipe", &["`pipe`", "a named pipe"]);
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
fn a_broken_row_of_the_bots_database_is_left_out_and_named() {
    let program = program();
    let sql = myao_tests::read_project_file("tests/fixtures/python-bot/database.sql");
    let broken = sql.replacen("2026-02-26 04:00:00.000000", "yesterday", 1);
    assert_ne!(broken, sql);
    Connection::open(program.path("bot.db"))
        .unwrap()
        .execute_batch(&broken)
        .unwrap();
    let words = ["`memories`", "default", "`created_at`", "`yesterday`"];
    let output = program.run(&["import", "bot.db"]).output();
    assert!(output.contains("  memories  5  "), "{output}");
    assert!(words.iter().all(|word| output.contains(word)), "{output}");
}
