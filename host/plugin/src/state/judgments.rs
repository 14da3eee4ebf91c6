//! Conversations that nobody answered, and how they were judged.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// The judgment of a conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredJudgment {
    /// The newest message that was judged. A newer message makes the judgment void.
    pub message_ts: TsKey,
    /// True if an answer would help.
    pub should_respond: bool,
    /// How certain the judgment is, from 0 to 1.
    pub confidence: f64,
    /// Until when the conversation is not judged again, in Unix seconds.
    pub until: i64,
}

/// A conversation whose newest message was written by a person and has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Its channel.
    pub channel_id: String,
    /// The thread; `None` for the channel's top level.
    pub thread_ts: Option<TsKey>,
    /// That message.
    pub message_ts: TsKey,
    /// Who wrote it.
    pub user_id: String,
}

/// Judgments of conversations that nobody answered.
#[async_trait::async_trait]
pub trait Judgments: Send + Sync {
    /// The conversations that nobody answered. Of each channel that the bot takes part in, these are its top level (the
    /// messages without replies) and its threads, if the newest message is from a person, no answer to it was posted,
    /// requested or given up, and it is neither newer than the Unix second `waited_since` nor older than `not_before`.
    /// A post that answers no message, like a digest, answers nothing. Ordered by channel and thread. The cost depends on how many messages are newer than `not_before`.
    async fn unanswered(
        &self,
        waited_since: i64,
        not_before: i64,
    ) -> Result<Vec<Unanswered>, StorageError>;

    /// The newest judgment of a conversation. An expired judgment may already be deleted. If `thread_ts` is `None`, the
    /// conversation is the channel's top level.
    async fn judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<Option<StoredJudgment>, StorageError>;

    /// Stores a judgment in place of an earlier one, and deletes all that have expired at `now`, in Unix seconds.
    async fn keep_judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        judgment: StoredJudgment,
        now: i64,
    ) -> Result<(), StorageError>;
}
