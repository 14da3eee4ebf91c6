//! A transaction that is open as long as an import reads.

use std::path::{Path, PathBuf};

use myao_plugin::storage::StorageError;
use myao_sql::backend::Transaction;
use myao_sql::fault::Fault;
use myao_sql::session::Connection;

use super::error::StoreError;
use super::session::SqliteSession;

/// How many bytes an upgrade in place may add. They are kept in memory until its end.
const MAX_UPGRADE_BYTES: u32 = 100 << 20;

/// A writing transaction on a connection of its own.
pub(super) struct FileTransaction {
    session: SqliteSession,
    path: PathBuf,
    /// How many bytes it may add; `None` if only the disk limits it.
    limit: Option<u32>,
}

impl FileTransaction {
    pub(super) fn begin(session: SqliteSession, path: &Path) -> Result<Self, StoreError> {
        let begun = session.execute_batch("BEGIN IMMEDIATE");
        begun.map_err(|error| StoreError::of(path, error))?;
        Ok(Self {
            session,
            path: path.to_owned(),
            limit: None,
        })
    }

    pub(super) fn session(&self) -> &SqliteSession {
        &self.session
    }

    /// Limits by how much the file can grow.
    pub(super) fn limit_growth(&mut self) -> rusqlite::Result<()> {
        let read = |name| {
            self.session
                .pragma_query_value(None, name, |row| row.get::<_, i64>(0))
        };
        let most = read("page_count")? + i64::from(MAX_UPGRADE_BYTES) / read("page_size")?.max(1);
        self.session
            .pragma_update_and_check(None, "max_page_count", most, |_| Ok(()))?;
        self.limit = Some(MAX_UPGRADE_BYTES);
        Ok(())
    }
}

impl Transaction for FileTransaction {
    fn connection(&self) -> &Connection {
        &self.session
    }

    fn commit(self: Box<Self>) -> Result<(), StorageError> {
        // From here on, the disk may really be full, so the limit does not count.
        let committed = self.session.execute_batch("COMMIT");
        Ok(committed.map_err(|error| StoreError::of(&self.path, error))?)
    }

    /// If the transaction is limited, it has most likely met its own limit: it hardly writes to the disk before it ends.
    fn error(&self, fault: Fault) -> StorageError {
        match (StoreError::of_fault(&self.path, fault), self.limit) {
            (StoreError::Full(path), Some(limit)) => StoreError::TooLargeToUpgrade { path, limit },
            (error, _) => error,
        }
        .into()
    }
}
