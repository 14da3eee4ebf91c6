//! Shares the pieces of the work on a workspace among hosts.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::state::Workspace;
use myao_plugin::state::leases::{Hold, Leased, Leases, Piece};
use myao_plugin::storage::StorageError;
use myao_plugin::{LocalTime, OtherReason};
use myao_sql::SqlWorkspace;
use tokio::runtime::Handle;

use crate::database::Database;
use crate::error::PostgresError;
use crate::lease::{Claim, Lease};

/// A host asks again for work that another one has so many times before that one's lease would expire.
const ASKED: u32 = 5;

/// A host's leases on one workspace.
#[derive(Clone)]
pub struct PostgresLeases {
    pub(crate) database: Arc<Database>,
    pub(crate) workspace: i64,
    pub(crate) local_time: LocalTime,
    pub(crate) scope_id: Arc<str>,
    pub(crate) holder: String,
    pub(crate) lasts: Duration,
}

impl PostgresLeases {
    fn claim_now(&self, piece: &Piece) -> Result<Option<Leased>, PostgresError> {
        let claim = Claim::new(piece.key(), &*self.holder, self.lasts);
        let claimed = Lease::try_claim(&self.database, self.workspace, &claim)?;
        Ok(claimed.map(|lease| {
            let workspace: Arc<dyn Workspace> = Arc::new(SqlWorkspace::new(
                lease.backend(),
                self.workspace,
                self.local_time.clone(),
                &self.scope_id,
            ));
            Leased::new(workspace, PostgresHold(Some(Arc::new(lease))))
        }))
    }
}

#[async_trait::async_trait]
impl Leases for PostgresLeases {
    async fn claim(&self, piece: &Piece) -> Result<Option<Leased>, StorageError> {
        let (this, piece) = (self.clone(), piece.clone());
        Ok(blocking(move || this.claim_now(&piece)).await??)
    }

    fn shared(&self) -> Option<Duration> {
        Some(self.lasts / ASKED)
    }
}

/// A piece of work; `None` only while it is dropped.
struct PostgresHold(Option<Arc<Lease>>);

#[async_trait::async_trait]
impl Hold for PostgresHold {
    fn is_held(&self) -> bool {
        self.0.as_ref().is_some_and(|lease| lease.is_held())
    }

    async fn lost(&self) {
        let Some(mut lost) = self.0.as_ref().map(|lease| lease.is_lost()) else {
            return;
        };
        // An error means that the lease is gone.
        let _ = lost.wait_for(|lost| *lost).await;
    }

    async fn release(&self) {
        if let Some(lease) = self.0.clone() {
            // A lease that is not handed back expires.
            let _ = blocking(move || lease.hand_back()).await;
        }
    }
}

impl Drop for PostgresHold {
    /// Handing a lease back blocks, which a thread of tokio's must not do.
    fn drop(&mut self) {
        let lease = self.0.take();
        if let Ok(runtime) = Handle::try_current() {
            runtime.spawn_blocking(move || drop(lease));
        }
    }
}

/// Runs `work` on a thread that may block.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, StorageError> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|error| {
        let text = format!("the store's thread ended: {error}");
        StorageError::Other(OtherReason::new("thread-ended", text))
    })
}
