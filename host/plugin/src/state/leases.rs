//! Which process does which piece of the work on a workspace.
//!
//! Several processes may work on one workspace. Each piece of the work is claimed before it is begun, and one of them does it at
//! a time. What is written for it is written with the claim's own workspace: a store that several hosts share refuses that when
//! another one has taken the piece over.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::Workspace;
use crate::bindings::types::Scope;
use crate::digest::sha256_hex;
use crate::names;
use crate::storage::StorageError;
use crate::ts::TsKey;

/// The keys of [`Piece::Presence`] begin with this word and a colon.
pub const PRESENCE: &str = "process";

/// A piece of the work on a workspace.
///
/// Exhaustive on purpose: a store must be able to name each.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// The work that one process does for all: it applies events, reads what was missed, judges, posts digests, and so on.
    Upkeep,
    /// Removing what was kept long enough.
    Retention,
    /// Answering a message, or posting the digest of a time.
    Answer {
        /// The channel.
        channel_id: String,
        /// The message, or the time.
        ts: TsKey,
    },
    /// Being a process that works on the workspace.
    Presence {
        /// The process.
        process: String,
    },
    /// A step of a generation run: the memories of a thread, a channel or the workspace.
    Step {
        /// Their subject.
        scope: Scope,
        /// Which one it is.
        scope_id: String,
    },
}

impl Piece {
    /// Answering a message.
    #[must_use]
    pub fn answer(channel_id: &str, ts: TsKey) -> Self {
        Self::Answer {
            channel_id: channel_id.to_owned(),
            ts,
        }
    }

    /// Its key, unique in the workspace: ASCII letters, digits and `.`, `:`, `-`, `_`.
    #[must_use]
    pub fn key(&self) -> String {
        let (kind, id) = match self {
            // The name of the lock that keeps a second bot from an SQLite file.
            Self::Upkeep => return "bot".to_owned(),
            Self::Retention => return "retention".to_owned(),
            Self::Answer { channel_id, ts } => ("answer", format!("{channel_id}:{ts}")),
            Self::Presence { process } => (PRESENCE, process.clone()),
            Self::Step { scope, scope_id } => (names::scope(*scope), scope_id.clone()),
        };
        let is_plain = |c: char| c.is_ascii_alphanumeric() || ".:-_".contains(c);
        if id.len() <= 100 && id.chars().all(is_plain) {
            return format!("{kind}:{id}");
        }
        format!("{kind}:{}", sha256_hex(id))
    }
}

/// Claims pieces of the work on one workspace.
#[async_trait::async_trait]
pub trait Leases: Send + Sync {
    /// Claims a piece. `None` if it is another one's, in this process or another.
    ///
    /// # Errors
    /// If the store cannot be reached.
    async fn claim(&self, piece: &Piece) -> Result<Option<Leased>, StorageError>;

    /// How long to wait before claiming a piece again that another process has, if other processes may work on the workspace.
    fn shared(&self) -> Option<Duration>;

    /// Tells the other processes of `pauses` that somebody has asked this one for, and returns what they have told.
    ///
    /// # Errors
    /// If the store cannot be reached.
    async fn exchange(&self, pauses: Vec<Pause>) -> Result<Exchanged, StorageError>;

    /// This process works on the workspace no longer.
    async fn leave(&self);
}

/// Somebody accepts no calls for a while, or is not told something again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pause {
    /// Who or what: the same text in all processes.
    pub of: String,
    /// How long it still takes.
    pub left: Duration,
}

/// The leases of processes that share a workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exchanged {
    /// The pauses that are not over, those of this process among them.
    pub pauses: Vec<Pause>,
    /// How many processes work on the workspace, with this one.
    pub processes: u32,
}

/// The guard that keeps a piece this process's.
#[async_trait::async_trait]
pub trait Hold: Send + Sync {
    /// Returns true if nobody else can have taken it over yet.
    fn is_held(&self) -> bool;

    /// Returns when another process has taken it over.
    async fn lost(&self);

    /// Hands it back, so that nobody has to wait until it expires.
    async fn release(&self);
}

/// A piece of work that is this process's. If it is dropped, it is handed back some time later.
#[derive(Clone)]
pub struct Leased {
    workspace: Arc<dyn Workspace>,
    hold: Arc<dyn Hold>,
}

impl Leased {
    /// A piece that was claimed, and the workspace to do it with.
    pub fn new(workspace: Arc<dyn Workspace>, hold: impl Hold + 'static) -> Self {
        Self {
            workspace,
            hold: Arc::new(hold),
        }
    }

    /// The workspace, in which the work is written.
    #[must_use]
    pub fn workspace(&self) -> &Arc<dyn Workspace> {
        &self.workspace
    }

    /// Returns true if nobody else can have taken it over yet.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.hold.is_held()
    }

    /// Returns when another process has taken it over.
    pub async fn lost(&self) {
        self.hold.lost().await;
    }

    /// Hands it back. Whoever has a clone of it has lost it.
    pub async fn release(self) {
        self.hold.release().await;
    }
}

/// The leases of a workspace on which one process alone works.
pub struct LocalLeases {
    workspace: Arc<dyn Workspace>,
    held: Arc<Mutex<HashSet<String>>>,
}

impl LocalLeases {
    /// The leases of this workspace.
    #[must_use]
    pub fn new(workspace: Arc<dyn Workspace>) -> Self {
        Self {
            workspace,
            held: Arc::default(),
        }
    }
}

#[async_trait::async_trait]
impl Leases for LocalLeases {
    async fn claim(&self, piece: &Piece) -> Result<Option<Leased>, StorageError> {
        let key = piece.key();
        if !locked(&self.held).insert(key.clone()) {
            return Ok(None);
        }
        let hold = LocalHold {
            key,
            held: self.held.clone(),
        };
        Ok(Some(Leased::new(self.workspace.clone(), hold)))
    }

    fn shared(&self) -> Option<Duration> {
        None
    }

    async fn exchange(&self, pauses: Vec<Pause>) -> Result<Exchanged, StorageError> {
        Ok(Exchanged {
            pauses,
            processes: 1,
        })
    }

    async fn leave(&self) {}
}

/// A piece until it is dropped.
struct LocalHold {
    key: String,
    held: Arc<Mutex<HashSet<String>>>,
}

#[async_trait::async_trait]
impl Hold for LocalHold {
    fn is_held(&self) -> bool {
        true
    }

    async fn lost(&self) {
        std::future::pending().await
    }

    async fn release(&self) {}
}

impl Drop for LocalHold {
    fn drop(&mut self) {
        locked(&self.held).remove(&self.key);
    }
}

fn locked(held: &Mutex<HashSet<String>>) -> MutexGuard<'_, HashSet<String>> {
    held.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::Piece;
    use crate::bindings::types::Scope;
    use crate::ts::TsKey;

    #[test]
    fn keys_are_plain_and_differ_whatever_the_ids_are() {
        let ts = TsKey::first_of(1_700_000_000);
        let step = |scope, scope_id: &str| Piece::Step {
            scope,
            scope_id: scope_id.to_owned(),
        };
        let pieces = [
            Piece::Upkeep,
            Piece::Retention,
            Piece::answer("C1", ts),
            Piece::answer("C2", ts),
            Piece::answer("C'1", ts),
            Piece::answer(&"C".repeat(1000), ts),
            step(Scope::Channel, "C1"),
            step(Scope::Thread, "C1:1.0"),
            step(Scope::Workspace, "workspace"),
            step(Scope::Workspace, "ワークスペース"),
        ];
        let mut keys: Vec<String> = pieces.iter().map(Piece::key).collect();
        assert!(keys.iter().all(|key| {
            key.len() < 120
                && key
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || ".:-_".contains(c))
        }));
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), pieces.len());
    }
}
