//! Shortcuts on messages, the button of a list to pick from, and the modes at Home. What one shows only the person who chose it
//! sees.

use std::sync::Arc;

use myao_plugin::state::Workspace;
use myao_plugin::ts::TsKey;
use myao_slack::blocks::thread_modal;
use myao_slack::shortcut::{ChosenItem, ChosenMode, Picked, SavedItem, Shortcut, THREAD};

use super::clock::Clock;
use super::current::Current;
use super::home::Home;
use super::off_record::OffRecord;
use super::views::Views;
use crate::slack::live::LiveSlack;

/// Answers shortcuts.
#[derive(Clone)]
pub(super) struct Shortcuts {
    pub(super) views: Views,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) clock: Clock,
    pub(super) off_record: OffRecord,
    pub(super) home: Home,
}

impl Shortcuts {
    /// Answers a payload in the background: Slack waits for its acknowledgement. A click on a link, and what other versions
    /// of the app offered, need no answer.
    pub(super) fn answer(&self, payload: &str) {
        let this = self.clone();
        if let Some(picked) = Picked::parse(payload) {
            tokio::spawn(async move { told(this.strike(picked).await) });
        } else if let Some(chosen) = ChosenItem::parse(payload) {
            tokio::spawn(async move { told(this.change_item(chosen).await) });
        } else if let Some(saved) = SavedItem::parse(payload) {
            tokio::spawn(async move { told(this.save_item(saved).await) });
        } else if let Some(chosen) = ChosenMode::parse(payload) {
            tokio::spawn(async move { told(this.choose(chosen).await) });
        } else if let Some(chosen) = Shortcut::parse(payload).filter(|of| of.callback_id == THREAD)
        {
            tokio::spawn(async move { told(this.show_thread(chosen).await) });
        }
    }

    /// Sets a mode for somebody who is in the channel, and shows the Home tab as it is then.
    async fn choose(&self, chosen: ChosenMode) -> Result<(), String> {
        let of = (chosen.user_id.as_str(), chosen.channel_id.as_str());
        let by_default = self.current.settings().response.mode.into();
        let set = if self.slack.own_channels(of.0).await.contains(of.1) {
            let set = self.off_record.mode(of, Some(chosen.mode), by_default);
            set.await.map(drop)
        } else {
            Ok(())
        };
        self.home.show(chosen.user_id);
        set
    }

    async fn show_thread(&self, chosen: Shortcut) -> Result<(), String> {
        let Ok(first) = TsKey::parse(&chosen.first_ts) else {
            return Ok(());
        };
        let shown = self.views.thread(chosen.user_id, &chosen.channel_id, first);
        let view = thread_modal(shown.await?.as_ref(), self.current.settings().language);
        let opened = self.slack.client().open_modal(&chosen.trigger_id, &view);
        opened.await.map_err(|error| error.to_string())
    }
}

fn told(answered: Result<(), String>) {
    if let Err(error) = answered {
        tracing::warn!("a shortcut is not answered: {error}");
    }
}
