//! Exports made from strings, read as a folder and as a zip file.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod archives;
mod audiences;
mod authors;
mod messages;
mod threads;

use std::path::Path;

use crate::testing::{Recorder, folder_of, zip_of};
use crate::{ImportError, ImportReport, Options, Progress};

const USERS: &str = r#"[
  {"id": "U1", "name": "tanaka", "real_name": "田中 太郎", "profile": {"display_name": "田中"}},
  {"id": "U2", "name": "ben", "real_name": "Ben R&amp;D", "deleted": true, "profile": {"display_name": "", "real_name": "other"}},
  {"id": "U3", "name": "cleo", "real_name": "", "profile": {"display_name": " ", "real_name": ""}},
  {"id": "UB", "name": "deploybot", "is_bot": true, "profile": {"display_name": "Deploy"}}
]"#;
const CHANNELS: &str = r#"[{"id": "C1", "name": "general"}, {"id": "C2", "name": "random"}]"#;
const DAY: &str = "general/2024-03-01.json";

/// Reads files as a folder and as a zip file, which must give the same.
fn read(files: &[(&str, &str)]) -> (Recorder, ImportReport) {
    read_with(Options::ALL, files)
}

fn read_with(options: Options, files: &[(&str, &str)]) -> (Recorder, ImportReport) {
    let (folder, zip) = (folder_of(files), zip_of(files));
    let from_folder = read_path_with(options, folder.path()).unwrap();
    let from_zip = read_path_with(options, zip.path()).unwrap();
    assert_eq!(from_folder, from_zip);
    from_folder
}

fn read_path(path: &Path) -> Result<(Recorder, ImportReport), ImportError> {
    read_path_with(Options::ALL, path)
}

fn read_path_with(options: Options, path: &Path) -> Result<(Recorder, ImportReport), ImportError> {
    let mut sink = Recorder::default();
    let report = super::read(path, options, &mut sink, &mut |_: Progress| ())?;
    assert_eq!(report.messages, sink.messages.len() as u64);
    assert_eq!(report.users, sink.users.len() as u64);
    assert_eq!(report.channels, sink.channels.len() as u64);
    Ok((sink, report))
}

/// Reads an export with the usual lists and these day files, and counts its messages.
fn read_days(days: &[(&str, &str)]) -> (Recorder, ImportReport) {
    let mut files = vec![("users.json", USERS), ("channels.json", CHANNELS)];
    files.extend(days);
    let (sink, report) = read(&files);
    let records: usize = days
        .iter()
        .map(|(_, text)| {
            serde_json::from_str::<Vec<serde_json::Value>>(text)
                .unwrap()
                .len()
        })
        .sum();
    assert_eq!(
        report.messages + report.left_out.values().sum::<u64>(),
        records as u64,
        "{report:?}"
    );
    (sink, report)
}

/// Reads the messages of one day.
fn read_day(messages: &str) -> (Recorder, ImportReport) {
    read_days(&[(DAY, messages)])
}

/// Reads messages given without their ids, and returns the texts of those that are kept.
fn texts(messages: &[&str]) -> Vec<String> {
    let numbered: Vec<String> = messages
        .iter()
        .enumerate()
        .map(|(at, message)| {
            message.replacen(
                '{',
                &format!(r#"{{"type": "message", "ts": "100.{at:06}", "#),
                1,
            )
        })
        .collect();
    let (sink, _) = read_day(&format!("[{}]", numbered.join(",")));
    sink.texts().into_iter().map(str::to_owned).collect()
}
