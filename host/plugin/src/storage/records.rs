//! Records that importers and events write into a store.

use std::collections::HashMap;

use crate::audience::ChannelFacts;
use crate::ts::TsKey;

/// A person or program that writes messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserRecord {
    /// The platform's id.
    pub id: String,
    /// The name to show; empty if not known. An empty name never overwrites a known one.
    pub name: String,
    /// True for a program.
    pub is_bot: bool,
}

/// A channel, a group or a direct conversation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRecord {
    /// The platform's id.
    pub id: String,
    /// Its name without `#`; empty if not known. An empty name never overwrites a known one.
    pub name: String,
    /// The readers, as far as the source names them. A missing field never overwrites a known one.
    pub facts: ChannelFacts,
}

/// A message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageRecord {
    /// Its channel.
    pub channel_id: String,
    /// Its id.
    pub ts: TsKey,
    /// The author; may be a user that the store does not know.
    pub user_id: String,
    /// The name under which it was posted, if that is not the user's (bot posts); else `None`.
    pub author_name: Option<String>,
    /// True if a program wrote it.
    pub is_bot: bool,
    /// Readable text: mrkdwn entities are already resolved.
    pub text: String,
    /// The first message of its thread; its own id for that first message.
    pub thread_ts: Option<TsKey>,
    /// When it was last edited, in Unix seconds; `None` if it was not.
    pub edited_at: Option<i64>,
}

impl MessageRecord {
    /// Since when the message has this text, as far as the record shows: its own id, or the end of the second in which
    /// it was last edited.
    #[must_use]
    pub fn changed(&self) -> TsKey {
        let edited = self.edited_at.map(|second| {
            let next = TsKey::first_of(second.saturating_add(1));
            TsKey::from_database(next.to_database().saturating_sub(1))
        });
        edited.map_or(self.ts, |edited| edited.max(self.ts))
    }

    /// The same for one who read it at `read`, which may be within the second of the last edit: a second edit of that second
    /// is later. Whoever reads it again afterwards knows that there was none.
    #[must_use]
    pub fn changed_by(&self, read: TsKey) -> TsKey {
        let next = TsKey::from_database(self.ts.to_database().saturating_add(1));
        let edited = self.edited_at.map(|at| TsKey::first_of(at).max(next));
        edited.map_or(self.ts, |edited| self.changed().min(read.max(edited)))
    }
}

/// A memory made by another program. It is stored as version 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRecord {
    /// The scope of the memory.
    pub scope: crate::bindings::types::Scope,
    /// The workspace scope id, a channel id, or `CHANNEL:THREAD_TS`.
    pub scope_id: String,
    /// How far back it reaches.
    pub memory_type: crate::bindings::types::MemoryType,
    /// The text; not empty.
    pub content: String,
    /// When the memory was first made, in Unix seconds.
    pub created_at: i64,
    /// When this text was made, in Unix seconds.
    pub updated_at: i64,
    /// How many messages it was made from.
    pub source_message_count: u32,
    /// The newest message that it was made from.
    pub source_latest_message_ts: Option<TsKey>,
}

/// Counts of one kind of record in an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct Tally {
    /// Did not exist before.
    pub new: u64,
    /// Existed before, and was changed.
    pub changed: u64,
    /// Existed before, and is the same.
    pub unchanged: u64,
    /// Was left out, because it was to be forgotten.
    pub forgotten: u64,
}

/// Counts of an import.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize)]
pub struct ImportTally {
    /// People and programs.
    pub users: Tally,
    /// Channels.
    pub channels: Tally,
    /// Messages.
    pub messages: Tally,
    /// Memories.
    pub memories: Tally,
}

/// A message that is pinned on the platform. The message need not be stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinRecord {
    /// Its channel.
    pub channel_id: String,
    /// Its id.
    pub ts: TsKey,
    /// Who pinned it; empty if that is not known.
    pub user_id: String,
    /// Since when.
    pub at: TsKey,
}

/// Somebody's mark that a message is done.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DoneMark {
    /// Its channel.
    pub channel_id: String,
    /// Its id.
    pub ts: TsKey,
    /// Whose it is.
    pub user_id: String,
    /// The emoji's name.
    pub emoji: String,
}

/// Where an importer writes. The whole import is one transaction: if the sink is dropped without the store's `commit`,
/// the store stays as it was.
pub trait ImportSink {
    /// Adds or updates a user. A user whose name came from an event is not changed.
    fn user(&mut self, user: &UserRecord) -> Result<(), super::StorageError>;
    /// Adds or updates a channel. What came from an event is not changed.
    fn channel(&mut self, channel: &ChannelRecord) -> Result<(), super::StorageError>;
    /// Adds a message. An existing message is changed only if `edited_at` is newer. A deleted message stays deleted.
    fn message(&mut self, message: &MessageRecord) -> Result<(), super::StorageError>;
    /// Takes in that a message is pinned. A store that keeps no pins, like this default, does nothing.
    fn pin(&mut self, _pin: &PinRecord) -> Result<(), super::StorageError> {
        Ok(())
    }
    /// Takes in that somebody marked a message as done, as if when it was written. A store without such marks, like this
    /// default, does nothing.
    fn done(&mut self, _mark: &DoneMark) -> Result<(), super::StorageError> {
        Ok(())
    }
    /// Adds a memory as version 1. An existing memory is not changed.
    fn memory(&mut self, memory: &MemoryRecord) -> Result<(), super::StorageError>;
}

/// The text that a message elsewhere shows in place of the name of a channel that is not known to be public.
pub const PRIVATE_CHANNEL: &str = "private channel";

/// Some users and channel names, by id.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Directory {
    /// The users that are known.
    pub users: HashMap<String, UserRecord>,
    /// The names of the channels that are known; [`PRIVATE_CHANNEL`] if a channel is private, or may be.
    pub channels: HashMap<String, String>,
}
