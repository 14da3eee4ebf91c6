//! `database copy`: from one database to another, also to and from PostgreSQL, and when it is killed.

use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::Duration;

use myao_sqlite::lock::{Work, lock};
use myao_tests::export::{Post, post, program_with};
use myao_tests::postgres::ServerDatabase;
use myao_tests::program::{Program, rows};
use rusqlite::Connection;

/// All rows, and the terms of the index, but not how SQLite has written those.
fn stored(database: &Path) -> Vec<String> {
    let mut rows = rows(database);
    rows.retain(|row| !row.starts_with("message_index_"));
    rows
}

#[test]
fn copy_in_another_file_is_as_good_as_the_original() {
    let program = Program::with_demo();
    let before = stored(&program.path("myao.db"));
    let told = program
        .run(&["database", "copy", "myao.db", "copy.db"])
        .output();
    for words in ["messages", "every row", "`memory.database_path` to copy.db"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(stored(&program.path("copy.db")), before);
    assert_eq!(stored(&program.path("myao.db")), before);
    let list = program.run(&["memory", "list"]).output();
    program.write("myao.yaml", "memory: { database_path: copy.db }\n");
    assert_eq!(program.run(&["memory", "list"]).output(), list);
    let again = program.run(&["database", "copy", "myao.db", "copy.db"]);
    again.is_refused_with(&["not empty", "does not exist yet"]);
}

#[test]
fn copy_to_a_server_and_back_equals_the_original() {
    let program = Program::with_demo();
    let server = ServerDatabase::default();
    let told = program
        .run(&["database", "copy", "myao.db", &server.url()])
        .output();
    ServerDatabase::assert_no_password(&told);
    assert!(told.contains(&server.shown()), "{told}");
    let json = program
        .run(&["--json", "database", "copy", &server.url(), "back.db"])
        .json();
    assert_eq!(json["is_complete"], true);
    assert_eq!(json["from"], server.shown());
    assert_eq!(
        stored(&program.path("back.db")),
        stored(&program.path("myao.db"))
    );
    let list = program.run(&["memory", "list"]).output();
    let over_server = server.program("", "");
    assert_eq!(over_server.run(&["memory", "list"]).output(), list);
}

#[test]
fn nothing_is_copied_from_nowhere_or_beside_a_bot() {
    let program = Program::with_demo();
    program
        .run(&["database", "copy", "none.db", "copy.db"])
        .is_refused_with(&["no database none.db"]);
    let empty = ServerDatabase::default();
    let refused = program
        .run(&["database", "copy", &empty.url(), "copy.db"])
        .refusal();
    ServerDatabase::assert_no_password(&refused);
    assert!(refused.contains(&empty.shown()), "{refused}");
    program
        .run(&[
            "database",
            "copy",
            "myao.db",
            "postgres://u@${UNSET_VARIABLE}/d",
        ])
        .is_refused_with(&["UNSET_VARIABLE"]);
    program
        .run(&["database", "copy", "myao.db", "mysql://host/d"])
        .is_refused_with(&["postgres://"]);
    for work in [Work::Bot, Work::Backfill] {
        let _held = lock(program.path("myao.db"), "default", work).unwrap();
        program
            .run(&["database", "copy", "myao.db", "copy.db"])
            .is_refused_with(&["myao.db", "stop"]);
    }
    for name in ["none.db", "copy.db"] {
        assert!(!program.path(name).exists(), "{name}");
    }
}

/// Kills copies until one ends by itself, each later than the one before.
fn copy_with_kills(program: &Program, from: &str, to: &str) -> u32 {
    let mut kills = 0;
    loop {
        let mut child: Child = program
            .command(&["database", "copy", from, to])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(150 + 150 * u64::from(kills)));
        if let Some(ended) = child.try_wait().unwrap() {
            assert!(ended.success() || kills > 0, "{ended:?}");
            return kills;
        }
        child.kill().unwrap();
        child.wait().unwrap();
        kills += 1;
        assert!(kills < 100, "it never ends");
    }
}

#[test]
fn killed_copy_is_refused_by_others_and_goes_on() {
    let posts: Vec<Post> = (0..6_000)
        .map(|minute| {
            post(
                "general",
                minute,
                "ann",
                &format!("The crane {minute} was inspected at noon."),
            )
        })
        .collect();
    let program = program_with("", &posts);
    let mut child = program
        .command(&["database", "copy", "myao.db", "copy.db"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let is_begun = || {
        let target = Connection::open(program.path("copy.db")).ok()?;
        let copied = target.query_row("SELECT copied FROM copying", [], |row| row.get::<_, i64>(0));
        copied.ok().filter(|rows| *rows > 0)
    };
    while is_begun().is_none() {
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    program.write("myao.yaml", "memory: { database_path: copy.db }\n");
    let used = program.run(&["memory", "list"]);
    used.is_refused_with(&["copy.db", "not complete", "myao database copy"]);
    copy_with_kills(&program, "myao.db", "copy.db");
    assert_eq!(
        stored(&program.path("copy.db")),
        stored(&program.path("myao.db"))
    );
    let server = ServerDatabase::default();
    copy_with_kills(&program, "myao.db", &server.url());
    assert_eq!(server.run("SELECT count(*) FROM messages"), "6000");
    assert_eq!(server.run("SELECT to_regclass('copying') IS NULL"), "t");
}
