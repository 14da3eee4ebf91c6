//! Why a call has no result.

use std::time::Duration;

use wasmtime::Trap;

use crate::bindings::errors;
use crate::explain::explain;
use crate::memory_limit::OutOfMemory;
use crate::{Limits, Place};

/// The text of wasmtime's error if too much data is passed to the host; the error's type is private.
const TOO_MUCH_DATA: &str = "fuel allocated for hostcalls has been exhausted";

impl errors::OtherReason {
    /// An error that the contract has no case for. `code` is for programs: lower case with hyphens, and nothing that
    /// people wrote.
    #[must_use]
    pub fn new(code: impl Into<String>, text: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            text: text.into(),
        }
    }
}

impl errors::Error {
    /// Returns true if a question was refused because it is longer than the contract allows.
    #[must_use]
    pub fn is_question_too_long(&self) -> bool {
        matches!(self, Self::Other(other) if other.code == "question-too-long")
    }
}

/// Why a call has no result. Whatever the reason, the call leaves nothing behind in the plugin, and the next call works.
///
/// ```
/// use myao_plugin::storage::StorageError;
/// use myao_plugin::{CallError, Error, Retry};
///
/// let error = CallError::Refused(Error::Storage(StorageError::NotFound("there is no channel C404".to_owned())));
/// assert_eq!(error.retry(), Retry::Never);
/// assert_eq!(error.to_string(), "there is no channel C404");
/// ```
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CallError {
    /// The component returned an error.
    #[error("{}", explain(.0))]
    Refused(errors::Error),
    /// The component is of a smaller world, which does not export this.
    #[error(
        "the component {component} does not offer `{call}`; load one of a larger world (`memory`, `bot`)"
    )]
    NotOffered {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
    },
    /// The maximum number of calls was running for the whole time that this call waited.
    #[error(
        "`{call}` of the component {component} found no place in {waited:?}: {running} calls were running; try again later, or raise the limit concurrent_calls"
    )]
    Busy {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// How long the call waited.
        waited: Duration,
        /// How many calls may run at once.
        running: usize,
    },
    /// The call took longer than its deadline.
    #[error("the component {component} took longer than {deadline:?} in `{call}`")]
    TimedOut {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The limit.
        deadline: Duration,
    },
    /// The call used more memory than its limit.
    #[error("the component {component} needed more than {limit} bytes of memory in `{call}`")]
    OutOfMemory {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The component's recursion was too deep.
    #[error("the component {component} used up its stack in `{call}`")]
    StackOverflow {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
    },
    /// The component passed more data at once than its limit.
    #[error("the component {component} handed over more than {limit} bytes at once in `{call}`")]
    TooMuchData {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The component called its imports more often than its limit.
    #[error("the component {component} called its host more than {limit} times in `{call}`")]
    TooManyImportCalls {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The limit.
        limit: u64,
    },
    /// The component wrote or requested more than its limit.
    #[error("the component {component} {excess} in `{call}`; what it saved until then stays")]
    Exceeded {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// Which limit was exceeded, and its value.
        excess: Excess,
    },
    /// The component used something of another place than the one that it was called for. Nothing was read or written.
    #[error(
        "the component {component} {trespass} in `{call}`; report this with the component's version"
    )]
    OutOfPlace {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The refused action.
        trespass: Trespass,
    },
    /// The component trapped in another way: it panicked, or it does not do what its interfaces promise.
    #[error(
        "the component {component} failed in `{call}`: {detail}; report this with the component's version"
    )]
    Trapped {
        /// The component's name.
        component: String,
        /// The export.
        call: &'static str,
        /// The reason, with a backtrace.
        detail: String,
    },
}

/// A limit that a call tried to exceed, with its value. See [`Limits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Excess {
    /// [`Limits::saves`].
    #[error("saved more than {0} memories and deferrals (the limit saves)")]
    Saves(u64),
    /// [`Limits::posts`].
    #[error("posted more than {0} times (the limit posts)")]
    Posts(u64),
    /// [`Limits::write_bytes`].
    #[error("saved and posted more than {0} bytes (the limit write_bytes)")]
    WriteBytes(u64),
    /// [`Limits::model_calls`].
    #[error("asked models more than {0} times (the limit model_calls)")]
    ModelCalls(u64),
    /// [`Limits::prompt_bytes`].
    #[error("gave models prompts of more than {0} bytes (the limit prompt_bytes)")]
    PromptBytes(u64),
    /// [`Limits::answer_bytes`].
    #[error("had models answer with more than {0} bytes (the limit answer_bytes)")]
    AnswerBytes(u64),
}

/// An action of a call outside of its [`Place`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("was called for {place}, and wanted to {action}")]
pub struct Trespass {
    /// The place that it was called for.
    pub place: Place,
    /// The action, with the ids.
    pub action: String,
}

impl CallError {
    /// Turns an error of wasmtime into a [`CallError`].
    pub(crate) fn of(
        error: &wasmtime::Error,
        component: &str,
        call: &'static str,
        limits: &Limits,
    ) -> Self {
        let component = component.to_owned();
        if error.is::<TooManyImportCalls>() {
            return Self::TooManyImportCalls {
                component,
                call,
                limit: limits.import_calls,
            };
        }
        if error.is::<OutOfMemory>() {
            return Self::OutOfMemory {
                component,
                call,
                limit: limits.memory_bytes,
            };
        }
        if let Some(excess) = error.downcast_ref::<Excess>() {
            return Self::Exceeded {
                component,
                call,
                excess: *excess,
            };
        }
        if let Some(trespass) = error.downcast_ref::<Trespass>() {
            return Self::OutOfPlace {
                component,
                call,
                trespass: trespass.clone(),
            };
        }
        let detail = format!("{error:#}");
        match error.downcast_ref::<Trap>() {
            Some(Trap::StackOverflow) => Self::StackOverflow { component, call },
            None if detail.contains(TOO_MUCH_DATA) => Self::TooMuchData {
                component,
                call,
                limit: limits.transfer_bytes,
            },
            _ => Self::Trapped {
                component,
                call,
                detail,
            },
        }
    }
}

/// The component called its imports more often than it may.
#[derive(Debug, thiserror::Error)]
#[error("too many calls of imports")]
pub(crate) struct TooManyImportCalls;
