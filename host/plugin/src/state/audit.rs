//! The audit log: who did what takes effect for others. It has ids, times and counts, and nothing that anybody wrote.
//!
//! A store notes an act in the transaction of the act, and changes no entry afterwards. Entries name people by their ids, and stay
//! when what a person said is forgotten.

use crate::state::forgetting::Erased;
use crate::storage::StorageError;
use crate::storage::marks::OPERATOR_ID;
use crate::ts::TsKey;

/// An enum whose cases have names for people and numbers for stores.
macro_rules! named {
    ($(#[$of:meta])* $type:ident { $($(#[$doc:meta])* $case:ident = $name:literal,)+ }) => {
        $(#[$of])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $type { $($(#[$doc])* $case,)+ }

        impl $type {
            /// Its name.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self { $(Self::$case => $name,)+ }
            }

            /// Its number in a store.
            #[must_use]
            pub fn code(self) -> i64 {
                self as i64
            }

            /// The case with a number in a store.
            #[must_use]
            pub fn of_code(code: i64) -> Option<Self> {
                [$(Self::$case),+].into_iter().find(|case| case.code() == code)
            }
        }
    };
}

named! {
    /// The way by which somebody acts.
    Door {
        /// The chat, with its commands.
        Slack = "slack",
        /// The command line.
        Cli = "cli",
        /// The web page.
        Page = "page",
    }
}

/// Who acts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Actor {
    /// The user's id, or [`OPERATOR_ID`]; `None` if the chat does not say who it was.
    pub id: Option<String>,
    /// The way.
    pub door: Door,
}

impl Actor {
    /// The operator.
    #[must_use]
    pub fn operator(door: Door) -> Self {
        Self::person(OPERATOR_ID, door)
    }

    /// A person, by the user's id.
    #[must_use]
    pub fn person(id: impl Into<String>, door: Door) -> Self {
        let id = Some(id.into());
        Self { id, door }
    }

    /// Somebody in the chat. Its events say who, where it tells that.
    #[must_use]
    pub fn in_chat() -> Self {
        let (id, door) = (None, Door::Slack);
        Self { id, door }
    }
}

named! {
    /// An act that is noted.
    Action {
        /// A message, a person, a channel or everything before a time is forgotten.
        Forget = "forget",
        /// Credentials in stored messages are replaced by placeholders.
        Redact = "redact",
        /// A correction is given, its text is changed, or its author picks what it strikes.
        Correct = "correct",
        /// A correction is taken back.
        UndoCorrection = "undo-correction",
        /// A message is pinned.
        Pin = "pin",
        /// A pin is taken off.
        Unpin = "unpin",
        /// A person or a channel is remembered no longer.
        OffRecord = "off-record",
        /// A person or a channel is remembered again.
        OnRecord = "on-record",
        /// Somebody comes in at the page.
        SignIn = "sign-in",
        /// An agent gets a token.
        MakeToken = "make-token",
        /// A token ends.
        RemoveToken = "remove-token",
        /// A memory whose lineage is not known is accepted.
        AcceptMemory = "accept-memory",
        /// It is set how the bot takes part in a channel.
        SetMode = "set-mode",
    }
}

/// The ids of what an act was done to, as far as they say it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target {
    /// A channel, or that of the message or memory.
    pub channel_id: Option<String>,
    /// A message; without a channel, all before it.
    pub ts: Option<TsKey>,
    /// A person.
    pub user_id: Option<String>,
    /// A memory.
    pub memory: Option<u64>,
    /// A token. Its name is its owner's words, and is not here.
    pub token: Option<i64>,
}

impl Target {
    /// A channel.
    #[must_use]
    pub fn channel(id: &str) -> Self {
        Self {
            channel_id: Some(id.to_owned()),
            ..Self::default()
        }
    }

    /// A message.
    #[must_use]
    pub fn message(channel_id: &str, ts: TsKey) -> Self {
        Self {
            ts: Some(ts),
            ..Self::channel(channel_id)
        }
    }

    /// Everything before a message.
    #[must_use]
    pub fn before(ts: TsKey) -> Self {
        Self {
            ts: Some(ts),
            ..Self::default()
        }
    }

    /// A person.
    #[must_use]
    pub fn user(id: &str) -> Self {
        Self {
            user_id: Some(id.to_owned()),
            ..Self::default()
        }
    }
}

/// An entry of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AuditEntry {
    /// When it was stored, in Unix seconds.
    pub at: i64,
    /// Who acted.
    pub actor: Actor,
    /// The act.
    pub action: Action,
    /// The target of the act.
    pub target: Target,
    /// How much went, where something was erased.
    pub erased: Option<Gone>,
}

/// How much an act erased.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Gone {
    /// Messages.
    pub messages: usize,
    /// Lines of memories.
    pub lines: usize,
    /// Memories that these lines stood in.
    pub memories: usize,
}

impl From<&Erased> for Gone {
    fn from(erased: &Erased) -> Self {
        Self {
            messages: erased.messages,
            lines: erased.lines,
            memories: erased.memories,
        }
    }
}

/// Keeps the audit log.
#[async_trait::async_trait]
pub trait Audit: Send + Sync {
    /// Notes that whoever acts came in at the page, at `now` in Unix seconds.
    async fn note_sign_in(&self, now: i64) -> Result<(), StorageError>;

    /// The entries since a time in Unix seconds, in the order in which they were stored.
    async fn audit(&self, since: i64) -> Result<Vec<AuditEntry>, StorageError>;

    /// Removes the entries from before a time in Unix seconds; returns how many there were.
    async fn expire_audit(&self, before: i64) -> Result<usize, StorageError>;
}
