//! The schema: which program a database belongs to, and the migrations.

use myao_sql::fault::Fault;
use rusqlite::{Connection, TransactionBehavior};

use super::pool;
use super::session::{SqliteSession, failed};

/// The number in the header of a database of myao: "myao" as an integer.
const APPLICATION_ID: i32 = i32::from_be_bytes(*b"myao");

/// Each migration takes a database from the version that is its index in this list to the next version.
const MIGRATIONS: [&str; 1] = [concat!(
    include_str!("schema/talk.sql"),
    include_str!("schema/memories.sql"),
    include_str!("schema/events.sql"),
    include_str!("schema/models.sql"),
)];

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

/// Migrates a new or older database to the newest schema; does not change any other.
pub(super) fn prepare(session: &mut SqliteSession) -> Result<Found, Fault> {
    // In one transaction: another process may be creating the database at this moment.
    let found = session
        .transaction()
        .and_then(|transaction| look(&transaction));
    if let Some(found) = found.map_err(failed)? {
        return Ok(found);
    }
    // A migration may recreate a table that other tables reference, so foreign keys are not checked meanwhile. They are
    // checked again on this connection afterwards, and on the next connection.
    let check = |is_on| {
        session
            .pragma_update(None, "foreign_keys", is_on)
            .map_err(failed)
    };
    check(false)?;
    let found = migrate_alone(session);
    check(true)?;
    found
}

/// Migrates in its own transaction.
fn migrate_alone(session: &SqliteSession) -> Result<Found, Fault> {
    let transaction = pool::begin(session, TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let found = match look(session).map_err(failed)? {
        Some(found) => found,
        None => {
            migrate(session)?;
            Found::Ours
        }
    };
    transaction.commit().map_err(failed)?;
    Ok(found)
}

/// The kind of a file; `None` if migrations must be applied.
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

/// Returns true if any version of myao has created its tables in a file.
pub(super) fn is_marked(connection: &Connection) -> rusqlite::Result<bool> {
    let application: i32 = pragma(connection, "application_id")?;
    Ok(application == APPLICATION_ID)
}

fn migrate(session: &SqliteSession) -> Result<(), Fault> {
    // In another program's database, `user_version` is not a version of this schema.
    let version: i32 = if is_marked(session).map_err(failed)? {
        pragma(session, "user_version").map_err(failed)?
    } else {
        0
    };
    for migration in MIGRATIONS
        .iter()
        .skip(usize::try_from(version).unwrap_or(0))
    {
        session.execute_batch(migration).map_err(failed)?;
    }
    for (name, value) in [("application_id", APPLICATION_ID), ("user_version", NEWEST)] {
        session.pragma_update(None, name, value).map_err(failed)?;
    }
    Ok(())
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
