//! The state of catching up across a restart: channels that could not be read, and messages that were missing
//! from a response of the platform.

use super::sync::StoredId;
use crate::storage::StorageError;
use crate::ts::TsKey;

/// A channel whose history could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadChannel {
    /// The channel.
    pub channel_id: String,
    /// Where the gap began, in Unix seconds; `None` if nothing of the channel was read yet.
    pub since: Option<i64>,
}

/// A message that was missing from a response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissingMessage {
    /// Its channel.
    pub channel_id: String,
    /// The message.
    pub id: StoredId,
}

/// A message that is pinned on the platform, or has a person's pin emoji.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedMessage {
    /// The message.
    pub id: StoredId,
    /// The person whose emoji it is; `None` for a pin of the platform.
    pub emoji_of: Option<String>,
    /// The time of the event that pinned it.
    pub at: TsKey,
}

/// A time in which deliveries of the platform may be missing, in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Gap {
    /// Where it begins.
    pub since: i64,
    /// Its end. What was read at that second or earlier need not be whole.
    pub until: i64,
}

impl Gap {
    /// The longest time until a gap ends. A later end was stored while the clock was ahead, and is ignored.
    pub const LONGEST_SECONDS: i64 = 3600;

    /// The gap that holds both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            since: self.since.min(other.since),
            until: self.until.max(other.until),
        }
    }

    /// Returns true if what is read at `now` has all that is missing.
    #[must_use]
    pub fn is_over(self, now: i64) -> bool {
        !(now..=now.saturating_add(Self::LONGEST_SECONDS)).contains(&self.until)
    }
}

/// A channel whose stored messages are compared with the platform's, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sweep {
    /// The channel.
    pub channel_id: String,
    /// Messages up to this one are still to do; `None` at the beginning.
    pub through: Option<TsKey>,
    /// Through here all of it is known to be stored: a later message that is not is new. `None` for a channel that was never read.
    pub good_through: Option<TsKey>,
}

/// How far the comparison of stored messages with the platform's is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Swept {
    /// How many channels were read or have messages.
    pub channels: u64,
    /// How many of them were compared to their end.
    pub done: u64,
    /// How many messages the platform does not show any more. It does not say that they were deleted.
    pub hidden: u64,
    /// The channels that the platform refused the last time, by id, with the reason.
    pub refused: Vec<(String, String)>,
}

/// The reading that is still to do.
#[async_trait::async_trait]
pub trait CatchUpState: Send + Sync {
    /// Notes that deliveries may be missing; a gap that is already open grows.
    async fn open_gap(&self, gap: Gap) -> Result<(), StorageError>;

    /// The open gap.
    async fn gap(&self) -> Result<Option<Gap>, StorageError>;

    /// Notes that everything of this time was read. What is earlier or later stays missing.
    async fn close_gap(&self, read: Gap) -> Result<(), StorageError>;

    /// Notes at `now`, in Unix seconds, that these channels are to be read from `since` on, all or none of them: the gap becomes one gap
    /// a channel. An earlier beginning is kept as in [`Self::put_off_channel`]. Channels that are not stored are left out.
    async fn owe_channels(
        &self,
        channel_ids: &[String],
        since: Option<i64>,
        now: i64,
    ) -> Result<(), StorageError>;

    /// Notes at `now`, in Unix seconds, that the history of a channel could not be read from `since` on. The earliest
    /// such time is kept until [`Self::end_unread`]; `None` counts as earlier than any time. The channel is retried
    /// after one minute, then after two, and so on up to an hour.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn put_off_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<(), StorageError>;

    /// Channels that are to be read and may be tried at `now`; the ones whose gap began first come first, and of these the ones with the
    /// newest message. No
    /// wait is longer than an hour: a later time was stored while the clock was ahead, and is ignored.
    async fn unread_channels(&self, now: i64) -> Result<Vec<UnreadChannel>, StorageError>;

    /// Notes that the history of a channel was read, or need not be read. Of a channel that the bot left and came back to, what
    /// was said is shown from then on, if the bot is in it.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn end_unread(&self, channel_id: &str) -> Result<(), StorageError>;

    /// Notes that these messages of a channel were missing from a response. They can be requested at once, one by one.
    /// A message that is already noted is not changed.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn note_missing(
        &self,
        channel_id: &str,
        messages: Vec<StoredId>,
    ) -> Result<(), StorageError>;

    /// Messages that may be requested at `now`; the ones that have waited longest come first. No wait is longer than
    /// six hours: a later time was stored while the clock was ahead, and is ignored.
    async fn missing_messages(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<MissingMessage>, StorageError>;

    /// Notes at `now` that it is still unknown whether a message was deleted. It is requested again after ten minutes,
    /// then after twenty, and so on up to six hours. After the sixth time the message counts as not deleted, and the
    /// note is removed.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn ask_again(&self, missing: &MissingMessage, now: i64) -> Result<(), StorageError>;

    /// The newest `limit` pins of a channel's stored messages, newest message first; for one message the platform's
    /// first, then emojis by person. Pins of the operator are left out: no platform knows them.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn pinned_messages(
        &self,
        channel_id: &str,
        limit: u32,
    ) -> Result<Vec<PinnedMessage>, StorageError>;

    /// The channel to compare next, of those that the bot is in and that were read or have messages: one that was begun, then one that was never
    /// compared, then one that was last compared before `before`. Both times are in Unix seconds. One that was refused is left out for
    /// an hour.
    async fn next_sweep(&self, before: i64, now: i64) -> Result<Option<Sweep>, StorageError>;

    /// Notes that a channel was compared down to `Sweep::through`; to its end at `now`, in Unix seconds, if that is `None`, with so many
    /// messages that the platform does not show any more. Then all is known to be stored through the time of the first such note.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn note_sweep(&self, sweep: Sweep, hidden: u64, now: i64) -> Result<(), StorageError>;

    /// Notes at `now`, in Unix seconds, that the platform refused to show a channel, and why. The comparison goes on where it is.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn refuse_sweep(&self, channel_id: &str, why: &str, now: i64)
    -> Result<(), StorageError>;

    /// How far the comparison is.
    async fn swept(&self) -> Result<Swept, StorageError>;

    /// Notes that it is now known whether a message was deleted.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn end_missing(&self, missing: &MissingMessage) -> Result<(), StorageError>;
}
