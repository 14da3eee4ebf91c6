//! `myao import` of Slack exports.

use std::fs::{self, File};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use myao_tests::export::{post, program_with, write_export};
use myao_tests::program::{Program, Ran, demo_export};
use rusqlite::Connection;
use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Zips a folder, with its files under `prefix`.
pub(crate) fn zip_folder(folder: &Path, prefix: &str, zip: &Path) {
    let mut writer = ZipWriter::new(File::create(zip).unwrap());
    add_folder(&mut writer, folder, prefix);
    writer.finish().unwrap();
}

fn add_folder(writer: &mut ZipWriter<File>, folder: &Path, prefix: &str) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            add_folder(writer, &path, &format!("{name}/"));
        } else {
            writer
                .start_file(name, SimpleFileOptions::default())
                .unwrap();
            writer.write_all(&fs::read(&path).unwrap()).unwrap();
        }
    }
}

#[test]
fn folder_and_zip_give_the_same_database() {
    let folder = Program::with_demo();
    for prefix in ["", "minato export/"] {
        let zipped = Program::default();
        zip_folder(
            Path::new(&demo_export()),
            prefix,
            &zipped.path("export.zip"),
        );
        zipped.run(&["import", "export.zip"]).succeeded();
        assert_eq!(zipped.rows(), folder.rows(), "files under `{prefix}`");
    }
}

#[test]
fn the_demo_is_read_whole() {
    let program = Program::default();
    let report = program.run(&["--json", "import", &demo_export()]).json();
    let new = |n: u32| json!({ "new": n, "changed": 0, "unchanged": 0, "forgotten": 0 });
    assert_eq!(
        report["stored"],
        json!({ "users": new(9), "channels": new(3), "messages": new(172), "memories": new(0) })
    );
    assert_eq!(report["read"]["warnings"], json!([]));
}

#[test]
fn importing_twice_changes_nothing() {
    let program = Program::with_demo();
    let before = program.rows();
    let report = program.run(&["--json", "import", &demo_export()]).json();
    for (kind, tally) in report["stored"].as_object().unwrap() {
        assert_eq!(
            (&tally["new"], &tally["changed"]),
            (&json!(0), &json!(0)),
            "{kind}"
        );
    }
    assert_eq!(report["stored"]["messages"]["unchanged"], json!(172));
    assert_eq!(program.rows(), before);
}

#[test]
fn importing_again_after_memories_were_made_changes_nothing() {
    let program = program_with(
        "",
        &[post("general", 0, "ann", "The release is on 4 March.")],
    );
    program
        .run(&["generate", "--now", "2026-03-02T05:00:00Z"])
        .succeeded();
    let before = program.rows();
    program.run(&["import", "export"]).succeeded();
    assert_eq!(program.rows(), before);
}

#[test]
fn two_imports_at_once_give_what_one_gives() {
    let program = Program::default();
    let start = || {
        let mut command = program.command(&["import", &demo_export()]);
        command
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (first, second) = (start(), start());
    for child in [first, second] {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{output:?}");
    }
    assert_eq!(program.rows(), Program::with_demo().rows());
}

/// An export with a public channel, a private one and a direct message.
fn with_closed_conversations() -> Program {
    let program = Program::default();
    write_export(&program, &[post("general", 0, "ann", "open")]);
    let secret = r#"[{"user": "UANN", "text": "secret", "ts": "1772409600.000200"}]"#;
    for (list, folder, conversation) in [
        ("groups", "board", r#"{"id": "G1", "name": "board"}"#),
        ("dms", "D1", r#"{"id": "D1", "members": ["UANN"]}"#),
    ] {
        program.write(&format!("export/{list}.json"), format!("[{conversation}]"));
        program.write(&format!("export/{folder}/2026-03-02.json"), secret);
    }
    program
}

#[test]
fn what_is_private_is_taken_only_with_its_option() {
    let program = with_closed_conversations();
    let output = program.run(&["import", "export"]).output();
    assert!(
        output.contains(
            "\nleft out: 1 private channels; --include-private takes them\n\
             left out: 1 direct messages; --include-direct-messages takes them\nNext: "
        ),
        "{output}"
    );
    let is_stored = |what: &str| program.rows().iter().any(|row| row.contains(what));
    assert!(is_stored("open"));
    for closed in ["secret", "board", "G1", "D1"] {
        assert!(!is_stored(closed), "{closed}");
    }
    let report = program
        .run(&["--json", "import", "export", "--include-private"])
        .json();
    assert_eq!(
        report["left_out_conversations"],
        json!([{ "kind": "direct-messages", "conversations": 1, "option": "--include-direct-messages" }])
    );
    assert!(is_stored("board") && !is_stored("D1"));
    let both = ["--include-private", "--include-direct-messages"];
    let report = program
        .run(&[&["--json", "import", "export"], &both[..]].concat())
        .json();
    assert_eq!(report["left_out_conversations"], json!([]));
    assert!(is_stored("D1"));
}

/// Whether everybody of the workspace reads a channel.
fn is_open(program: &Program, id: &str) -> bool {
    let connection = Connection::open(program.path("myao.db")).unwrap();
    let query = "SELECT a.is_open FROM channel_audience AS a JOIN channels AS c ON c.key = a.channel WHERE c.id = ?1";
    connection.query_row(query, [id], |row| row.get(0)).unwrap()
}

#[test]
fn a_channel_without_a_list_of_members_is_private_and_the_import_says_so() {
    let program = with_closed_conversations();
    program.run(&["import", "export"]).succeeded();
    assert!(is_open(&program, "CGENERAL"));
    program.write(
        "export/channels.json",
        r#"[{"id": "CNEW", "name": "general"}]"#,
    );
    let output = program.run(&["import", "export"]).output();
    assert!(
        output.contains("\nprivate: 1 channel, because it is not known who reads them; `myao "),
        "{output}"
    );
    assert!(!is_open(&program, "CNEW"));
}

/// Writes an export that takes a while to look through: a day of it is `last`.
fn write_slow_export(program: &Program, last: &str) {
    write_export(program, &[post("general", 0, "ann", "hi")]);
    let many = format!("[{}{{}}]", "{},".repeat(1_900_000));
    for day in 1..=3 {
        program.write(&format!("slow/general/2026-01-0{day}.json"), &many);
    }
    program.write("slow/general/2026-03-02.json", last);
    for list in ["users.json", "channels.json"] {
        fs::copy(
            program.path(&format!("export/{list}")),
            program.path(&format!("slow/{list}")),
        )
        .unwrap();
    }
}

fn start(command: &mut Command) -> Child {
    command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Whether a process writes to a database. One that is still being made is not in WAL mode yet.
fn is_being_written(database: &Path) -> bool {
    if !database.exists() {
        return false;
    }
    let connection = Connection::open(database).unwrap();
    connection.busy_timeout(Duration::ZERO).unwrap();
    let mode = connection.pragma_query_value(None, "journal_mode", |row| row.get(0));
    mode.is_ok_and(|mode: String| mode == "wal")
        && connection
            .execute_batch("BEGIN IMMEDIATE; ROLLBACK")
            .is_err()
}

/// Waits until a running import has begun its transaction.
fn wait_for_writing(import: &mut Child, database: &Path) {
    while !is_being_written(database) {
        assert_eq!(import.try_wait().unwrap(), None, "the import has ended");
        std::thread::yield_now();
    }
}

fn signal(child: &Child, signal: &str) {
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
}

#[test]
fn a_failing_import_leaves_a_database_alone_that_another_process_fills() {
    let program = Program::default();
    write_slow_export(&program, "[{]");
    let mut failing = start(&mut program.command(&["import", "slow"]));
    wait_for_writing(&mut failing, &program.path("myao.db"));
    let other = start(&mut program.command(&["import", &demo_export()]));
    let failed = failing.wait_with_output().unwrap();
    assert_eq!(failed.status.code(), Some(1), "{failed:?}");
    let output = other.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert_eq!(program.rows(), Program::with_demo().rows());
}

#[test]
fn a_second_import_is_refused_in_one_line_while_the_first_one_does_not_end() {
    let program = Program::default();
    write_slow_export(
        &program,
        r#"[{ "type": "message", "user": "UANN", "text": "hi", "ts": "1772409600.000100" }]"#,
    );
    let umask = r#"umask 000; exec "$@""#;
    let mut first = start(&mut program.shell(umask, &["import", "slow"]));
    wait_for_writing(&mut first, &program.path("myao.db"));
    signal(&first, "-STOP");
    assert!(
        is_being_written(&program.path("myao.db")),
        "it ended too soon"
    );
    for file in ["myao.db", "myao.db-wal", "myao.db-shm"] {
        assert_eq!(mode(&program, file), 0o600, "{file}");
    }
    program.run(&["import", &demo_export()]).is_refused_with(&[
        "nothing was imported",
        "myao.db` is locked by another program",
        "try again later",
    ]);
    signal(&first, "-CONT");
    let output = first.wait_with_output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let report = program.run(&["--json", "import", &demo_export()]).json();
    assert_eq!(report["stored"]["messages"]["new"], json!(172));
}

/// The rights of a file.
fn mode(program: &Program, file: &str) -> u32 {
    let metadata = fs::metadata(program.path(file)).unwrap();
    metadata.permissions().mode() & 0o777
}

#[test]
fn an_older_database_that_others_may_read_is_its_owners_alone_once_it_is_opened() {
    let program = Program::with_demo();
    assert_eq!(mode(&program, "myao.db"), 0o600);
    let everybody = fs::Permissions::from_mode(0o666);
    fs::set_permissions(program.path("myao.db"), everybody).unwrap();
    // As long as somebody has it open, what lies beside it stays.
    let open = Connection::open(program.path("myao.db")).unwrap();
    open.execute_batch("SELECT * FROM users").unwrap();
    let files = ["myao.db", "myao.db-wal", "myao.db-shm"];
    for file in files {
        assert_eq!(mode(&program, file), 0o666, "{file}");
    }
    program.run(&["memory", "list"]).succeeded();
    for file in files {
        assert_eq!(mode(&program, file), 0o600, "{file}");
    }
}

#[test]
fn a_longer_export_adds_what_is_new() {
    let first = post("general", 0, "ann", "The release is on 4 March.");
    let program = program_with("", std::slice::from_ref(&first));
    write_export(
        &program,
        &[first, post("general", 9, "bob", "Then I book the room.")],
    );
    let report = program.run(&["--json", "import", "export"]).json();
    assert_eq!(
        report["stored"]["messages"],
        json!({ "new": 1, "changed": 0, "unchanged": 1, "forgotten": 0 })
    );
}

/// The texts of the prompt about a channel.
fn prompt(program: &Program, channel: &str, now: &str) -> String {
    let scope = ["prompt", "--scope=channel", "--memory-type=short-term"];
    program
        .run(&[&scope[..], &["--channel", channel, "--now", now]].concat())
        .output()
}

/// Regression 16.
#[test]
fn entities_of_an_export_reach_the_prompt_as_readable_text() {
    let text =
        "<@UBOB> see <#CGENERAL|general>, <https://example.com/a|the plan> &amp; ask <!here>";
    let posts = [
        post("general", 0, "ann", text),
        post("general", 1, "bob", "ok"),
    ];
    let prompt = prompt(&program_with("", &posts), "general", "2026-03-02T01:00:00Z");
    assert!(
        prompt.contains("@bob see #general, the plan (https://example.com/a) & ask @here"),
        "{prompt}"
    );
}

#[test]
fn the_report_for_people_counts_and_names_the_next_step() {
    let program = Program::default();
    let output = program.run(&["import", &demo_export()]).output();
    assert!(
        output.starts_with(&format!("Imported {}\n", demo_export())),
        "{output}"
    );
    assert!(output.contains("  messages  172  0        0\n"), "{output}");
    assert!(
        output.ends_with("Next: myao --config myao.yaml backfill\n"),
        "{output}"
    );
}

#[test]
fn an_import_into_another_workspace_is_kept_apart() {
    let program = Program::with_demo();
    let list = |ran: Ran| ran.json().as_array().map(Vec::len);
    program
        .run(&["generate", "--now", "2026-03-06T12:00:00Z"])
        .succeeded();
    assert_ne!(list(program.run(&["--json", "memory", "list"])), Some(0));
    program.write("myao.yaml", "workspace: other\n");
    assert_eq!(list(program.run(&["--json", "memory", "list"])), Some(0));
    let report: Value = program.run(&["--json", "import", &demo_export()]).json();
    assert_eq!(report["stored"]["messages"]["new"], json!(172));
}
