//! Opens the workspace that is configured.

use std::sync::Arc;

use anyhow::Context as _;
use myao_plugin::state::Workspace;
use myao_plugin::state::import::ImportTarget;

use super::App;
use crate::cli::database::{Begun, Database, Upgrade, Work, WorkLock};
use crate::cli::output;

impl App {
    /// Opens the workspace in the database; creates the database if there is none, and upgrades an older one.
    pub(crate) fn workspace(&self) -> anyhow::Result<Arc<dyn Workspace>> {
        let (workspace, upgraded) = self.database().open()?;
        self.report_upgrade(upgraded);
        Ok(workspace)
    }

    /// The same for imports: the workspace is created only if the import succeeds.
    pub(crate) fn import_target(&self) -> anyhow::Result<Arc<dyn ImportTarget>> {
        let (target, upgraded) = self.database().import_target()?;
        self.report_upgrade(upgraded);
        Ok(target)
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

    fn report_upgrade(&self, upgraded: Option<Upgrade>) {
        let Some(Upgrade { tally, report }) = upgraded else {
            return;
        };
        output::tell(&format!(
            "Upgraded {}: {} messages and {} memories were carried over; the old tables stay beside them as legacy_*",
            self.database().shown(),
            tally.messages.new,
            tally.memories.new
        ));
        for warning in &report.warnings {
            output::tell(&format!("warning: {warning}"));
        }
        if let Some(text) = self.about_unknown_audiences(report.unknown_audiences) {
            output::tell(&text);
        }
    }

    /// A hint about channels of an import that count as private because their readers are not known.
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
        let (workspace, upgraded) = opened.with_context(|| {
            format!(
                "there is no database {} yet: run `{}` first, or name another one in the configuration ({})",
                database.shown(),
                self.command("import PATH"),
                database.key()
            )
        })?;
        self.report_upgrade(upgraded);
        Ok(workspace)
    }
}
