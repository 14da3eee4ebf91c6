//! Why the store failed, with the database's address and what to do. No text contains the password.

mod driver;

use std::error::Error as StdError;

use myao_plugin::storage::StorageError;
use myao_plugin::{OtherReason, Retry};
use myao_sql::fault::Fault;
use myao_sql::session;
use tokio_postgres::error::{Severity, SqlState};

use crate::address::Address;
use driver::in_full;
pub(crate) use driver::{is_gone, is_tls};

/// Why a database could not be opened, read or written. Except for [`PostgresError::CommitUnknown`], it is unchanged.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PostgresError {
    /// The address cannot be read.
    #[error("`memory.database_url` cannot be used: {0}")]
    Options(String),
    /// The certificates that must vouch for the server cannot be read.
    #[error(
        "the certificates of `{file}` cannot be read ({detail}): name a PEM file in `sslrootcert`"
    )]
    Certificates {
        /// The file, or `system`.
        file: String,
        /// Why.
        detail: String,
    },
    /// No server answers.
    #[error(
        "`{database}` cannot be reached ({detail}): check that PostgreSQL runs there, and host and port in `memory.database_url`"
    )]
    Unreachable {
        /// The database.
        database: Address,
        /// The network's error.
        detail: String,
    },
    /// The server does not accept the password.
    #[error(
        "`{database}` refuses the user's password ({detail}): check user and password in `memory.database_url`"
    )]
    Password {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// The server does not let the user in from here.
    #[error(
        "`{database}` does not let this user in from here ({detail}): check its pg_hba.conf, and `sslmode` in `memory.database_url`"
    )]
    NotAdmitted {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// The server does not have the database.
    #[error(
        "`{0}` does not exist: create it with `createdb`, or name another one in `memory.database_url`"
    )]
    UnknownDatabase(Address),
    /// The server has no connection left.
    #[error(
        "`{database}` has no connection left ({detail}): raise its max_connections, or put PgBouncer before it"
    )]
    TooManyConnections {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// All connections of this process are in use.
    #[error(
        "all {connections} connections of this program to `{database}` are in use: try again later"
    )]
    Busy {
        /// The database.
        database: Address,
        /// How many there are.
        connections: usize,
    },
    /// TLS failed.
    #[error(
        "`{database}` cannot be reached over TLS ({detail}): check its certificate, and `sslmode` and `sslrootcert` in `memory.database_url`"
    )]
    Tls {
        /// The database.
        database: Address,
        /// Why.
        detail: String,
    },
    /// The server only reads, as a replica does.
    #[error(
        "`{0}` is read-only, as a replica is: name the primary server in `memory.database_url`"
    )]
    ReadOnly(Address),
    /// The server's disk has no space left.
    #[error("the disk of `{0}` is full: free some space there and try again")]
    Full(Address),
    /// The user may not do that.
    #[error(
        "the user of `{database}` lacks a permission ({detail}): grant it, or connect as the owner of the tables"
    )]
    NotPermitted {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// The server lacks what the statements need.
    #[error(
        "`{database}` is PostgreSQL {found}, which is too old: update the server to PostgreSQL {oldest} or newer"
    )]
    TooOld {
        /// The database.
        database: Address,
        /// The server's version, as in `13.9`.
        found: String,
        /// The oldest that will do.
        oldest: i64,
    },
    /// The database has tables of another program.
    #[error("`{0}` has tables of another program: name an empty database in `memory.database_url`")]
    Foreign(Address),
    /// A newer myao has changed the tables, and this one cannot work with them.
    #[error(
        "`{database}` was changed by a newer myao (schema {found}, this one knows {known}): update myao"
    )]
    Newer {
        /// The database.
        database: Address,
        /// Its schema version.
        found: i64,
        /// The newest schema version that this program knows.
        known: i64,
    },
    /// The tables are not those that this program made, or no longer.
    #[error(
        "the tables of `{database}` are not as this myao knows them ({detail}): look whether its connections have another search path, and update myao"
    )]
    Changed {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// Another transaction holds what this one needs for longer than it waits, or both wait for each other.
    #[error("another program works on `{0}` for too long: try again later")]
    Locked(Address),
    /// A statement took too long.
    #[error("a statement on `{0}` took too long, and was ended: try again later")]
    Slow(Address),
    /// The server starts or stops.
    #[error("`{database}` is starting or stopping ({detail}): try again later")]
    ShuttingDown {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// The connection is lost. The transaction was undone.
    #[error("the connection to `{database}` was lost ({detail}): try again later")]
    ConnectionLost {
        /// The database.
        database: Address,
        /// The network's error.
        detail: String,
    },
    /// The connection was lost while the transaction was committed, and the server did not come back to say what became of it, or had
    /// crashed and does not know.
    #[error(
        "the connection to `{database}` was lost while it saved ({detail}): whether it has saved is not known"
    )]
    CommitUnknown {
        /// The database.
        database: Address,
        /// The network's error.
        detail: String,
    },
    /// The server lacks memory or another resource.
    #[error("`{database}` lacks resources ({detail}): check its settings and its machine")]
    Resources {
        /// The database.
        database: Address,
        /// The server's error.
        detail: String,
    },
    /// The work that this host had claimed is another one's.
    #[error(
        "another host has taken over this workspace of `{0}`, and nothing was written: start again when that one has ended"
    )]
    TakenOver(Address),
    /// The request is not valid for the stored data.
    #[error("{}", message(.0))]
    Refused(StorageError),
    /// Anything else.
    #[error("`{database}`: {detail}")]
    Other {
        /// The database.
        database: Address,
        /// The server's or the driver's error.
        detail: String,
    },
}

/// The text of an error of the contract.
fn message(error: &StorageError) -> &str {
    match error {
        StorageError::NotFound(text)
        | StorageError::Conflict(text)
        | StorageError::Unavailable(text)
        | StorageError::Invalid(text) => text,
        StorageError::Other(other) => &other.text,
    }
}

/// The server has not answered within the time that a statement may take.
#[derive(Debug, thiserror::Error)]
#[error("no answer")]
pub(crate) struct Silent;

/// An earlier statement of the transaction has failed, so it cannot be committed.
#[derive(Debug, thiserror::Error)]
#[error("an earlier statement of the transaction has failed")]
pub(crate) struct Aborted;

impl PostgresError {
    /// Returns true if the same call may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Unreachable { .. }
            | Self::TooManyConnections { .. }
            | Self::Busy { .. }
            | Self::Locked(_)
            | Self::Slow(_)
            | Self::ShuttingDown { .. }
            | Self::ConnectionLost { .. }
            | Self::CommitUnknown { .. }
            | Self::Resources { .. } => Retry::Later,
            Self::TakenOver(_) => Retry::Never,
            Self::Refused(error) => error.retry(),
            _ => Retry::AfterRepair,
        }
    }

    /// The error of a transaction.
    pub(crate) fn of_fault(database: &Address, fault: Fault) -> Self {
        match fault {
            Fault::Refused(error) => Self::Refused(error),
            Fault::Database(session::Error::Engine(source)) => Self::of(database, &*source),
            Fault::Database(error) => Self::other(database, &error.to_string()),
            _ => Self::other(database, "a transaction failed"),
        }
    }

    /// Sorts what the driver says by what can be done about it.
    pub(crate) fn of(database: &Address, source: &(dyn StdError + 'static)) -> Self {
        if source.is::<Silent>() {
            return Self::lost(database, source.to_string());
        }
        let Some(error) = source.downcast_ref::<tokio_postgres::Error>() else {
            return Self::other(database, &source.to_string());
        };
        match error.as_db_error() {
            Some(error) => Self::of_code(database, error.code(), error.message()),
            None => Self::of_driver(database, error),
        }
    }

    /// The error for an SQLSTATE.
    pub(crate) fn of_code(database: &Address, code: &SqlState, message: &str) -> Self {
        let (database, detail) = (database.clone(), message.to_owned());
        match code.code() {
            "28P01" => Self::Password { database, detail },
            "28000" => Self::NotAdmitted { database, detail },
            "3D000" => Self::UnknownDatabase(database),
            "53300" => Self::TooManyConnections { database, detail },
            "53100" => Self::Full(database),
            "25006" => Self::ReadOnly(database),
            "42501" => Self::NotPermitted { database, detail },
            "42P01" | "42703" | "42883" | "3F000" => Self::Changed { database, detail },
            // A lock, a deadlock, or a row that was changed meanwhile.
            "55P03" | "40P01" | "40001" => Self::Locked(database),
            // Of `require_lease`.
            "MY001" => Self::TakenOver(database),
            "57014" => Self::Slow(database),
            "57P01" | "57P02" | "57P03" => Self::ShuttingDown { database, detail },
            // The server ends a transaction that does nothing for too long.
            "25P03" | "57P05" => Self::lost(&database, detail),
            // PgBouncer says everything with this one.
            code if code.starts_with("08") => Self::Unreachable { database, detail },
            code if code.starts_with("53") || code.starts_with("58") => {
                Self::Resources { database, detail }
            }
            code => Self::Other {
                database,
                detail: format!("{detail} (SQLSTATE {code})"),
            },
        }
    }

    /// Sorts the errors that the driver itself makes. Only their texts tell one from another.
    fn of_driver(database: &Address, error: &tokio_postgres::Error) -> Self {
        let (database, detail) = (database.clone(), in_full(error));
        match error.to_string().as_str() {
            _ if is_tls(error) => Self::Tls { database, detail },
            _ if is_gone(error) => Self::ConnectionLost { database, detail },
            "error connecting to server" | "timeout waiting for server" => {
                Self::Unreachable { database, detail }
            }
            // The server asks for one, and there is none in the address.
            "invalid configuration" if detail == "password missing" => {
                Self::Password { database, detail }
            }
            "authentication error" => Self::Password { database, detail },
            "invalid configuration" => Self::Options(detail),
            _ => Self::Other { database, detail },
        }
    }

    /// The error of a failed commit: without the server's answer, nobody knows whether it has committed.
    pub(crate) fn of_commit(database: &Address, source: &(dyn StdError + 'static)) -> Self {
        let driver = source.downcast_ref::<tokio_postgres::Error>();
        let is_known = source.is::<Aborted>()
            || driver
                .and_then(tokio_postgres::Error::as_db_error)
                .is_some_and(|error| error.parsed_severity() == Some(Severity::Error));
        if is_known {
            return Self::of(database, source);
        }
        Self::CommitUnknown {
            database: database.clone(),
            detail: driver.map_or_else(|| source.to_string(), in_full),
        }
    }

    fn lost(database: &Address, detail: String) -> Self {
        Self::ConnectionLost {
            database: database.clone(),
            detail,
        }
    }

    pub(crate) fn other(database: &Address, detail: &str) -> Self {
        Self::Other {
            database: database.clone(),
            detail: detail.to_owned(),
        }
    }
}

impl From<PostgresError> for StorageError {
    fn from(error: PostgresError) -> Self {
        match error {
            PostgresError::Refused(error) => error,
            PostgresError::TakenOver(_) => {
                Self::Other(OtherReason::new("taken-over", error.to_string()))
            }
            PostgresError::Unreachable { .. }
            | PostgresError::Password { .. }
            | PostgresError::NotAdmitted { .. }
            | PostgresError::UnknownDatabase(_)
            | PostgresError::TooManyConnections { .. }
            | PostgresError::Busy { .. }
            | PostgresError::Tls { .. }
            | PostgresError::ReadOnly(_)
            | PostgresError::Full(_)
            | PostgresError::Locked(_)
            | PostgresError::Slow(_)
            | PostgresError::ShuttingDown { .. }
            | PostgresError::ConnectionLost { .. }
            | PostgresError::CommitUnknown { .. }
            | PostgresError::Resources { .. } => Self::Unavailable(error.to_string()),
            _ => Self::Other(OtherReason::new("database", error.to_string())),
        }
    }
}

#[cfg(test)]
mod tests;
