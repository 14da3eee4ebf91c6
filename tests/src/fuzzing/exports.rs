//! Slack exports, as folders and as zip files.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use myao_import::{ImportError, ImportReport, Options, import};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::records::{
    ChannelRecord, ImportSink, MemoryRecord, MessageRecord, UserRecord,
};
use zip::write::SimpleFileOptions;

/// Keeps what an import hands over.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Kept {
    pub(super) users: Vec<UserRecord>,
    pub(super) channels: Vec<ChannelRecord>,
    pub(super) messages: Vec<MessageRecord>,
    pub(super) memories: Vec<MemoryRecord>,
}

impl ImportSink for Kept {
    fn user(&mut self, user: &UserRecord) -> Result<(), StorageError> {
        self.users.push(user.clone());
        Ok(())
    }
    fn channel(&mut self, channel: &ChannelRecord) -> Result<(), StorageError> {
        self.channels.push(channel.clone());
        Ok(())
    }
    fn message(&mut self, message: &MessageRecord) -> Result<(), StorageError> {
        self.messages.push(message.clone());
        Ok(())
    }
    fn memory(&mut self, memory: &MemoryRecord) -> Result<(), StorageError> {
        self.memories.push(memory.clone());
        Ok(())
    }
}

/// An export, each file behind a line `=== NAME`, reads the same as a folder and as a zip file; an error names a file.
pub fn slack_export(data: &[u8]) {
    let text = super::text(data);
    let folder = tempfile::tempdir().unwrap();
    let (unpacked, packed) = (
        folder.path().join("export"),
        folder.path().join("export.zip"),
    );
    let mut zip = zip::ZipWriter::new(fs::File::create(&packed).unwrap());
    fs::create_dir(&unpacked).unwrap();
    for (name, content) in sections(&text) {
        let path = unpacked.join(name);
        let parent = path.parent().unwrap();
        // A file may stand where another one needs a folder, or have a name that is too long.
        let is_written = fs::create_dir_all(parent).and_then(|()| fs::File::create_new(&path));
        if let Ok(mut file) = is_written {
            file.write_all(content.as_bytes()).unwrap();
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        }
    }
    zip.finish().unwrap();
    match (read(&unpacked), read(&packed)) {
        (Ok((folder, folder_report)), Ok((zip, zip_report))) => {
            assert_eq!(folder, zip);
            assert_eq!(folder.memories, [], "an export holds none");
            // Warnings may name files that lie too deep to be looked for in a folder.
            assert_eq!(folder_report.left_out, zip_report.left_out);
        }
        (Err(_), Err(_)) => {}
        (folder, zip) => panic!("as a folder {folder:?}, as a zip file {zip:?}"),
    }
}

/// Any bytes behind a zip file's first ones are read, or refused with the file's name.
pub fn slack_zip(data: &[u8]) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("export.zip");
    fs::write(&path, data).unwrap();
    drop(read(&path));
}

/// Reads a file or folder; an error names it.
pub(super) fn read(path: &Path) -> Result<(Kept, ImportReport), ImportError> {
    let mut kept = Kept::default();
    match import(path, Options::ALL, &mut kept, &mut |_| {}) {
        Ok(report) => {
            kept.assert_reported(&report);
            Ok((kept, report))
        }
        Err(error) => {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(error.to_string().contains(&file), "{error}");
            Err(error)
        }
    }
}

impl Kept {
    /// The report counts what was kept, and every message says something.
    pub(super) fn assert_reported(&self, report: &ImportReport) {
        assert_eq!(report.users, self.users.len() as u64);
        assert_eq!(report.channels, self.channels.len() as u64);
        assert_eq!(report.messages, self.messages.len() as u64);
        assert_eq!(report.memories, self.memories.len() as u64);
        let has_text = |message: &MessageRecord| !message.text.trim().is_empty();
        assert!(self.messages.iter().all(has_text));
    }
}

/// The files of an export. Names lead nowhere else.
fn sections(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let sections = text.strip_prefix("=== ").unwrap_or(text).split("\n=== ");
    sections.filter_map(|section| {
        let (name, content) = section.split_once('\n')?;
        let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '/');
        let parts_are_names = name
            .split('/')
            .all(|part| !part.trim_matches('.').is_empty());
        (name.len() < 80 && name.chars().all(is_plain) && parts_are_names)
            .then_some((name, content))
    })
}
