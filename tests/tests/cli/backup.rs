//! `backup`: a copy while others write, whole, and for its owner alone.

use std::os::unix::fs::PermissionsExt as _;

use myao_tests::program::{Program, rows};
use rusqlite::Connection;

#[test]
fn copy_has_every_row_also_those_that_are_only_in_the_log() {
    let program = Program::with_demo();
    // Another process has it open, and has written to the log.
    let other = Connection::open(program.path("myao.db")).unwrap();
    other
        .execute_batch("UPDATE users SET name = 'ann, late'")
        .unwrap();
    let told = program.run(&["backup", "copies.db"]).output();
    assert!(
        told.contains("copies.db") && told.contains("whole"),
        "{told}"
    );
    let copied = rows(&program.path("copies.db"));
    assert_eq!(copied, program.rows());
    assert!(copied.iter().any(|row| row.contains("ann, late")));
    let mode = program
        .path("copies.db")
        .metadata()
        .unwrap()
        .permissions()
        .mode();
    assert_eq!(mode & 0o777, 0o600);
    drop(other);
    // It is as good as the original.
    program.write("myao.yaml", "memory: { database_path: copies.db }\n");
    program.run(&["memory", "list"]).succeeded();
}

#[test]
fn nothing_is_overwritten_and_nothing_half_done_stays() {
    let program = Program::with_demo();
    program.write("taken.db", "something else");
    let files = || std::fs::read_dir(program.folder()).unwrap().count();
    let before = files();
    program.run(&["backup", "taken.db"]).is_refused_with(&[
        "taken.db",
        "exists already",
        "another name",
    ]);
    let nowhere = program.run(&["backup", "nowhere/copy.db"]);
    nowhere.is_refused_with(&["nowhere", "check that it exists"]);
    assert_eq!(
        std::fs::read(program.path("taken.db")).unwrap(),
        b"something else"
    );
    assert_eq!(files(), before);
}

#[test]
fn an_older_database_is_copied_as_it_is() {
    let program = Program::with_demo();
    let version = |name: &str| -> i32 {
        let database = Connection::open(program.path(name)).unwrap();
        database
            .pragma_query_value(None, "user_version", |row| row.get(0))
            .unwrap()
    };
    let older = version("myao.db") - 1;
    let database = Connection::open(program.path("myao.db")).unwrap();
    database.pragma_update(None, "user_version", older).unwrap();
    drop(database);
    program.run(&["backup", "copy.db"]).succeeded();
    assert_eq!([version("myao.db"), version("copy.db")], [older; 2]);
}

#[test]
fn without_a_database_there_is_nothing_to_copy() {
    let program = Program::default();
    program
        .run(&["backup", "copy.db"])
        .is_refused_with(&["no database", "memory.database_path"]);
    assert!(!program.path("myao.db").exists());
}
