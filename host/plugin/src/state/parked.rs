//! Parked work: it is not tried again by itself, and waits for a person who tries it again or drops it.

use crate::storage::StorageError;
use crate::ts::TsKey;

/// A piece of work that is not tried again by itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parked {
    /// Its subject.
    pub what: ParkedWork,
    /// Why it failed the last time.
    pub error: String,
    /// True if it can be tried again: the text of an event goes when what it may hold was erased.
    pub can_be_retried: bool,
}

/// The work that can be parked.
///
/// Exhaustive on purpose: each is shown to the operator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ParkedWork {
    /// An event that did not take effect: its id of the platform.
    Event(String),
    /// A retracted post that the platform still shows: its channel and message.
    Retraction(String, TsKey),
}

/// The end of parked work.
///
/// Exhaustive on purpose: a store does each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EndOfParking {
    /// It is tried again at once, if it can be.
    Retry,
    /// It is given up. A text that it holds is deleted.
    Drop,
}

/// Access to parked work.
#[async_trait::async_trait]
pub trait ParkedStore: Send + Sync {
    /// Lists parked work, at most `limit`: events in order of arrival, then posts.
    async fn parked(&self, limit: u32) -> Result<Vec<Parked>, StorageError>;

    /// Ends the parking of all work, at `now` in Unix seconds. Returns how many pieces it was done to.
    async fn end_parking(&self, end: EndOfParking, now: i64) -> Result<usize, StorageError>;
}
