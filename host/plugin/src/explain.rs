//! Texts for the contract's errors: what failed, and what to do.

use crate::bindings::chat::ChatError;
use crate::bindings::errors::{BadAnswer, Combination, Error, SettingFault};
use crate::bindings::llm::LlmError;
use crate::bindings::storage::StorageError;
use crate::bindings::types::{MemoryType, Scope};
use crate::names;

/// Says in one line what failed and what to do.
#[must_use]
pub fn explain(error: &Error) -> String {
    match error {
        Error::UnsupportedCombination(Combination {
            scope: Scope::Workspace,
            memory_type: MemoryType::ShortTerm,
        }) => "the workspace has no short-term memory any more: channels keep a history instead; \
               the setting `memory.legacy_workspace_short_term` brings it back"
            .to_owned(),
        Error::UnsupportedCombination(combination) => format!(
            "there is no {} memory of a {}: threads have short-term memories only",
            names::memory_type(combination.memory_type),
            names::scope(combination.scope)
        ),
        Error::MissingTargetThread => {
            "the thread scope needs a thread: set `target_thread_ts` in the context".to_owned()
        }
        Error::InvalidTs(ts) => crate::ts::InvalidTs(ts.clone()).to_string(),
        Error::InvalidTime(time) => format!(
            "{} seconds since 1970, {} from UTC, is not a time from 1970 to 9999: times are in seconds, not in milliseconds",
            time.unix_seconds, time.utc_offset_seconds
        ),
        Error::InvalidSettings(faults) => explain_settings(faults),
        Error::Template(fault) if fault.line > 0 => {
            format!(
                "template {}, line {}: {}",
                fault.name, fault.line, fault.detail
            )
        }
        Error::Template(fault) => format!("template {}: {}", fault.name, fault.detail),
        Error::Storage(error) => explain_storage(error),
        Error::Llm(error) => explain_llm(error),
        Error::Chat(error) => explain_chat(error),
        Error::BadAnswer(reason) => explain_bad_answer(reason),
        Error::PromptTooLong(excess) => format!(
            "the prompt is too long: {} tokens where {} fit the model, with everything left out that can be; use \
             a model with a larger context window",
            excess.tokens, excess.limit
        ),
        Error::Other(other) => other.text.clone(),
    }
}

/// Names every setting that is not accepted, in one line.
#[must_use]
pub fn explain_settings(faults: &[SettingFault]) -> String {
    let told = |fault: &SettingFault| format!("{}: {}", fault.key, fault.detail);
    let faults: Vec<String> = faults.iter().map(told).collect();
    format!("settings are not accepted: {}", faults.join("; "))
}

/// Says in one line what is wrong with a model's answer. The model was asked twice.
fn explain_bad_answer(reason: &BadAnswer) -> String {
    const OTHER_MODEL: &str = "if it stays so, name another model (`agents` in the configuration)";
    let (fault, remedy) = match reason {
        BadAnswer::Empty => ("answered with nothing".to_owned(), OTHER_MODEL),
        BadAnswer::Refusal => ("declined to write".to_owned(), OTHER_MODEL),
        BadAnswer::Question => (
            "asked for the conversation that it was given".to_owned(),
            OTHER_MODEL,
        ),
        BadAnswer::PromptRepeated => ("repeated its prompt".to_owned(), OTHER_MODEL),
        BadAnswer::WrongLanguage(mismatch) => (
            format!(
                "answered in {} instead of {}",
                mismatch.found, mismatch.expected
            ),
            "memory.language says which language memories are to be in",
        ),
        BadAnswer::TooLong(excess) => (
            format!(
                "answered with {} tokens where {} are allowed",
                excess.tokens, excess.limit
            ),
            "memory.short_term_summary_max_tokens and memory.long_term_summary_max_tokens set the limits",
        ),
        BadAnswer::Malformed(detail) => (
            format!("gave an answer of another form than asked for ({detail})"),
            OTHER_MODEL,
        ),
        BadAnswer::Other(other) => (
            format!("gave an answer that was not accepted ({})", other.text),
            OTHER_MODEL,
        ),
        BadAnswer::Shrunk(shrinkage) => (
            format!(
                "kept {} of {} facts of the existing memory, and {} of {} tokens",
                shrinkage.facts_kept,
                shrinkage.facts_before,
                shrinkage.tokens,
                shrinkage.tokens_before
            ),
            "the existing memory stays as it is; a higher memory.long_term_summary_max_tokens leaves more room",
        ),
    };
    format!("the model {fault}, also when asked again; nothing of it is used; {remedy}")
}

/// A store's error in one line. The details already name the cause and the remedy.
#[must_use]
pub fn explain_storage(error: &StorageError) -> String {
    match error {
        StorageError::NotFound(detail)
        | StorageError::Unavailable(detail)
        | StorageError::Invalid(detail) => detail.clone(),
        StorageError::Other(other) => other.text.clone(),
        StorageError::Conflict(detail) => {
            format!(
                "{detail}; another myao wrote at the same time, and the next run goes on from there"
            )
        }
    }
}

/// The chat platform's error in one line. The details already name the cause and the remedy.
#[must_use]
pub fn explain_chat(error: &ChatError) -> String {
    match error {
        ChatError::RateLimited(Some(seconds)) => {
            format!("the chat takes no more calls for now; try again in {seconds} s")
        }
        ChatError::RateLimited(None) => {
            "the chat takes no more calls for now; try again later".to_owned()
        }
        ChatError::NotFound(detail)
        | ChatError::NotAllowed(detail)
        | ChatError::Unavailable(detail)
        | ChatError::Invalid(detail) => detail.clone(),
        ChatError::Other(other) => other.text.clone(),
    }
}

/// A model's error in one line.
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
                "the model cannot be reached: {detail}; check base_url in client_args under `agents`, and the network"
            )
        }
        LlmError::Refused(detail) => format!("the model declined to answer: {detail}"),
        LlmError::InvalidRequest(detail) => {
            format!(
                "the model did not accept the call: {detail}; check `agents` in the configuration"
            )
        }
        LlmError::TimedOut => "the model did not answer in time; try again later".to_owned(),
        LlmError::Other(other) if error.is_of_budget() => other.text.clone(),
        LlmError::Other(other) => format!("the model failed: {}", other.text),
    }
}

#[cfg(test)]
mod tests {
    use super::explain;
    use crate::bindings::errors::{BadAnswer, Error, LanguageMismatch, Shrinkage, TokenExcess};

    #[test]
    fn bad_answers_say_what_is_wrong_and_what_sets_it_right() {
        let languages = LanguageMismatch {
            expected: "Japanese".to_owned(),
            found: "English".to_owned(),
        };
        let excess = TokenExcess {
            tokens: 901,
            limit: 300,
        };
        let shrinkage = Shrinkage {
            tokens_before: 400,
            tokens: 51,
            facts_before: 12,
            facts_kept: 3,
        };
        for (bad, words) in [
            (BadAnswer::Empty, ["answered with nothing", "`agents`"]),
            (BadAnswer::Refusal, ["declined", "`agents`"]),
            (BadAnswer::Question, ["asked for", "`agents`"]),
            (BadAnswer::PromptRepeated, ["its prompt", "`agents`"]),
            (
                BadAnswer::WrongLanguage(languages),
                ["English instead of Japanese", "memory.language"],
            ),
            (
                BadAnswer::TooLong(excess),
                ["901 tokens where 300", "_summary_max_tokens"],
            ),
            (
                BadAnswer::Shrunk(shrinkage),
                ["3 of 12 facts", "51 of 400 tokens"],
            ),
        ] {
            let line = explain(&Error::BadAnswer(bad));
            for word in words.iter().chain(&["nothing of it is used"]) {
                assert!(line.contains(word), "no `{word}` in: {line}");
            }
        }
        let line = explain(&Error::PromptTooLong(excess));
        assert!(line.contains("901 tokens where 300 fit"), "{line}");
    }
}
