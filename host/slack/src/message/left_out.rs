//! Why a record is not imported.

use std::fmt;

use serde::Serialize;

/// Why a record was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum LeftOut {
    /// A notice of Slack's: somebody joined, left, pinned, archived and the like.
    Notice,
    /// The message was deleted, or this is the record of its deletion.
    Deleted,
    /// The record of an edit that does not hold the edited message.
    EditWithoutMessage,
    /// A pointer in the channel to a reply, which is in its thread as well.
    BroadcastPointer,
    /// It has neither text nor a named file.
    NoText,
    /// An event of another type than `message`.
    NotAMessage,
    /// A message without an id, and all ids of its second are taken.
    NoFreeId,
    /// It cannot be read: a value of a wrong type, an invalid character, no valid id or time.
    Unreadable,
    /// A memory without text.
    EmptyMemory,
    /// A memory of an unknown scope or type.
    UnknownMemory,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Notice => "notices of Slack (joined, left, pinned, archived …)",
            Self::Deleted => "deleted message(s)",
            Self::EditWithoutMessage => "records of edits without the message",
            Self::BroadcastPointer => "pointers to replies that are in their threads",
            Self::NoText => "messages without text",
            Self::NotAMessage => "events that are no messages",
            Self::NoFreeId => "messages without an id, in a second without a free one",
            Self::Unreadable => "records that cannot be read",
            Self::EmptyMemory => "memories without text",
            Self::UnknownMemory => "memories of an unknown scope or type",
        })
    }
}
