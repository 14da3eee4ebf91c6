//! One call of the component to its host, and its result.
//!
//! Arguments and results are stored as JSON, as in the recordings of the `myao` program. [`Call::arguments`] and
//! [`Answer::ok`] read them back as the contract's types, or as a [`serde_json::Value`] to look at.

use std::fmt;

use myao_plugin::Message;
use myao_plugin::storage::recall::Candidates;
use myao_plugin::storage::{Channel, Deferral, Due, Memory};
use serde::Serialize;
use serde::de::DeserializeOwned;

pub(crate) const CONTEXT_WINDOW: &str = "llm.context-window";
pub(crate) const COUNT_TOKENS: &str = "llm.count-tokens";

/// One call of the component to its host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// Counted from 0 across all imports.
    pub number: usize,
    /// Interface and function as in `wit/`: `storage.save-memory`.
    pub import: &'static str,
    arguments: String,
}

impl Call {
    pub(crate) fn new(number: usize, import: &'static str, arguments: &impl Serialize) -> Self {
        Self {
            number,
            import,
            arguments: json(arguments),
        }
    }

    /// Whether it is a call of this function (`storage.save-memory`), or of this interface (`storage`).
    #[must_use]
    pub fn is_of(&self, import: &str) -> bool {
        let rest = self.import.strip_prefix(import);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    /// Whether it can return an error: all except `llm.context-window` and `llm.count-tokens`.
    #[must_use]
    pub fn can_fail(&self) -> bool {
        !matches!(self.import, CONTEXT_WINDOW | COUNT_TOKENS)
    }

    /// Its argument, or several as a tuple: `call.arguments::<MessageQuery>()`, and
    /// `call.arguments::<(String, Option<String>, String)>()` for `get-backlog`. `None` if they have another type.
    #[must_use]
    pub fn arguments<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(&self.arguments).ok()
    }

    /// Whether its arguments contain a text: an id, a name, a part of a prompt without line breaks.
    #[must_use]
    pub fn mentions(&self, text: &str) -> bool {
        self.arguments.contains(text)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} {}", self.number, self.import, self.arguments)
    }
}

/// What a call returned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    result: Result<String, String>,
    /// The number of rows in the result: the length of a list, the number of channels and threads that are due,
    /// otherwise 1. An error has 0.
    pub rows: usize,
}

impl Answer {
    pub(crate) fn of<T: Rows + Serialize, E: Serialize>(result: &Result<T, E>) -> Self {
        Self {
            rows: result.as_ref().map_or(0, Rows::rows),
            result: result.as_ref().map(json).map_err(json),
        }
    }

    /// Whether it is an error.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.result.is_err()
    }

    /// Its result, unless it is an error: `answer.ok::<Vec<Message>>()`.
    #[must_use]
    pub fn ok<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.result.as_ref().ok()?).ok()
    }

    /// Its error, if it is one: `answer.error::<StorageError>()`.
    #[must_use]
    pub fn error<E: DeserializeOwned>(&self) -> Option<E> {
        serde_json::from_str(self.result.as_ref().err()?).ok()
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.result {
            Ok(result) => write!(f, "{result}"),
            Err(error) => write!(f, "failed: {error}"),
        }
    }
}

/// The number of rows in a result.
pub(crate) trait Rows {
    fn rows(&self) -> usize {
        1
    }
}

macro_rules! lists {
    ($($item:ty),*) => {
        $(impl Rows for Vec<$item> {
            fn rows(&self) -> usize {
                self.len()
            }
        })*
    };
}

lists!(
    Channel,
    Message,
    Memory,
    Deferral,
    myao_plugin::KeptText,
    myao_plugin::storage::Marked,
    myao_plugin::storage::Strike,
    String
);

impl Rows for Due {
    fn rows(&self) -> usize {
        self.channels.len() + self.threads.len()
    }
}

impl<T: Rows> Rows for &T {
    fn rows(&self) -> usize {
        (**self).rows()
    }
}

impl Rows for Candidates {
    fn rows(&self) -> usize {
        self.messages.len()
    }
}

impl<T> Rows for Option<Vec<T>> {
    fn rows(&self) -> usize {
        self.as_ref().map_or(0, Vec::len)
    }
}

impl Rows for Memory {}
impl Rows for myao_plugin::storage::Backlog {}
impl Rows for myao_plugin::llm::Completion {}
impl Rows for myao_plugin::chat::User {}
impl Rows for myao_plugin::chat::PostOutcome {}
impl Rows for String {}
impl Rows for Option<u32> {}
impl Rows for u32 {}
impl Rows for () {}

/// Every type of the contract has a JSON form.
fn json(value: &impl Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|error| error.to_string())
}
