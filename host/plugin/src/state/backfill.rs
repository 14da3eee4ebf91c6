//! What a backfill needs: the times of the messages, and its progress.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// Messages of a channel that no memory includes or will include: the channel's newest memory already covers later
/// messages.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// The channel.
    pub channel_id: String,
    /// Its name, or its id.
    pub channel_name: String,
    /// How many messages there are.
    pub messages: u64,
    /// The oldest of them.
    pub oldest: TsKey,
    /// The newest of them.
    pub newest: TsKey,
}

/// The times of the messages, and the progress of a backfill.
#[async_trait::async_trait]
pub trait BackfillState: Send + Sync {
    /// The messages that memories have skipped: an import added them after newer ones were summarised, or a first
    /// memory did not look back that far. Grouped by channel and ordered by channel name. Reads every message.
    async fn unreached(&self) -> Result<Vec<Unreached>, StorageError>;

    /// The oldest message of all channels after `ts`. There need not be a message with the id `ts`.
    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError>;

    /// The oldest message that no short-term memory of its channel includes yet.
    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError>;

    /// The oldest message of all channels that have no memory yet.
    async fn oldest_message_never_summarized(&self) -> Result<Option<TsKey>, StorageError>;

    /// The time at which a stopped backfill continues, in Unix seconds; `None` if no backfill was begun.
    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError>;

    /// Stores the time at which the backfill continues.
    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError>;
}
