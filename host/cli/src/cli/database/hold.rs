//! Work that one process at a time does on a workspace.
//!
//! Beside a file this is the operating system's lock. On a server it is a lease, which a host must extend again and again, and
//! without which nothing is written.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_plugin::state::Workspace;
use myao_postgres::{Claim, Claimed, Lease, PostgresStore};
use myao_sqlite::hold::{Work, hold};
use tokio::sync::watch;

use super::{Database, Where};

/// Keeps other processes from the same work until it is dropped.
#[must_use]
pub(crate) enum Hold {
    /// The lock of a file.
    File(#[expect(dead_code, reason = "dropping it gives the lock back")] myao_sqlite::hold::Hold),
    /// A lease on a server.
    Server(Arc<Lease>),
}

/// What came of beginning some work.
#[must_use]
pub(crate) enum Begun {
    /// It is this process's. The workspace is to be used for it.
    Held(Arc<dyn Workspace>, Hold),
    /// Another host does it, which is named for people.
    Taken(String),
}

impl Hold {
    /// Becomes true when another host has taken over; `None` if that cannot be.
    pub(crate) fn is_lost(&self) -> Option<watch::Receiver<bool>> {
        match self {
            Self::File(_) => None,
            Self::Server(lease) => Some(lease.is_lost()),
        }
    }

    /// Whether nobody else can have taken over.
    pub(crate) fn is_held(&self) -> Arc<dyn Fn() -> bool + Send + Sync> {
        match self {
            Self::File(_) => Arc::new(|| true),
            Self::Server(lease) => {
                // Whoever asks does not keep it.
                let lease = Arc::downgrade(lease);
                Arc::new(move || lease.upgrade().is_some_and(|lease| lease.is_held()))
            }
        }
    }
}

impl Database<'_> {
    /// Begins work that only one process at a time does, on a workspace that was opened. `opened` keeps the connections for the
    /// next time that it is tried.
    pub(crate) fn begin(
        self,
        work: Work,
        workspace: Arc<dyn Workspace>,
        opened: &mut Option<PostgresStore>,
    ) -> anyhow::Result<Begun> {
        let server = match self.place {
            Where::File(path) => {
                let held = hold(path, self.workspace, work)?;
                return Ok(Begun::Held(workspace, Hold::File(held)));
            }
            Where::Server(server) => server,
        };
        let store = match opened {
            Some(store) => store,
            none => none.insert(PostgresStore::open(&server.options()?)?),
        };
        let claimed = store.claim(self.workspace, &claim(work, self.lease))?;
        Ok(match claimed {
            Claimed::Taken { holder } => Begun::Taken(holder),
            Claimed::Held(lease) => {
                let (id, scope_id) = (self.workspace, WORKSPACE_SCOPE_ID);
                let workspace = store.leased_workspace(id, self.timezone, scope_id, &lease)?;
                Begun::Held(Arc::new(workspace), Hold::Server(Arc::new(lease)))
            }
        })
    }

    /// Why a command does not begin work that another host does.
    pub(crate) fn taken(self, work: Work, holder: &str) -> anyhow::Error {
        taken(&self.shown(), work, holder)
    }

    /// How long to wait before asking again for work that another host does.
    pub(crate) fn standby_wait(self) -> Duration {
        self.lease / 5
    }
}

/// The claim of this process.
pub(super) fn claim(work: Work, lasts: Duration) -> Claim {
    let holder = format!("{}, process {}", host(), std::process::id());
    Claim::new(work.name(), holder, lasts)
}

/// The name of this machine, for people.
fn host() -> String {
    let named = std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    let named = named.or_else(|| std::env::var("HOSTNAME").ok());
    named.map_or_else(|| "a host".to_owned(), |name| name.trim().to_owned())
}

/// Why a command does not begin work on a server that another host does.
pub(super) fn taken(shown: &str, work: Work, holder: &str) -> anyhow::Error {
    match work {
        Work::Backfill => anyhow::anyhow!(
            "`{shown}`: another backfill or rebuild ({holder}) works on it: wait until that one has ended, or stop it"
        ),
        _ => anyhow::anyhow!("`{shown}`: a bot ({holder}) runs on it: stop that one first"),
    }
}
