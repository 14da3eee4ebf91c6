//! The mode of each channel.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::Workspace;
use myao_plugin::state::off_record::{Participation, Speaker};
use myao_plugin::storage::StorageError;
use myao_slack::command::Mode;

/// The modes of the channels.
pub(crate) struct Modes {
    off: BTreeSet<String>,
    set: BTreeMap<String, Participation>,
    by_default: Participation,
}

impl Modes {
    /// Reads them. `by_default` is how the bot takes part where nobody has chosen.
    pub(crate) async fn read(
        workspace: &dyn Workspace,
        by_default: Participation,
    ) -> Result<Self, StorageError> {
        let off = workspace.all_off_record().await?.into_iter();
        let off = off.filter_map(|(of, _)| match of {
            Speaker::Channel(id) => Some(id),
            Speaker::User(_) => None,
        });
        Ok(Self {
            off: off.collect(),
            set: workspace.participation().await?,
            by_default,
        })
    }

    /// The mode of a channel.
    pub(crate) fn of(&self, channel_id: &str) -> Mode {
        if self.off.contains(channel_id) {
            return Mode::Off;
        }
        match self.set.get(channel_id).unwrap_or(&self.by_default) {
            Participation::Silent => Mode::Remember,
            Participation::Mentions => Mode::Answer,
            Participation::JoinsIn => Mode::Join,
        }
    }
}
