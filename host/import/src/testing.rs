//! A sink that keeps everything, and archives made from strings.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use std::{fs, io::Write};

use myao_plugin::storage::StorageError;
use myao_plugin::storage::records::{
    ChannelRecord, ImportSink, MemoryRecord, MessageRecord, UserRecord,
};
use tempfile::{NamedTempFile, TempDir};
use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

/// Keeps everything, in order.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Recorder {
    pub(super) users: Vec<UserRecord>,
    pub(super) channels: Vec<ChannelRecord>,
    pub(super) messages: Vec<MessageRecord>,
    pub(super) memories: Vec<MemoryRecord>,
    /// After how many messages the store is full.
    pub(super) full_after: Option<usize>,
}

impl ImportSink for Recorder {
    fn user(&mut self, user: &UserRecord) -> Result<(), StorageError> {
        assert!(self.messages.is_empty(), "users come before messages");
        self.users.push(user.clone());
        Ok(())
    }

    fn channel(&mut self, channel: &ChannelRecord) -> Result<(), StorageError> {
        assert!(self.messages.is_empty(), "channels come before messages");
        self.channels.push(channel.clone());
        Ok(())
    }

    fn message(&mut self, message: &MessageRecord) -> Result<(), StorageError> {
        if self.full_after == Some(self.messages.len()) {
            return Err(StorageError::Unavailable("the disk is full".to_owned()));
        }
        self.messages.push(message.clone());
        Ok(())
    }

    fn memory(&mut self, memory: &MemoryRecord) -> Result<(), StorageError> {
        self.memories.push(memory.clone());
        Ok(())
    }
}

impl Recorder {
    /// The texts of all messages.
    pub(super) fn texts(&self) -> Vec<&str> {
        self.messages
            .iter()
            .map(|message| message.text.as_str())
            .collect()
    }

    /// Id and thread of all messages.
    pub(super) fn threads(&self) -> Vec<(String, Option<String>)> {
        self.messages
            .iter()
            .map(|m| (m.ts.to_string(), m.thread_ts.map(|ts| ts.to_string())))
            .collect()
    }

    /// The name of a user.
    pub(super) fn user_name(&self, id: &str) -> Option<&str> {
        self.users
            .iter()
            .find(|user| user.id == id)
            .map(|user| user.name.as_str())
    }
}

/// A folder with these files.
pub(super) fn folder_of(files: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A zip file with these files, the first one stored, the others compressed.
pub(super) fn zip_of(files: &[(&str, &str)]) -> NamedTempFile {
    let file = NamedTempFile::new().unwrap();
    let mut zip = ZipWriter::new(file.reopen().unwrap());
    let mut method = CompressionMethod::Stored;
    for (name, text) in files {
        zip.start_file(
            *name,
            SimpleFileOptions::default().compression_method(method),
        )
        .unwrap();
        zip.write_all(text.as_bytes()).unwrap();
        method = CompressionMethod::Deflated;
    }
    zip.finish().unwrap();
    file
}
