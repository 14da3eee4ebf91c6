//! Recordings: what a call into the component asked of its host, and what it was told, in order.
//!
//! The component is a pure function of what its imports tell it, so a recording makes the same memories again, with
//! no network and no store ([`MemoryPlugin::replay`](crate::MemoryPlugin::replay)). It holds messages, memories,
//! prompts and answers in plain text; it is made only where the configuration asks for it, and says which messages
//! and memories it holds.
//!
//! A recording is kept up to each save, before that save: a run that is killed leaves no memory without one. What
//! comes after the last save makes nothing, and is not kept; nor are log lines, which tell the component nothing.

mod player;
mod recorder;
mod tape;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use player::Player;
pub use player::{Asked, Ending, Parting, Replayed};
pub(crate) use recorder::Recorder;
pub(crate) use tape::{Step, Tape};

use crate::bindings::types::Timestamp;
use crate::storage::{MemoryDraft, StorageError};

/// The import that saves.
pub const SAVE: &str = "storage.save-memory";

/// A call into the component that saves memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
pub enum Export {
    Generate {
        now: Timestamp,
    },
    GenerateChannel {
        channel_id: String,
        now: Timestamp,
    },
    GenerateThread {
        channel_id: String,
        thread_ts: String,
        now: Timestamp,
    },
    GenerateWorkspace {
        now: Timestamp,
    },
}

impl Export {
    /// Its name in `wit/memory-generator.wit`.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Generate { .. } => "generate",
            Self::GenerateChannel { .. } => "generate-channel",
            Self::GenerateThread { .. } => "generate-thread",
            Self::GenerateWorkspace { .. } => "generate-workspace",
        }
    }
}

/// One call of the component to its host.
#[derive(Debug, Clone, PartialEq)]
pub struct ImportCall {
    /// Interface and function: `storage.list-messages`.
    pub import: String,
    /// The argument, or an array of several.
    pub arguments: Value,
    /// What the host said; none for a save whose end is not recorded.
    pub result: Option<Value>,
}

/// What is recorded of a call into the component, beside its calls to the host.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The export with its arguments.
    pub export: Export,
    /// The digest of the component ([`LoadedComponent::digest`](crate::component::LoadedComponent::digest)).
    pub component: String,
    /// When the call began, in milliseconds since 1970.
    pub started_at: i64,
}

/// A call into the component, from its beginning to a save.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The call.
    pub head: Head,
    /// Its calls to the host; the last one is the save.
    pub calls: Vec<ImportCall>,
}

/// What comes to a recording before a save.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The call.
    pub head: Head,
    /// The recording, if it has begun.
    pub recording: Option<i64>,
    /// The number of the first of the calls, counted from 0. It may be in the recording already, without its
    /// result.
    pub first: usize,
    /// Calls to the host; the last one is the save, without its result.
    pub calls: Vec<ImportCall>,
    /// What is about to be saved.
    pub draft: MemoryDraft,
    /// Channel and id of each message that the calls hold.
    pub messages: BTreeSet<(String, String)>,
    /// The ids of the memories that they hold.
    pub memories: BTreeSet<u64>,
}

/// Where recordings are kept. The store of the `myao` program is one. Its
/// [`save_memory`](crate::storage::Storage::save_memory) then notes, in the transaction of the save, that the memory
/// is the one that the newest part with the same scope, scope id, memory type and text is about.
#[async_trait::async_trait]
pub trait Recordings: Send + Sync {
    /// Keeps a part and returns the key of its recording; it is on the disk when this returns.
    async fn keep(&self, part: Part) -> Result<i64, StorageError>;
}

/// A shared one is one, too.
#[async_trait::async_trait]
impl<T: Recordings + ?Sized> Recordings for Arc<T> {
    async fn keep(&self, part: Part) -> Result<i64, StorageError> {
        (**self).keep(part).await
    }
}
