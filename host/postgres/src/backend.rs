//! The connection to PostgreSQL as the statements of `myao-sql` use it.

use myao_plugin::storage::StorageError;
use myao_sql::backend::{Backend, Work};

use crate::database::Database;
use crate::vacuum;

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

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        Ok(vacuum::discard(self)?)
    }
}
