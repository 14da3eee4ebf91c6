//! The schema: whose database a file is, and its migrations.

use rusqlite::{Connection, OptionalExtension, TransactionBehavior};

use super::error::Fault;

/// Marks a database of myao in its header: "myao" as a number.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"myao");

/// Each takes a database from the version of its place in this list to the next.
const MIGRATIONS: [&str; 8] = [
    include_str!("migrations/0001_start.sql"),
    include_str!("migrations/0002_failing_models.sql"),
    include_str!("migrations/0003_call_journal.sql"),
    include_str!("migrations/0004_recordings.sql"),
    include_str!("migrations/0005_slack.sql"),
    include_str!("migrations/0006_catch_up.sql"),
    include_str!("migrations/0007_error_codes.sql"),
    include_str!("migrations/0008_first_versions.sql"),
];

/// The schema version that this program reads and writes.
pub(super) const NEWEST: i32 = MIGRATIONS.len() as i32;

/// Whose database a file is.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Found {
    /// Myao's, with the newest schema.
    Ours,
    /// That of the Python bot.
    Legacy,
    /// Another program's.
    Foreign,
    /// Written by a newer myao, with this schema.
    Newer(i32),
}

/// Brings a new or older database to the newest schema; leaves all others alone.
pub(super) fn prepare(connection: &mut Connection) -> Result<Found, Fault> {
    // In one transaction: another process may be making the database just now.
    let found = look(&*connection.transaction()?)?;
    if let Some(found) = found {
        return Ok(found);
    }
    // A table that is made anew goes and comes back under the references to it. The next connection, and
    // this one from here on, check them again.
    connection.pragma_update(None, "foreign_keys", false)?;
    let found = migrate_alone(connection);
    connection.pragma_update(None, "foreign_keys", true)?;
    found
}

/// Migrates in a transaction of its own.
fn migrate_alone(connection: &mut Connection) -> Result<Found, Fault> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let found = match look(&transaction)? {
        Some(found) => found,
        None => {
            migrate(&transaction)?;
            Found::Ours
        }
    };
    transaction.commit()?;
    Ok(found)
}

/// Sets the tables of the Python bot aside and makes those of myao, in the caller's transaction; false
/// where this is no longer the bot's database.
pub(super) fn replace_legacy(connection: &Connection) -> rusqlite::Result<bool> {
    if look(connection)? != Some(Found::Legacy) {
        return Ok(false);
    }
    connection.execute_batch(include_str!("sql/set_legacy_aside.sql"))?;
    migrate(connection)?;
    Ok(true)
}

/// The key of a workspace, which is added if it is new.
pub(super) fn workspace_key(connection: &Connection, id: &str) -> rusqlite::Result<i64> {
    let key = connection
        .query_row("SELECT key FROM workspaces WHERE id = ?1", [id], |row| {
            row.get(0)
        })
        .optional()?;
    match key {
        Some(key) => Ok(key),
        None => connection.query_row(
            "INSERT INTO workspaces (id) VALUES (?1) RETURNING key",
            [id],
            |row| row.get(0),
        ),
    }
}

/// What a file is; none where migrations are to be applied.
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

/// Whether a myao, of whatever version, has made its tables in a file.
pub(super) fn is_marked(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i32 = pragma(connection, "application_id")?;
    Ok(application == APPLICATION_ID)
}

fn migrate(connection: &Connection) -> rusqlite::Result<()> {
    // What another program counts there is no version of this schema.
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
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    connection.pragma_update(None, "user_version", NEWEST)
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
