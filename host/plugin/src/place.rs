//! For whom something is read or written.
//!
//! Messages are read through a [`Storage`](crate::storage::Storage) or a [`View`](crate::state::view::View), and both are opened for a
//! [`Place`]. So a call into the component for one channel cannot be given a text of another private channel: it does
//! not reach the component's instance, and no filter over texts is needed.

use crate::bindings::types::{Context, Scope};

/// The people for whom something is read or written. Only texts that they may see are returned.
///
/// Exhaustive on purpose: a store must decide for each place which messages it may read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Place {
    /// A channel with its threads, or a direct message: what was said there, and the memories of channels that
    /// everybody in it may see.
    Channel(String),
    /// The workspace's own memory: what comes from public channels.
    Workspace,
    /// One person, by id: what comes from public channels, and from those that the person is in. It is shown to this person
    /// alone, and nothing is made from it.
    Person(String),
    /// The schedule: ids, counts and times of due work. No texts.
    Schedule,
    /// Somebody who can read the store's files anyway: everything.
    Operator,
}

impl Place {
    /// The place of a channel, a thread or the workspace. A thread is part of its channel.
    #[must_use]
    pub fn of(scope: Scope, scope_id: &str) -> Self {
        match scope {
            Scope::Workspace => Self::Workspace,
            Scope::Channel => Self::Channel(scope_id.to_owned()),
            Scope::Thread => {
                let channel = scope_id
                    .rsplit_once(':')
                    .map_or(scope_id, |(channel, _)| channel);
                Self::Channel(channel.to_owned())
            }
        }
    }

    /// The place of a question about a channel; the workspace if `channel_id` is empty.
    pub(crate) fn around(channel_id: &str) -> Self {
        if channel_id.is_empty() {
            Self::Workspace
        } else {
            Self::Channel(channel_id.to_owned())
        }
    }

    /// The place of a memory that is made from a context that a caller gives.
    pub(crate) fn of_memory(scope: Scope, context: &Context) -> Self {
        match scope {
            Scope::Workspace => Self::Workspace,
            Scope::Channel | Scope::Thread => Self::from(context),
        }
    }

    /// Returns true if memories with this scope are made here.
    #[must_use]
    pub fn owns(&self, scope: Scope, scope_id: &str) -> bool {
        *self == Self::Operator || *self == Self::of(scope, scope_id)
    }

    /// Returns true if this channel's messages may be read here.
    #[must_use]
    pub fn hears(&self, channel_id: &str) -> bool {
        match self {
            Self::Operator => true,
            Self::Channel(id) => id == channel_id,
            Self::Workspace | Self::Person(_) | Self::Schedule => false,
        }
    }
}

/// The place of a context that a caller gives: that of its conversation.
impl From<&Context> for Place {
    fn from(context: &Context) -> Self {
        Self::around(&context.conversation_history.channel_id)
    }
}

impl std::fmt::Display for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Channel(id) => write!(f, "channel {id}"),
            Self::Workspace => f.write_str("the workspace"),
            Self::Person(id) => write!(f, "person {id}"),
            Self::Schedule => f.write_str("the schedule"),
            Self::Operator => f.write_str("the operator"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_is_part_of_its_channel() {
        let place = Place::Channel("C1".to_owned());
        assert_eq!(Place::of(Scope::Thread, "C1:1709287200.000001"), place);
        assert!(place.owns(Scope::Thread, "C1:1709287200.000001"));
        assert!(!place.owns(Scope::Thread, "C2:1709287200.000001"));
        assert!(!place.owns(Scope::Channel, "C2"));
        assert!(!place.owns(Scope::Workspace, "default"));
        assert!(!Place::Workspace.owns(Scope::Channel, "C1"));
    }

    #[test]
    fn messages_are_read_in_their_own_channel_only() {
        assert!(Place::Channel("C1".to_owned()).hears("C1"));
        assert!(!Place::Channel("C1".to_owned()).hears("C2"));
        assert!(!Place::Workspace.hears("C1"));
        assert!(!Place::Person("C1".to_owned()).hears("C1"));
        assert!(!Place::Schedule.hears("C1"));
    }
}
