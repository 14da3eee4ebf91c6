//! Conversations that an import takes besides public channels.

use std::fmt;

use serde::Serialize;

/// Conversations that an import of a Slack export takes besides public channels. By default none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// Private channels.
    pub include_private: bool,
    /// Direct messages and group messages of people.
    pub include_direct_messages: bool,
}

/// A kind of conversation that is taken only if an option says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Closed {
    /// Private channels.
    PrivateChannels,
    /// Messages among several people.
    GroupMessages,
    /// Messages between two people.
    DirectMessages,
}

impl Options {
    /// Everything.
    pub const ALL: Self = Self {
        include_private: true,
        include_direct_messages: true,
    };

    /// Returns these options with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Returns true if conversations of this kind are taken.
    #[must_use]
    pub fn take(self, kind: Closed) -> bool {
        match kind {
            Closed::PrivateChannels => self.include_private,
            Closed::GroupMessages | Closed::DirectMessages => self.include_direct_messages,
        }
    }
}

impl fmt::Display for Closed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PrivateChannels => "private channels",
            Self::GroupMessages => "group messages",
            Self::DirectMessages => "direct messages",
        })
    }
}
