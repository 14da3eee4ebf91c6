//! Describes values of the contract in words, for log lines and for the reasons of deferrals.

use crate::bindings::chat::ChatError;
use crate::bindings::errors::BadAnswer;
use crate::bindings::llm::{Agent, Purpose};
use crate::bindings::storage::StorageError;
use crate::bindings::types::{ItemKind, MemoryType, Scope};

/// `the short-term memory of channel C1`.
pub(crate) fn memory(scope: Scope, scope_id: &str, memory_type: MemoryType) -> String {
    let memory_type = match memory_type {
        MemoryType::LongTerm => "long-term",
        MemoryType::ShortTerm => "short-term",
    };
    format!(
        "the {memory_type} memory of {} {scope_id}",
        self::scope(scope)
    )
}

/// The purpose of a model call: a memory, `the reply in thread C1:1709287200.000000`, …
pub(crate) fn purpose(purpose: &Purpose) -> String {
    let (scope, scope_id) = (purpose.scope, &purpose.scope_id);
    if let Some(memory_type) = purpose.memory_type {
        return memory(scope, scope_id, memory_type);
    }
    let answer = match purpose.agent {
        Agent::Judgment => "judgment",
        Agent::Memory | Agent::Response => "reply",
    };
    format!("the {answer} in {} {scope_id}", self::scope(scope))
}

/// Also the name in templates.
pub(crate) fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Workspace => "workspace",
        Scope::Channel => "channel",
        Scope::Thread => "thread",
    }
}

/// Why an answer was not accepted.
pub(crate) fn bad_answer(bad: &BadAnswer) -> String {
    match bad {
        BadAnswer::Empty => "the answer was empty".to_owned(),
        BadAnswer::Refusal => "the model declined".to_owned(),
        BadAnswer::Question => "the model asked a question back".to_owned(),
        BadAnswer::PromptRepeated => "the answer repeated the prompt".to_owned(),
        BadAnswer::WrongLanguage(languages) => format!(
            "the answer was in {}, not in {}",
            languages.found, languages.expected
        ),
        BadAnswer::TooLong(length) => format!(
            "the answer had {} tokens, with a limit of {}",
            length.tokens, length.limit
        ),
        BadAnswer::Shrunk(shrinkage) => format!(
            "the answer kept {} of {} facts",
            shrinkage.facts_kept, shrinkage.facts_before
        ),
        BadAnswer::Malformed(fault) => format!("the answer was malformed: {fault}"),
        BadAnswer::Other(other) => other.text.clone(),
    }
}

/// The store's own message.
pub(crate) fn storage_error(error: &StorageError) -> &str {
    match error {
        StorageError::NotFound(detail)
        | StorageError::Conflict(detail)
        | StorageError::Unavailable(detail)
        | StorageError::Invalid(detail) => detail,
        StorageError::Other(other) => &other.text,
    }
}

/// The chat platform's own message.
pub(crate) fn chat_error(error: &ChatError) -> String {
    match error {
        ChatError::RateLimited(None) => "rate-limited".to_owned(),
        ChatError::RateLimited(Some(seconds)) => {
            format!("rate-limited for {seconds} s")
        }
        ChatError::NotFound(detail)
        | ChatError::NotAllowed(detail)
        | ChatError::Unavailable(detail)
        | ChatError::Invalid(detail) => detail.clone(),
        ChatError::Other(other) => other.text.clone(),
    }
}

/// The name of an item's kind, in prompts and reports.
pub(crate) fn item_kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Decision => "decision",
        ItemKind::Task => "task",
        ItemKind::Question => "question",
        ItemKind::Fact => "fact",
    }
}
