//! The state of reading the platform's history: how far it was read, which messages are stored, and which users and
//! channels are known.

use crate::audience::Audience;
use crate::storage::StorageError;
use crate::storage::records::{Directory, UserRecord};
use crate::ts::TsKey;

/// A stored message, without its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StoredId {
    /// The message.
    pub ts: TsKey,
    /// The first message of the thread in which it is a reply; `None` at the top level.
    pub thread_ts: Option<TsKey>,
}

/// A stored channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownChannel {
    /// Its name without `#`; empty if not known.
    pub name: String,
    /// True if only invited members see it; true if that is not known.
    pub is_private: bool,
    /// True if the bot takes part in it.
    pub is_present: bool,
    /// Who reads it, by all that is known about it.
    pub audience: Audience,
}

/// A member of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// The user.
    pub user_id: String,
    /// As of when this is known: when the members were read, or the person joined.
    pub known_at: TsKey,
}

/// How far the platform's history was read, and which users and channels are known.
#[async_trait::async_trait]
pub trait SyncState: Send + Sync {
    /// The workspace's address on its platform, for links to messages (`https://NAME.slack.com/`); `None` if not known.
    async fn address(&self) -> Result<Option<String>, StorageError>;

    /// Notes the workspace's address; the newest counts.
    async fn set_address(&self, address: &str) -> Result<(), StorageError>;

    /// The last Unix second at which the connection was known to work; `None` if it never was.
    async fn connected_through(&self) -> Result<Option<i64>, StorageError>;

    /// Notes that the connection worked at a Unix second, and that no earlier event is missing. The time never goes
    /// back.
    async fn set_connected_through(&self, unix_seconds: i64) -> Result<(), StorageError>;

    /// If the stored time of the connection is later than `latest`, the clock was ahead when it was stored, and `now`
    /// takes its place. Both are in Unix seconds.
    async fn bring_back_connected_through(&self, now: i64, latest: i64)
    -> Result<(), StorageError>;

    /// The newest message of all channels that is not later than `until`; `None` if there is none.
    async fn newest_message(&self, until: TsKey) -> Result<Option<TsKey>, StorageError>;

    /// Corrects what was stored while the clock was ahead, more than a day after `now`, in Unix seconds: changes of threads
    /// and current memories then count as made at `now`. Otherwise the memories of these threads would be updated, and
    /// these memories shown and merged, only when that time comes.
    async fn bring_back_times(&self, now: i64) -> Result<(), StorageError>;

    /// The id of the message up to which the history of a channel was read.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn history_read_through(&self, channel_id: &str) -> Result<Option<TsKey>, StorageError>;

    /// Stores the id of the message up to which the history of a channel was read. It never goes back.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn set_history_read_through(
        &self,
        channel_id: &str,
        ts: TsKey,
    ) -> Result<(), StorageError>;

    /// The threads of a channel with a reply since then; the ones with the newest reply come first.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn recent_threads(
        &self,
        channel_id: &str,
        since: TsKey,
    ) -> Result<Vec<TsKey>, StorageError>;

    /// The messages of a channel within inclusive bounds that are not deleted, oldest first. If the platform no longer
    /// has one of them, it was deleted there. Those of the operator ([`OPERATOR_ID`](crate::storage::marks::OPERATOR_ID))
    /// are left out: no platform has them.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn messages_between(
        &self,
        channel_id: &str,
        from: TsKey,
        to: TsKey,
    ) -> Result<Vec<StoredId>, StorageError>;

    /// The known facts of a user; the name is empty if only the id is known.
    async fn known_user(&self, id: &str) -> Result<Option<UserRecord>, StorageError>;

    /// When a user's account was last known to be closed; `None` if it never was.
    async fn closed_at(&self, user_id: &str) -> Result<Option<TsKey>, StorageError>;

    /// The known facts of a channel.
    async fn known_channel(&self, id: &str) -> Result<Option<KnownChannel>, StorageError>;

    /// The members of a channel as far as they are known, ordered by user id.
    async fn members(&self, channel_id: &str) -> Result<Vec<Member>, StorageError>;

    /// Returns true if a user is known to be a member of a channel, by something not older than `since`. What is not known is
    /// no.
    async fn is_member(
        &self,
        user_id: &str,
        channel_id: &str,
        since: TsKey,
    ) -> Result<bool, StorageError>;

    /// The channels that the bot takes part in and whose audience is not known: whether they are shared, or who their
    /// members are. Ordered by id.
    async fn channels_of_unknown_audience(&self) -> Result<Vec<String>, StorageError>;

    /// Members of channels that the bot takes part in of whom it is not known whether they are guests, ordered by id.
    async fn members_of_unknown_standing(&self, limit: u32) -> Result<Vec<String>, StorageError>;

    /// These users, and the names of these channels, if they are known.
    async fn directory(
        &self,
        users: Vec<String>,
        channels: Vec<String>,
    ) -> Result<Directory, StorageError>;
}
