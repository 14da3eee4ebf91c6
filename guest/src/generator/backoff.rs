//! Back-off: a memory that the model keeps failing to make is deferred, longer each time. If the settings ask for it,
//! an extract stands in until then.

use super::Run;
use crate::bindings::errors::Error;
use crate::bindings::llm::LlmError;
use crate::bindings::log::Level;
use crate::bindings::storage::{Deferral, Memory, MemoryDraft};
use crate::bindings::types::{MemoryType, Scope, Timestamp};
use crate::describe;
use crate::summarizer::Narrowing;

/// Seconds after the first failure; doubled with each further one.
const FIRST_DELAY: i64 = 3600;
/// Seconds, at most.
const LONGEST_DELAY: i64 = 24 * 3600;

/// A memory that could not be made.
pub(super) struct Subject<'s> {
    pub(super) scope: Scope,
    pub(super) scope_id: &'s str,
    pub(super) memory_type: MemoryType,
    /// Its earlier deferrals.
    pub(super) deferrals: &'s [Deferral],
}

impl Run<'_> {
    pub(super) fn read_deferrals(
        &self,
        scope: Scope,
        scope_id: &str,
    ) -> Result<Vec<Deferral>, Error> {
        self.ports
            .storage
            .list_deferrals(scope, scope_id)
            .map_err(Error::Storage)
    }

    /// The deferral that has not ended. One that ends later than the longest delay from now was made while the clock
    /// was ahead, and does not count.
    pub(super) fn active_deferral(
        &self,
        deferrals: &[Deferral],
        memory_type: MemoryType,
    ) -> Option<Deferral> {
        let earlier = of_type(deferrals, memory_type)?;
        let now = self.now.unix_seconds;
        let left = earlier.until.unix_seconds.saturating_sub(now);
        (1..=LONGEST_DELAY).contains(&left).then(|| earlier.clone())
    }

    /// The parts to narrow down if the model does not answer: more if the memory failed before.
    pub(super) fn narrowing(deferrals: &[Deferral], memory_type: MemoryType) -> Narrowing {
        match of_type(deferrals, memory_type) {
            Some(_) => Narrowing::BadAnswers,
            None => Narrowing::Refusals,
        }
    }

    /// Defers a memory if the same input will fail again; returns whether it did.
    pub(super) fn defer_if_lasting(&self, subject: &Subject<'_>, error: &Error) -> bool {
        let Some(reason) = lasting_reason(error) else {
            return false;
        };
        let failures = of_type(subject.deferrals, subject.memory_type)
            .map_or(0, |earlier| earlier.failures)
            .saturating_add(1);
        let doubled = 1_i64
            .checked_shl(failures.saturating_sub(1))
            .unwrap_or(LONGEST_DELAY);
        let delay = FIRST_DELAY.saturating_mul(doubled).clamp(0, LONGEST_DELAY);
        let deferral = Deferral {
            memory_type: subject.memory_type,
            until: Timestamp {
                unix_seconds: self.now.unix_seconds.saturating_add(delay),
                ..self.now
            },
            failures,
            reason,
        };
        let deferred = self
            .ports
            .storage
            .defer(subject.scope, subject.scope_id, &deferral);
        if let Err(error) = deferred {
            // The failure itself is reported; without the deferral it is only retried sooner.
            let what = describe::memory(subject.scope, subject.scope_id, subject.memory_type);
            let why = describe::storage_error(&error);
            let line = format!("cannot defer {what}: {why}");
            self.ports.log.write(Level::Warn, &line);
        }
        true
    }
}

fn of_type(deferrals: &[Deferral], memory_type: MemoryType) -> Option<&Deferral> {
    deferrals
        .iter()
        .find(|deferral| deferral.memory_type == memory_type)
}

/// Why the same input will fail again, for people; `None` if it may succeed at the next run.
fn lasting_reason(error: &Error) -> Option<String> {
    let reason = match error {
        Error::BadAnswer(bad) => describe::bad_answer(bad),
        Error::PromptTooLong(length) => format!(
            "the prompt has {} tokens, with a limit of {}",
            length.tokens, length.limit
        ),
        Error::Llm(LlmError::Refused(_)) => "the model refused the prompt".to_owned(),
        _ => return None,
    };
    Some(reason)
}

/// Returns true if the model failed, rather than the store or a template.
pub(super) fn is_model_error(error: &Error) -> bool {
    matches!(
        error,
        Error::Llm(_) | Error::BadAnswer(_) | Error::PromptTooLong(_)
    )
}

/// Returns true if a draft has newer messages than the existing stand-in.
pub(super) fn has_news(stand_in: Option<&Memory>, draft: &MemoryDraft) -> bool {
    stand_in
        .is_none_or(|stand_in| stand_in.source_latest_message_ts != draft.source_latest_message_ts)
}
