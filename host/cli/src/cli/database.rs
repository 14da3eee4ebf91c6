//! The store of the program. Nothing else in it knows which engines there are.

mod dump;
mod lock;
mod named;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use chrono_tz::Tz;
use myao::config::{Config, DatabaseUrl};
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;
use myao_plugin::storage::StorageError;
use myao_plugin::{Retry, WORKSPACE_SCOPE_ID};
pub(crate) use myao_postgres::examine::{Examined as ExaminedServer, Writing};
use myao_postgres::{PostgresError, PostgresOptions, PostgresStore};
pub(crate) use myao_sql::copy::{Copied, CopyProgress, Stage};
use myao_sql::{SqlImportTarget, SqlWorkspace};
use myao_sqlite::SqliteStore;
pub(crate) use myao_sqlite::examine::{Examined, examine};
pub(crate) use myao_sqlite::lock::Work;

pub(crate) use lock::{Begun, WorkLock};
pub(crate) use named::{Named, copy_all};

/// A database, and which workspace of it is used.
#[derive(Clone, Copy)]
pub(crate) struct Database<'a> {
    pub(crate) place: Where<'a>,
    workspace: &'a str,
    timezone: Tz,
    /// True if no credential is stored in messages.
    redacts: bool,
    /// The bot's name.
    bot: &'a str,
    /// How long work on a server is this host's without a sign of life.
    lease: Duration,
}

/// Where a database is.
#[derive(Clone, Copy)]
pub(crate) enum Where<'a> {
    /// A file of SQLite.
    File(&'a Path),
    /// A server of PostgreSQL.
    Server(Server<'a>),
}

/// A database on a server.
#[derive(Clone, Copy)]
pub(crate) struct Server<'a>(&'a DatabaseUrl);

/// An open database, with its connections. Clones share it.
#[derive(Clone)]
pub(crate) enum Store {
    /// A file.
    File(SqliteStore),
    /// A server.
    Server(PostgresStore),
}

impl Store {
    /// Its connections, if it is on a server.
    pub(crate) fn server(&self) -> Option<PostgresStore> {
        match self {
            Self::File(_) => None,
            Self::Server(store) => Some(store.clone()),
        }
    }

    /// If and when opening it may succeed later; `None` if the error is not a database's.
    pub(crate) fn retry(error: &anyhow::Error) -> Option<Retry> {
        let by_server = error.downcast_ref().map(PostgresError::retry);
        by_server.or_else(|| error.downcast_ref().map(StorageError::retry))
    }
}

impl<'a> Database<'a> {
    /// The one that is configured.
    pub(crate) fn of(config: &'a Config) -> Self {
        Self {
            place: match &config.memory.database_url {
                Some(url) => Where::Server(Server(url)),
                None => Where::File(&config.memory.database_path),
            },
            workspace: &config.workspace,
            timezone: config.timezone,
            redacts: config.redact_secrets,
            bot: &config.persona.name,
            lease: Duration::from_secs(config.memory.lease_seconds.into()),
        }
    }

    /// Returns true if it is on a server.
    pub(crate) fn is_on_server(self) -> bool {
        matches!(self.place, Where::Server(_))
    }

    /// Where it is, for people. Without a password.
    pub(crate) fn shown(self) -> String {
        match self.place {
            Where::File(path) => path.display().to_string(),
            Where::Server(server) => server.shown(),
        }
    }

    /// The key of the configuration that names it.
    pub(crate) fn key(self) -> &'static str {
        match self.place {
            Where::File(_) => "memory.database_path",
            Where::Server(_) => "memory.database_url",
        }
    }

    /// Opens the workspace; creates the database if there is none, and migrates an older one.
    pub(crate) fn open(self) -> anyhow::Result<Arc<dyn Workspace>> {
        self.open_in(&self.store()?)
    }

    /// The same for commands that only look, which a database that cannot be written is enough for. `None` if there is none.
    pub(crate) fn open_to_look(self) -> anyhow::Result<Option<Arc<dyn Workspace>>> {
        let store = match self.place {
            Where::File(path) if !path.exists() => None,
            Where::File(path) => Some(Store::File(SqliteStore::open_to_look(path)?)),
            Where::Server(server) => {
                PostgresStore::open_existing(&server.options()?)?.map(Store::Server)
            }
        };
        store.map(|store| self.open_in(&store)).transpose()
    }

    /// The same for imports: the workspace is created only if the import succeeds.
    pub(crate) fn import_target(self) -> anyhow::Result<Arc<dyn ImportTarget>> {
        let (store, id) = (self.store()?, self.workspace.to_owned());
        let redacts = self.redacts;
        Ok(Arc::new(SqlImportTarget::new(move |now| {
            let import = match &store {
                Store::File(store) => store.import(&id, now)?,
                Store::Server(store) => store.import(&id, now)?,
            };
            Ok(import.redacting(redacts))
        })))
    }

    /// Opens the database for several workspaces, which share it.
    pub(crate) fn store(self) -> anyhow::Result<Store> {
        Ok(match self.place {
            Where::File(path) => Store::File(SqliteStore::open(path)?),
            Where::Server(server) => Store::Server(PostgresStore::open(&server.options()?)?),
        })
    }

    /// Opens the workspace in a database that is open.
    pub(crate) fn open_in(self, store: &Store) -> anyhow::Result<Arc<dyn Workspace>> {
        match store {
            Store::File(store) => {
                let workspace =
                    store.workspace(self.workspace, self.timezone, WORKSPACE_SCOPE_ID)?;
                Ok(Arc::new(self.configured(workspace)))
            }
            Store::Server(store) => self.workspace_in(store),
        }
    }

    /// Copies it, as of one moment, to an SQLite file that does not exist yet. Others may work on it meanwhile.
    pub(crate) fn copy_to_file(self, to: &Path) -> anyhow::Result<()> {
        let server = match self.place {
            Where::File(path) => return copy(path, to),
            Where::Server(server) => server,
        };
        let store = PostgresStore::open_existing(&server.options()?)?;
        let store = store.with_context(|| format!("there is no database {}", self.shown()))?;
        named::copy_between(&*store.backend(), &*SqliteStore::open(to)?.backend())
    }

    fn workspace_in(self, store: &PostgresStore) -> anyhow::Result<Arc<dyn Workspace>> {
        let workspace = store.workspace(self.workspace, self.timezone, WORKSPACE_SCOPE_ID)?;
        Ok(Arc::new(self.configured(workspace)))
    }

    /// A workspace as the configuration wants it.
    fn configured(self, workspace: SqlWorkspace) -> SqlWorkspace {
        workspace.redacting(self.redacts).called(self.bot)
    }
}

impl Server<'_> {
    /// Its address, without a password.
    pub(crate) fn shown(self) -> String {
        // An address that cannot be read may have its password anywhere.
        let options = self.options();
        options.map_or_else(
            |_| "memory.database_url".to_owned(),
            |o| o.address().to_string(),
        )
    }

    /// Examines it without changing anything.
    pub(crate) fn examine(self) -> anyhow::Result<ExaminedServer> {
        Ok(myao_postgres::examine::examine(&self.options()?)?)
    }

    /// Copies it, as of one moment, into a file that exists and is empty.
    pub(crate) fn dump(self, to: &Path) -> anyhow::Result<()> {
        dump::dump(self.0, to)
    }

    fn options(self) -> anyhow::Result<PostgresOptions> {
        Ok(self.0.secret().parse()?)
    }
}

/// Copies a database, as of one moment, to a file that does not exist yet.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    Ok(myao_sqlite::copy(from, to)?)
}
