//! Databases for histories, which a test can take away for a while.

use std::any::Any;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, OnceLock};

use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_plugin::storage::StorageError;
use myao_postgres::PostgresStore;
use myao_sql::SqlWorkspace;
use myao_sql::backend::{Backend, Work};
use myao_sqlite::SqliteStore;
use myao_test_postgres::{SUPERUSER, server};

/// A workspace of its own.
pub(super) struct Store {
    /// As the bot has it.
    pub(super) workspace: SqlWorkspace,
    /// As the test looks at it: it is always there.
    pub(super) seen: SqlWorkspace,
    /// How many more transactions the bot's database takes.
    pub(super) left: Arc<AtomicI64>,
    /// The database, which goes away with this.
    _database: Box<dyn Any>,
}

/// A database on the server of this process.
struct OnServer(String);

impl Drop for OnServer {
    fn drop(&mut self) {
        server().drop_database(&self.0);
    }
}

/// A database that fails when it has taken so many transactions.
struct Away {
    inner: Arc<dyn Backend>,
    left: Arc<AtomicI64>,
}

impl Away {
    fn look(&self) -> Result<(), StorageError> {
        if self.left.fetch_sub(1, Ordering::Relaxed) > 0 {
            return Ok(());
        }
        Err(StorageError::Unavailable("the database is away".to_owned()))
    }
}

impl Backend for Away {
    fn read(&self, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.look()?;
        self.inner.read(work)
    }

    fn write(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.look()?;
        self.inner.write(workspace, work)
    }

    fn try_out(&self, workspace: i64, work: &mut Work<'_>) -> Result<(), StorageError> {
        self.look()?;
        self.inner.try_out(workspace, work)
    }

    fn discard_erased(&self) -> Result<Option<String>, StorageError> {
        Ok(None)
    }
}

impl Store {
    pub(super) fn in_a_file() -> Self {
        let folder = tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir());
        let folder = folder.unwrap();
        let store = SqliteStore::open(folder.path().join("myao.db")).unwrap();
        let seen = store.workspace("W1", chrono_tz::UTC, WORKSPACE_SCOPE_ID);
        Self::over(seen.unwrap(), store.backend(), Box::new(folder))
    }

    pub(super) fn on_a_server() -> Self {
        static TEMPLATE: OnceLock<String> = OnceLock::new();
        let open = |name: &str| {
            let url = server().socket_url(SUPERUSER, name);
            PostgresStore::open(&url.parse().unwrap()).unwrap()
        };
        let template = TEMPLATE.get_or_init(|| {
            let name = server().create(None);
            drop(open(&name));
            name
        });
        let database = OnServer(server().create(Some(template)));
        let store = open(&database.0);
        let seen = store.workspace("W1", chrono_tz::UTC, WORKSPACE_SCOPE_ID);
        Self::over(seen.unwrap(), store.backend(), Box::new(database))
    }

    fn over(seen: SqlWorkspace, inner: Arc<dyn Backend>, database: Box<dyn Any>) -> Self {
        let left = Arc::new(AtomicI64::new(i64::MAX));
        let away = Away {
            inner,
            left: left.clone(),
        };
        Self {
            workspace: seen.through(Arc::new(away)),
            seen,
            left,
            _database: database,
        }
    }
}
