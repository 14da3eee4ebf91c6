//! Opens the workspace that is configured.

use std::sync::Arc;

use anyhow::Context as _;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;

use super::App;
use crate::cli::database::{Begun, Database, Work, WorkLock};
use crate::cli::output;

impl App {
    /// Opens the workspace in the database; creates the database if there is none, and migrates an older one.
    pub(crate) fn workspace(&self) -> anyhow::Result<Arc<dyn Workspace>> {
        self.database().open()
    }

    /// The same for imports: the workspace is created only if the import succeeds.
    pub(crate) fn import_target(&self) -> anyhow::Result<Arc<dyn ImportTarget>> {
        self.database().import_target()
    }

    /// Keeps other processes from the same work on the opened workspace, and returns the workspace to do it with.
    ///
    /// # Errors
    /// If another process does it.
    pub(crate) fn lock(
        &self,
        work: Work,
        workspace: Arc<dyn Workspace>,
    ) -> anyhow::Result<(Arc<dyn Workspace>, WorkLock)> {
        let database = self.database();
        match database.begin(work, workspace)? {
            Begun::Held(workspace, lock) => Ok((workspace, lock)),
            Begun::Taken(holder) => Err(database.taken(work, &holder)),
        }
    }

    /// The database that is configured.
    pub(crate) fn database(&self) -> Database<'_> {
        Database::of(&self.config)
    }

    /// The remedy for channels of an import that count as private because it is not known who reads them.
    pub(crate) fn about_unknown_audiences(&self, channels: u64) -> Option<String> {
        let (run, import) = (self.command("run"), self.command("import EXPORT"));
        (channels > 0).then(|| {
            let channels = output::count(channels, "channel");
            format!(
                "private: {channels}, because it is not known who reads them; `{run}` asks Slack, and `{import}` reads it from a Slack export"
            )
        })
    }

    /// Opens the workspace for commands that only read: a missing database is an error.
    pub(crate) fn existing_workspace(&self) -> anyhow::Result<Arc<dyn Workspace>> {
        let database = self.database();
        let opened = database.open_to_look()?;
        opened.with_context(|| {
            format!(
                "there is no database {} yet: run `{}` first, or name another one in the configuration ({})",
                database.shown(),
                self.command("import PATH"),
                database.key()
            )
        })
    }
}
