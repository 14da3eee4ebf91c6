//! Reads and writes by hand, with rusqlite, of the rows that the component reads and writes: each with the settings
//! of connections, the schema and the transactions of the store.

pub mod context;
pub mod generation;
pub mod import;

use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};
use rusqlite::Connection;
use rusqlite::config::DbConfig;

/// Opens a database as the store does.
///
/// # Errors
/// The error of the file or the disk.
pub fn open(path: &Path) -> Result<Connection> {
    let connection = Connection::open(path)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(160);
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "synchronous", "FULL")?;
    connection.pragma_update_and_check(None, "secure_delete", true, |_| Ok(()))?;
    Ok(connection)
}

/// Checks that two databases hold the same. `sql` selects rows of `main` that `other` has not.
///
/// # Errors
/// Where they differ.
pub fn check_same(one: &Path, other: &Path, sql: &str) -> Result<()> {
    for (one, other) in [(one, other), (other, one)] {
        let connection = open(one)?;
        connection.execute("ATTACH ?1 AS other", [other.to_string_lossy()])?;
        let differing: i64 = connection.query_row(sql, [], |row| row.get(0))?;
        ensure!(differing == 0, "{differing} rows are not in both databases");
    }
    Ok(())
}
