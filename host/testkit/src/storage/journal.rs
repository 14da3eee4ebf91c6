//! The journal of the model's calls.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use myao_plugin::journal::{CallEntry, CallJournal, Input};
use myao_plugin::llm::{Agent, CallRecord, Completion, FinishReason, ModelIdentity, Purpose};
use myao_plugin::storage::StorageError;
use myao_plugin::{Engine, Scope};

use super::memories::{Series, parse_subject};
use super::{MemoryStorage, State};

/// A call. The list is in order; a call whose answer is used again becomes the newest.
#[derive(Debug, Clone)]
pub(super) struct Call {
    /// With the scope id in the form that memories use.
    pub(super) purpose: Purpose,
    /// As it was requested.
    pub(super) model: String,
    pub(super) input: Option<Input>,
    pub(super) record: CallRecord,
    /// Whether the memory or the reply is still missing.
    pub(super) waits: bool,
    /// Set only while it waits.
    pub(super) answer: Option<String>,
    /// The memory that it was made for, once that is saved.
    pub(super) memory: Option<u64>,
}

impl Call {
    fn is_for(&self, purpose: &Purpose) -> bool {
        let of = |purpose: &Purpose| {
            let memory_type = purpose.memory_type.map(|memory_type| memory_type as u8);
            (purpose.scope, purpose.scope_id.clone(), memory_type)
        };
        of(&self.purpose) == of(purpose)
    }

    fn waits_for(&self, series: &Series) -> bool {
        let purpose = &self.purpose;
        let wanted = purpose
            .memory_type
            .map(|memory_type| Series::new(purpose.scope, &purpose.scope_id, memory_type));
        self.waits && wanted.as_ref() == Some(series)
    }

    pub(super) fn is_answered(&self) -> bool {
        self.record.finish_reason.is_some()
    }
}

#[async_trait::async_trait]
impl CallJournal for MemoryStorage {
    async fn recall(
        &self,
        purpose: &Purpose,
        input: &Input,
        now: SystemTime,
    ) -> Result<Option<Completion>, StorageError> {
        let mut state = self.state();
        let purpose = with_scope_id(purpose);
        if let Some(completion) = state.waiting_answer(&purpose, input) {
            return Ok(Some(completion));
        }
        if !input.is_first {
            return Ok(None);
        }
        Ok(state.current_text(&purpose, input, now))
    }

    async fn record(&self, call: CallEntry) -> Result<(), StorageError> {
        // A judgment is always asked again: nothing of it is posted.
        let waits = call.for_memory && call.purpose.agent != Agent::Judgment;
        self.state().calls.push(Call {
            purpose: with_scope_id(&call.purpose),
            model: call.model,
            input: call.input,
            record: call.record,
            waits,
            answer: call.answer.filter(|_| waits),
            memory: None,
        });
        Ok(())
    }

    async fn withdraw(&self, purpose: &Purpose) -> Result<(), StorageError> {
        let purpose = with_scope_id(purpose);
        let mut state = self.state();
        let waiting = state.calls.iter_mut().filter(|call| call.waits);
        for call in waiting.filter(|call| call.is_for(&purpose)) {
            call.answer = None;
        }
        Ok(())
    }

    async fn begin_run(&self, model: &ModelIdentity) -> Result<(), StorageError> {
        let digest = model.digest().to_owned();
        let mut state = self.state();
        if state.run_model.replace(digest.clone()) != Some(digest) {
            state.deferrals.clear();
        }
        Ok(())
    }
}

impl State {
    /// An answer to the same input that waits for its memory.
    fn waiting_answer(&mut self, purpose: &Purpose, input: &Input) -> Option<Completion> {
        let newest = self.calls.iter().rposition(|call| {
            let digest = call.input.as_ref().map(|input| &input.digest);
            let is_same = call.is_for(purpose) && digest == Some(&input.digest);
            call.waits && call.answer.is_some() && is_same
        })?;
        let call = self.calls.remove(newest);
        let completion = Completion {
            text: call.answer.clone()?,
            finish_reason: call.record.finish_reason.unwrap_or(FinishReason::Other),
            model: call.record.model.clone(),
            input_tokens: call.record.input_tokens,
            output_tokens: call.record.output_tokens,
        };
        self.calls.push(call);
        Some(completion)
    }

    /// The text that an attempt with this input made, if it is current and in one piece.
    fn current_text(
        &mut self,
        purpose: &Purpose,
        input: &Input,
        now: SystemTime,
    ) -> Option<Completion> {
        let newest = self.calls.iter().rposition(|call| {
            let attempt = call.input.as_ref().map(|input| &input.attempt);
            let is_same = call.is_for(purpose) && attempt == Some(&input.attempt);
            is_same && purpose.memory_type.is_some() && self.made_current_text(call)
        })?;
        let made = self.calls.get(newest)?;
        let text = self.texts.get(&made.memory?)?;
        let content = text.memory.content.clone();
        // If the text was cut off, its last line is completed with a line break, so that it counts as whole.
        let (text, finish_reason) = match text.truncated {
            Some(true) => (content + "\n", FinishReason::Length),
            _ => (content, FinishReason::Stop),
        };
        let completion = Completion {
            text,
            finish_reason,
            model: made.record.model.clone(),
            input_tokens: None,
            output_tokens: None,
        };
        // A call for which no model was asked.
        let recall = Call {
            input: Some(Input {
                attempt: input.digest.clone(),
                ..input.clone()
            }),
            record: CallRecord {
                input_tokens: Some(0),
                output_tokens: Some(0),
                cached_tokens: Some(0),
                started_at: now,
                duration: Duration::ZERO,
                attempts: 0,
                ..made.record.clone()
            },
            waits: true,
            answer: None,
            memory: None,
            ..made.clone()
        };
        self.calls.push(recall);
        Some(completion)
    }

    /// Whether this call's answer became a memory that is current and is one text in one piece.
    fn made_current_text(&self, call: &Call) -> bool {
        let Some(text) = call.memory.and_then(|memory| self.texts.get(&memory)) else {
            return false;
        };
        let chunks = text.coverage.map(|coverage| coverage.chunks);
        // The memory was made from the newest answer.
        let calls = self.calls.iter().rev();
        let newest = { calls }.find(|other| other.memory == call.memory && other.is_answered());
        let is_newest = newest.is_some_and(|newest| std::ptr::eq(newest, call));
        is_newest && text.superseded_at.is_none() && chunks == Some(1)
    }

    /// Ends the wait of the calls for a memory: they are linked to it if a model made it, and their answers are
    /// deleted.
    pub(super) fn end_wait(&mut self, series: &Series, engine: Engine, memory: u64) {
        for call in self.calls.iter_mut().filter(|call| call.waits_for(series)) {
            call.waits = false;
            call.answer = None;
            call.memory = (engine == Engine::Llm).then_some(memory);
        }
    }

    /// Deletes the answers for a memory that is deferred.
    pub(super) fn forget_answers(&mut self, series: &Series) {
        for call in self.calls.iter_mut().filter(|call| call.waits_for(series)) {
            call.answer = None;
        }
    }
}

/// A purpose with the thread's id in its usual form.
fn with_scope_id(purpose: &Purpose) -> Purpose {
    let mut purpose = purpose.clone();
    if purpose.scope == Scope::Thread
        && let Ok(subject) = parse_subject(Scope::Thread, &purpose.scope_id)
    {
        purpose.scope_id = subject.scope_id;
    }
    purpose
}

/// When a call began, in milliseconds since 1970.
pub(super) fn milliseconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}
