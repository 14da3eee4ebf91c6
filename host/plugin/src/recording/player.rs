//! Plays the host of a recording: returns the recorded results, as long as the component makes the same calls.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ImportCall, Recording, SAVE};
use crate::error::CallError;

/// Where a replay differs from its recording.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// The number of the call to the host, counted from 1.
    pub number: usize,
    /// The recorded call.
    pub recorded: ImportCall,
    /// The call of the replay, without a result.
    pub now: ImportCall,
}

/// How a replay ended.
#[derive(Debug)]
#[non_exhaustive]
pub enum Ending {
    /// It reached the save, with this text.
    Saved(String),
    /// It made a different call.
    Differed(Box<Difference>),
    /// The call ended before the save, or failed.
    Over(Option<CallError>),
}

/// A prompt and its result.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// The only message, a system message.
    pub prompt: String,
    /// The model's answer, or its error by the contract's name.
    pub answer: Result<String, String>,
}

/// The result of a replay.
#[derive(Debug)]
pub struct Replayed {
    /// How it ended.
    pub ending: Ending,
    /// The model's requests until the component ended, in order.
    pub asked: Vec<Asked>,
}

/// The error with which the player stops the component.
#[derive(Debug, thiserror::Error)]
#[error("the replay is over")]
pub(crate) struct Stop;

/// A recording that is being played.
pub(crate) struct Player {
    recording: Recording,
    /// How many of its calls were played.
    played: usize,
    ending: Option<Ending>,
}

impl Player {
    pub(crate) fn new(recording: Recording) -> Self {
        Self {
            recording,
            played: 0,
            ending: None,
        }
    }

    /// Returns the recorded result, or [`Stop`] if the replay has ended.
    pub(super) fn play<R: DeserializeOwned>(
        &mut self,
        import: &str,
        arguments: Value,
    ) -> Result<R, Stop> {
        let Some(recorded) = self.recording.calls.get(self.played) else {
            return Err(Stop);
        };
        let now = ImportCall {
            import: import.to_owned(),
            arguments,
            result: None,
        };
        let is_last = self.played + 1 == self.recording.calls.len();
        let reached = is_last && import == SAVE && recorded.import == SAVE;
        if reached && text_of(&recorded.arguments) == text_of(&now.arguments) {
            self.ending = Some(Ending::Saved(text_of(&now.arguments).to_owned()));
            return Err(Stop);
        }
        if (recorded.import.as_str(), &recorded.arguments) != (import, &now.arguments) {
            self.ending = Some(Ending::Differed(Box::new(Difference {
                number: self.played + 1,
                recorded: recorded.clone(),
                now,
            })));
            return Err(Stop);
        }
        let result = recorded.result.clone().unwrap_or(Value::Null);
        self.played += 1;
        // If this program cannot read the result, it was recorded with another version of the contract.
        serde_json::from_value(result).map_err(|_| Stop)
    }

    /// Returns the result of the replay.
    pub(crate) fn replayed(self, error: Option<CallError>) -> Replayed {
        let played = self.recording.calls.into_iter().take(self.played);
        Replayed {
            asked: played.flat_map(|call| asked(&call)).collect(),
            ending: self.ending.unwrap_or(Ending::Over(error)),
        }
    }
}

/// The text of a draft.
fn text_of(draft: &Value) -> &str {
    draft
        .get("content")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The model's requests of a call: none, one or several.
fn asked(call: &ImportCall) -> Vec<Asked> {
    let result = call.result.clone().unwrap_or(Value::Null);
    let (requests, results) = match call.import.as_str() {
        "llm.complete" => (vec![call.arguments.clone()], vec![result]),
        "llm.complete-all" => (elements(call.arguments.clone()), elements(result)),
        _ => return Vec::new(),
    };
    let text = |value: &Value, pointer: &str| {
        let text = value.pointer(pointer).and_then(Value::as_str);
        text.map(str::to_owned)
    };
    requests
        .iter()
        .zip(&results)
        .map(|(request, result)| Asked {
            prompt: text(request, "/system_prompt").unwrap_or_default(),
            answer: text(result, "/Ok/text").ok_or_else(|| {
                let error = result.get("Err").unwrap_or(&Value::Null);
                error.to_string()
            }),
        })
        .collect()
}

fn elements(value: Value) -> Vec<Value> {
    match value {
        Value::Array(elements) => elements,
        _ => Vec::new(),
    }
}
