//! The names of the contract's enum cases, as `wit/` and the command line write them.

use crate::bindings::llm::LlmError;
use crate::bindings::types::{Engine, ItemKind, ItemState, MemoryType, Scope};

/// `workspace`, `channel` or `thread`.
#[must_use]
pub fn scope(scope: Scope) -> &'static str {
    match scope {
        Scope::Workspace => "workspace",
        Scope::Channel => "channel",
        Scope::Thread => "thread",
    }
}

/// `long-term` or `short-term`.
#[must_use]
pub fn memory_type(memory_type: MemoryType) -> &'static str {
    match memory_type {
        MemoryType::LongTerm => "long-term",
        MemoryType::ShortTerm => "short-term",
    }
}

/// `thread`, `channel short-term`, …
#[must_use]
pub fn layer(scope: Scope, memory_type: MemoryType) -> &'static str {
    match (scope, memory_type) {
        (Scope::Thread, _) => "thread",
        (Scope::Channel, MemoryType::ShortTerm) => "channel short-term",
        (Scope::Channel, MemoryType::LongTerm) => "channel long-term",
        (Scope::Workspace, MemoryType::ShortTerm) => "workspace short-term",
        (Scope::Workspace, MemoryType::LongTerm) => "workspace long-term",
    }
}

/// `llm`, `extractive` or `imported`.
#[must_use]
pub fn engine(engine: Engine) -> &'static str {
    match engine {
        Engine::Llm => "llm",
        Engine::Extractive => "extractive",
        Engine::Imported => "imported",
    }
}

/// `decision`, `task`, `question` or `fact`.
#[must_use]
pub fn item_kind(kind: ItemKind) -> &'static str {
    match kind {
        ItemKind::Decision => "decision",
        ItemKind::Task => "task",
        ItemKind::Question => "question",
        ItemKind::Fact => "fact",
    }
}

/// A kind of an item from its name.
#[must_use]
pub fn item_kind_of(name: &str) -> Option<ItemKind> {
    let kinds = [
        ItemKind::Decision,
        ItemKind::Task,
        ItemKind::Question,
        ItemKind::Fact,
    ];
    kinds.into_iter().find(|kind| item_kind(*kind) == name)
}

/// `open`, `done`, `dropped`, `superseded` or `unknown`.
#[must_use]
pub fn item_state(state: ItemState) -> &'static str {
    match state {
        ItemState::Open => "open",
        ItemState::Done => "done",
        ItemState::Dropped => "dropped",
        ItemState::Superseded => "superseded",
        ItemState::Unknown => "unknown",
    }
}

/// A state of an item from its name.
#[must_use]
pub fn item_state_of(name: &str) -> Option<ItemState> {
    let states = [
        ItemState::Open,
        ItemState::Done,
        ItemState::Dropped,
        ItemState::Superseded,
        ItemState::Unknown,
    ];
    states.into_iter().find(|state| item_state(*state) == name)
}

/// The name of an error's case, as in `wit/llm.wit`, without its details, which may contain text of a server.
#[must_use]
pub fn llm_error(error: &LlmError) -> &'static str {
    match error {
        LlmError::RateLimited(_) => "rate-limited",
        LlmError::ContextTooLong(_) => "context-too-long",
        LlmError::Unavailable(_) => "unavailable",
        LlmError::Refused(_) => "refused",
        LlmError::InvalidRequest(_) => "invalid-request",
        LlmError::TimedOut => "timed-out",
        LlmError::Other(_) => "other",
    }
}
