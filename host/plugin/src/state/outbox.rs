//! The outbox: the text of an answer is stored before it is posted, and the id of each part after it is posted.
//!
//! A part that was being sent when the process ended, or when the platform's response was lost, is
//! [`PartState::MaybeSent`]. Only the platform knows whether it arrived, and must be asked before the part is sent
//! again.

use super::replies::{ReplyKind, ReplyState};
use crate::MessageRef;
use crate::storage::StorageError;
use crate::ts::TsKey;

/// An answer to post.
#[derive(Debug, Clone, PartialEq)]
pub struct NewPost {
    /// The channel.
    pub channel_id: String,
    /// The message that it answers.
    pub answers: TsKey,
    /// The thread to post in; `None` for the top level.
    pub thread_ts: Option<TsKey>,
    /// Why there is an answer.
    pub kind: ReplyKind,
    /// The text in parts, at least one.
    pub parts: Vec<String>,
    /// The messages that it was made from.
    pub sources: Vec<MessageRef>,
}

/// The next steps of a post.
///
/// Exhaustive on purpose: a chat that posts must know what to do in each case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostState {
    /// Nothing: the message was already answered, by these posts.
    AlreadyPosted(Vec<TsKey>),
    /// Post these parts in order, except those that are already posted. They may be the parts of an earlier text.
    Post(Vec<Part>),
    /// Nothing: the message was deleted, or the answer was given up.
    NotWanted(ReplyState),
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its place, from 0.
    pub number: u32,
    /// Its text; empty if it is [withdrawn](Self::is_withdrawn).
    pub text: String,
    /// The state of its delivery.
    pub state: PartState,
}

impl Part {
    /// Returns true if what it may have been made from was taken back, or became private, after the part was being sent. Then it
    /// is not sent again.
    #[must_use]
    pub fn is_withdrawn(&self) -> bool {
        self.text.is_empty()
    }
}

/// The state of a part's delivery.
///
/// Exhaustive on purpose: a store must keep each state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartState {
    /// It was not sent.
    NotSent,
    /// It was being sent. Look in the channel to see whether it arrived.
    MaybeSent,
    /// It is posted, as this message.
    Sent(TsKey),
}

/// A retracted post that could not be replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FailedRetraction {
    /// Its channel.
    pub channel_id: String,
    /// Its message.
    pub posted: TsKey,
    /// The refusal.
    pub error: String,
    /// True if a later try may succeed.
    pub may_pass: bool,
}

/// Posts, from storing their text to the ids of their parts.
///
/// When a message is edited, deleted, forgotten or hidden from the channel of a post that was made from it, the post is
/// retracted: what is stored of it is deleted like a message, and [`Outbox::retracted`] returns it until the platform
/// shows a note in its place.
///
/// When a channel becomes private, parts in other channels that were not sent yet are dropped, and those that may have
/// been sent are [withdrawn](Part::is_withdrawn). So it is for parts in a channel that gets readers from outside. A
/// mention without parts is answered anew; an unasked answer is dropped.
#[async_trait::async_trait]
pub trait Outbox: Send + Sync {
    /// Begins a post at `now`, in Unix seconds, or continues one. If the message has no answer yet, the parts are
    /// stored.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored, `StorageError::Invalid` if there are no parts.
    async fn begin_post(&self, post: NewPost, now: i64) -> Result<PostState, StorageError>;

    /// The parts of a post that was begun and has not ended; empty if nothing is stored.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn begun_post(&self, channel_id: &str, answers: TsKey)
    -> Result<Vec<Part>, StorageError>;

    /// Notes that a part is about to be sent.
    ///
    /// # Errors
    /// `StorageError::Conflict` if there is no such part, if it is already sent, or if the answer does not wait (any
    /// more) because its message was deleted.
    async fn mark_sending(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError>;

    /// Notes that a part was certainly not sent: the platform refused it, or does not have it. A part that is
    /// [withdrawn](Part::is_withdrawn) is dropped then, and with the last one an unasked answer.
    ///
    /// # Errors
    /// `StorageError::Conflict` if there is no such part, or if it is already sent.
    async fn mark_not_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError>;

    /// Notes which message a part became. Noting the same message twice changes nothing.
    ///
    /// # Errors
    /// `StorageError::Conflict` if there is no such part, or if it became another message.
    async fn mark_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
        posted: TsKey,
    ) -> Result<(), StorageError>;

    /// Ends a post of which every part is sent. Its text, and the model's answers for it, are deleted.
    ///
    /// # Errors
    /// `StorageError::Conflict` if a part is not sent, or there is none.
    async fn finish_post(&self, channel_id: &str, answers: TsKey) -> Result<(), StorageError>;

    /// Retracts the posts of an answer at `now`, in Unix seconds, whatever it was made from; parts that were not sent are
    /// dropped.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn retract(&self, channel_id: &str, answers: TsKey, now: i64)
    -> Result<(), StorageError>;

    /// Posts that are retracted, still shown by the platform and not waiting at `now`, oldest first, at most `limit`:
    /// channel id and message.
    async fn retracted(&self, now: i64, limit: u32) -> Result<Vec<(String, TsKey)>, StorageError>;

    /// Notes that a retracted post could not be replaced at `now`. It waits for a minute, then for twice as long, up to an
    /// hour; if no later try can succeed, it is [parked](super::parked).
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn fail_retraction(&self, failed: FailedRetraction, now: i64)
    -> Result<(), StorageError>;

    /// Notes that the platform does not show a retracted post any more.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn end_retraction(&self, channel_id: &str, posted: TsKey) -> Result<(), StorageError>;
}
