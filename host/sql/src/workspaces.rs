//! The workspaces of a database.

use myao_plugin::storage::StorageError;

use crate::backend::Backend;
use crate::copy;
use crate::session::{Connection, Error, OptionalExtension, Result};
use crate::transaction::reading;

/// The ids of all workspaces.
///
/// # Errors
/// That of the database.
pub fn workspace_ids(backend: &dyn Backend) -> Result<Vec<String>, StorageError> {
    reading(backend, |connection| {
        let ids = "SELECT id FROM workspaces ORDER BY key";
        Ok(connection.query_map(ids, (), |row| row.get(0))?)
    })
}

/// The key of a workspace; `None` if the database does not have it.
///
/// # Errors
/// That of the database; also if it is a copy that is not complete, so that nobody works with a part of what was stored.
pub fn known_workspace(connection: &Connection, id: &str) -> Result<Option<i64>> {
    if copy::is_unfinished(connection)? {
        let text = "it is a copy that is not complete: run `myao database copy` again, from and to the same databases";
        return Err(Error::Value(text.into()));
    }
    let known = "SELECT key FROM workspaces WHERE id = ?1";
    connection
        .query_row(known, [id], |row| row.get(0))
        .optional()
}

/// The key of a workspace. A new workspace is added.
///
/// # Errors
/// That of the database.
pub fn workspace_key(connection: &Connection, id: &str) -> Result<i64> {
    match known_workspace(connection, id)? {
        Some(key) => Ok(key),
        // Another process may add it at this moment.
        None => connection.query_row(include_str!("sql/insert_workspace.sql"), [id], |row| {
            row.get(0)
        }),
    }
}
