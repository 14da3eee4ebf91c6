//! The state of a backfill: the times of the messages, and its progress.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// The times of the messages, and the progress of a backfill.
#[async_trait::async_trait]
pub trait BackfillState: Send + Sync {
    /// Makes the history of all channels wait for their next versions: the messages that are older than the first version,
    /// and were stored before it was made.
    async fn take_in_history(&self) -> Result<(), StorageError>;

    /// The oldest message of all channels after `ts`. There need not be a message with the id `ts`.
    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError>;

    /// The oldest message that waits. A late one waits for its channel's next version, whenever that is made: it counts as
    /// following what is summarised.
    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError>;

    /// The oldest message that only a backfill takes in: of a channel without a version, or of a channel's history.
    async fn oldest_history_message(&self) -> Result<Option<TsKey>, StorageError>;

    /// The time at which a stopped backfill continues, in Unix seconds; `None` if no backfill was begun.
    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError>;

    /// Stores the time at which the backfill continues.
    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError>;
}
