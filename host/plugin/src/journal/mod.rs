//! The journal of the model's calls: what each cost, and the answers of which no memory was made yet.
//!
//! A call costs money, so an answer is kept before it goes back to the component, and kept until the memory is
//! saved: a run that is killed in between, or whose save fails, takes it from the journal instead of asking again.
//! It is found by the digest of its input ([`ModelIdentity::input_digest`]). An input whose memory is still the
//! current text is not asked again either.
//!
//! Once the memory is saved, the journal holds no text: the store forgets the answer in the transaction of the save.

mod attempts;
mod stored;

use std::time::SystemTime;

pub(crate) use attempts::Attempts;
pub use stored::{CallsOfMemory, StoredCall};

use crate::llm::{CallRecord, Completion, ModelIdentity, Purpose};
use crate::storage::StorageError;

/// What one call asks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The digest of its input.
    pub digest: String,
    /// The digest of the input that the attempt at the memory began with: the same for its first call, and for
    /// the calls that follow from that one's answer. Where it began with several calls at once, the digest of
    /// their digests.
    pub attempt: String,
    /// Whether it is the only call that the attempt begins with.
    pub is_first: bool,
}

/// A call that is over.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEntry {
    /// What it was for.
    pub purpose: Purpose,
    /// The model that was asked, as the configuration names it.
    pub model: String,
    /// What it asked; none where the model cannot be told from others.
    pub input: Option<Input>,
    /// What it cost.
    pub record: CallRecord,
    /// The answer, if there is one, a memory is to be made of it, and it can be found again by its input.
    pub answer: Option<String>,
    /// Whether a memory is to be made of it: false for a call whose answer is only shown.
    pub for_memory: bool,
}

/// Where calls are written down. The store of the `myao` program is one; a host with a store of its own
/// implements this beside [`Storage`](crate::storage::Storage), which has these duties then:
///
/// - A save, other than of a stand-in, ends the wait of all calls for that scope, scope id and memory type:
///   they belong to the memory, and their answers are forgotten, in the transaction of the save.
/// - A deferral forgets the answers of the calls that wait: they were bad, and the next attempt asks anew.
#[async_trait::async_trait]
pub trait CallJournal: Send + Sync {
    /// An answer to the same input for the same purpose: one that waits for its memory, or, for the first call
    /// of an attempt, the current text of the memory that such an attempt made. It counts as the newest of its
    /// memory's calls from then on.
    async fn recall(
        &self,
        purpose: &Purpose,
        input: &Input,
    ) -> Result<Option<Completion>, StorageError>;

    /// Writes a call down; it is on the disk when this returns.
    async fn record(&self, call: CallEntry) -> Result<(), StorageError>;

    /// The context window that an earlier run learned of a model, in tokens.
    async fn learned_window(&self, model: &ModelIdentity) -> Result<Option<u32>, StorageError>;

    /// Keeps a context window, in place of one that was learned before.
    async fn learn_window(
        &self,
        model: &ModelIdentity,
        tokens: u32,
        at: SystemTime,
    ) -> Result<(), StorageError>;
}
