//! Connections: one for writing, and some for reading.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use myao_plugin::storage::StorageError;
use myao_sql::backend::{Backend, Work};
use myao_sql::fault::Fault;
use myao_sql::session::Connection;
use rusqlite::config::DbConfig;
use rusqlite::{ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use super::error::StoreError;
use super::foreign;
use super::session::{SqliteSession, failed};

/// How long a call waits for another process's transaction.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// How long to wait before asking a busy database again to change its mode.
const WAL_RETRY: Duration = Duration::from_millis(10);

/// How many KiB of pages a connection keeps at most.
const CACHE_KIB: i32 = 32 << 10;

/// How many reading connections are kept open.
const IDLE_READERS: usize = 4;

/// The shortest time from one vacuum to the next, which writes the whole file anew.
const VACUUM_INTERVAL: Duration = Duration::from_secs(3600);

/// More than most events have.
const ROOM_BYTES: usize = 64 << 10;

/// Enough for all statements, so that none is prepared twice.
const STATEMENTS: usize = 160;

/// The connections of one file.
pub(super) struct Pool {
    path: PathBuf,
    connect: Connect,
    writer: Mutex<SqliteSession>,
    /// Writes that wait for the connection or use it.
    writes: AtomicUsize,
    readers: Mutex<Vec<SqliteSession>>,
    last_vacuum: Mutex<Option<Instant>>,
}

/// Opens a connection to a file.
type Connect = fn(&Path) -> Result<SqliteSession, StoreError>;

/// Opens a connection; creates the file if it does not exist.
pub(super) fn connect(path: &Path) -> Result<SqliteSession, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    set_up(path, rusqlite::Connection::open_with_flags(path, flags))
}

/// Opens a connection to a file that nobody changes meanwhile: it reads that file alone, and needs no other one beside it.
pub(super) fn connect_unchanging(path: &Path) -> Result<SqliteSession, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let uri = format!("file:{}?immutable=1", in_uri(path));
    set_up(path, rusqlite::Connection::open_with_flags(uri, flags))
}

/// A path as a URI has it.
fn in_uri(path: &Path) -> String {
    let bytes = path.as_os_str().as_encoded_bytes().iter();
    let encoded = bytes.map(|byte| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'_' | b'-' => {
            char::from(*byte).to_string()
        }
        other => format!("%{other:02x}"),
    });
    encoded.collect()
}

fn set_up(
    path: &Path,
    opened: rusqlite::Result<rusqlite::Connection>,
) -> Result<SqliteSession, StoreError> {
    let at = |error| StoreError::of(path, error);
    let mut connection = opened.map_err(at)?;
    connection.busy_timeout(BUSY_TIMEOUT).map_err(at)?;
    // Without this, SQLite plans a statement again whenever its parameters change, which costs more than most
    // statements.
    connection
        .set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)
        .map_err(at)?;
    // The schema has no triggers, but somebody else may have written the file.
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
    ] {
        connection.set_db_config(setting, is_on).map_err(at)?;
    }
    read_schema(&mut connection).map_err(at)?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    connection
        .pragma_update(None, "foreign_keys", true)
        .map_err(at)?;
    connection
        .pragma_update(None, "synchronous", "FULL")
        .map_err(at)?;
    // A search over a million messages reads pages from all over the file.
    connection
        .pragma_update(None, "cache_size", -CACHE_KIB)
        .map_err(at)?;
    // Deleted data is overwritten in the file, too.
    connection
        .pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))
        .map_err(at)?;
    Ok(SqliteSession(connection))
}

/// Reads the schema, which may have any size in a file that somebody else has written, in a limited number of steps.
fn read_schema(connection: &mut rusqlite::Connection) -> rusqlite::Result<()> {
    foreign::limit_schema(connection)?;
    connection.execute_batch("SELECT 1 FROM sqlite_schema LIMIT 0")?;
    connection.progress_handler(0, None::<fn() -> bool>)
}

impl Pool {
    /// Makes a pool from a connection to a database of myao.
    pub(super) fn new(path: &Path, writer: SqliteSession) -> Result<Self, StoreError> {
        enter_wal(&writer).map_err(|error| StoreError::of(path, error))?;
        Ok(Self::of(path, connect, writer))
    }

    /// Makes a pool from a connection to a database of myao that nobody changes: writing to it fails.
    pub(super) fn unchanging(path: &Path, reader: SqliteSession) -> Self {
        Self::of(path, connect_unchanging, reader)
    }

    fn of(path: &Path, connect: Connect, first: SqliteSession) -> Self {
        Self {
            path: path.to_owned(),
            connect,
            writer: Mutex::new(first),
            writes: AtomicUsize::new(0),
            readers: Mutex::default(),
            last_vacuum: Mutex::default(),
        }
    }

    /// The database file.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Runs `work` in one transaction that sees one state of the database. If no write wants the writing connection, it
    /// is used, because only its cache contains what was written last; else a separate connection is used.
    pub(super) fn read<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        if self.writes.load(Ordering::Relaxed) == 0
            && let Ok(connection) = self.writer.try_lock()
        {
            return in_snapshot(&connection, work)
                .map_err(|fault| StoreError::of_fault(&self.path, fault));
        }
        let idle = self
            .readers
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .pop();
        let connection = match idle {
            Some(connection) => connection,
            None => self.new_reader()?,
        };
        let result =
            in_snapshot(&connection, work).map_err(|fault| StoreError::of_fault(&self.path, fault));
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(connection);
        }
        result
    }

    /// Runs `work` in one writing transaction. It is committed if `work` succeeds.
    pub(super) fn write<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        self.with_writer(|connection| in_transaction(connection, work))
            .map_err(|fault| StoreError::of_fault(&self.path, fault))
    }

    /// Runs `work` in one writing transaction, and undoes it.
    pub(super) fn try_out<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, Fault>,
    ) -> Result<T, StoreError> {
        let tried = |session: &mut SqliteSession| {
            let _undone = begin(session, TransactionBehavior::Immediate)?;
            work(session)
        };
        self.with_writer(tried)
            .map_err(|fault| StoreError::of_fault(&self.path, fault))
    }

    /// Tries whether the disk has room. A transaction that is undone writes nothing, so a file beside the database tells.
    fn try_disk(&self) -> Result<(), StoreError> {
        let mut beside = self.path.as_os_str().to_owned();
        beside.push("-room");
        let written = std::fs::write(&beside, [b'0'; ROOM_BYTES]);
        // Another thread may try at the same time.
        let _ = std::fs::remove_file(&beside);
        written.map_err(|error| StoreError::of_disk(&self.path, &error))
    }

    /// Moves all pages of the log into the file, and empties the log. Returns why it could not.
    pub(super) fn empty_log(&self) -> Result<Option<String>, StoreError> {
        // Idle readers of this process hold no snapshot, and those of others are waited for.
        let emptied = self.with_writer(|connection| {
            connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| {
                row.get::<_, bool>(0)
            })
        });
        let is_busy = emptied.map_err(|error| StoreError::of(&self.path, error))?;
        let log = format!("{}-wal", self.path.display());
        Ok(is_busy.then(|| {
            format!("another program reads the database, so its log `{log}` could not be emptied")
        }))
    }

    /// Writes the file anew, unless that was done shortly before: where SQLite has moved a row to another page, the page that it came
    /// from may have its bytes in an unused part, which `secure_delete` does not reach. Returns why it could not.
    fn vacuum(&self) -> Option<String> {
        let mut last = self
            .last_vacuum
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|last| last.elapsed() < VACUUM_INTERVAL) {
            return None;
        }
        let vacuumed = self.with_writer(|connection| connection.execute_batch("VACUUM"));
        if let Err(error) = vacuumed {
            let error = StoreError::of(&self.path, error);
            return Some(format!(
                "copies of erased rows may be left in the file, which could not be written anew: {error}; mend that, and forget again"
            ));
        }
        *last = Some(Instant::now());
        None
    }

    /// Runs `work` on the writing connection, outside a transaction.
    pub(super) fn with_writer<T>(&self, work: impl FnOnce(&mut SqliteSession) -> T) -> T {
        self.writes.fetch_add(1, Ordering::Relaxed);
        // A panic in `work` rolls its transaction back, so the connection stays usable.
        let mut connection = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let result = work(&mut connection);
        self.writes.fetch_sub(1, Ordering::Relaxed);
        result
    }

    fn new_reader(&self) -> Result<SqliteSession, StoreError> {
        let connection = (self.connect)(&self.path)?;
        connection
            .pragma_update(None, "query_only", true)
            .map_err(|error| StoreError::of(&self.path, error))?;
        Ok(connection)
    }
}

/// Switches to WAL mode; a new database is not in WAL mode yet. SQLite itself does not wait here for other processes.
fn enter_wal(connection: &rusqlite::Connection) -> rusqlite::Result<()> {
    let begun = Instant::now();
    loop {
        let entered = connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()));
        match entered {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && begun.elapsed() < BUSY_TIMEOUT =>
            {
                std::thread::sleep(WAL_RETRY);
            }
            entered => return entered,
        }
    }
}

/// Begins a transaction. Dropping it rolls it back.
pub(super) fn begin(
    session: &SqliteSession,
    behavior: TransactionBehavior,
) -> Result<Transaction<'_>, Fault> {
    Transaction::new_unchecked(session, behavior).map_err(|error| failed(error).into())
}

fn in_snapshot<T>(
    session: &SqliteSession,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let _undone = begin(session, TransactionBehavior::Deferred)?;
    work(session)
}

fn in_transaction<T>(
    session: &SqliteSession,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, Fault> {
    let transaction = begin(session, TransactionBehavior::Immediate)?;
    let value = work(session)?;
    transaction.commit().map_err(failed)?;
    Ok(value)
}

impl Backend for Pool {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        Ok(Self::read(self, work)?)
    }

    /// The file has one writer at a time, whichever the workspace.
    fn write(&self, _workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        Ok(Self::write(self, work)?)
    }

    fn try_out(&self, _workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        Ok(Self::try_out(self, work)?)
    }

    fn try_room(&self, _workspace: i64) -> Result<(), StorageError> {
        Self::try_out(self, |_| Ok(()))?;
        Ok(self.try_disk()?)
    }

    /// Erased rows are overwritten in the file at once; their old pages are in the log until it is emptied.
    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        let kept = self.vacuum();
        Ok(self.empty_log()?.or(kept))
    }
}

#[cfg(test)]
impl Pool {
    /// Runs `work` as if a write had just begun to wait.
    pub(super) fn with_waiting_write<T>(&self, work: impl FnOnce() -> T) -> T {
        self.writes.fetch_add(1, Ordering::Relaxed);
        let result = work();
        self.writes.fetch_sub(1, Ordering::Relaxed);
        result
    }
}
