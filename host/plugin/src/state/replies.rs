//! Answers that are asked for, and what became of them. A message is answered once, ever: its row is the key.
//! The [`outbox`](super::outbox) posts them.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// The longest wait until an answer is tried again, in seconds: as long as a model or Slack can ask for. A later time was
/// noted while the clock was ahead, and does not count.
pub const MAX_REPLY_WAIT: i64 = 3600;

/// Why there is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// The bot was mentioned.
    Mention,
    /// It judged that an answer would help.
    Unasked,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyState {
    /// It is to be made, or not wholly posted.
    Waiting,
    /// It is posted.
    Posted,
    /// It could not be made or posted.
    GivenUp,
    /// Its message was deleted first.
    Deleted,
}

/// An answer that waits: a mention, or an unasked one whose posting was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingReply {
    /// The channel.
    pub channel_id: String,
    /// The message to answer.
    pub ts: TsKey,
    /// The thread to answer in; none for the top level.
    pub thread_ts: Option<TsKey>,
    /// Why.
    pub kind: ReplyKind,
    /// When it was asked for, in Unix seconds.
    pub asked_at: i64,
    /// How many times it failed.
    pub failures: u32,
    /// Whether its text is written down already.
    pub is_begun: bool,
}

/// An answer, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReply {
    /// The channel's id.
    pub channel_id: String,
    /// The channel's name, or its id.
    pub channel_name: String,
    /// The message that is answered.
    pub ts: TsKey,
    /// Why.
    pub kind: ReplyKind,
    /// How far it has come.
    pub state: ReplyState,
    /// When it was asked for, in Unix seconds.
    pub asked_at: i64,
    /// When it is tried next, in Unix seconds; 0 for at once.
    pub next_try_at: i64,
    /// How many times it failed.
    pub failures: u32,
    /// Why it failed the last time.
    pub error: Option<String>,
}

/// How many mentions are answered within a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MentionLimits {
    /// Of one person; 0 for any number.
    pub per_person: u32,
    /// In one channel; 0 for any number.
    pub per_channel: u32,
    /// The time, in seconds.
    pub window_seconds: u32,
}

/// Why such a mention was given up, as its answer says it.
pub const TOO_MANY: &str = "too many mentions";

/// What is to be done about a mention.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Admission {
    /// It is answered.
    Answer,
    /// It is the first one too many: its author is told so.
    Tell {
        /// How many are answered within the time.
        answered: u32,
        /// From which Unix second on another is answered.
        until: i64,
        /// What the mention says.
        text: String,
    },
    /// It was given up: somebody was told before.
    Silent,
}

/// Answers: which are asked for, and what became of each.
#[async_trait::async_trait]
pub trait Replies: Send + Sync {
    /// Answers that wait and may be tried at `now`, the oldest first. A time further ahead than [`MAX_REPLY_WAIT`] does not
    /// count.
    async fn waiting_replies(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingReply>, StorageError>;

    /// Answers, those asked for last first; of one state, or of all.
    async fn list_replies(
        &self,
        state: Option<ReplyState>,
        limit: u32,
    ) -> Result<Vec<StoredReply>, StorageError>;

    /// Notes that an answer could not be made or posted, and from which Unix second on it is tried again. If nothing
    /// is written down of it, the model's answers for it were bad: they are forgotten.
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

    /// Ends an answer that cannot be made or posted; its text, and the model's answers for it, are forgotten.
    ///
    /// # Errors
    /// `StorageError::Conflict` if no such answer waits.
    async fn give_up_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
    ) -> Result<(), StorageError>;

    /// Forgets the model's answers for replies in a thread, or at the top level of a channel.
    async fn forget_reply_answers(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<(), StorageError>;

    /// Whether a mention that waits is answered. Those before it count that are or will be answered; of a person, if its author
    /// is known, and in its channel. The first beyond a limit is told so, each time it is asked for; the others are given up,
    /// for good.
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
