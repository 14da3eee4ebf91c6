//! Recordings: the calls of a component to its host, with their results, in order.
//!
//! The component is a pure function of the results of its imports. So a recording makes the same memories again,
//! without network and store ([`MemoryPlugin::replay`](crate::MemoryPlugin::replay)). It contains messages, memories,
//! prompts and answers in plain text. It is made only if the configuration says so, and it lists the messages and
//! memories that it contains.
//!
//! The recording is stored before each save, with everything up to that save, so a run that is killed leaves no memory
//! without a recording. What comes after the last save makes no memory and is not stored. Log lines are not stored
//! either: the component learns nothing from them.

mod player;
mod recorder;
mod tape;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

pub(crate) use player::Player;
pub use player::{Asked, Difference, Ending, Replayed};
pub(crate) use recorder::Recorder;
pub(crate) use tape::{Step, Tape};

use crate::bindings::types::Timestamp;
use crate::storage::{MemoryDraft, StorageError};

/// The import that saves a memory.
pub const SAVE: &str = "storage.save-memory";

/// A call into the component that saves memories.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum Export {
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
    /// The host's result; `None` for a save whose end is not recorded.
    pub result: Option<Value>,
}

/// The part of a recording that is not the calls to the host: the call into the component.
#[derive(Debug, Clone, PartialEq)]
pub struct Head {
    /// The export with its arguments.
    pub export: Export,
    /// The digest of the component ([`LoadedComponent::digest`](crate::component::LoadedComponent::digest)).
    pub component: String,
    /// When the call began, in milliseconds since 1970.
    pub started_at: i64,
}

/// A call into the component, from its start to a save.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The call.
    pub head: Head,
    /// Its calls to the host; the last one is the save.
    pub calls: Vec<ImportCall>,
}

/// A part that is added to a recording before a save.
#[derive(Debug, Clone, PartialEq)]
pub struct Part {
    /// The call.
    pub head: Head,
    /// The recording; `None` if it has not begun.
    pub recording: Option<i64>,
    /// The number of the first of these calls, counted from 0. The recording may already contain that call without its
    /// result.
    pub first: usize,
    /// Calls to the host; the last one is the save, without its result.
    pub calls: Vec<ImportCall>,
    /// The memory that is about to be saved.
    pub draft: MemoryDraft,
    /// The channel and id of each message that the calls contain.
    pub messages: BTreeSet<(String, String)>,
    /// The ids of the memories that the calls contain.
    pub memories: BTreeSet<u64>,
}

/// Where recordings are stored. The store of the `myao` program implements this. In that store,
/// [`save_memory`](crate::storage::Storage::save_memory) also notes which part the memory belongs to, in the
/// transaction of the save: the newest part with the same scope, scope id, memory type and text.
#[async_trait::async_trait]
pub trait Recordings: Send + Sync {
    /// Stores a part and returns the key of its recording. The part is on disk when this returns.
    async fn keep(&self, part: Part) -> Result<i64, StorageError>;

    /// Deletes a recording: what it contains has changed or gone, so its memory is not saved.
    async fn discard(&self, recording: i64) -> Result<(), StorageError>;
}

/// Shared recordings are recordings, too.
#[async_trait::async_trait]
impl<T: Recordings + ?Sized> Recordings for Arc<T> {
    async fn keep(&self, part: Part) -> Result<i64, StorageError> {
        (**self).keep(part).await
    }

    async fn discard(&self, recording: i64) -> Result<(), StorageError> {
        (**self).discard(recording).await
    }
}
