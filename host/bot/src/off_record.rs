//! `/memory off` and `/memory on`: people, and admins for channels, say what is not to be remembered.

use std::sync::Arc;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::audit::{Actor, Door};
use myao_plugin::state::off_record::Speaker;
use myao_plugin::storage::StorageError;
use myao_slack::blocks::{Moment, OffRecordOutcome};
use myao_slack::command::Whose;

use super::clock::Clock;
use super::marking::first_message;
use super::views::moment;
use crate::slack::live::LiveSlack;

/// Who asks, and where.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asker<'a> {
    pub(super) user_id: &'a str,
    /// The channel; `None` in a direct message.
    pub(super) channel_id: Option<&'a str>,
}

/// Takes messages off the record.
#[derive(Clone)]
pub(super) struct OffRecord {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) clock: Clock,
}

impl OffRecord {
    /// Does what somebody asks for.
    ///
    /// # Errors
    /// The words of an error of the store or of Slack.
    pub(super) async fn switch(
        &self,
        asker: Asker<'_>,
        of: Option<Whose>,
        is_off: bool,
    ) -> Result<OffRecordOutcome, String> {
        let Some(of) = of else {
            return self.state(asker).await;
        };
        let speaker = match (of, asker.channel_id) {
            (Whose::Mine, _) => Speaker::User(asker.user_id.to_owned()),
            (Whose::OfChannel, Some(id)) => Speaker::Channel(id.to_owned()),
            (Whose::OfChannel, None) => return Ok(OffRecordOutcome::NoChannel),
        };
        if of == Whose::OfChannel && !self.administers(asker.user_id).await? {
            return Ok(OffRecordOutcome::NotAllowed);
        }
        let now = self.clock.seconds();
        let at = first_message(now, is_off);
        let workspace = self.workspace.by(Actor::person(asker.user_id, Door::Slack));
        let changed = workspace.set_off_record(speaker, is_off, at, now);
        if changed.await.map_err(explained)? {
            let (whose, how) = match of {
                Whose::Mine => ("a person's messages", asker.user_id),
                Whose::OfChannel => ("a channel's messages", asker.channel_id.unwrap_or_default()),
            };
            let state = if is_off { "no longer" } else { "again" };
            tracing::info!("{whose} are {state} remembered: {how}");
        }
        Ok(if is_off {
            OffRecordOutcome::Off(of)
        } else {
            OffRecordOutcome::On(of)
        })
    }

    async fn state(&self, asker: Asker<'_>) -> Result<OffRecordOutcome, String> {
        let mine = Speaker::User(asker.user_id.to_owned());
        let mine = self.since(mine).await?;
        let of_channel = match asker.channel_id {
            Some(id) => self.since(Speaker::Channel(id.to_owned())).await?,
            None => None,
        };
        Ok(OffRecordOutcome::Asks { mine, of_channel })
    }

    async fn since(&self, of: Speaker) -> Result<Option<Moment>, String> {
        let since = self.workspace.off_record_since(of).await;
        let since = since.map_err(explained)?;
        Ok(since.map(|since| moment(self.clock.local(since.unix_seconds()))))
    }

    async fn administers(&self, user_id: &str) -> Result<bool, String> {
        let is_admin = self.slack.is_admin(user_id).await;
        is_admin.map_err(|error| error.to_string())
    }
}

fn explained(error: StorageError) -> String {
    explain_storage(&error)
}
