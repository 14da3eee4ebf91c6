//! The store of the program. No other file of it knows that this is SQLite.

use std::cell::RefCell;
use std::path::Path;
use std::sync::Arc;

use chrono_tz::Tz;
use myao_import::{ImportReport, python_bot};
use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;
use myao_plugin::storage::records::ImportTally;
pub(crate) use myao_sqlite::examine::{Examined, examine};
use myao_sqlite::{ReadLegacy, StoreError, WorkspaceOptions};

/// A database, and which workspace of it is used.
#[derive(Clone, Copy)]
pub(crate) struct Database<'a> {
    pub(crate) path: &'a Path,
    pub(crate) workspace: &'a str,
    pub(crate) timezone: Tz,
}

/// What was carried over from the database of the Python bot.
pub(crate) struct Upgrade {
    pub(crate) tally: ImportTally,
    pub(crate) report: ImportReport,
}

impl Database<'_> {
    /// Opens the workspace; creates the database if there is none, and upgrades an older one.
    pub(crate) fn open(self) -> anyhow::Result<(Arc<dyn Workspace>, Option<Upgrade>)> {
        self.opened(|options, read| myao_sqlite::open(self.path, options, read))
    }

    /// The same for imports: the workspace is created only if the import succeeds.
    pub(crate) fn import_target(self) -> anyhow::Result<(Arc<dyn ImportTarget>, Option<Upgrade>)> {
        self.opened(|options, read| myao_sqlite::import_target(self.path, options, read))
    }

    fn opened<T>(
        self,
        open: impl FnOnce(
            &WorkspaceOptions<'_>,
            ReadLegacy<'_>,
        ) -> Result<(T, Option<ImportTally>), StoreError>,
    ) -> anyhow::Result<(T, Option<Upgrade>)> {
        let options = WorkspaceOptions::new(self.workspace, self.timezone, WORKSPACE_SCOPE_ID);
        let report = RefCell::new(ImportReport::default());
        let (opened, upgraded) = open(&options, &|connection, sink| {
            report.replace(python_bot::read(connection, sink)?);
            Ok(())
        })?;
        let report = report.take();
        Ok((opened, upgraded.map(|tally| Upgrade { tally, report })))
    }
}

/// Copies a database, as of one moment, to a file that does not exist yet.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    Ok(myao_sqlite::copy(from, to)?)
}
