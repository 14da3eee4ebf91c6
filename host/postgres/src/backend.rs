//! The connection to PostgreSQL as the statements of `myao-sql` use it.

use myao_plugin::storage::StorageError;
use myao_sql::backend::{Backend, Work};

use crate::database::Database;
use crate::vacuum;

/// An event that needs new pages, even of an undone transaction.
///
/// ?1 workspace
const LARGE: &str = "INSERT INTO events (workspace, event_id, received_at, payload) \
    SELECT ?1, 'room', 0, string_agg(CAST(gen_random_uuid() AS TEXT), '') FROM generate_series(1, 500)";

impl Backend for Database {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        let reading = self.begin_read()?;
        work(&reading).map_err(|fault| self.fault(fault))?;
        reading.end_reading();
        Ok(())
    }

    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        let writing = self.begin_write(workspace, "")?;
        work(&writing).map_err(|fault| self.fault(fault))?;
        Ok(self.commit(writing)?)
    }

    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        let writing = self.begin_write(workspace, "")?;
        Ok(work(&writing).map_err(|fault| self.fault(fault))?)
    }

    fn try_room(&self, workspace: i64) -> Result<(), StorageError> {
        self.try_out(workspace, &mut |connection| {
            connection.execute(LARGE, [workspace])?;
            Ok(())
        })
    }

    fn connections(&self) -> (usize, usize) {
        self.connections_in_use()
    }

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        Ok(vacuum::discard(self)?)
    }
}
