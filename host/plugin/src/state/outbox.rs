//! The outbox: an answer's text is stored before it is posted, and each part's id after it.
//!
//! A part that was being sent when the process ended, or when the platform's answer was lost, is
//! [`PartState::MaybeSent`]; only the platform knows then, and is to be asked before it is sent again.

use super::replies::{ReplyKind, ReplyState};
use crate::storage::StorageError;
use crate::ts::TsKey;

/// An answer to post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewPost {
    /// The channel.
    pub channel_id: String,
    /// The message that it answers.
    pub answers: TsKey,
    /// The thread to post in; none for the top level.
    pub thread_ts: Option<TsKey>,
    /// Why.
    pub kind: ReplyKind,
    /// The text in parts, at least one.
    pub parts: Vec<String>,
}

/// What is to be done about a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PostState {
    /// Nothing: the message was answered, by these.
    AlreadyPosted(Vec<TsKey>),
    /// These parts are to be posted, in order, as far as they are not. They may be those of an earlier text.
    Post(Vec<Part>),
    /// Nothing: the message was deleted, or the answer given up.
    NotWanted(ReplyState),
}

/// A part of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// Its place, from 0.
    pub number: u32,
    /// Its text.
    pub text: String,
    /// How far it has come.
    pub state: PartState,
}

/// How far a part has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PartState {
    /// It was not sent.
    NotSent,
    /// It was being sent; whether it arrived is to be seen in the channel.
    MaybeSent,
    /// It is posted, as this message.
    Sent(TsKey),
}

/// Posts, from their text to the ids of their parts.
#[async_trait::async_trait]
pub trait Outbox: Send + Sync {
    /// Begins a post at `now`, in Unix seconds, or goes on with one: if its message has no answer yet, the parts are
    /// written down.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored, `StorageError::Invalid` if there are no parts.
    async fn begin_post(&self, post: NewPost, now: i64) -> Result<PostState, StorageError>;

    /// The parts of a post that was begun and has not ended; none if nothing is written down.
    ///
    /// # Errors
    /// `StorageError::NotFound` for a channel that is not stored.
    async fn begun_post(&self, channel_id: &str, answers: TsKey)
    -> Result<Vec<Part>, StorageError>;

    /// Notes that a part is about to be sent.
    ///
    /// # Errors
    /// `StorageError::Conflict` if there is no such part, if it is sent, or if the answer does not wait (any more), as its
    /// message was deleted.
    async fn mark_sending(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError>;

    /// Notes that a part was certainly not sent: the platform refused it.
    ///
    /// # Errors
    /// `StorageError::Conflict` if there is no such part, or if it is sent.
    async fn mark_not_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError>;

    /// Notes which message a part became. Noting the same twice changes nothing.
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

    /// Ends a post of which every part is sent; its text, and the model's answers for it, are forgotten.
    ///
    /// # Errors
    /// `StorageError::Conflict` if a part is not sent, or there is none.
    async fn finish_post(&self, channel_id: &str, answers: TsKey) -> Result<(), StorageError>;
}
