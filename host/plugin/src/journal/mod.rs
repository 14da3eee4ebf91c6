//! The journal of model calls: what each call cost, and the answers that did not become a memory yet.
//!
//! A call costs money. So an answer is stored before it is returned to the component, and kept until the memory is
//! saved. If a run is killed in between, or its save fails, the next run takes the answer from the journal and does not
//! ask again. The answer is found by the digest of its input ([`ModelIdentity::input_digest`]). If an input's memory is
//! still the current text, the model is not asked again either.
//!
//! Once the memory is saved, the journal contains no text: the store deletes the answer in the transaction of the save.

mod attempts;
mod stored;

use std::time::SystemTime;

pub(crate) use attempts::Attempts;
pub use stored::{CallsOfMemory, ModelUse, StoredCall};

use crate::llm::{CallRecord, Completion, ModelIdentity, Purpose};
use crate::storage::StorageError;

/// The input of one call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Input {
    /// The digest of its input.
    pub digest: String,
    /// The digest of the input with which the attempt at the memory began. It is the same for the attempt's first call
    /// and for the calls that follow from its answer. If the attempt began with several calls at once, it is the digest
    /// of their digests.
    pub attempt: String,
    /// True if this is the only call with which the attempt begins.
    pub is_first: bool,
}

/// A call that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct CallEntry {
    /// Its purpose.
    pub purpose: Purpose,
    /// The model that was asked, as the configuration names it.
    pub model: String,
    /// Its input; `None` if the model has no identity.
    pub input: Option<Input>,
    /// Its cost.
    pub record: CallRecord,
    /// The answer. `None` if there is none, if no memory is made from it, or if it cannot be found again by its input.
    pub answer: Option<String>,
    /// True if a memory is made from the answer, false if the answer is only shown.
    pub for_memory: bool,
}

/// Where calls are recorded. The store of the `myao` program implements this. A host with its own store implements it
/// together with [`Storage`](crate::storage::Storage), which then has these duties:
///
/// - Saving a memory, unless it is a stand-in, ends the wait of all calls for that scope, scope id and memory type:
///   they belong to the memory, and their answers are deleted, in the transaction of the save.
/// - A deferral deletes the answers of the waiting calls: they were bad, and the next attempt asks again.
#[async_trait::async_trait]
pub trait CallJournal: Send + Sync {
    /// Returns an answer to the same input for the same purpose: one whose memory is not saved yet; or, for the first
    /// call of an attempt, the current text of the memory that such an attempt made. From then on the call counts as
    /// the newest call of its memory, made at `now`.
    async fn recall(
        &self,
        purpose: &Purpose,
        input: &Input,
        now: SystemTime,
    ) -> Result<Option<Completion>, StorageError>;

    /// Records a call. It is on disk when this returns.
    async fn record(&self, call: CallEntry) -> Result<(), StorageError>;

    /// Deletes the answers that wait for this purpose: what they were made from has changed or gone.
    async fn withdraw(&self, purpose: &Purpose) -> Result<(), StorageError>;

    /// A generation run with this model begins. If the last one had another model, or other parameters, all deferrals
    /// end: that model's answers were their cause.
    async fn begin_run(&self, model: &ModelIdentity) -> Result<(), StorageError>;
}
