//! The workspaces of a database.

use crate::session::{Connection, OptionalExtension, Result};

/// The key of a workspace; `None` if the database does not have it.
///
/// # Errors
/// That of the database.
pub fn known_workspace(connection: &Connection, id: &str) -> Result<Option<i64>> {
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
