//! The schema: which program a database belongs to, and the migrations.

use myao_sql::fault::Fault;
use myao_sql::parts::index_all;
use rusqlite::{Connection, TransactionBehavior};

use super::pool;
use super::session::{SqliteSession, failed};

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
    session: &mut SqliteSession,
    indexing: &dyn Fn(u64, u64),
) -> Result<Found, Fault> {
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
    let found = migrate_alone(session, indexing);
    check(true)?;
    found
}

/// Migrates in its own transaction.
fn migrate_alone(session: &SqliteSession, indexing: &dyn Fn(u64, u64)) -> Result<Found, Fault> {
    let transaction = pool::begin(session, TransactionBehavior::Immediate)?;
    // Another process may have been first.
    let found = match look(session).map_err(failed)? {
        Some(found) => found,
        None => {
            migrate(session, indexing)?;
            Found::Ours
        }
    };
    transaction.commit().map_err(failed)?;
    Ok(found)
}

/// Renames the tables of the Python bot and creates those of myao, in the caller's transaction. Returns false if this
/// is no longer the bot's database.
pub(super) fn replace_legacy(session: &SqliteSession) -> Result<bool, Fault> {
    if look(session).map_err(failed)? != Some(Found::Legacy) {
        return Ok(false);
    }
    let set_aside = session.execute_batch(include_str!("sql/set_legacy_aside.sql"));
    set_aside.map_err(failed)?;
    migrate(session, &|_, _| {})?;
    Ok(true)
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

fn migrate(session: &SqliteSession, indexing: &dyn Fn(u64, u64)) -> Result<(), Fault> {
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
    if version < FIRST_INDEXED {
        index_all(session, indexing)?;
    }
    for (name, value) in [("application_id", APPLICATION_ID), ("user_version", NEWEST)] {
        session.pragma_update(None, name, value).map_err(failed)?;
    }
    Ok(())
}

fn pragma<T: rusqlite::types::FromSql>(connection: &Connection, name: &str) -> rusqlite::Result<T> {
    connection.pragma_query_value(None, name, |row| row.get(0))
}
