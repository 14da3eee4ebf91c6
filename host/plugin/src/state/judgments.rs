//! Conversations that nobody answered, and what was judged of them.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// What was judged of a conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredJudgment {
    /// The newest message that it knows of. A newer one makes it void.
    pub message_ts: TsKey,
    /// Whether an answer would help.
    pub should_respond: bool,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// Until when it is not asked again, in Unix seconds.
    pub until: i64,
}

/// A conversation whose newest message a person wrote, and nobody answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Its channel.
    pub channel_id: String,
    /// The thread; none for the channel's top level.
    pub thread_ts: Option<TsKey>,
    /// That message.
    pub message_ts: TsKey,
    /// Who wrote it.
    pub user_id: String,
}

/// Judgments of conversations that nobody answered.
#[async_trait::async_trait]
pub trait Judgments: Send + Sync {
    /// The conversations that nobody answered: of each channel that the bot takes part in, its top level (the messages
    /// without replies) and its threads, where the newest message is of a person, has no answer that was posted, is
    /// asked for or was given up, and is neither newer than the Unix second `waited_since` nor older than `not_before`.
    /// Ordered by channel and thread. Costs what is newer than `not_before`.
    async fn unanswered(
        &self,
        waited_since: i64,
        not_before: i64,
    ) -> Result<Vec<Unanswered>, StorageError>;

    /// The newest judgment of a conversation; of one that is over, perhaps none. A `thread_ts` of none is the
    /// channel's top level.
    async fn judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<Option<StoredJudgment>, StorageError>;

    /// Keeps a judgment in place of an earlier one, and forgets all that are over at `now`, in Unix seconds.
    async fn keep_judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        judgment: StoredJudgment,
        now: i64,
    ) -> Result<(), StorageError>;
}
