//! The schema: which program a database belongs to, and the migrations.
//!
//! Several hosts use a database, and are updated one after the other. So a change takes two releases: the first one **expands**
//! the tables, in a way that programs with the schema before can still work with; a later one **contracts** them, when no host
//! needs the old form any more. `myao_schema` has a row for each migration, with its version and the oldest schema whose
//! programs may still work with the tables. A program that meets a newer schema goes on if it is not older than that.

use myao_sql::fault::Fault;
use myao_sql::session::{Connection, OptionalExtension as _};

use crate::database::Database;
use crate::error::PostgresError;

/// A step from one version of the schema to the next.
pub(crate) struct Migration {
    pub(crate) sql: &'static str,
    /// The oldest schema whose programs can still work with the tables afterwards.
    pub(crate) oldest_reader: i64,
}

/// Each takes a database from the version that is its index in this list to the next version.
pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    sql: concat!(
        include_str!("schema/functions.sql"),
        include_str!("schema/talk.sql"),
        include_str!("schema/memories.sql"),
        include_str!("schema/models.sql"),
        include_str!("schema/events.sql"),
    ),
    oldest_reader: 1,
}];

/// The version to which [`MIGRATIONS`] lead.
pub(crate) fn newest() -> i64 {
    i64::try_from(MIGRATIONS.len()).unwrap_or(i64::MAX)
}

/// Which program a database belongs to.
#[derive(Debug, PartialEq, Eq)]
enum Found {
    /// Nobody's: it has no tables.
    Empty,
    /// Another program's.
    Foreign,
    /// Myao's.
    Ours {
        version: i64,
        /// The oldest schema whose programs can work with it.
        oldest_reader: i64,
    },
}

/// Migrates a new or older database to the newest schema; does not change any other. With the newest schema, nothing but reading
/// it is needed.
pub(crate) fn prepare(database: &Database, migrations: &[Migration]) -> Result<(), PostgresError> {
    let newest = i64::try_from(migrations.len()).unwrap_or(i64::MAX);
    let mut version = read(database, newest)?;
    while version < newest {
        version = migrate(database, migrations, newest)?;
    }
    Ok(())
}

/// The oldest PostgreSQL that has what the statements need.
const OLDEST_SERVER: i64 = 14;

/// Refuses a server that is too old.
pub(crate) fn check_server(database: &Database) -> Result<(), PostgresError> {
    let reading = database.begin_read()?;
    let number = "SELECT CAST(current_setting('server_version_num') AS BIGINT)";
    let connection: &Connection = &reading;
    let number = connection.query_row(number, (), |row| row.get(0));
    let number = number.map_err(|error| database.fault(error.into()))?;
    reading.end_reading();
    match too_old(number) {
        None => Ok(()),
        Some(found) => Err(PostgresError::TooOld {
            database: database.address().clone(),
            found,
            oldest: OLDEST_SERVER,
        }),
    }
}

/// The version of a server that is too old, from its number: 130009 is 13.9, and 90624 is 9.6.24.
fn too_old(number: i64) -> Option<String> {
    let (major, rest) = (number / 10_000, number % 10_000);
    if major >= OLDEST_SERVER {
        return None;
    }
    Some(if major >= 10 {
        format!("{major}.{rest}")
    } else {
        format!("{major}.{}.{}", rest / 100, rest % 100)
    })
}

/// The version of a database that this program may use or migrate; `None` if it is empty.
pub(crate) fn version(database: &Database) -> Result<Option<i64>, PostgresError> {
    let version = read(database, newest())?;
    Ok((version > 0).then_some(version))
}

fn read(database: &Database, newest: i64) -> Result<i64, PostgresError> {
    let reading = database.begin_read()?;
    let found = look(&reading).map_err(|fault| database.fault(fault))?;
    reading.end_reading();
    check(database, &found, newest)
}

/// Applies one migration in a transaction of its own. Returns the version afterwards: another host may have been first.
fn migrate(
    database: &Database,
    migrations: &[Migration],
    newest: i64,
) -> Result<i64, PostgresError> {
    let writing = database.begin_migration()?;
    let found = look(&writing).map_err(|fault| database.fault(fault))?;
    let version = check(database, &found, newest)?;
    let index = usize::try_from(version).unwrap_or(usize::MAX);
    let Some(migration) = migrations.get(index) else {
        return Ok(version);
    };
    let next = version + 1;
    let Migration { sql, oldest_reader } = migration;
    let made = if version == 0 { CREATE } else { "" };
    let note = format!(
        "INSERT INTO myao_schema (version, oldest_reader) VALUES ({next}, {oldest_reader})"
    );
    writing
        .batch(&format!("{made}\n{sql}\n;\n{note}"))
        .map_err(|error| PostgresError::of(database.address(), &*error))?;
    database.commit(writing)?;
    tracing::info!("`{}` has schema {next} now", database.address());
    Ok(next)
}

/// The table by which a database of myao is known.
const CREATE: &str = "CREATE TABLE myao_schema (
    version BIGINT PRIMARY KEY,
    -- The oldest schema whose programs can work with the tables as they are after this migration.
    oldest_reader BIGINT NOT NULL,
    applied_at TIMESTAMPTZ NOT NULL DEFAULT now()
);";

/// The version of a database that this program may use or migrate; 0 if it is empty.
fn check(database: &Database, found: &Found, newest: i64) -> Result<i64, PostgresError> {
    match *found {
        Found::Empty => Ok(0),
        Found::Foreign => Err(PostgresError::Foreign(database.address().clone())),
        Found::Ours {
            version,
            oldest_reader,
        } if version > newest && oldest_reader > newest => Err(PostgresError::Newer {
            database: database.address().clone(),
            found: version,
            known: newest,
        }),
        Found::Ours { version, .. } => Ok(version),
    }
}

/// The kind of a database.
fn look(connection: &Connection) -> Result<Found, Fault> {
    // Other programs' extensions may bring tables of their own.
    let schema = "SELECT to_regclass('myao_schema') IS NOT NULL, EXISTS (
            SELECT 1 FROM pg_class AS c
            WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
                AND NOT EXISTS (SELECT 1 FROM pg_depend AS d
                    WHERE d.classid = CAST('pg_class' AS regclass) AND d.objid = c.oid AND d.deptype = 'e'))";
    let (is_ours, has_tables): (bool, bool) =
        connection.query_row(schema, (), |row| Ok((row.get(0)?, row.get(1)?)))?;
    if !is_ours {
        return Ok(if has_tables {
            Found::Foreign
        } else {
            Found::Empty
        });
    }
    let newest = "SELECT version, oldest_reader FROM myao_schema ORDER BY version DESC LIMIT 1";
    let row = connection
        .query_row(newest, (), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    // Only another program makes such a table without a row.
    Ok(
        row.map_or(Found::Foreign, |(version, oldest_reader)| Found::Ours {
            version,
            oldest_reader,
        }),
    )
}

#[cfg(test)]
mod tests {
    use super::too_old;

    #[test]
    fn servers_before_14_are_too_old() {
        assert_eq!(too_old(90_624).as_deref(), Some("9.6.24"));
        assert_eq!(too_old(130_009).as_deref(), Some("13.9"));
        assert_eq!(too_old(140_000), None);
        assert_eq!(too_old(170_002), None);
    }
}
