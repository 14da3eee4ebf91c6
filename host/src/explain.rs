//! The contract's errors in words: what failed, and what to do.

use crate::bindings::errors::{Combination, Error};
use crate::bindings::llm::LlmError;
use crate::bindings::storage::StorageError;
use crate::bindings::types::{MemoryType, Scope};
use crate::names;

/// What failed and what to do, in one line.
#[must_use]
pub fn explain(error: &Error) -> String {
    match error {
        Error::UnsupportedCombination(Combination {
            scope: Scope::Workspace,
            memory_type: MemoryType::ShortTerm,
        }) => "the workspace has no short-term memory any more: channels keep a history instead; \
               --legacy-workspace-short-term brings it back"
            .to_owned(),
        Error::UnsupportedCombination(combination) => format!(
            "there is no {} memory of a {}: threads have short-term memories only",
            names::memory_type(combination.memory_type),
            names::scope(combination.scope)
        ),
        Error::MissingTargetThread => {
            "the thread scope needs a thread: name it with --thread, or set `target_thread_ts` in the context".to_owned()
        }
        Error::InvalidTs(ts) => crate::ts::InvalidTs(ts.clone()).to_string(),
        Error::Template(fault) if fault.line > 0 => {
            format!("template {}, line {}: {}", fault.name, fault.line, fault.detail)
        }
        Error::Template(fault) => format!("template {}: {}", fault.name, fault.detail),
        Error::Storage(error) => explain_storage(error),
        Error::Llm(error) => explain_llm(error),
        Error::EmptyAnswer => {
            "the model answered with nothing; nothing was saved, and the next run tries again".to_owned()
        }
        Error::Other(detail) => detail.clone(),
    }
}

/// A store's error, in one line. The details already name the thing and the remedy.
#[must_use]
pub fn explain_storage(error: &StorageError) -> String {
    match error {
        StorageError::NotFound(detail)
        | StorageError::Unavailable(detail)
        | StorageError::Invalid(detail)
        | StorageError::Other(detail) => detail.clone(),
        StorageError::Conflict(detail) => {
            format!(
                "{detail}; another myao wrote at the same time, and the next run goes on from there"
            )
        }
    }
}

/// A model's error, in one line.
#[must_use]
pub fn explain_llm(error: &LlmError) -> String {
    match error {
        LlmError::RateLimited(Some(seconds)) => {
            format!("the model takes no more calls for now; try again in {seconds} s")
        }
        LlmError::RateLimited(None) => {
            "the model takes no more calls for now; try again later".to_owned()
        }
        LlmError::ContextTooLong(limit) => format!(
            "the prompt is too long for the model{}; use a model with a larger context window",
            limit
                .map(|limit| format!(" (at most {limit} tokens)"))
                .unwrap_or_default()
        ),
        LlmError::Unavailable(detail) => {
            format!(
                "the model cannot be reached: {detail}; check base_url under agents.memory.client_args, and the network"
            )
        }
        LlmError::Refused(detail) => format!("the model declined to answer: {detail}"),
        LlmError::InvalidRequest(detail) => {
            format!(
                "the model did not accept the call: {detail}; check agents.memory in the configuration"
            )
        }
        LlmError::TimedOut => "the model did not answer in time; try again later".to_owned(),
        LlmError::Other(detail) => format!("the model failed: {detail}"),
    }
}
