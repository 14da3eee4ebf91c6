//! Scopes and types of memories.

use clap::ValueEnum;
use myao_plugin::{MemoryType, Scope};

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum ScopeArg {
    Thread,
    Channel,
    Workspace,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum MemoryTypeArg {
    #[value(alias = "short_term")]
    ShortTerm,
    #[value(alias = "long_term")]
    LongTerm,
}

impl From<ScopeArg> for Scope {
    fn from(scope: ScopeArg) -> Self {
        match scope {
            ScopeArg::Thread => Self::Thread,
            ScopeArg::Channel => Self::Channel,
            ScopeArg::Workspace => Self::Workspace,
        }
    }
}

impl From<MemoryTypeArg> for MemoryType {
    fn from(memory_type: MemoryTypeArg) -> Self {
        match memory_type {
            MemoryTypeArg::ShortTerm => Self::ShortTerm,
            MemoryTypeArg::LongTerm => Self::LongTerm,
        }
    }
}
