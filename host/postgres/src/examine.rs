//! Examines a database without changing it.

use myao_sql::fault::Fault;
use myao_sql::session::Connection;

use crate::PostgresOptions;
use crate::database::Database;
use crate::error::PostgresError;
use crate::schema;

/// The kind of a database, and the rights in it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Examined {
    /// The server's version, as in `15.4`.
    pub server: String,
    /// The number before the full stop.
    pub major: i64,
    /// The schema's version; `None` if no program has made a table yet.
    pub schema: Option<i64>,
    /// The version to which this program migrates it.
    pub newest: i64,
    /// The rights to write.
    pub writing: Writing,
    /// True if the server's connection is encrypted. PgBouncer may be between: then it is PgBouncer's.
    pub is_encrypted: bool,
    /// True if it ends on the server's own machine.
    pub is_local: bool,
    /// How many connections the server has, those of other programs included.
    pub connections: i64,
    /// How many it may have.
    pub most_connections: i64,
}

/// True if a database can be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Writing {
    /// It can.
    Possible,
    /// It is a replica, or is set to read only.
    ReadOnly,
    /// The user may not.
    NotPermitted,
}

/// Examines a database. Blocks.
///
/// # Errors
/// As [`crate::PostgresStore::open`].
pub fn examine(options: &PostgresOptions) -> Result<Examined, PostgresError> {
    let database = Database::new(options)?;
    let schema = schema::version(&database)?;
    let reading = database.begin_read()?;
    let examined = look(&reading, schema).map_err(|fault| database.fault(fault))?;
    reading.end_reading();
    Ok(examined)
}

fn look(connection: &Connection, schema: Option<i64>) -> Result<Examined, Fault> {
    // This transaction is read-only whatever the setting is, so its default is asked for.
    let server = "SELECT current_setting('server_version'),
            CAST(current_setting('server_version_num') AS BIGINT) / 10000,
            pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on',
            COALESCE((SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()), false),
            inet_client_addr() IS NULL OR inet_client_addr() = inet_server_addr(),
            (SELECT CAST(sum(numbackends) AS BIGINT) FROM pg_stat_database),
            CAST(current_setting('max_connections') AS BIGINT)";
    let mut examined = connection.query_row(server, (), |row| {
        Ok(Examined {
            server: row.get(0)?,
            major: row.get(1)?,
            schema,
            newest: schema::newest(),
            writing: match row.get(2)? {
                true => Writing::ReadOnly,
                false => Writing::Possible,
            },
            is_encrypted: row.get(3)?,
            is_local: row.get(4)?,
            connections: row.get(5)?,
            most_connections: row.get(6)?,
        })
    })?;
    let is_permitted = match schema {
        Some(_) => {
            "SELECT has_table_privilege('workspaces', 'INSERT') AND has_table_privilege('messages', 'UPDATE')
                AND has_table_privilege('messages', 'DELETE')"
        }
        None => "SELECT has_schema_privilege(current_schema(), 'CREATE')",
    };
    let is_permitted: bool = connection.query_row(is_permitted, (), |row| row.get(0))?;
    if examined.writing == Writing::Possible && !is_permitted {
        examined.writing = Writing::NotPermitted;
    }
    Ok(examined)
}
