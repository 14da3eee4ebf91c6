//! Shares the pieces of the work on a workspace among hosts.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use myao_plugin::OtherReason;
use myao_plugin::state::leases::{Exchanged, Hold, Leased, Leases, Pause, Piece};
use myao_plugin::storage::StorageError;
use myao_sql::SqlWorkspace;
use tokio::runtime::Handle;
use tokio_postgres::types::{ToSql, Type};

use crate::database::Database;
use crate::error::PostgresError;
use crate::lease::{Claim, Lease};

/// A host asks again for work that another one has so many times before that one's lease would expire.
const ASKED: u32 = 5;

/// Tells of pauses, the time of which is left in milliseconds, and returns all, with the number of hosts in the first row.
///
/// $1 workspace, $2 what pauses, $3 how long
const EXCHANGE: &str = "WITH now AS (SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) AS ms), \
    told AS (INSERT INTO pauses (workspace, paused, until) \
        SELECT $1, t.paused, now.ms + t.remaining FROM now, unnest($2, $3) AS t (paused, remaining) \
        ON CONFLICT (workspace, paused) DO UPDATE SET until = GREATEST(pauses.until, excluded.until)) \
    SELECT '', COUNT(*) FROM now, leases AS l \
    WHERE l.workspace = $1 AND l.work LIKE 'process:%' AND l.expires_at > now.ms \
    UNION ALL SELECT p.paused, p.until - now.ms FROM now, pauses AS p WHERE p.workspace = $1 AND p.until > now.ms";
/// Removes what was left by hosts that died a day ago.
///
/// $1 workspace
const CLEAR: &str = "DELETE FROM leases WHERE workspace = $1 \
    AND expires_at < CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) - 86400000";

/// A host's leases on one workspace.
#[derive(Clone)]
pub struct PostgresLeases {
    pub(crate) database: Arc<Database>,
    pub(crate) key: i64,
    pub(crate) workspace: SqlWorkspace,
    pub(crate) holder: String,
    pub(crate) lasts: Duration,
    /// Shows the others that this host is there.
    pub(crate) presence: Arc<Mutex<Option<Leased>>>,
}

impl PostgresLeases {
    /// The same leases, with workspaces that are changed in this way.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(SqlWorkspace) -> SqlWorkspace) -> Self {
        self.workspace = change(self.workspace);
        self
    }

    /// Makes sure that the other hosts know of this one.
    fn be_present(&self) -> Result<(), PostgresError> {
        let mut presence = self.presence.lock().unwrap_or_else(PoisonError::into_inner);
        if presence.as_ref().is_some_and(Leased::is_held) {
            return Ok(());
        }
        let workspace = [(&self.key as _, Type::INT8)];
        let cleared = self.database.single_count(CLEAR, &workspace);
        self.database.wait(cleared)??;
        *presence = self.claim_now(&Piece::Presence {
            process: self.holder.clone(),
        })?;
        Ok(())
    }

    fn exchange_now(&self, pauses: &[Pause]) -> Result<Exchanged, PostgresError> {
        self.be_present()?;
        let milliseconds = |left: Duration| i64::try_from(left.as_millis()).unwrap_or(i64::MAX);
        let of: Vec<&str> = pauses.iter().map(|pause| &*pause.of).collect();
        let left: Vec<i64> = pauses
            .iter()
            .map(|pause| milliseconds(pause.left))
            .collect();
        let values: [(&(dyn ToSql + Sync), Type); 3] = [
            (&self.key, Type::INT8),
            (&of, Type::TEXT_ARRAY),
            (&left, Type::INT8_ARRAY),
        ];
        let rows = self
            .database
            .wait(self.database.single(EXCHANGE, &values))??;
        let mut exchanged = Exchanged {
            pauses: pauses.to_vec(),
            processes: 1,
        };
        for row in rows {
            let (of, number): (String, i64) = (row.get(0), row.get(1));
            if of.is_empty() {
                exchanged.processes = u32::try_from(number).unwrap_or(u32::MAX).max(1);
            } else {
                let left = Duration::from_millis(number.unsigned_abs());
                exchanged.pauses.push(Pause { of, left });
            }
        }
        Ok(exchanged)
    }

    fn claim_now(&self, piece: &Piece) -> Result<Option<Leased>, PostgresError> {
        let claim = Claim::new(piece.key(), &*self.holder, self.lasts);
        let claimed = Lease::try_claim(&self.database, self.key, &claim)?;
        Ok(claimed.map(|lease| {
            let workspace = self.workspace.through(lease.backend());
            Leased::new(Arc::new(workspace), PostgresHold(Some(Arc::new(lease))))
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

    async fn exchange(&self, pauses: Vec<Pause>) -> Result<Exchanged, StorageError> {
        let this = self.clone();
        Ok(blocking(move || this.exchange_now(&pauses)).await??)
    }

    async fn leave(&self) {
        let presence = self.presence.lock();
        let presence = presence.unwrap_or_else(PoisonError::into_inner).take();
        if let Some(presence) = presence {
            presence.release().await;
        }
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
