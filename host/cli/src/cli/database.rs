//! The store of the program. No other file of it knows that this is SQLite.

use std::cell::{OnceCell, RefCell};
use std::path::Path;
use std::sync::Arc;

use chrono_tz::Tz;
use indicatif::ProgressBar;
use myao_import::{ImportReport, python_bot};
use myao_plugin::WORKSPACE_SCOPE_ID;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;
use myao_plugin::storage::records::ImportTally;
pub(crate) use myao_sqlite::examine::{Examined, examine};
pub(crate) use myao_sqlite::hold::{Hold, Work};
use myao_sqlite::{ReadLegacy, ShowIndexing, StoreError, WorkspaceOptions};

use super::output;

/// Shown while the messages and memories of an older database are indexed.
const INDEXING: &str = "{bar:30} {pos}/{len} messages and memories indexed for search";

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
        self.opened(|options, read, indexing| myao_sqlite::open(self.path, options, read, indexing))
    }

    /// The same for commands that only look, which a database that cannot be written is enough for.
    pub(crate) fn open_to_look(self) -> anyhow::Result<(Arc<dyn Workspace>, Option<Upgrade>)> {
        self.opened(|options, read, indexing| {
            myao_sqlite::open_to_look(self.path, options, read, indexing)
        })
    }

    /// The same for imports: the workspace is created only if the import succeeds.
    pub(crate) fn import_target(self) -> anyhow::Result<(Arc<dyn ImportTarget>, Option<Upgrade>)> {
        self.opened(|options, read, indexing| {
            myao_sqlite::import_target(self.path, options, read, indexing)
        })
    }

    /// Begins work that only one process at a time does, on a database that exists.
    pub(crate) fn hold(self, work: Work) -> anyhow::Result<Hold> {
        Ok(myao_sqlite::hold::hold(self.path, self.workspace, work)?)
    }

    fn opened<T>(
        self,
        open: impl FnOnce(
            &WorkspaceOptions<'_>,
            ReadLegacy<'_>,
            ShowIndexing<'_>,
        ) -> Result<(T, Option<ImportTally>), StoreError>,
    ) -> anyhow::Result<(T, Option<Upgrade>)> {
        let options = WorkspaceOptions::new(self.workspace, self.timezone, WORKSPACE_SCOPE_ID);
        let report = RefCell::new(ImportReport::default());
        let bar = OnceCell::new();
        let (opened, upgraded) = open(
            &options,
            &|connection, sink| {
                report.replace(python_bot::read(connection, sink)?);
                Ok(())
            },
            &|done, total| {
                let bar: &ProgressBar = bar.get_or_init(|| output::progress_bar(total, INDEXING));
                bar.set_position(done);
            },
        )?;
        if let Some(bar) = bar.get() {
            bar.finish_and_clear();
        }
        let report = report.take();
        Ok((opened, upgraded.map(|tally| Upgrade { tally, report })))
    }
}

/// Copies a database, as of one moment, to a file that does not exist yet.
pub(crate) fn copy(from: &Path, to: &Path) -> anyhow::Result<()> {
    Ok(myao_sqlite::copy(from, to)?)
}
