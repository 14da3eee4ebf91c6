//! What reading the platform's history needs: how far it was read, which messages are stored, and who is known.

use crate::storage::StorageError;
use crate::storage::records::{Directory, UserRecord};
use crate::ts::TsKey;

/// A thread with recent messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentThread {
    /// Its channel.
    pub channel_id: String,
    /// Its first message.
    pub thread_ts: TsKey,
    /// Its newest message that is stored.
    pub newest: TsKey,
}

/// A message that is stored, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredId {
    /// The message.
    pub ts: TsKey,
    /// The first message of the thread that it replies in; none for the top level.
    pub thread_ts: Option<TsKey>,
}

/// A channel that is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownChannel {
    /// Its name without `#`; empty if not known.
    pub name: String,
    /// Whether only invited members see it; true while that is not known.
    pub is_private: bool,
    /// Whether the bot takes part in it.
    pub is_present: bool,
}

/// How far the platform's history was read, and who is known.
#[async_trait::async_trait]
pub trait SyncState: Send + Sync {
    /// The last Unix second at which the connection was known to be good; `None` if there was never one.
    async fn connected_through(&self) -> Result<Option<i64>, StorageError>;

    /// Notes that the connection was good at a Unix second, and that nothing before it is missing. Never goes back.
    async fn set_connected_through(&self, unix_seconds: i64) -> Result<(), StorageError>;

    /// If the noted time of the connection is later than `latest`, the clock was ahead when it was noted: `now` takes
    /// its place. Both in Unix seconds.
    async fn bring_back_connected_through(&self, now: i64, latest: i64)
    -> Result<(), StorageError>;

    /// The newest message of all channels that is not after a time; `None` if there is none.
    async fn newest_message(&self, until: TsKey) -> Result<Option<TsKey>, StorageError>;

    /// Has the changes of threads count as of `now`, in Unix seconds, that were noted for more than a day after it, while the
    /// clock was ahead: their memories would be made anew only once that time has come.
    async fn bring_back_changed_threads(&self, now: i64) -> Result<(), StorageError>;

    /// Up to which message the history of a channel was read.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn history_read_through(&self, channel_id: &str) -> Result<Option<TsKey>, StorageError>;

    /// Notes up to which message the history of a channel was read. Never goes back.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn set_history_read_through(
        &self,
        channel_id: &str,
        ts: TsKey,
    ) -> Result<(), StorageError>;

    /// Threads with a reply since then, in channels that the bot takes part in; those with the newest first.
    async fn recent_threads(
        &self,
        since: TsKey,
        limit: u32,
    ) -> Result<Vec<RecentThread>, StorageError>;

    /// The messages of a channel within inclusive bounds that are not deleted, oldest first. Those that the platform no
    /// longer has were deleted.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn messages_between(
        &self,
        channel_id: &str,
        from: TsKey,
        to: TsKey,
    ) -> Result<Vec<StoredId>, StorageError>;

    /// What is known of a user; the name is empty if only the id is known.
    async fn known_user(&self, id: &str) -> Result<Option<UserRecord>, StorageError>;

    /// What is known of a channel.
    async fn known_channel(&self, id: &str) -> Result<Option<KnownChannel>, StorageError>;

    /// These users, and the names of these channels, as far as they are known.
    async fn directory(
        &self,
        users: Vec<String>,
        channels: Vec<String>,
    ) -> Result<Directory, StorageError>;
}
