//! `/memory off` and `/memory on`: people say that they are not to be remembered.

use std::sync::Arc;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::audit::{Actor, Door};
use myao_plugin::state::off_record::Speaker;
use myao_plugin::storage::StorageError;
use myao_slack::blocks::OffRecordOutcome;

use super::clock::Clock;
use super::marking::first_message;
use super::views::moment;
use crate::slack::live::LiveSlack;

/// Takes messages off the record.
#[derive(Clone)]
pub(super) struct OffRecord {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) clock: Clock,
}

impl OffRecord {
    /// Does what a person asks for.
    ///
    /// # Errors
    /// The words of an error of the store.
    pub(super) async fn switch(
        &self,
        user_id: &str,
        is_off: Option<bool>,
    ) -> Result<OffRecordOutcome, String> {
        let speaker = Speaker::User(user_id.to_owned());
        let Some(is_off) = is_off else {
            let since = self.workspace.off_record_since(speaker).await;
            let since = since.map_err(explained)?;
            let since = since.map(|since| moment(self.clock.local(since.unix_seconds())));
            return Ok(OffRecordOutcome::Asks(since));
        };
        if self.set(user_id, speaker, is_off).await? {
            let state = if is_off { "no longer" } else { "again" };
            tracing::info!("a person's messages are {state} remembered: {user_id}");
        }
        Ok(match is_off {
            true => OffRecordOutcome::Off,
            false => OffRecordOutcome::On,
        })
    }

    /// Takes messages off the record, or back on it, as somebody asks. Returns whether this changed anything.
    pub(super) async fn set(
        &self,
        user_id: &str,
        of: Speaker,
        is_off: bool,
    ) -> Result<bool, String> {
        let now = self.clock.seconds();
        let at = first_message(now, is_off);
        let workspace = self.workspace.by(Actor::person(user_id, Door::Slack));
        let changed = workspace.set_off_record(of, is_off, at, now);
        changed.await.map_err(explained)
    }
}

pub(super) fn explained(error: StorageError) -> String {
    explain_storage(&error)
}
