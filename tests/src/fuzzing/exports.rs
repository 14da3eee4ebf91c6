//! Slack exports, as folders and as zip files.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use myao::import::{ImportError, ImportReport, import};
use myao::storage::StorageError;
use myao::storage::records::{ChannelRecord, ImportSink, MemoryRecord, MessageRecord, UserRecord};
use zip::write::SimpleFileOptions;

/// Keeps what an import hands over.
#[derive(Debug, Default, PartialEq)]
struct Kept {
    users: Vec<UserRecord>,
    channels: Vec<ChannelRecord>,
    messages: Vec<MessageRecord>,
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
        panic!("an export holds no memory: {memory:?}");
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

fn read(path: &Path) -> Result<(Kept, ImportReport), ImportError> {
    let mut kept = Kept::default();
    match import(path, &mut kept, &mut |_| {}) {
        Ok(report) => {
            assert_eq!(report.users, kept.users.len() as u64);
            assert_eq!(report.channels, kept.channels.len() as u64);
            assert_eq!(report.messages, kept.messages.len() as u64);
            assert!(
                kept.messages
                    .iter()
                    .all(|message| !message.text.trim().is_empty())
            );
            Ok((kept, report))
        }
        Err(error) => {
            let file = path.file_name().unwrap().to_string_lossy().into_owned();
            assert!(error.to_string().contains(&file), "{error}");
            Err(error)
        }
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
