//! If and when the same call may succeed later.

use crate::bindings::chat::ChatError;
use crate::bindings::errors::Error;
use crate::bindings::llm::LlmError;
use crate::bindings::storage::StorageError;
use crate::component::LoadError;
use crate::context_json::ContextJsonError;
use crate::error::CallError;
use crate::memory_plugin::BuildError;

/// If and when the same call may succeed later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Retry {
    /// The same call will fail again.
    Never,
    /// It may succeed later, without any change.
    Later,
    /// It may succeed after somebody has changed something: a setting, a file, a limit or a template.
    AfterRepair,
}

impl StorageError {
    /// If and when the same call may succeed later. After a conflict the caller must read again first.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::NotFound(_) | Self::Invalid(_) => Retry::Never,
            Self::Conflict(_) | Self::Unavailable(_) => Retry::Later,
            Self::Other(_) => Retry::AfterRepair,
        }
    }
}

impl LlmError {
    /// If and when the same call may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::RateLimited(_) | Self::Unavailable(_) | Self::TimedOut => Retry::Later,
            Self::ContextTooLong(_) | Self::Refused(_) => Retry::Never,
            Self::Other(_) if self.is_budget_spent() => Retry::Later,
            Self::InvalidRequest(_) | Self::Other(_) => Retry::AfterRepair,
        }
    }
}

impl ChatError {
    /// If and when the same call may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::RateLimited(_) | Self::Unavailable(_) => Retry::Later,
            Self::NotFound(_) | Self::Invalid(_) => Retry::Never,
            Self::NotAllowed(_) | Self::Other(_) => Retry::AfterRepair,
        }
    }
}

impl Error {
    /// If and when the same call may succeed later. A model that gave a bad answer may give a better one.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            _ if self.is_question_too_long() => Retry::Never,
            Self::Storage(error) => error.retry(),
            Self::Llm(error) => error.retry(),
            Self::Chat(error) => error.retry(),
            Self::BadAnswer(_) => Retry::Later,
            Self::UnsupportedCombination(_)
            | Self::MissingTargetThread
            | Self::InvalidTs(_)
            | Self::InvalidTime(_) => Retry::Never,
            Self::InvalidSettings(_)
            | Self::Template(_)
            | Self::PromptTooLong(_)
            | Self::Other(_) => Retry::AfterRepair,
        }
    }
}

impl CallError {
    /// If and when the same call may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Refused(error) => error.retry(),
            Self::Busy { .. } | Self::TimedOut { .. } => Retry::Later,
            Self::NotOffered { .. }
            | Self::OutOfMemory { .. }
            | Self::StackOverflow { .. }
            | Self::TooMuchData { .. }
            | Self::TooManyImportCalls { .. }
            | Self::Exceeded { .. }
            | Self::OutOfPlace { .. }
            | Self::Trapped { .. } => Retry::AfterRepair,
        }
    }
}

impl ContextJsonError {
    /// If and when the same text can be read: only after it was changed.
    #[must_use]
    pub fn retry(&self) -> Retry {
        Retry::AfterRepair
    }
}

impl LoadError {
    /// If and when the same file can be loaded: only after the file or the machine was changed.
    #[must_use]
    pub fn retry(&self) -> Retry {
        Retry::AfterRepair
    }
}

impl BuildError {
    /// If and when the same plugin may be built: only once its component was given or changed.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::NoComponent => Retry::AfterRepair,
            Self::Load(error) => error.retry(),
        }
    }
}
