//! The cost of a call: for accounting, `myao usage` and traces.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use super::{FinishReason, LlmError};

/// One call with all its attempts. It contains no text of the prompt or the answer, and no key.
#[derive(Debug, Clone, PartialEq)]
pub struct CallRecord {
    /// The provider, as the configuration names it: `openai`, …
    pub provider: String,
    /// The model that answered, or the model that was asked if there was no answer.
    pub model: String,
    /// Tokens of the prompt, including cached ones; `None` if not reported.
    pub input_tokens: Option<u32>,
    /// Tokens of the answer, including hidden reasoning; `None` if not reported.
    pub output_tokens: Option<u32>,
    /// How many tokens of the prompt the provider had cached; `None` if not reported.
    pub cached_tokens: Option<u32>,
    /// When the call began.
    pub started_at: SystemTime,
    /// How long the call took, including waits for the limits and between attempts.
    pub duration: Duration,
    /// How many requests were sent; 0 if the limits or a missing key prevented all of them.
    pub attempts: u32,
    /// Why the model stopped; `None` if there is no answer.
    pub finish_reason: Option<FinishReason>,
    /// Why there is no answer.
    pub error: Option<LlmError>,
}

/// Receives the cost of calls.
///
/// Called once for each call, including failed ones, after its last attempt and before its result is returned. Calls
/// that run in parallel report in the order in which they end. The methods must return quickly; put slow work into a
/// queue.
pub trait CallObserver: Send + Sync {
    /// Called when a call has ended.
    fn observe(&self, record: CallRecord);

    /// Receives what the server or the model said if there is no answer, without the key. Called before
    /// [`Self::observe`]. The text may quote the prompt, so show it to an operator only; keep it out of logs and
    /// databases.
    fn said(&self, _words: &str) {}
}

/// A shared observer is an observer, too.
impl<T: CallObserver + ?Sized> CallObserver for Arc<T> {
    fn observe(&self, record: CallRecord) {
        (**self).observe(record);
    }

    fn said(&self, words: &str) {
        (**self).said(words);
    }
}

/// Ignores all records.
impl CallObserver for () {
    fn observe(&self, _: CallRecord) {}
}

/// Collects the records, in the order in which calls end.
impl CallObserver for Mutex<Vec<CallRecord>> {
    fn observe(&self, record: CallRecord) {
        self.lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(record);
    }
}

/// Passes everything on to two observers.
pub(crate) struct Both<'a>(
    pub(crate) &'a dyn CallObserver,
    pub(crate) &'a dyn CallObserver,
);

impl CallObserver for Both<'_> {
    fn observe(&self, record: CallRecord) {
        self.0.observe(record.clone());
        self.1.observe(record);
    }

    fn said(&self, words: &str) {
        self.0.said(words);
        self.1.said(words);
    }
}

/// Stores the record of one call, and passes it on.
pub(crate) struct RecordTap<'a> {
    others: &'a dyn CallObserver,
    record: Mutex<Option<CallRecord>>,
}

impl<'a> RecordTap<'a> {
    /// A tap that passes the record on to `others`.
    pub(crate) fn of(others: &'a dyn CallObserver) -> Self {
        Self {
            others,
            record: Mutex::new(None),
        }
    }

    /// Returns the record; `None` if the call has not ended.
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
