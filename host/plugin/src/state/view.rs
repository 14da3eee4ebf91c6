//! Reads messages and memories. They go through a [`View`], which is opened for a
//! [`Place`](crate::Place).

use std::collections::BTreeSet;

use crate::recording::Recording;
use crate::state::items::{ItemFilter, StoredItem};
use crate::storage::{Channel, Coverage, Memory, STAND_IN_VERSION, StorageError};
use crate::ts::TsKey;
use crate::{MemoryType, Scope, Timestamp};

/// Which memories to list. By default all that are current, without their texts.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    /// Only memories about this scope.
    pub scope: Option<Scope>,
    /// Only memories of this channel, thread or workspace.
    pub scope_id: Option<String>,
    /// Only memories of this type.
    pub memory_type: Option<MemoryType>,
    /// Only memories of this channel's threads.
    pub threads_of: Option<String>,
    /// Only these memories, whether or not a newer text took their place.
    pub ids: Option<BTreeSet<u64>>,
    /// The older texts of overwritten memories, instead of the current ones.
    pub superseded: bool,
    /// At most so many that may be seen: the newest, which have the greatest ids, whether or not a newer text took their
    /// place.
    pub newest: Option<u32>,
    /// With their texts. If false, `content` is empty.
    pub with_text: bool,
}

/// A memory, with data that the component does not see.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The memory.
    pub memory: Memory,
    /// The name of its channel, or of its thread's channel; `None` for the workspace.
    pub channel_name: Option<String>,
    /// When a newer text took its place; `None` if there is none.
    pub superseded_at: Option<Timestamp>,
    /// How many of the messages from which it was made are known.
    pub source_messages: u32,
    /// How many memories it was made from.
    pub source_memories: u32,
    /// True if the model's answer was cut off at its token limit; `None` if that is not known.
    pub truncated: Option<bool>,
    /// The parts that went into the text; `None` if that is not known.
    pub coverage: Option<Coverage>,
    /// True if it is not known what it was made from. Then only the operator sees it, and nothing is made from it.
    pub is_set_aside: bool,
}

impl StoredMemory {
    /// Returns true if it was made in place of a memory that the model could not make.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.memory.version == STAND_IN_VERSION
    }
}

/// How much is remembered of a channel: what is current, without stand-ins.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ChannelTally {
    /// How many versions its short-term memory has.
    pub versions: u32,
    /// How many of its threads have a memory.
    pub threads: u32,
    /// When the newest of its memories was made, those of threads included, in Unix seconds; `None` if there is none.
    pub newest: Option<i64>,
}

/// A message that a memory was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceMessage {
    /// Its channel.
    pub channel_id: String,
    /// The name of its channel.
    pub channel_name: String,
    /// Its id.
    pub ts: TsKey,
    /// Who wrote it.
    pub author: String,
    /// Its text, as it is now; empty if it was deleted.
    pub text: String,
    /// True if it was deleted.
    pub deleted: bool,
}

/// A memory that another was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceMemory {
    /// Its id.
    pub id: u64,
    /// Its subject.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// How far back it reaches.
    pub memory_type: MemoryType,
    /// Its version.
    pub version: u32,
    /// When its text was made.
    pub updated_at: Timestamp,
    /// True if a newer text has taken its place.
    pub superseded: bool,
}

/// A line of a memory, and the messages that it was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceLine {
    /// The line.
    pub text: String,
    /// Its messages, oldest first; empty if none is known.
    pub messages: Vec<SourceMessage>,
}

/// The sources of a memory. Messages that may not be seen here are left out.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// Messages, oldest first.
    pub messages: Vec<SourceMessage>,
    /// Memories, oldest first.
    pub memories: Vec<SourceMemory>,
    /// The lines of its text, in order. Messages that were deleted are in none: what they said was erased.
    pub lines: Vec<SourceLine>,
    /// Records that are kept beside its text, unless a newer text took its place: messages of which `text` is the kept part, oldest
    /// first.
    pub records: Vec<SourceMessage>,
}

/// An answer that the bot posted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// The message that it answers.
    pub asked: SourceMessage,
    /// Its first post.
    pub posted: TsKey,
    /// Its text, in Markdown as the platform has it; empty if it was taken back, or has not come back from the platform.
    pub text: String,
    /// True if the bot answered of its own accord.
    pub is_unasked: bool,
    /// How many people say that it was good.
    pub good: u32,
    /// How many people say that it was not.
    pub bad: u32,
    /// The messages that it was made from, oldest first. Those that may not be seen here are left out.
    pub sources: Vec<SourceMessage>,
}

/// Reads for one place.
#[async_trait::async_trait]
pub trait View: Send + Sync {
    /// The channels that the bot takes part in, ordered by name and then by id.
    async fn channels(&self) -> Result<Vec<Channel>, StorageError>;

    /// Memories, ordered by scope, scope id, type and version, older texts before newer ones. They include memories of
    /// channels that the bot has left.
    async fn memories(&self, filter: MemoryFilter) -> Result<Vec<StoredMemory>, StorageError>;

    /// How much is remembered of these channels, in the order given.
    async fn tallies(&self, channel_ids: Vec<String>) -> Result<Vec<ChannelTally>, StorageError>;

    /// The sources of a memory. Those of another program's memories are not known.
    ///
    /// # Errors
    /// `StorageError::NotFound` if there is no such memory.
    async fn sources(&self, memory: u64) -> Result<Sources, StorageError>;

    /// The items that may be seen here, in order of their messages.
    ///
    /// # Errors
    /// `StorageError::NotFound` if the filter's channel is not stored.
    async fn items(&self, filter: ItemFilter) -> Result<Vec<StoredItem>, StorageError>;

    /// The newest answers of the bot that may be seen here, newest question first, at most `limit`. With `judged` only those
    /// of which somebody says that they were good, or bad.
    async fn answers(
        &self,
        judged: Option<bool>,
        limit: u32,
    ) -> Result<Vec<StoredAnswer>, StorageError>;

    /// The recording of the call that saved a memory, up to that save; `None` if there is no recording.
    async fn recording_of(&self, memory: u64) -> Result<Option<Recording>, StorageError>;
}
