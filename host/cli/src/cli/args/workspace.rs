//! Which commands are about one workspace.

use super::Command;

impl Command {
    /// Returns true if it is about one workspace: the other commands are about all, or about none.
    pub(crate) fn needs_workspace(&self) -> bool {
        !matches!(
            self,
            Self::Init(_)
                | Self::Run
                | Self::Slack(_)
                | Self::Backup { .. }
                | Self::Database(_)
                | Self::Config(_)
                | Self::Completions { .. }
                | Self::Man { .. }
        )
    }
}
