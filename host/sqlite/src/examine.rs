//! Examines a database file without changing it.

use std::path::Path;

use rusqlite::{Connection, TransactionBehavior};

use super::error::StoreError;
use super::{pool, schema};

/// How many faults are reported.
const FAULTS: u32 = 5;

/// How much is written to see whether the disk has room, and how many pages of it may stay in memory.
const TRIED_BYTES: u32 = 256 << 10;
const CACHED_PAGES: u32 = 8;

/// The kind of a database file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Examined {
    /// The file does not exist.
    Missing,
    /// It is empty: no program has made a table in it.
    Empty,
    /// It is myao's, and can be written.
    Ours {
        /// Its schema version.
        schema: i32,
        /// The version to which this program migrates it.
        newest: i32,
        /// The damage that SQLite reports, at most five lines.
        faults: Vec<String>,
    },
}

/// Examines a file and every page of it. Blocks.
///
/// # Errors
/// As [`super::SqliteStore::open`]; [`StoreError::ReadOnly`], [`StoreError::Full`] and [`StoreError::Locked`] if it cannot be
/// written.
pub fn examine(path: &Path) -> Result<Examined, StoreError> {
    if !path.exists() {
        return Ok(Examined::Missing);
    }
    let mut connection = pool::connect(path)?;
    let at = |error| StoreError::of(path, error);
    let look = || Ok((schema::look(&connection)?, schema::is_marked(&connection)?));
    let (found, is_marked) = look().map_err(at)?;
    match &found {
        Some(schema::Found::Legacy) => return Err(StoreError::Legacy(path.to_owned())),
        Some(schema::Found::Foreign) => return Err(StoreError::Foreign(path.to_owned())),
        Some(schema::Found::Newer(found)) => {
            return Err(StoreError::Newer {
                path: path.to_owned(),
                found: *found,
                known: schema::NEWEST,
            });
        }
        Some(schema::Found::Ours) | None => {}
    }
    let examined = (|| {
        let schema = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let mut faults: Vec<String> = Vec::new();
        connection.pragma(None, "quick_check", FAULTS, |row| {
            faults.push(row.get(0)?);
            Ok(())
        })?;
        faults.retain(|line| line != "ok");
        try_to_write(&mut connection)?;
        if found.is_none() && !is_marked {
            return Ok(Examined::Empty);
        }
        Ok(Examined::Ours {
            schema,
            newest: schema::NEWEST,
            faults,
        })
    })();
    examined.map_err(at)
}

/// Writes more than the cache holds, so that a full disk is noticed, and undoes it.
fn try_to_write(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.pragma_update(None, "cache_size", CACHED_PAGES)?;
    // Dropping the transaction rolls it back.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    transaction.execute_batch("CREATE TABLE examined (bytes BLOB)")?;
    transaction.execute(
        "INSERT INTO examined (bytes) VALUES (zeroblob(?1))",
        [TRIED_BYTES],
    )?;
    Ok(())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{Examined, examine};
    use crate::{SqliteStore, StoreError, schema};

    fn folder() -> tempfile::TempDir {
        tempfile::TempDir::new().unwrap()
    }

    #[test]
    fn a_missing_database_is_not_made() {
        let folder = folder();
        let path = folder.path().join("myao.db");
        assert_eq!(examine(&path).unwrap(), Examined::Missing);
        assert!(!path.exists());
    }

    #[test]
    fn an_empty_file_is_told_from_an_older_database() {
        let folder = folder();
        let path = folder.path().join("myao.db");
        std::fs::write(&path, "").unwrap();
        assert_eq!(examine(&path).unwrap(), Examined::Empty);
        // The file is then as it is after somebody has written and deleted everything again.
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .execute_batch("CREATE TABLE t (a); DROP TABLE t;")
            .unwrap();
        drop(connection);
        assert!(path.metadata().unwrap().len() > 0);
        assert_eq!(examine(&path).unwrap(), Examined::Empty);
    }

    #[test]
    fn an_older_database_is_not_migrated() {
        let folder = folder();
        let path = folder.path().join("myao.db");
        drop(SqliteStore::open(&path).unwrap());
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection.pragma_update(None, "user_version", 0).unwrap();
        let older = Examined::Ours {
            schema: 0,
            newest: schema::NEWEST,
            faults: Vec::new(),
        };
        assert_eq!(examine(&path).unwrap(), older);
        assert_eq!(examine(&path).unwrap(), older);
    }

    #[test]
    fn damage_is_found_before_a_query_meets_it() {
        let folder = folder();
        let path = folder.path().join("myao.db");
        drop(SqliteStore::open(&path).unwrap());
        let connection = rusqlite::Connection::open(&path).unwrap();
        connection
            .pragma_update(None, "journal_mode", "DELETE")
            .unwrap();
        drop(connection);
        let mut bytes = std::fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        for byte in bytes.iter_mut().skip(middle) {
            *byte = 0xff;
        }
        std::fs::write(&path, bytes).unwrap();
        let damaged = match examine(&path) {
            Ok(Examined::Ours { faults, .. }) => !faults.is_empty(),
            Err(StoreError::Damaged { .. }) => true,
            _ => false,
        };
        assert!(damaged);
    }
}
