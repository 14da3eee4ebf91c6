//! Reads a foreign database without running anything in it.

use std::path::Path;

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error, ErrorCode};

use crate::ImportError;

/// The longest value, row or statement. The imported texts are shorter, and a row has few columns.
const MAX_VALUE_BYTES: i32 = 4 << 20;

/// After how many steps of its virtual machine SQLite asks whether to go on.
const STEPS: i32 = 100_000;

/// How many steps every database may take, and how many more for each of its bytes: reading a row of about fifty bytes
/// takes some hundred.
const MIN_STEPS: u64 = 100_000_000;
const STEPS_PER_BYTE: u64 = 20;

/// How many steps reading the schema may take: enough for some thousand tables. The bot has ten.
const SCHEMA_STEPS: u64 = 100_000;
const SCHEMA_STEPS_AT_ONCE: i32 = 1_000;

/// SQLite's memory during an import: pages, a sort, and the schema.
const MEMORY_BYTES: u32 = 64 << 20;

/// Limits SQLite's memory in the whole process, permanently: the schema of a foreign database may have any size.
///
/// # Errors
/// An error of SQLite's.
pub fn limit_memory() -> Result<(), ImportError> {
    let connection = Connection::open_in_memory()?;
    connection.pragma_update_and_check(None, "hard_heap_limit", MEMORY_BYTES, |_| Ok(()))?;
    Ok(())
}

/// Allows a connection to read tables only, and for a time that depends on the size of the file.
pub(super) fn guard(connection: &mut Connection, path: &Path) -> Result<(), ImportError> {
    for (setting, is_on) in [
        (DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true),
        (DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_TRIGGER, false),
        (DbConfig::SQLITE_DBCONFIG_ENABLE_VIEW, false),
    ] {
        connection.set_db_config(setting, is_on)?;
    }
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, MAX_VALUE_BYTES)?;
    allow(connection, SCHEMA_STEPS_AT_ONCE, SCHEMA_STEPS)?;
    // The memory settings of the file are overridden, and a sort goes to the disk.
    connection.execute_batch(
        "PRAGMA query_only = ON; PRAGMA cell_size_check = ON; PRAGMA mmap_size = 0;
        PRAGMA cache_size = -2000; PRAGMA temp_store = FILE; SELECT 1 FROM sqlite_schema LIMIT 0;",
    )?;
    let bytes = path.metadata().map_or(0, |metadata| metadata.len());
    let most = MIN_STEPS.saturating_add(bytes.saturating_mul(STEPS_PER_BYTE));
    allow(connection, STEPS, most)
}

/// Allows the connection `most` steps from now on; they are counted in units of `at_once`.
fn allow(connection: &mut Connection, at_once: i32, most: u64) -> Result<(), ImportError> {
    let mut steps = 0_u64;
    let is_enough = move || {
        steps += u64::from(at_once.unsigned_abs());
        steps > most
    };
    connection.progress_handler(at_once, Some(is_enough))?;
    Ok(())
}

impl From<Error> for ImportError {
    fn from(error: Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::OperationInterrupted) => Self::TooMuchWork,
            Some(ErrorCode::OutOfMemory | ErrorCode::TooBig) => Self::TooMuchMemory(error),
            _ => Self::Sqlite(error),
        }
    }
}
