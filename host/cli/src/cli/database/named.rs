//! Databases that a command names, whatever the configuration says, and copies between them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use myao::config::DatabaseUrl;
use myao_llm::expand::expanded;
use myao_plugin::explain::explain_storage;
use myao_postgres::{Claimed, PostgresStore};
use myao_sql::backend::Backend;
use myao_sql::copy::{Copied, CopyOptions, ShowCopying};
use myao_sqlite::SqliteStore;
use myao_sqlite::lock::{Work, lock};
use serde::de::IntoDeserializer as _;
use serde::de::value::{Error as ValueError, StrDeserializer};

use super::lock::{claim, taken};
use super::{Server, WorkLock};

/// How long the work on a server is this process's without a sign of life.
const LEASE: Duration = Duration::from_secs(25);

/// A database that a command names.
pub(crate) enum Named {
    File(PathBuf),
    Server(DatabaseUrl),
}

impl Named {
    /// Reads the path of a file, or an address that begins with its scheme. `${NAME}` in an address is a variable of the
    /// environment, so that a password need not be in the list of processes.
    pub(crate) fn read(text: &str) -> anyhow::Result<Self> {
        if !text.contains("://") {
            // Such a file's name would be shown, with the password in it.
            anyhow::ensure!(
                !text.contains("password=") && !text.contains("host="),
                "FROM and TO are files or addresses that begin with postgres://, as in postgres://USER:PASSWORD@HOST/DATABASE"
            );
            return Ok(Self::File(text.into()));
        }
        let text: StrDeserializer<'_, ValueError> = text.into_deserializer();
        let url = DatabaseUrl::parse(&expanded(text)?).map_err(anyhow::Error::msg);
        Ok(Self::Server(
            url.context("FROM and TO are files or addresses")?,
        ))
    }

    /// Where it is, without a password.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Server(url) => Server(url).shown(),
        }
    }

    /// The key of the configuration that names such a database.
    pub(crate) fn key(&self) -> &'static str {
        match self {
            Self::File(_) => "memory.database_path",
            Self::Server(_) => "memory.database_url",
        }
    }

    fn open_existing(&self) -> anyhow::Result<Arc<dyn Backend>> {
        let opened = match self {
            Self::File(path) if path.exists() => Some(SqliteStore::open(path)?.backend()),
            Self::File(_) => None,
            Self::Server(url) => {
                let store = PostgresStore::open_existing(&Server(url).options()?)?;
                store.map(|store| store.backend())
            }
        };
        opened.with_context(|| format!("there is no database {} to copy", self.shown()))
    }

    fn open(&self) -> anyhow::Result<Arc<dyn Backend>> {
        Ok(match self {
            Self::File(path) => SqliteStore::open(path)?.backend(),
            Self::Server(url) => PostgresStore::open(&Server(url).options()?)?.backend(),
        })
    }

    /// Keeps bots and backfills from all its workspaces.
    fn lock(&self, workspaces: &[String]) -> anyhow::Result<Vec<WorkLock>> {
        let works = [Work::Bot, Work::Backfill];
        let all = workspaces
            .iter()
            .flat_map(|workspace| works.map(|work| (workspace, work)));
        match self {
            Self::File(path) => all
                .map(|(workspace, work)| Ok(WorkLock::File(lock(path, workspace, work)?)))
                .collect(),
            Self::Server(url) => {
                let store = PostgresStore::open(&Server(url).options()?)?;
                all.map(
                    |(workspace, work)| match store.claim(workspace, &claim(work, LEASE))? {
                        Claimed::Held(lease) => Ok(WorkLock::Server(lease)),
                        Claimed::Taken { holder } => Err(taken(&self.shown(), work, &holder)),
                    },
                )
                .collect()
            }
        }
    }
}

/// Copies a database as it is at one moment, also while others work on it.
pub(super) fn copy_between(from: &dyn Backend, to: &dyn Backend) -> anyhow::Result<()> {
    let copied = myao_sql::copy::copy(from, to, &CopyOptions::default(), &mut |_| ());
    let copied = copied.map_err(|error| anyhow::anyhow!(explain_storage(&error)))?;
    anyhow::ensure!(
        copied.is_complete(),
        "the copy is not as the database: {}",
        copied.differences.join("; ")
    );
    Ok(())
}

/// Copies a database with all its workspaces to another one, or goes on with a copy that was stopped. Blocks.
pub(crate) fn copy_all(
    from: &Named,
    to: &Named,
    progress: ShowCopying<'_>,
) -> anyhow::Result<Copied> {
    let source = from.open_existing()?;
    let workspaces = myao_sql::workspace_ids(&*source);
    let workspaces = workspaces.map_err(|error| anyhow::anyhow!(explain_storage(&error)))?;
    let _held = from.lock(&workspaces)?;
    let target = to.open()?;
    let copied = myao_sql::copy::copy(&*source, &*target, &CopyOptions::default(), progress);
    copied.map_err(|error| anyhow::anyhow!(explain_storage(&error)))
}
