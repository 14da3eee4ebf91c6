#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::fs;

use rusqlite::Connection;
use tempfile::{NamedTempFile, TempDir};

use super::{
    testing::{Recorder, folder_of, zip_of},
    *,
};

const EXPORT: [(&str, &str); 3] = [
    ("users.json", "[]"),
    ("channels.json", r#"[{"id": "C1", "name": "general"}]"#),
    (
        "general/2024-03-01.json",
        r#"[{"text": "x", "ts": "1.000001"}]"#,
    ),
];

fn import_all(path: &Path) -> Result<(Recorder, ImportReport), ImportError> {
    let mut sink = Recorder::default();
    let report = import(path, Options::default(), &mut sink, &mut |_| ())?;
    Ok((sink, report))
}

#[test]
fn folder_zip_and_database_are_known_by_what_they_hold() {
    let (folder, zip) = (folder_of(&EXPORT), zip_of(&EXPORT));
    let database = NamedTempFile::new().unwrap();
    Connection::open(database.path())
        .unwrap()
        .pragma_update(None, "user_version", 1)
        .unwrap();
    assert_eq!(detect(folder.path()).unwrap(), Source::SlackFolder);
    assert_eq!(detect(zip.path()).unwrap(), Source::SlackZip);
    assert_eq!(detect(database.path()).unwrap(), Source::PythonBot);
}

#[test]
fn anything_else_is_refused_and_told_what_is_accepted() {
    let file = NamedTempFile::new().unwrap();
    let refused = || detect(file.path()).unwrap_err().to_string();
    let accepted =
        "give a Slack workspace export, as a folder or a zip file, or the Python bot's SQLite file";
    assert!(
        refused().ends_with(&format!("(it is empty): {accepted}")),
        "{}",
        refused()
    );
    fs::write(file.path(), "PDF").unwrap();
    assert!(
        refused().ends_with(&format!("(it is a file of another kind): {accepted}")),
        "{}",
        refused()
    );
    assert!(refused().contains(&file.path().display().to_string()));
}

#[test]
fn a_path_that_does_not_exist_is_named() {
    let folder = TempDir::new().unwrap();
    let error = import_all(&folder.path().join("gone.zip")).unwrap_err();
    assert!(
        matches!(&error, ImportError::Io { path, .. } if path.ends_with("gone.zip")),
        "{error}"
    );
}

#[test]
fn an_empty_zip_is_no_export() {
    let error = import_all(zip_of(&[]).path()).unwrap_err();
    assert!(error.to_string().contains("found nothing"), "{error}");
}

#[test]
fn each_kind_is_read_by_its_reader() {
    assert_eq!(
        import_all(folder_of(&EXPORT).path()).unwrap().0.texts(),
        ["x"]
    );
    assert_eq!(import_all(zip_of(&EXPORT).path()).unwrap().0.texts(), ["x"]);
    let database = NamedTempFile::new().unwrap();
    Connection::open(database.path())
        .unwrap()
        .pragma_update(None, "user_version", 1)
        .unwrap();
    let error = import_all(database.path()).unwrap_err().to_string();
    assert!(
        error.contains(&database.path().display().to_string()) && error.contains("`users`"),
        "{error}"
    );
}

#[test]
fn importing_twice_gives_the_same_records() {
    let zip = zip_of(&EXPORT);
    assert_eq!(
        import_all(zip.path()).unwrap(),
        import_all(zip.path()).unwrap()
    );
}
#[test]
fn a_report_is_json_with_reasons_as_keys() {
    let mut report = ImportReport {
        messages: 2,
        ..ImportReport::default()
    };
    report.leave_out(LeftOut::NoText);
    report.leave_out(LeftOut::Notice);
    report.leave_out(LeftOut::NoText);
    assert_eq!(
        serde_json::to_string(&report).unwrap(),
        r#"{"users":0,"channels":0,"messages":2,"memories":0,"left_out":{"notice":1,"no-text":2},"unknown_audiences":0,"warnings":[]}"#
    );
}
