//! Databases and disks that do not take what is to be stored: one line, and the database as it was.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use myao_tests::export::{post, program_with};
use myao_tests::program::{Program, Ran, demo_export, rows};
use rusqlite::Connection;

/// Every command that opens the database.
const COMMANDS: [&[&str]; 4] = [
    &["memory", "list"],
    &["generate"],
    &["backfill"],
    &["prompt", "--scope=workspace", "--memory-type=long-term"],
];

/// Runs all commands, an import among them, and asserts that the file keeps its bytes.
#[track_caller]
fn assert_refused(program: &Program, words: &[&str]) {
    let before = fs::read(program.path("myao.db")).unwrap();
    let export = demo_export();
    for command in COMMANDS
        .into_iter()
        .chain([&["import", export.as_str()][..]])
    {
        program.run(command).is_refused_with(words);
        let after = fs::read(program.path("myao.db")).unwrap();
        assert!(after == before, "{command:?} changed the file");
    }
}

fn small() -> Program {
    program_with(
        "",
        &[post("general", 0, "ann", "We release Harbour on 4 March.")],
    )
}

#[test]
fn a_file_that_is_no_database_is_named() {
    let program = Program::default();
    program.write("myao.db", "hello\n".repeat(100));
    assert_refused(
        &program,
        &["myao.db", "not an SQLite database", "memory.database_path"],
    );
}

#[test]
fn another_programs_database_is_named() {
    let program = Program::default();
    let other = Connection::open(program.path("myao.db")).unwrap();
    other
        .execute_batch("CREATE TABLE songs (title TEXT)")
        .unwrap();
    drop(other);
    assert_refused(
        &program,
        &["myao.db", "another program", "memory.database_path"],
    );
}

#[test]
fn a_newer_myaos_database_is_named() {
    let program = small();
    let database = Connection::open(program.path("myao.db")).unwrap();
    database.pragma_update(None, "user_version", 99).unwrap();
    drop(database);
    assert_refused(&program, &["myao.db", "schema 99", "update myao"]);
}

#[test]
fn a_missing_database_is_not_made_by_looking() {
    let program = Program::default();
    for command in COMMANDS {
        program
            .run(command)
            .is_refused_with(&["myao.db", "import PATH", "memory.database_path"]);
    }
    assert!(!program.path("myao.db").exists());
}

#[test]
fn a_folder_that_does_not_exist_is_named() {
    let program = Program::with_config("memory: { database_path: no/such/folder/my.db }\n");
    let words = ["no/such/folder/my.db", "folder exists"];
    program
        .run(&["import", &demo_export()])
        .is_refused_with(&words);
    assert!(!program.path("no").exists());
}

#[test]
fn a_folder_in_the_databases_place_is_named() {
    let program = Program::with_config("memory: { database_path: folder }\n");
    fs::create_dir(program.path("folder")).unwrap();
    program
        .run(&["import", &demo_export()])
        .is_refused_with(&["`folder`", "cannot be opened"]);
    assert!(program.path("folder").is_dir());
}

/// A shell line that runs the program without root's right to write everywhere.
fn without_privileges(program: &Program) -> &'static str {
    program.write("probe", "");
    fs::set_permissions(program.path("probe"), fs::Permissions::from_mode(0o444)).unwrap();
    let root = fs::OpenOptions::new()
        .write(true)
        .open(program.path("probe"))
        .is_ok();
    if root {
        r#"exec setpriv --bounding-set=-dac_override "$@""#
    } else {
        r#"exec "$@""#
    }
}

#[test]
fn a_read_only_file_is_named() {
    let program = small();
    let script = without_privileges(&program);
    fs::set_permissions(program.path("myao.db"), fs::Permissions::from_mode(0o444)).unwrap();
    let before = fs::read(program.path("myao.db")).unwrap();
    let run = |command: &[&str]| Ran::of(&mut program.shell(script, command));
    let words = ["myao.db", "read-only", "writable"];
    run(&["import", &demo_export()]).is_refused_with(&words);
    let now = "2026-03-02T05:00:00Z";
    for command in [
        &["generate", "--now", now][..],
        &["backfill", "--until", now],
    ] {
        let ran = run(command);
        assert_eq!(ran.code, Some(1), "{ran:#?}");
        let told = ran.stdout + &ran.stderr;
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
    // Looking needs no writing.
    run(&["memory", "list"]).succeeded();
    assert!(
        fs::read(program.path("myao.db")).unwrap() == before,
        "the file changed"
    );
}

#[test]
fn a_read_only_folder_is_named() {
    let program = Program::with_config("memory: { database_path: locked/my.db }\n");
    let script = without_privileges(&program);
    fs::create_dir(program.path("locked")).unwrap();
    fs::set_permissions(program.path("locked"), fs::Permissions::from_mode(0o555)).unwrap();
    let ran = Ran::of(&mut program.shell(script, &["import", &demo_export()]));
    ran.is_refused_with(&["locked/my.db", "write there"]);
}

#[test]
fn database_where_nothing_can_be_written_can_be_looked_at() {
    let program = small();
    program
        .run(&["generate", "--now", "2026-03-02T05:00:00Z"])
        .succeeded();
    let script = without_privileges(&program);
    fs::create_dir(program.path("locked")).unwrap();
    fs::rename(program.path("myao.db"), program.path("locked/my? 1.db")).unwrap();
    program.write(
        "myao.yaml",
        "memory: { database_path: 'locked/my? 1.db' }\n",
    );
    let lock = |file, folder| {
        for (name, mode) in [("locked/my? 1.db", file), ("locked", folder)] {
            fs::set_permissions(program.path(name), fs::Permissions::from_mode(mode)).unwrap();
        }
    };
    let run = |command: &[&str]| Ran::of(&mut program.shell(script, command));
    lock(0o400, 0o500);
    let listed = run(&["memory", "list"]).output();
    assert!(listed.contains("#general"), "{listed}");
    run(&["memory", "history", "general"]).succeeded();
    run(&["search", "release"]).succeeded();
    run(&["ask", "What is the release date?"]).succeeded();
    run(&["usage"]).succeeded();
    let words = ["my? 1.db", "read-only", "writable"];
    run(&["import", &demo_export()]).is_refused_with(&words);
    lock(0o600, 0o700);
    run(&["memory", "list"]).succeeded();
}

/// A disk that is too small for the demo, in a mount namespace of its own; what is on it is
/// copied out when the program is done.
const SMALL_DISK: &str = r#"
    mkdir disk && mount -t tmpfs -o size="$SIZE" tmpfs disk && cp myao.db disk/my.db || exit 90
    "$@"; code=$?
    mkdir after && cp disk/* after/
    exit $code"#;

/// Where namespaces are not to be had: files must not grow beyond some blocks.
const SMALL_FILES: &str = r#"
    mkdir disk && cp myao.db disk/my.db || exit 90
    trap '' XFSZ
    (ulimit -f 24; exec "$@"); code=$?
    mkdir after && cp disk/* after/
    exit $code"#;

/// A program whose database lies, when `script` runs, on a small disk.
fn on_a_small_disk() -> Program {
    let program = small();
    program.write("myao.yaml", "memory: { database_path: disk/my.db }\n");
    program
}

fn may_mount() -> bool {
    let mut probe = std::process::Command::new("unshare");
    probe.args([
        "--map-root-user",
        "--mount",
        "mount",
        "-t",
        "tmpfs",
        "tmpfs",
        "/mnt",
    ]);
    probe.output().is_ok_and(|output| output.status.success())
}

/// The refused import's line is `words`; the copy of the database is as it was before.
#[track_caller]
fn assert_disk_refused(program: &Program, ran: Ran, words: &[&str]) {
    ran.is_refused_with(words);
    assert_eq!(rows(&program.path("after/my.db")), program.rows());
}

#[test]
fn a_full_disk_is_named_and_leaves_the_database_as_it_was() {
    let program = on_a_small_disk();
    let export = demo_export();
    if !may_mount() {
        let ran = Ran::of(&mut program.shell(SMALL_FILES, &["import", &export]));
        return assert_disk_refused(&program, ran, &["disk/my.db", "the disk"]);
    }
    // Room for the shared memory of SQLite and a few pages.
    let size = fs::metadata(program.path("myao.db")).unwrap().len() + 56 * 1024;
    let script = format!("exec unshare --map-root-user --mount sh -c '{SMALL_DISK}' sh \"$@\"")
        .replace("$SIZE", &size.to_string());
    let ran = Ran::of(&mut program.shell(&script, &["import", &export]));
    assert_disk_refused(&program, ran, &["disk/my.db", "is full", "free some space"]);
}

#[test]
fn a_disk_that_fails_is_named_and_leaves_the_database_as_it_was() {
    let program = on_a_small_disk();
    let ran = Ran::of(&mut program.shell(SMALL_FILES, &["import", &demo_export()]));
    assert_disk_refused(&program, ran, &["disk/my.db", "the disk"]);
}

#[test]
fn a_damaged_database_is_named() {
    let program = Program::with_demo();
    let path = program.path("myao.db");
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    program
        .run(&["import", &demo_export()])
        .is_refused_with(&["myao.db", "damaged", "backup"]);
}
