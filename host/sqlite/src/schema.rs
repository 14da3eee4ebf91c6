//! The schema: which program a database belongs to, and the migrations.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::error::Fault;
use super::index;

/// The number in the header of a database of myao: "myao" as an integer.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"myao");

/// Each migration takes a database from the version that is its index in this list to the next version.
const MIGRATIONS: [&str; 28] = [
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_failing_models.sql"),
    include_str!("migrations/0003_call_journal.sql"),
    include_str!("migrations/0004_recordings.sql"),
    include_str!("migrations/0005_slack.sql"),
    include_str!("migrations/0006_catch_up.sql"),
    include_str!("migrations/0007_error_codes.sql"),
    include_str!("migrations/0008_first_versions.sql"),
    include_str!("migrations/0009_places.sql"),
    include_str!("migrations/0010_audiences.sql"),
    include_str!("migrations/0011_refused.sql"),
    include_str!("migrations/0012_progress.sql"),
    include_str!("migrations/0013_erasure.sql"),
    include_str!("migrations/0014_forgetting.sql"),
    include_str!("migrations/0015_models.sql"),
    include_str!("migrations/0016_windows.sql"),
    include_str!("migrations/0017_index.sql"),
    include_str!("migrations/0018_records.sql"),
    include_str!("migrations/0019_handed.sql"),
    include_str!("migrations/0020_lost_lines.sql"),
    include_str!("migrations/0021_marks.sql"),
    include_str!("migrations/0022_pins.sql"),
    include_str!("migrations/0023_doubtful.sql"),
    include_str!("migrations/0024_vectors.sql"),
    include_str!("migrations/0025_off_record.sql"),
    include_str!("migrations/0026_feedback.sql"),
    include_str!("migrations/0027_agent_tokens.sql"),
    include_str!("migrations/0028_done.sql"),
];

/// The first version with an index of terms. What is stored in an older database is indexed after the migrations.
const FIRST_INDEXED: i32 = 17;

/// The schema version that this program reads and writes.
pub(super) const NEWEST: i32 = MIGRATIONS.len() as i32;

/// Which program a database belongs to.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Myao's, with the newest schema.
    Ours,
    /// The Python bot's.
    Legacy,
    /// Another program's.
    Foreign,
    /// Written by a newer myao, with this schema.
    Newer(i32),
}

/// Migrates a new or older database to the newest schema; does not change any other. `indexing` hears how much of what is
/// stored is indexed, and how much there is.
pub(super) fn prepare(
    connection: &mut Connection,
    indexing: &dyn Fn(u64, u64),
) -> Result<Found, Fault> {
    // In one transaction: another process may be creating the database at this moment.
    let found = look(&*connection.transaction()?)?;
    if let Some(found) = found {
        return Ok(found);
    }
    // A migration may recreate a table that other tables reference, so foreign keys are not checked meanwhile. They are
    // checked again on this connection afterwards, and on the next connection.
    connection.pragma_update(None, "foreign_keys", false)?;
    let found = migrate_alone(connection, indexing);
    connection.pragma_update(None, "foreign_keys", true)?;
    found
}

/// Migrates in its own transaction.
fn migrate_alone(connection: &mut Connection, indexing: &dyn Fn(u64, u64)) -> Result<Found, Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let found = match look(&transaction)? {
        Some(found) => found,
        None => {
            migrate(&transaction, indexing)?;
            Found::Ours
        }
    };
    transaction.commit()?;
    Ok(found)
}

/// Renames the tables of the Python bot and creates those of myao, in the caller's transaction. Returns false if this
/// is no longer the bot's database.
pub(super) fn replace_legacy(connection: &Connection) -> rusqlite::Result<bool> {
    if look(connection)? != Some(Found::Legacy) {
        return Ok(false);
    }
    connection.execute_batch(include_str!("sql/set_legacy_aside.sql"))?;
    migrate(connection, &|_, _| {})?;
    Ok(true)
}

/// The key of a workspace; `None` if the database does not have it.
pub(super) fn known_workspace(connection: &Connection, id: &str) -> rusqlite::Result<Option<i64>> {
    connection
        .query_row("SELECT key FROM workspaces WHERE id = ?1", [id], |row| {
            row.get(0)
        })
        .optional()
}

/// The key of a workspace. A new workspace is added.
pub(super) fn workspace_key(connection: &Connection, id: &str) -> rusqlite::Result<i64> {
    match known_workspace(connection, id)? {
        Some(key) => Ok(key),
        None => connection.query_row(
            "INSERT INTO workspaces (id) VALUES (?1) RETURNING key",
            [id],
            |row| row.get(0),
        ),
    }
}

/// What a file is; `None` if migrations must be applied.
pub(super) fn look(connection: &Connection) -> rusqlite::Result<Option<Found>> {
    if is_marked(connection)? {
        let version: i32 = pragma(connection, "user_version")?;
        return Ok(match version {
            NEWEST => Some(Found::Ours),
            0..NEWEST => None,
            _ => Some(Found::Newer(version)),
        });
    }
    let application: i32 = pragma(connection, "application_id")?;
    let tables: i64 = connection.query_row(
        "SELECT COUNT(*) FROM sqlite_schema WHERE name NOT LIKE 'sqlite!_%' ESCAPE '!'",
        [],
        |row| row.get(0),
    )?;
    if application == 0 && tables == 0 {
        return Ok(None);
    }
    let legacy: bool =
        connection.query_row(include_str!("sql/legacy.sql"), [], |row| row.get(0))?;
    Ok(Some(if application == 0 && legacy {
        Found::Legacy
    } else {
        Found::Foreign
    }))
}

/// Whether any version of myao has created its tables in a file.
pub(super) fn is_marked(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i32 = pragma(connection, "application_id")?;
    Ok(application == APPLICATION_ID)
}

fn migrate(connection: &Connection, indexing: &dyn Fn(u64, u64)) -> rusqlite::Result<()> {
    // In another program's database, `user_version` is not a version of this schema.
    let version: i32 = if is_marked(connection)? {
        pragma(connection, "user_version")?
    } else {
        0
    };
    for migration in MIGRATIONS
        .iter()
        .skip(usize::try_from(version).unwrap_or(0))
    {
        connection.execute_batch(migration)?;
    }
    if version < FIRST_INDEXED {
        index::index_all(connection, indexing)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", NEWEST)
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
