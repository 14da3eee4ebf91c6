//! What catching up has to remember over a restart: channels that could not be read, and messages that an answer of the
//! platform lacked.

use super::sync::StoredId;
use crate::storage::StorageError;

/// A channel whose history could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadChannel {
    /// The channel.
    pub channel_id: String,
    /// Where the gap began, in Unix seconds; `None` for a channel of which nothing was read yet.
    pub since: Option<i64>,
}

/// A message that an answer lacked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingMessage {
    /// Its channel.
    pub channel_id: String,
    /// The message.
    pub id: StoredId,
}

/// What catching up has still to do.
#[async_trait::async_trait]
pub trait CatchUpState: Send + Sync {
    /// Notes at `now`, in Unix seconds, that the history of a channel could not be read from `since` on. The earliest such
    /// time stays, until [`Self::end_unread`]; `None` is earlier than all. It is tried again after a minute, then two, and so
    /// on up to an hour.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn put_off_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<(), StorageError>;

    /// Channels that could not be read and may be tried at `now`; those that wait the longest first. No wait is longer than an
    /// hour: a later time was noted while the clock was ahead, and does not count.
    async fn unread_channels(&self, now: i64) -> Result<Vec<UnreadChannel>, StorageError>;

    /// Notes that the history of a channel was read, or need not be.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn end_unread(&self, channel_id: &str) -> Result<(), StorageError>;

    /// Notes that an answer lacked these messages of a channel. They are to be asked for one by one, at once. One that is noted
    /// already stays as it is.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn note_missing(
        &self,
        channel_id: &str,
        messages: Vec<StoredId>,
    ) -> Result<(), StorageError>;

    /// Messages that may be asked for at `now`, those that wait the longest first. No wait is longer than six hours: a later
    /// time was noted while the clock was ahead, and does not count.
    async fn missing_messages(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<MissingMessage>, StorageError>;

    /// Notes at `now` that it is still not known whether a message is gone: it is asked for again after ten minutes, then
    /// twenty, and so on up to six hours. The sixth time it counts as there, and is forgotten.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn ask_again(&self, missing: &MissingMessage, now: i64) -> Result<(), StorageError>;

    /// Notes that it is known what became of a message.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn end_missing(&self, missing: &MissingMessage) -> Result<(), StorageError>;
}
