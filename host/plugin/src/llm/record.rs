//! What a call cost: for accounting, `myao usage` and traces.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::{FinishReason, LlmError};

/// One call, all its attempts together. It holds no text of prompt or answer, and no key.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// The provider, as the configuration names it: `openai`, …
    pub provider: String,
    /// The model that answered; the one that was asked where none did.
    pub model: String,
    /// Tokens of the prompt, cached ones included, if told.
    pub input_tokens: Option<u32>,
    /// Tokens of the answer, those of hidden reasoning included, if told.
    pub output_tokens: Option<u32>,
    /// Those of the prompt that the provider had cached, if told.
    pub cached_tokens: Option<u32>,
    /// When the call began.
    pub started_at: SystemTime,
    /// From there to its end: waits for the limits and between attempts included.
    pub duration: Duration,
    /// Requests sent; 0 where the limits or a missing key let none through.
    pub attempts: u32,
    /// Why the model stopped; none where there is no answer.
    pub finish_reason: Option<FinishReason>,
    /// Why there is no answer.
    pub error: Option<LlmError>,
}

/// Who wants to know what calls cost.
///
/// Called once for each call, failed ones included, after its last attempt and before its result is handed
/// on; calls that run side by side report in the order in which they end. It must return quickly:
/// what takes time goes into a queue.
pub trait CallObserver: Send + Sync {
    /// A call is over.
    fn observe(&self, record: CallRecord);

    /// What the server or the model said where there is no answer, without the key; called before [`Self::observe`]. It
    /// may quote the prompt: it is for the eyes of an operator, and not for logs or databases.
    fn said(&self, _words: &str) {}
}

/// A shared one is one, too.
impl<T: CallObserver + ?Sized> CallObserver for Arc<T> {
    fn observe(&self, record: CallRecord) {
        (**self).observe(record);
    }

    fn said(&self, words: &str) {
        (**self).said(words);
    }
}

/// Nobody wants to know.
impl CallObserver for () {
    fn observe(&self, _: CallRecord) {}
}

/// Keeps the records, in order of their ends.
impl CallObserver for Mutex<Vec<CallRecord>> {
    fn observe(&self, record: CallRecord) {
        self.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record);
    }
}

/// Keeps the record of one call, and passes it on.
pub(crate) struct RecordTap<'a> {
    others: &'a dyn CallObserver,
    record: Mutex<Option<CallRecord>>,
}

impl<'a> RecordTap<'a> {
    /// One that passes it on to `others`.
    pub(crate) fn of(others: &'a dyn CallObserver) -> Self {
        Self {
            others,
            record: Mutex::new(None),
        }
    }

    /// The record; none before the call is over.
    pub(crate) fn record(self) -> Option<CallRecord> {
        self.record
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner)
    }
}

impl CallObserver for RecordTap<'_> {
    fn observe(&self, record: CallRecord) {
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = Some(record.clone());
        self.others.observe(record);
    }

    fn said(&self, words: &str) {
        self.others.said(words);
    }
}
