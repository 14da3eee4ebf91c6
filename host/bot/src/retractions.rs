//! Replaces retracted posts in Slack by a note: what they were made from was edited, deleted, forgotten or hidden.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::chat::ChatError;
use myao_plugin::explain::{explain_chat, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::ts::TsKey;
use myao_slack::blocks::Language;

use super::current::Current;
use super::stop::Stop;
use crate::slack::live::LiveSlack;

/// How often to look for retracted posts.
const LOOK: Duration = Duration::from_secs(5);
/// The wait after Slack failed.
const AFTER_FAILURE: Duration = Duration::from_secs(60);
/// How many posts are read at once.
const AT_ONCE: u32 = 16;

/// Replaces retracted posts.
pub(super) struct Retractions {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
}

impl Retractions {
    /// Works until asked to stop.
    pub(super) async fn run(self, mut stop: Stop) {
        while !stop.is_requested() {
            let wait = match self.replace_all().await {
                Ok(()) => LOOK,
                Err(error) => {
                    tracing::warn!("retracted posts are still shown: {error}");
                    AFTER_FAILURE
                }
            };
            stop.sleep(wait).await;
        }
    }

    async fn replace_all(&self) -> Result<(), String> {
        loop {
            let posts = self.workspace.retracted(AT_ONCE).await;
            let posts = posts.map_err(|error| explain_storage(&error))?;
            if posts.is_empty() {
                return Ok(());
            }
            for (channel_id, ts) in posts {
                self.replace(&channel_id, ts).await?;
            }
        }
    }

    async fn replace(&self, channel_id: &str, ts: TsKey) -> Result<(), String> {
        let note = note(self.current.settings().language);
        match self.slack.replace_post(channel_id, ts, note).await {
            Ok(()) => tracing::info!("replaced a retracted post in {channel_id}"),
            // Nobody sees it any more, or only a person can delete it.
            Err(
                error @ (ChatError::NotFound(_) | ChatError::NotAllowed(_) | ChatError::Invalid(_)),
            ) => tracing::warn!(
                "the retracted post {ts} in {channel_id} cannot be replaced; if it is still there, delete it in Slack: {}",
                explain_chat(&error)
            ),
            Err(error) => return Err(explain_chat(&error)),
        }
        let ended = self.workspace.end_retraction(channel_id, ts).await;
        ended.map_err(|error| explain_storage(&error))
    }
}

fn note(language: Language) -> &'static str {
    match language {
        Language::Japanese => {
            "_（この回答は取り下げました。もとになった発言が編集・削除されたか、ここでは見られなくなりました。）_"
        }
        Language::English => {
            "_(I took this answer back: a message that it was made from was edited, deleted, or is no longer visible here.)_"
        }
    }
}
