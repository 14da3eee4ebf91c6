//! Kinds of errors, for `error.type`: the cases of `wit/errors.wit`, without their details.

use crate::bindings::chat::ChatError;
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::storage::StorageError;
use crate::{CallError, names};

/// `trapped`, `out-of-memory`, `timed-out`, …, or as [`of_error`].
pub(super) fn of_call(error: &CallError) -> String {
    match error {
        CallError::Refused(error) => of_error(error),
        CallError::NotOffered { .. } => "not-offered".to_owned(),
        CallError::Busy { .. } => "busy".to_owned(),
        CallError::TimedOut { .. } => "timed-out".to_owned(),
        CallError::OutOfMemory { .. } => "out-of-memory".to_owned(),
        CallError::StackOverflow { .. } => "stack-overflow".to_owned(),
        CallError::TooMuchData { .. } => "too-much-data".to_owned(),
        CallError::TooManyImportCalls { .. } => "too-many-import-calls".to_owned(),
        CallError::Exceeded { .. } => "limit-exceeded".to_owned(),
        CallError::OutOfPlace { .. } => "out-of-place".to_owned(),
        CallError::Trapped { .. } => "trapped".to_owned(),
    }
}

/// `prompt-too-long`, `llm.rate-limited`, `bad-answer.shrunk`, …
pub(super) fn of_error(error: &Error) -> String {
    match error {
        Error::UnsupportedCombination(_) => "unsupported-combination".to_owned(),
        Error::MissingTargetThread => "missing-target-thread".to_owned(),
        Error::InvalidTs(_) => "invalid-ts".to_owned(),
        Error::InvalidTime(_) => "invalid-time".to_owned(),
        Error::InvalidSettings(_) => "invalid-settings".to_owned(),
        Error::Template(_) => "template".to_owned(),
        Error::Storage(error) => format!("storage.{}", of_storage(error)),
        Error::Llm(error) => format!("llm.{}", names::llm_error(error)),
        Error::Chat(error) => format!("chat.{}", of_chat(error)),
        Error::BadAnswer(reason) => format!("bad-answer.{}", of_answer(reason)),
        Error::PromptTooLong(_) => "prompt-too-long".to_owned(),
        Error::Other(_) => "other".to_owned(),
    }
}

fn of_storage(error: &StorageError) -> &'static str {
    match error {
        StorageError::NotFound(_) => "not-found",
        StorageError::Conflict(_) => "conflict",
        StorageError::Unavailable(_) => "unavailable",
        StorageError::Invalid(_) => "invalid",
        StorageError::Other(_) => "other",
    }
}

fn of_chat(error: &ChatError) -> &'static str {
    match error {
        ChatError::RateLimited(_) => "rate-limited",
        ChatError::NotFound(_) => "not-found",
        ChatError::NotAllowed(_) => "not-allowed",
        ChatError::Unavailable(_) => "unavailable",
        ChatError::Invalid(_) => "invalid",
        ChatError::Other(_) => "other",
    }
}

fn of_answer(reason: &BadAnswer) -> &'static str {
    match reason {
        BadAnswer::Empty => "empty",
        BadAnswer::Refusal => "refusal",
        BadAnswer::Question => "question",
        BadAnswer::PromptRepeated => "prompt-repeated",
        BadAnswer::WrongLanguage(_) => "wrong-language",
        BadAnswer::TooLong(_) => "too-long",
        BadAnswer::Shrunk(_) => "shrunk",
        BadAnswer::Malformed(_) => "malformed",
        BadAnswer::Other(_) => "other",
    }
}
