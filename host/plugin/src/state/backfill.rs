//! What a backfill needs: where the messages are in time, and how far it has come.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// Messages of a channel of which no memory was made, nor will be: they are older than what its newest memory reaches to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// The channel.
    pub channel_id: String,
    /// Its name, or its id.
    pub channel_name: String,
    /// How many they are.
    pub messages: u64,
    /// The oldest of them.
    pub oldest: TsKey,
    /// The newest of them.
    pub newest: TsKey,
}

/// Where the messages are in time, and how far a backfill has come.
#[async_trait::async_trait]
pub trait BackfillState: Send + Sync {
    /// The messages that memories have passed by: an import brought them after newer ones were summarised, or a first
    /// memory looked back no further. By channel, in order of names. Looks at every message.
    async fn unreached(&self) -> Result<Vec<Unreached>, StorageError>;

    /// The oldest message of all channels after `ts`, which need not be stored.
    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError>;

    /// The oldest message that no short-term memory of its channel has taken in.
    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError>;

    /// The oldest message of the channels of which nothing is remembered yet.
    async fn oldest_message_never_summarized(&self) -> Result<Option<TsKey>, StorageError>;

    /// When a stopped backfill goes on, in Unix seconds; `None` if none was begun.
    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError>;

    /// Notes when the backfill goes on.
    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError>;
}
