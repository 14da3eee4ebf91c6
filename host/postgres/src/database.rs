//! The connections to one database, and the thread that serves their sockets.

use std::sync::Arc;
use std::sync::atomic::AtomicU32;
use std::time::{Duration, Instant};

use deadpool_postgres::{
    Manager, ManagerConfig, Object, Pool, PoolError, RecyclingMethod, Runtime as PoolRuntime,
    TimeoutType,
};
use myao_sql::fault::Fault;
use myao_sql::session::Connection;
use tokio::runtime::{Builder, Runtime};
use tokio::task::AbortHandle;
use tokio::time::error::Elapsed;
use tokio_postgres::Row;
use tokio_postgres::types::{ToSql, Type};

use crate::address::Address;
use crate::connect::Connecting;
use crate::error::{PostgresError, is_gone};
use crate::options::PostgresOptions;
use crate::session::{Failure, InTransaction, TransactionId};
use crate::texts::Texts;
use crate::tls::Tls;
use crate::turns::{Turn, Turns};
use crate::wait::wait;

/// How long a connection of the pool is waited for, and how long making one may take.
const POOL_WAIT: Duration = Duration::from_secs(10);
const CONNECT_WAIT: Duration = Duration::from_secs(30);

/// How long a writer waits for those of its workspace that are before it in this process.
const TURN_WAIT: Duration = Duration::from_secs(20);

/// How long a statement may take: of a call, and of an import. PostgreSQL counts the time that who reads its rows takes, too.
const STATEMENT: Duration = Duration::from_secs(300);
const LONG_STATEMENT: Duration = Duration::from_secs(600);

/// How long a statement about a lease may take.
const SHORT: Duration = Duration::from_secs(10);

/// The numbers of the advisory locks begin with this one, "myao", so that they are not those of another program.
const LOCKS: i32 = i32::from_be_bytes(*b"myao");

/// The lists that statements are given are short, and most tables are large, so their rows are looked up. The planner knows
/// neither, and disks have no heads any more. Nor does it know how few rows a term has, so it would compile a search of milliseconds.
const PLANNER: &str = "SET LOCAL random_page_cost = 1.1; SET LOCAL enable_hashjoin = off; SET LOCAL enable_mergejoin = off; SET LOCAL jit = off";

/// Begins a transaction that sees one state of the database.
const BEGIN_READ: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; \
    SET LOCAL statement_timeout = '300s'; SET LOCAL lock_timeout = '10s'; \
    SET LOCAL idle_in_transaction_session_timeout = '600s'";

/// Begins a transaction that writes. A host that falls asleep in it must not hold up the others: the server ends it.
const BEGIN_WRITE: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL statement_timeout = '300s'; SET LOCAL lock_timeout = '10s'; \
    SET LOCAL idle_in_transaction_session_timeout = '30s'";

/// Begins a transaction that writes much, between which it reads files.
const BEGIN_LONG: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL statement_timeout = '600s'; SET LOCAL lock_timeout = '10s'; \
    SET LOCAL idle_in_transaction_session_timeout = '600s'";

/// Begins a migration, which waits for that of another host. It may make an index, however long that takes.
const BEGIN_MIGRATION: &str = "BEGIN ISOLATION LEVEL READ COMMITTED; \
    SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '600s'; \
    SET LOCAL idle_in_transaction_session_timeout = '600s'";

/// Asks for the number of a transaction.
const ID: &str = "SELECT pg_current_xact_id()";

/// The run of the server, which begins with a checkpoint. One that has crashed gives the numbers of transactions that had not reached
/// its disk to others (`GetNewTransactionId` in PostgreSQL's `varsup.c` logs nothing).
const RUN: &str = "pg_postmaster_start_time() || ' ' || (pg_control_checkpoint()).checkpoint_lsn";

/// How long it is asked whether a transaction was committed, and how often. A server that has crashed may be back by then.
const SETTLE: Duration = Duration::from_secs(40);
const SETTLE_AGAIN: Duration = Duration::from_millis(100);

/// The end of a transaction, as far as the server knows.
enum Outcome {
    Committed,
    Undone,
    Open,
    /// The server has crashed since.
    Unknown,
}

/// The connections to one database.
pub(crate) struct Database {
    pool: Pool,
    address: Address,
    connections: usize,
    texts: Arc<Texts>,
    /// Who writes, and who waits to.
    pub(crate) turns: Turns,
    /// How long it is asked whether a transaction was committed.
    pub(crate) settle: Duration,
    /// How often a lease was not extended since one was.
    pub(crate) not_extended: AtomicU32,
    /// Serves the sockets, whichever runtime the caller has, and if it has none. `None` while it is dropped.
    runtime: Option<Runtime>,
}

impl Database {
    /// Connects to nothing yet.
    pub(crate) fn new(options: &PostgresOptions) -> Result<Self, PostgresError> {
        let address = options.address();
        let failed = |detail: String| PostgresError::other(&address, &detail);
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("myao-postgres")
            .enable_all()
            .build()
            .map_err(|error| failed(format!("its thread cannot be started: {error}")))?;
        let connecting = Connecting {
            tls: Tls::new(options)?,
            ssl_mode: options.ssl_mode,
        };
        // The driver knows of most closed connections without asking; `begin` meets the others.
        let config = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let manager = Manager::from_connect(options.config.clone(), connecting, config);
        let pool = Pool::builder(manager)
            .max_size(options.connections)
            .wait_timeout(Some(POOL_WAIT))
            .create_timeout(Some(CONNECT_WAIT))
            .runtime(PoolRuntime::Tokio1)
            .build()
            .map_err(|error| failed(error.to_string()))?;
        Ok(Self {
            pool,
            address,
            connections: options.connections,
            texts: Arc::default(),
            turns: Turns::default(),
            settle: SETTLE,
            not_extended: AtomicU32::new(0),
            runtime: Some(runtime),
        })
    }

    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// How many connections are in use, and how many there can be.
    pub(crate) fn connections_in_use(&self) -> (usize, usize) {
        let status = self.pool.status();
        (
            status.size.saturating_sub(status.available),
            status.max_size,
        )
    }

    fn runtime(&self) -> Result<&Runtime, PostgresError> {
        self.runtime
            .as_ref()
            .ok_or_else(|| PostgresError::other(&self.address, "it was closed"))
    }

    /// Runs a future on this thread, with the store's sockets and clocks. Blocks.
    pub(crate) fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, PostgresError> {
        let _sockets = self.runtime()?.enter();
        Ok(wait(future))
    }

    /// A connection. Blocks.
    fn client(&self) -> Result<Object, PostgresError> {
        self.wait(self.client_later())?
    }

    async fn client_later(&self) -> Result<Object, PostgresError> {
        // The pool would warn of each.
        self.pool.retain(|client, _| !client.is_closed());
        match self.pool.get().await {
            Ok(client) => Ok(client),
            Err(PoolError::Backend(error)) => Err(PostgresError::of(&self.address, &error)),
            Err(PoolError::Timeout(TimeoutType::Wait)) => Err(PostgresError::Busy {
                database: self.address.clone(),
                connections: self.connections,
            }),
            Err(PoolError::Timeout(_)) => Err(PostgresError::Unreachable {
                database: self.address.clone(),
                detail: "no answer".to_owned(),
            }),
            Err(error) => Err(PostgresError::other(&self.address, &error.to_string())),
        }
    }

    /// Begins a transaction. If the server has closed the connection meanwhile, as it does when it starts anew, another one is
    /// taken: nothing was done on it yet.
    fn begin(&self, begin: &str, limit: Option<Duration>) -> Result<InTransaction, PostgresError> {
        let mut is_first = true;
        loop {
            let runtime = self.runtime()?.handle().clone();
            let client = self.client()?;
            let texts = self.texts.clone();
            match InTransaction::begin(client, runtime, texts, limit, begin) {
                Ok(begun) => return Ok(begun),
                Err(error) if is_first && is_gone_failure(&error) => {
                    is_first = false;
                    // The others will be gone, too.
                    self.pool.retain(|_, _| false);
                }
                Err(error) => return Err(self.failed(&error)),
            }
        }
    }

    /// Begins a transaction that sees one state of the database.
    pub(crate) fn begin_read(&self) -> Result<InTransaction, PostgresError> {
        self.begin(&format!("{BEGIN_READ}; {PLANNER}"), Some(STATEMENT))
    }

    /// Begins a writing transaction of a workspace, after the one before has ended. `condition` is a statement that fails if it
    /// may not write; empty if it always may.
    pub(crate) fn begin_write(
        &self,
        workspace: i64,
        condition: &str,
    ) -> Result<InTransaction, PostgresError> {
        let lock = lock_of(workspace);
        let begin = format!("{BEGIN_WRITE}; {PLANNER}; {lock}; {condition}; {ID}, {RUN}");
        let turn = self.turn(workspace)?;
        Ok(self.begin(&begin, Some(STATEMENT))?.in_turn(turn))
    }

    /// Waits until no other writing transaction of a workspace is open in this process. Blocks.
    fn turn(&self, workspace: i64) -> Result<Turn, PostgresError> {
        let turn = async { tokio::time::timeout(TURN_WAIT, self.turns.wait(workspace)).await };
        let turn = self.wait(turn)?;
        turn.map_err(|_| PostgresError::Locked(self.address.clone()))
    }

    /// Runs one short statement in a transaction of its own. It is not said whether it has taken effect if it fails.
    pub(crate) async fn single(
        &self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<Vec<Row>, PostgresError> {
        let client = self.client_later().await?;
        let asked = tokio::time::timeout(SHORT, client.query_typed(sql, values)).await;
        self.answer(client, asked)
    }

    /// The same for a statement without a result. Returns how many rows it wrote.
    pub(crate) async fn single_count(
        &self,
        sql: &str,
        values: &[(&(dyn ToSql + Sync), Type)],
    ) -> Result<u64, PostgresError> {
        let client = self.client_later().await?;
        let asked = tokio::time::timeout(SHORT, client.execute_typed(sql, values)).await;
        self.answer(client, asked)
    }

    fn answer<T>(
        &self,
        client: Object,
        answer: Result<Result<T, tokio_postgres::Error>, Elapsed>,
    ) -> Result<T, PostgresError> {
        match answer {
            Ok(answer) => answer.map_err(|error| PostgresError::of(&self.address, &error)),
            Err(_) => {
                // The statement still runs there: nobody else may wait behind it.
                drop(Object::take(client));
                Err(PostgresError::Slow(self.address.clone()))
            }
        }
    }

    /// Runs a future in the background, on the store's runtime.
    pub(crate) fn spawn(
        &self,
        future: impl Future<Output = ()> + Send + 'static,
    ) -> Result<AbortHandle, PostgresError> {
        Ok(self.runtime()?.spawn(future).abort_handle())
    }

    /// Begins a writing transaction of many statements; of a workspace that is not known yet, if there is none.
    pub(crate) fn begin_long(
        &self,
        workspace: Option<i64>,
    ) -> Result<InTransaction, PostgresError> {
        let lock = workspace.map(lock_of).unwrap_or_default();
        let begin = format!("{BEGIN_LONG}; {PLANNER}; {lock}; {ID}, {RUN}");
        self.begin(&begin, Some(LONG_STATEMENT))
    }

    /// Begins a migration, after that of another host.
    pub(crate) fn begin_migration(&self) -> Result<InTransaction, PostgresError> {
        // No workspace has the key 0. A table that is in use holds up whoever comes after the migration, so it waits shortly.
        let lock = lock_of(0);
        let begin =
            format!("{BEGIN_MIGRATION}; {lock}; SET LOCAL lock_timeout = '10s'; {ID}, {RUN}");
        self.begin(&begin, None)
    }

    /// Runs statements outside a transaction.
    pub(crate) fn outside(&self, sql: &str) -> Result<(), PostgresError> {
        let client = self.client()?;
        self.wait(client.batch_execute(sql))?
            .map_err(|error| PostgresError::of(&self.address, &error))
    }

    /// Commits. If the answer is lost, the server is asked what became of the transaction.
    pub(crate) fn commit(&self, transaction: InTransaction) -> Result<(), PostgresError> {
        let id = transaction.id().cloned();
        let Err(failure) = transaction.commit() else {
            return Ok(());
        };
        match (PostgresError::of_commit(&self.address, &*failure), id) {
            (PostgresError::CommitUnknown { database, detail }, Some(id)) => {
                let begun = Instant::now();
                while begun.elapsed() < self.settle {
                    match self.outcome(&id) {
                        Ok(Outcome::Committed) => return Ok(()),
                        Ok(Outcome::Undone) => {
                            return Err(PostgresError::ConnectionLost { database, detail });
                        }
                        Ok(Outcome::Unknown) => break,
                        Ok(Outcome::Open) | Err(_) => std::thread::sleep(SETTLE_AGAIN),
                    }
                }
                Err(PostgresError::CommitUnknown { database, detail })
            }
            (error, _) => Err(error),
        }
    }

    /// Asks the server what became of a transaction.
    fn outcome(&self, transaction: &TransactionId) -> Result<Outcome, PostgresError> {
        let reading = self.begin_read()?;
        let connection: &Connection = &reading;
        let status = format!("SELECT pg_xact_status(CAST(?1 AS xid8)), {RUN}");
        let answer = connection.query_row(&status, [&transaction.id], |row| {
            Ok((row.get::<Option<String>>(0)?, row.get::<String>(1)?))
        });
        let (status, run) = answer.map_err(|error| self.fault(error.into()))?;
        reading.end_reading();
        Ok(match status.as_deref() {
            Some("aborted") => Outcome::Undone,
            // It may be another one with the same number.
            _ if run != transaction.run => Outcome::Unknown,
            Some("committed") => Outcome::Committed,
            _ => Outcome::Open,
        })
    }

    pub(crate) fn fault(&self, fault: Fault) -> PostgresError {
        PostgresError::of_fault(&self.address, fault)
    }

    fn failed(&self, failure: &Failure) -> PostgresError {
        PostgresError::of(&self.address, &**failure)
    }
}

/// Waits until no other writing transaction of a workspace is open. The lock is the transaction's, so it needs no session.
pub(crate) fn lock_of(workspace: i64) -> String {
    // The key has 32 bits. If two workspaces of 2^32 have the same one, they wait for each other, and that is all.
    let key = workspace as i32;
    format!("SELECT pg_advisory_xact_lock({LOCKS}, {key})")
}

/// Returns true if a connection was closed before its first statement.
fn is_gone_failure(failure: &Failure) -> bool {
    failure
        .downcast_ref::<tokio_postgres::Error>()
        .is_some_and(is_gone)
}

impl Drop for Database {
    /// Ends the thread without waiting for it: this may be within another runtime, where nothing may wait.
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
