//! `myao import` of Slack exports.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;

use myao_tests::export::{post, program_with, write_export};
use myao_tests::program::{Program, Ran, demo_export};
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
    let new = |n: u32| json!({ "new": n, "changed": 0, "unchanged": 0 });
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
        json!({ "new": 1, "changed": 0, "unchanged": 1 })
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
