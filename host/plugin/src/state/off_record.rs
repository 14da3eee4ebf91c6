//! Messages off the record: those of people and channels that do not want to be remembered; and how the bot takes part in the
//! channels that it remembers.

use std::collections::BTreeMap;

use crate::storage::StorageError;
use crate::ts::TsKey;

/// Whose messages are off the record.
///
/// Exhaustive on purpose: a store must be able to refuse the messages of each.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Speaker {
    /// Everybody in a channel, by its id.
    Channel(String),
    /// A person, by the user's id.
    User(String),
}

/// How the bot takes part in a channel that it remembers.
///
/// Exhaustive on purpose: a bot must know what to do in each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Participation {
    /// It writes nothing of its own accord, and answers no mention.
    Silent,
    /// It answers mentions.
    Mentions,
    /// It answers mentions, and what nobody else answers if that helps.
    JoinsIn,
}

/// The speakers off the record. Of a message that was written in such a time only that it exists is stored, however and whenever it
/// arrives: by an event, from a history that is read later, or by an import. An edit of an older message is applied, and what the
/// operator writes ([`OPERATOR_ID`](crate::storage::marks::OPERATOR_ID)) is stored.
#[async_trait::async_trait]
pub trait OffRecord: Send + Sync {
    /// Takes somebody's messages off the record from `at` on, or puts those from `at` on back on it. Stored messages of the
    /// time that is off the record are deleted, at `now` in Unix seconds. Returns whether this changed anything.
    async fn set_off_record(
        &self,
        of: Speaker,
        is_off: bool,
        at: TsKey,
        now: i64,
    ) -> Result<bool, StorageError>;

    /// Since when somebody's messages are off the record; `None` if they are on it.
    async fn off_record_since(&self, of: Speaker) -> Result<Option<TsKey>, StorageError>;

    /// Whose messages are off the record, and since when, ordered by [`Speaker`].
    async fn all_off_record(&self) -> Result<Vec<(Speaker, TsKey)>, StorageError>;

    /// Sets how the bot takes part in a channel, at `now` in Unix seconds. Returns whether this changed anything; a channel that is
    /// not known stays so.
    async fn set_participation(
        &self,
        channel_id: &str,
        how: Participation,
        now: i64,
    ) -> Result<bool, StorageError>;

    /// Notes that the bot greets a channel that it takes part in. Returns true the first time.
    async fn note_greeting(&self, channel_id: &str) -> Result<bool, StorageError>;

    /// How the bot takes part in the channels where somebody has set it, by the channel's id.
    async fn participation(&self) -> Result<BTreeMap<String, Participation>, StorageError>;
}
