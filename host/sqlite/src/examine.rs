//! Looks at a database file without changing it.

use std::path::Path;

use rusqlite::TransactionBehavior;

use super::error::{Fault, StoreError};
use super::{pool, schema};

/// How many faults are told.
const FAULTS: u32 = 5;

/// What a database file is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Examined {
    /// There is none.
    Missing,
    /// It holds nothing: no program made a table in it.
    Empty,
    /// The Python bot's.
    Legacy,
    /// Myao's, and it can be written.
    Ours {
        /// Its schema version.
        schema: i32,
        /// The one that this program brings it to.
        newest: i32,
        /// What SQLite finds damaged, at most five lines.
        faults: Vec<String>,
    },
}

/// Looks at a file, and at every page of it. Blocks.
///
/// # Errors
/// As [`super::SqliteStore::open`]; [`StoreError::ReadOnly`] and [`StoreError::Locked`] where it cannot be written.
pub fn examine(path: &Path) -> Result<Examined, StoreError> {
    if !path.exists() {
        return Ok(Examined::Missing);
    }
    let mut connection = pool::connect(path)?;
    let at = |fault: Fault| fault.at(path);
    let look = || Ok((schema::look(&connection)?, schema::is_marked(&connection)?));
    let (found, is_marked) = look().map_err(|error: rusqlite::Error| at(error.into()))?;
    match &found {
        Some(schema::Found::Legacy) => return Ok(Examined::Legacy),
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
        // It is rolled back.
        connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if found.is_none() && !is_marked {
            return Ok(Examined::Empty);
        }
        Ok(Examined::Ours {
            schema,
            newest: schema::NEWEST,
            faults,
        })
    })();
    examined.map_err(|error: rusqlite::Error| at(error.into()))
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
        // As it is once somebody has written, and taken everything out again.
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
        connection.pragma_update(None, "user_version", 1).unwrap();
        let older = Examined::Ours {
            schema: 1,
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
