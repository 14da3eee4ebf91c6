//! A transaction that is open as long as an import reads.

use std::path::{Path, PathBuf};

use myao_plugin::storage::StorageError;
use myao_sql::backend::Transaction;
use myao_sql::fault::Fault;
use myao_sql::session::Connection;

use super::error::StoreError;
use super::session::SqliteSession;

/// A writing transaction on a connection of its own.
pub(super) struct FileTransaction {
    session: SqliteSession,
    path: PathBuf,
}

impl FileTransaction {
    pub(super) fn begin(session: SqliteSession, path: &Path) -> Result<Self, StoreError> {
        let begun = session.execute_batch("BEGIN IMMEDIATE");
        begun.map_err(|error| StoreError::of(path, error))?;
        Ok(Self {
            session,
            path: path.to_owned(),
        })
    }
}

impl Transaction for FileTransaction {
    fn connection(&self) -> &Connection {
        &self.session
    }

    fn commit(self: Box<Self>) -> Result<(), StorageError> {
        let committed = self.session.execute_batch("COMMIT");
        Ok(committed.map_err(|error| StoreError::of(&self.path, error))?)
    }

    fn error(&self, fault: Fault) -> StorageError {
        StoreError::of_fault(&self.path, fault).into()
    }
}
