//! A database of myao, and its workspaces.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::LocalTime;
use myao_plugin::storage::StorageError;
use myao_sql::backend::{Backend, Transaction};
use myao_sql::fault::Fault;
use myao_sql::session::Connection;
use myao_sql::{SqlImport, SqlWorkspace, known_workspace, workspace_key};

use crate::address::Address;
use crate::database::{Database, lock_of};
use crate::error::PostgresError;
use crate::lease::{Claim, Claimed, Lease};
use crate::leases::PostgresLeases;
use crate::options::PostgresOptions;
use crate::schema;
use crate::session::InTransaction;

/// A database of myao. Cheap to clone.
#[derive(Clone)]
pub struct PostgresStore {
    database: Arc<Database>,
}

impl PostgresStore {
    /// Opens a database. If it is empty, its tables are made; if its schema is older, it is migrated. Blocks.
    ///
    /// # Errors
    /// [`PostgresError`].
    pub fn open(options: &PostgresOptions) -> Result<Self, PostgresError> {
        let database = Arc::new(Database::new(options)?);
        schema::check_server(&database)?;
        schema::prepare(&database, schema::MIGRATIONS)?;
        Ok(Self { database })
    }

    /// Opens a database as [`PostgresStore::open`] does, but makes no tables in an empty one: then it is `None`. A replica can be
    /// opened so, if its schema is not older than this program's. Blocks.
    ///
    /// # Errors
    /// [`PostgresError`].
    pub fn open_existing(options: &PostgresOptions) -> Result<Option<Self>, PostgresError> {
        let database = Arc::new(Database::new(options)?);
        schema::check_server(&database)?;
        match schema::version(&database)? {
            None => return Ok(None),
            Some(version) if version < schema::newest() => {
                schema::prepare(&database, schema::MIGRATIONS)?;
            }
            Some(_) => {}
        }
        Ok(Some(Self { database }))
    }

    /// The database, as errors and logs name it.
    #[must_use]
    pub fn address(&self) -> &Address {
        self.database.address()
    }

    /// One workspace of the database. `local_time`, a time zone, determines the UTC offset of the times that it returns,
    /// `workspace_scope_id` is the scope id of its own memories. Blocks.
    ///
    /// # Errors
    /// If the database cannot be used.
    pub fn workspace(
        &self,
        id: &str,
        local_time: impl Into<LocalTime>,
        workspace_scope_id: &str,
    ) -> Result<SqlWorkspace, PostgresError> {
        let key = self.key(id)?;
        Ok(SqlWorkspace::new(
            self.database.clone(),
            key,
            local_time.into(),
            workspace_scope_id,
        ))
    }

    /// The database without a workspace, to copy it.
    #[must_use]
    pub fn backend(&self) -> Arc<dyn Backend> {
        self.database.clone()
    }

    /// Claims work on a workspace, which a host does alone. Blocks.
    ///
    /// # Errors
    /// If the database cannot be used.
    pub fn claim(&self, workspace: &str, claim: &Claim) -> Result<Claimed, PostgresError> {
        let key = self.key(workspace)?;
        Lease::claim(&self.database, key, claim)
    }

    /// A workspace as [`PostgresStore::workspace`] gives it, in which nothing is written without a lease on it. Blocks.
    ///
    /// # Errors
    /// If the database cannot be used.
    pub fn leased_workspace(
        &self,
        id: &str,
        local_time: impl Into<LocalTime>,
        workspace_scope_id: &str,
        lease: &Lease,
    ) -> Result<SqlWorkspace, PostgresError> {
        let key = self.key(id)?;
        Ok(SqlWorkspace::new(
            lease.backend(),
            key,
            local_time.into(),
            workspace_scope_id,
        ))
    }

    /// The leases that share the work on a workspace among hosts; `holder` names this one for people, and a piece of work is this host's for
    /// `lasts` without a sign of life. `local_time` and `workspace_scope_id` are as in [`PostgresStore::workspace`]. Blocks.
    ///
    /// # Errors
    /// If the database cannot be used.
    pub fn leases(
        &self,
        id: &str,
        local_time: impl Into<LocalTime>,
        workspace_scope_id: &str,
        holder: impl Into<String>,
        lasts: Duration,
    ) -> Result<PostgresLeases, PostgresError> {
        Ok(PostgresLeases {
            key: self.key(id)?,
            workspace: self.workspace(id, local_time, workspace_scope_id)?,
            database: self.database.clone(),
            holder: holder.into(),
            lasts,
            presence: Arc::default(),
        })
    }

    /// Begins an import into a workspace at `now` in Unix seconds, as one transaction. Other writers of the workspace wait until
    /// it ends. Blocks.
    ///
    /// # Errors
    /// If the database cannot be used.
    pub fn import(&self, workspace: &str, now: i64) -> Result<SqlImport, PostgresError> {
        let open = self.database.begin_long(self.known(workspace)?)?;
        // It may be new, or another host may just have added it; then nobody has the lock yet.
        let key = workspace_key(&open, workspace);
        let key = key.map_err(|error| self.database.fault(error.into()))?;
        open.batch(&lock_of(key))
            .map_err(|error| PostgresError::of(self.database.address(), &*error))?;
        let transaction = Box::new(Importing {
            open,
            database: self.database.clone(),
        });
        SqlImport::begin(transaction, workspace, now).map_err(PostgresError::Refused)
    }

    fn known(&self, id: &str) -> Result<Option<i64>, PostgresError> {
        let reading = self.database.begin_read()?;
        let known = known_workspace(&reading, id);
        let known = known.map_err(|error| self.database.fault(error.into()))?;
        reading.end_reading();
        Ok(known)
    }

    /// The key of a workspace, which is added if it is not known.
    fn key(&self, id: &str) -> Result<i64, PostgresError> {
        match self.known(id)? {
            Some(key) => Ok(key),
            None => self.add(id),
        }
    }

    fn add(&self, id: &str) -> Result<i64, PostgresError> {
        let writing = self.database.begin_long(None)?;
        let key = workspace_key(&writing, id);
        let key = key.map_err(|error| self.database.fault(error.into()))?;
        self.database.commit(writing)?;
        Ok(key)
    }
}

/// The transaction of an import.
struct Importing {
    open: InTransaction,
    database: Arc<Database>,
}

impl Transaction for Importing {
    fn connection(&self) -> &Connection {
        &self.open
    }

    fn commit(self: Box<Self>) -> Result<(), StorageError> {
        let Self { open, database } = *self;
        Ok(database.commit(open)?)
    }

    fn error(&self, fault: Fault) -> StorageError {
        self.database.fault(fault).into()
    }
}
