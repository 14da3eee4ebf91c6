//! Work that one process at a time does on a workspace.
//!
//! Beside a file this is the operating system's lock. On a server it is a lease, which a host must extend again and again, and
//! without which nothing is written.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_plugin::state::Workspace;
use myao_plugin::state::leases::{Leases, LocalLeases};
use myao_postgres::{Claim, Claimed, Lease, PostgresStore};
use myao_sqlite::lock::{Work, lock};

use super::{Database, Store, Where};

/// Keeps other processes from the same work until it is dropped.
#[must_use]
pub(crate) enum WorkLock {
    /// The lock of a file.
    File(
        #[expect(dead_code, reason = "dropping it gives the lock back")]
        myao_sqlite::lock::WorkLock,
    ),
    /// A lease on a server.
    Server(#[expect(dead_code, reason = "dropping it hands the lease back")] Lease),
}

/// The result of beginning some work.
#[must_use]
pub(crate) enum Begun {
    /// It is this process's. The workspace is to be used for it.
    Held(Arc<dyn Workspace>, WorkLock),
    /// Another host does it, which is named for people.
    Taken(String),
}

/// The leases of the work on a workspace, and the lock that keeps a second bot from a file.
pub(crate) type Shared = (Arc<dyn Leases>, Option<WorkLock>);

impl Database<'_> {
    /// Begins to be a bot of an opened workspace: alone on one in a file, and with others on a server.
    /// `store` is the database, if it is open.
    pub(crate) fn share(
        self,
        workspace: &Arc<dyn Workspace>,
        store: Option<&Store>,
    ) -> anyhow::Result<Shared> {
        Ok(match self.place {
            Where::File(path) => {
                let held = lock(path, self.workspace, Work::Bot)?;
                let leases = Arc::new(LocalLeases::new(workspace.clone()));
                (leases, Some(WorkLock::File(held)))
            }
            Where::Server(server) => {
                let store = match store.and_then(Store::server) {
                    Some(store) => store,
                    None => PostgresStore::open(&server.options()?)?,
                };
                (self.leases_in(&store)?, None)
            }
        })
    }

    /// The leases of the steps of a command's run, which bots on the same workspace respect; `None` in a file, where
    /// there are none.
    pub(crate) fn step_leases(self) -> anyhow::Result<Option<Arc<dyn Leases>>> {
        match self.place {
            Where::File(_) => Ok(None),
            Where::Server(server) => {
                let store = PostgresStore::open(&server.options()?)?;
                self.leases_in(&store).map(Some)
            }
        }
    }

    fn leases_in(self, store: &PostgresStore) -> anyhow::Result<Arc<dyn Leases>> {
        let (id, scope_id) = (self.workspace, WORKSPACE_SCOPE_ID);
        let leases = store.leases(id, self.timezone, scope_id, holder(), self.lease)?;
        Ok(Arc::new(
            leases.with(|workspace| self.configured(workspace)),
        ))
    }

    /// Begins work that only one process at a time does, on a workspace that was opened.
    pub(crate) fn begin(self, work: Work, workspace: Arc<dyn Workspace>) -> anyhow::Result<Begun> {
        let server = match self.place {
            Where::File(path) => {
                let held = lock(path, self.workspace, work)?;
                return Ok(Begun::Held(workspace, WorkLock::File(held)));
            }
            Where::Server(server) => server,
        };
        let store = PostgresStore::open(&server.options()?)?;
        let claimed = store.claim(self.workspace, &claim(work, self.lease))?;
        Ok(match claimed {
            Claimed::Taken { holder } => Begun::Taken(holder),
            Claimed::Held(lease) => {
                let (id, scope_id) = (self.workspace, WORKSPACE_SCOPE_ID);
                let workspace = store.leased_workspace(id, self.timezone, scope_id, &lease)?;
                let workspace = self.configured(workspace);
                Begun::Held(Arc::new(workspace), WorkLock::Server(lease))
            }
        })
    }

    /// Why a command does not begin work that another host does.
    pub(crate) fn taken(self, work: Work, holder: &str) -> anyhow::Error {
        taken(&self.shown(), work, holder)
    }
}

/// The claim of this process.
pub(super) fn claim(work: Work, lasts: Duration) -> Claim {
    Claim::new(work.name(), holder(), lasts)
}

/// This host and process, for people.
fn holder() -> String {
    format!("{}, process {}", host(), std::process::id())
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
        _ => anyhow::anyhow!(
            "`{shown}`: a bot ({holder}) runs on it: stop all bots of the workspace first"
        ),
    }
}
