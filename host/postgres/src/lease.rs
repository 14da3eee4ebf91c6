//! Work that one host at a time does on a workspace.
//!
//! A lease is a row with the database's time and a generation, which each claim raises. The holder extends it again and again.
//! When it does so no longer, another host may claim the work. What the first one writes is then refused, because each writing
//! transaction checks the generation: so a host that was asleep for long writes nothing.

use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use myao_plugin::storage::StorageError;
use myao_plugin::system_clock;
use myao_sql::backend::{Backend, Work};
use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio_postgres::types::{ToSql, Type};

use crate::database::Database;
use crate::error::PostgresError;

/// The holder extends a lease so many times before it would expire.
const EXTENSIONS: u32 = 5;

/// How long the database is waited for when a lease is handed back.
const HAND_BACK_WAIT: Duration = Duration::from_secs(2);

/// A generation is the time of its claim in microseconds, or more. So no two claims have the same one, though a row is removed when
/// its work is handed back, and a failover to a replica may lose the last ones.
/// Nobody who asks waits: a lease that has not expired is only looked at, and one whose holder still writes is passed over.
///
/// $1 workspace, $2 work, $3 holder, $4 how long in milliseconds
const CLAIM: &str = "WITH now AS (SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT) AS us), \
    expired AS (SELECT l.workspace, l.work FROM leases AS l, now \
        WHERE l.workspace = $1 AND l.work = $2 AND l.expires_at <= now.us / 1000 FOR UPDATE OF l SKIP LOCKED), \
    taken AS (UPDATE leases AS l SET generation = GREATEST(l.generation + 1, now.us), holder = $3, \
            expires_at = now.us / 1000 + $4 \
        FROM expired AS e, now WHERE l.workspace = e.workspace AND l.work = e.work RETURNING l.generation), \
    made AS (INSERT INTO leases (workspace, work, generation, holder, expires_at) \
        SELECT $1, $2, now.us, $3, now.us / 1000 + $4 FROM now \
        WHERE NOT EXISTS (SELECT 1 FROM leases AS l WHERE l.workspace = $1 AND l.work = $2) \
        ON CONFLICT DO NOTHING RETURNING generation) \
    SELECT generation FROM taken UNION ALL SELECT generation FROM made";
/// $1 workspace, $2 work
const HOLDER: &str = "SELECT holder FROM leases WHERE workspace = $1 AND work = $2";
/// $1 workspace, $2 work, $3 generation, $4 how long in milliseconds
const EXTEND: &str = "UPDATE leases \
    SET expires_at = CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT) + $4 \
    WHERE workspace = $1 AND work = $2 AND generation = $3";
/// $1 workspace, $2 work, $3 generation
const HAND_BACK: &str = "DELETE FROM leases WHERE workspace = $1 AND work = $2 AND generation = $3";

/// Who asks for work, and for how long.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Claim {
    /// The work.
    pub work: String,
    /// The host and the process, for people.
    pub holder: String,
    /// After how long without an extension another host may take over.
    pub lasts: Duration,
}

impl Claim {
    /// A claim of some work.
    pub fn new(work: impl Into<String>, holder: impl Into<String>, lasts: Duration) -> Self {
        Self {
            work: work.into(),
            holder: holder.into(),
            lasts,
        }
    }
}

/// The result of a claim.
pub enum Claimed {
    /// The work is this host's.
    Held(Lease),
    /// Another one does it.
    Taken {
        /// The host and the process.
        holder: String,
    },
}

/// The key of a lease.
struct Held {
    database: Arc<Database>,
    workspace: i64,
    work: String,
    generation: i64,
    lasts: Duration,
    /// When it was last extended, at the beginning of that call. A machine that sleeps stops one of the two clocks, and people
    /// set the other one.
    extended: Mutex<(Instant, SystemTime)>,
    is_lost: watch::Sender<bool>,
}

/// Work that is this host's until the lease is dropped, or lost. It is extended in the background.
pub struct Lease {
    held: Arc<Held>,
    extending: AbortHandle,
    is_handed_back: AtomicBool,
}

impl Lease {
    /// Claims work.
    pub(crate) fn claim(
        database: &Arc<Database>,
        workspace: i64,
        claim: &Claim,
    ) -> Result<Claimed, PostgresError> {
        if let Some(lease) = Self::try_claim(database, workspace, claim)? {
            return Ok(Claimed::Held(lease));
        }
        let work = [
            (&workspace as _, Type::INT8),
            (&claim.work as _, Type::TEXT),
        ];
        let rows = database.wait(database.single(HOLDER, &work))??;
        let holder = rows.first().map(|row| row.get(0)).unwrap_or_default();
        Ok(Claimed::Taken { holder })
    }

    /// Claims work; `None` if another one has it.
    pub(crate) fn try_claim(
        database: &Arc<Database>,
        workspace: i64,
        claim: &Claim,
    ) -> Result<Option<Self>, PostgresError> {
        let begun = (Instant::now(), system_clock::now());
        let milliseconds = milliseconds(claim.lasts);
        let rows = database.wait(database.single(
            CLAIM,
            &[
                (&workspace, Type::INT8),
                (&claim.work, Type::TEXT),
                (&claim.holder, Type::TEXT),
                (&milliseconds, Type::INT8),
            ],
        ))??;
        let Some(row) = rows.first() else {
            return Ok(None);
        };
        let held = Arc::new(Held {
            database: database.clone(),
            workspace,
            work: claim.work.clone(),
            generation: row.get(0),
            lasts: claim.lasts,
            extended: Mutex::new(begun),
            is_lost: watch::Sender::new(false),
        });
        let extending = database.spawn(extend(held.clone()))?;
        Ok(Some(Self {
            held,
            extending,
            is_handed_back: AtomicBool::new(false),
        }))
    }

    /// Becomes true when another host may have taken over.
    #[must_use]
    pub fn is_lost(&self) -> watch::Receiver<bool> {
        self.held.is_lost.subscribe()
    }

    /// Returns true if nobody else can have taken over yet.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.held.is_held()
    }

    /// The database, whose writing transactions of the workspace need the lease.
    pub(crate) fn backend(&self) -> Arc<dyn Backend> {
        Arc::new(Leased(self.held.clone()))
    }
}

impl Lease {
    /// Hands the work back, so that another host need not wait. Blocks for a moment.
    pub(crate) fn hand_back(&self) {
        if self.is_handed_back.swap(true, Ordering::Relaxed) {
            return;
        }
        self.extending.abort();
        let held = &self.held;
        held.is_lost.send_replace(true);
        let values: [(&(dyn ToSql + Sync), Type); 3] = [
            (&held.workspace, Type::INT8),
            (&held.work, Type::TEXT),
            (&held.generation, Type::INT8),
        ];
        // If the database is away, the lease expires by itself.
        let handed = held.database.wait(async {
            tokio::time::timeout(
                HAND_BACK_WAIT,
                held.database.single_count(HAND_BACK, &values),
            )
            .await
        });
        if !matches!(handed, Ok(Ok(Ok(_)))) {
            tracing::debug!("a lease was not handed back, and so expires");
        }
    }
}

impl Drop for Lease {
    /// Hands the work back. Blocks for a moment.
    fn drop(&mut self) {
        self.hand_back();
    }
}

impl Held {
    fn is_held(&self) -> bool {
        let (at, by_date) = *self.extended.lock().unwrap_or_else(PoisonError::into_inner);
        let by_date = system_clock::now()
            .duration_since(by_date)
            .unwrap_or_default();
        !*self.is_lost.borrow() && at.elapsed().max(by_date) < self.lasts
    }
}

/// Extends a lease until it is lost.
async fn extend(held: Arc<Held>) {
    let milliseconds = milliseconds(held.lasts);
    loop {
        tokio::time::sleep(held.lasts / EXTENSIONS).await;
        let begun = (Instant::now(), system_clock::now());
        let values: [(&(dyn ToSql + Sync), Type); 4] = [
            (&held.workspace, Type::INT8),
            (&held.work, Type::TEXT),
            (&held.generation, Type::INT8),
            (&milliseconds, Type::INT8),
        ];
        let extended = held.database.single_count(EXTEND, &values);
        match tokio::time::timeout(held.lasts, extended).await {
            Ok(Ok(1)) => {
                let failures = held.database.not_extended.swap(0, Ordering::Relaxed);
                if failures > 0 {
                    tracing::info!("leases are extended again; {failures} attempts failed");
                }
                *held.extended.lock().unwrap_or_else(PoisonError::into_inner) = begun;
            }
            Ok(Ok(_)) => {
                held.is_lost.send_replace(true);
                return;
            }
            // As long as nobody else claims the work, the next extension will do.
            Ok(Err(error)) => held.database.is_not_extended(&error),
            Err(_) => held.database.is_not_extended(&"no answer"),
        }
    }
}

impl Database {
    /// Tells it of one lease, and not again before one was extended.
    fn is_not_extended(&self, why: &dyn Display) {
        if self.not_extended.fetch_add(1, Ordering::Relaxed) > 0 {
            tracing::debug!("a lease was not extended: {why}");
        } else {
            tracing::warn!("leases are not extended: {why}");
        }
    }
}

fn milliseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

/// A database whose writing transactions need a lease.
struct Leased(Arc<Held>);

impl Leased {
    fn condition(&self) -> String {
        let Held {
            workspace,
            work,
            generation,
            ..
        } = &*self.0;
        let work = work.replace('\'', "''");
        format!("SELECT require_lease({workspace}, '{work}', {generation})")
    }

    /// Notes that another host has taken over.
    fn note<T>(&self, result: Result<T, PostgresError>) -> Result<T, PostgresError> {
        if matches!(result, Err(PostgresError::TakenOver(_))) {
            self.0.is_lost.send_replace(true);
        }
        result
    }
}

impl Backend for Leased {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.0.database.read(work)
    }

    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        let database = &self.0.database;
        let begun = database.begin_write(workspace, &self.condition());
        let writing = self.note(begun)?;
        work(&writing).map_err(|fault| database.fault(fault))?;
        Ok(database.commit(writing)?)
    }

    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.0.database.try_out(workspace, work)
    }

    fn try_room(&self, workspace: i64) -> Result<(), StorageError> {
        self.0.database.try_room(workspace)
    }

    fn connections(&self) -> (usize, usize) {
        self.0.database.connections()
    }

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        self.0.database.discard_erased()
    }
}
