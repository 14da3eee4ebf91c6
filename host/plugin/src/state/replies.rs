//! Answers that were requested, and their outcomes. A message is answered at most once: its row is the key. The
//! [`outbox`](super::outbox) posts the answers.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// The longest wait before an answer is retried, in seconds: the longest wait that a model or Slack can ask for. A
/// later time was stored while the clock was ahead, and is ignored.
pub const MAX_REPLY_WAIT: i64 = 3600;

/// Why there is an answer.
///
/// Exhaustive on purpose: a store must keep each kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// The bot was mentioned.
    Mention,
    /// The bot judged that an answer would help.
    Unasked,
}

/// The state of an answer.
///
/// Exhaustive on purpose: a store must keep each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyState {
    /// It is not made yet, or not fully posted.
    Waiting,
    /// It is posted.
    Posted,
    /// It could not be made or posted.
    GivenUp,
    /// Its message was deleted before.
    Deleted,
}

/// An answer that waits: to a mention, or an unasked one whose posting was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingReply {
    /// The channel.
    pub channel_id: String,
    /// The message to answer.
    pub ts: TsKey,
    /// The thread to answer in; `None` for the top level.
    pub thread_ts: Option<TsKey>,
    /// Why there is an answer.
    pub kind: ReplyKind,
    /// When it was requested, in Unix seconds.
    pub asked_at: i64,
    /// How many times it failed.
    pub failures: u32,
    /// True if its text is already stored.
    pub is_begun: bool,
}

/// An answer, with what people want to see of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReply {
    /// The channel's id.
    pub channel_id: String,
    /// The channel's name, or its id.
    pub channel_name: String,
    /// The message that is answered.
    pub ts: TsKey,
    /// Why there is an answer.
    pub kind: ReplyKind,
    /// Its state.
    pub state: ReplyState,
    /// When it was requested, in Unix seconds.
    pub asked_at: i64,
    /// When it is tried next, in Unix seconds; 0 means at once.
    pub next_try_at: i64,
    /// How many times it failed.
    pub failures: u32,
    /// Why it failed the last time.
    pub error: Option<String>,
}

/// How many mentions are answered within a period of time. The default is no limit.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MentionLimits {
    /// For one person; 0 means no limit.
    pub per_person: u32,
    /// For one person within 24 hours, whatever the period is; 0 means no limit.
    pub per_person_per_day: u32,
    /// In one channel; 0 means no limit.
    pub per_channel: u32,
    /// The period in seconds.
    pub window_seconds: u32,
}

impl MentionLimits {
    /// Returns these limits with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// The period of [`MentionLimits::per_person_per_day`], in seconds.
pub const DAY_SECONDS: u32 = 24 * 3600;

/// The error text of an answer that was given up because of these limits.
pub const TOO_MANY: &str = "too many mentions";

/// The reason why a mention is given up where the people of the channel want no answers.
pub const NOT_WANTED: &str = "its channel wants no answers";

/// The decision on a mention.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Admission {
    /// Answer it.
    Answer,
    /// It is the first mention above the limit: its author gets a notice.
    Notify {
        /// How many mentions are answered within the period.
        answered: u32,
        /// The period in seconds.
        window_seconds: u32,
        /// The Unix second from which on another mention is answered.
        until: i64,
        /// The text of the mention.
        text: String,
    },
    /// It was given up without a notice: somebody got one before.
    Silent,
}

/// Answers: which ones were requested, and the outcome of each.
#[async_trait::async_trait]
pub trait Replies: Send + Sync {
    /// Answers that wait and may be tried at `now`, the oldest first. A time that is more than [`MAX_REPLY_WAIT`] ahead
    /// is ignored.
    async fn waiting_replies(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingReply>, StorageError>;

    /// Answers of one state, or of all; the ones requested last come first.
    async fn list_replies(
        &self,
        state: Option<ReplyState>,
        limit: u32,
    ) -> Result<Vec<StoredReply>, StorageError>;

    /// Notes that an answer could not be made or posted, and the Unix second from which on it is retried.
    /// The model's answers for it wait on.
    ///
    /// # Errors
    /// `StorageError::Conflict` if no such answer waits.
    async fn fail_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
        next_try_at: i64,
    ) -> Result<(), StorageError>;

    /// Ends an answer that cannot be made or posted. Its text, and the model's answers for it, are deleted.
    ///
    /// # Errors
    /// `StorageError::Conflict` if no such answer waits.
    async fn give_up_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
    ) -> Result<(), StorageError>;

    /// Deletes the model's answers for replies in a thread, or at the top level of a channel.
    async fn forget_reply_answers(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<(), StorageError>;

    /// Decides whether a waiting mention is answered. Earlier mentions count if they were answered or will be: those of
    /// the same person, if the author is known, and those in the same channel. The author of the first mention above a
    /// limit gets a notice, each time this is called for it. The others are given up for good. Of two limits of a person,
    /// the one counts that ends later; who was told of the other before the last answer is told of this one, too.
    ///
    /// # Errors
    /// `StorageError::Conflict` if no such mention waits.
    async fn admit_mention(
        &self,
        channel_id: &str,
        ts: TsKey,
        limits: MentionLimits,
    ) -> Result<Admission, StorageError>;
}
