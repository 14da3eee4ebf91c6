//! Transactions of a backend that give a value.

use myao_plugin::OtherReason;
use myao_plugin::storage::StorageError;

use crate::backend::{Backend, Work};
use crate::fault::Fault;
use crate::session::Connection;

/// Reads one state of a database.
pub(crate) fn reading<T>(
    backend: &dyn Backend,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, StorageError> {
    once(work, |work| backend.read(work))
}

/// Writes everything that `work` writes, or nothing.
pub(crate) fn writing<T>(
    backend: &dyn Backend,
    workspace: i64,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, StorageError> {
    once(work, |work| backend.write(workspace, work))
}

/// Writes what `work` writes, and undoes it.
pub(crate) fn trying<T>(
    backend: &dyn Backend,
    workspace: i64,
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
) -> Result<T, StorageError> {
    once(work, |work| backend.try_out(workspace, work))
}

/// Runs `work` once in a transaction, and returns its value.
fn once<T>(
    work: impl FnOnce(&Connection) -> Result<T, Fault>,
    in_transaction: impl FnOnce(&mut Work<'_>) -> Result<(), StorageError>,
) -> Result<T, StorageError> {
    let (mut work, mut value) = (Some(work), None);
    in_transaction(&mut |connection| {
        if let Some(work) = work.take() {
            value = Some(work(connection)?);
        }
        Ok(())
    })?;
    value.ok_or_else(|| {
        let text = "the database ran no transaction".to_owned();
        StorageError::Other(OtherReason::new("no-transaction", text))
    })
}
