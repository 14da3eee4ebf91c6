//! Replaces retracted posts in Slack by a note: what they were made from was edited, deleted, forgotten or hidden.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::chat::ChatError;
use myao_plugin::explain::{explain_chat, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::state::outbox::FailedRetraction;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_slack::blocks::Language;

use super::clock::Clock;
use super::current::Current;
use super::stop::Stop;
use super::told::Told;
use crate::slack::live::LiveSlack;

/// How often to look for retracted posts.
const LOOK: Duration = Duration::from_secs(5);
/// The wait after the store failed.
const AFTER_FAILURE: Duration = Duration::from_secs(60);
/// How many posts are read at once.
const AT_ONCE: u32 = 16;

/// Replaces retracted posts.
pub(super) struct Retractions {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
    pub(super) clock: Clock,
}

impl Retractions {
    /// Works until asked to stop.
    pub(super) async fn run(self, mut stop: Stop) {
        let mut told = Told::default();
        while !stop.is_requested() {
            let wait = match self.replace_all().await {
                Ok(()) => {
                    if let Some(failures) = told.over() {
                        tracing::info!(
                            "retracted posts are replaced again; {failures} attempts failed"
                        );
                    }
                    LOOK
                }
                Err(error) => {
                    if let Some(why) = told.waits(explain_storage(&error), 1) {
                        tracing::warn!("retracted posts are still shown: {why}");
                    }
                    AFTER_FAILURE
                }
            };
            stop.sleep(wait).await;
        }
    }

    async fn replace_all(&self) -> Result<(), StorageError> {
        loop {
            let posts = self
                .workspace
                .retracted(self.clock.seconds(), AT_ONCE)
                .await?;
            if posts.is_empty() {
                return Ok(());
            }
            for (channel_id, posted) in posts {
                self.replace(channel_id, posted).await?;
            }
        }
    }

    /// Replaces a post, or lets it wait without holding up others.
    async fn replace(&self, channel_id: String, posted: TsKey) -> Result<(), StorageError> {
        let note = note(self.current.settings().language);
        let error = match self.slack.replace_post(&channel_id, posted, note).await {
            Ok(()) => {
                tracing::info!("replaced a retracted post in {channel_id}");
                return self.workspace.end_retraction(&channel_id, posted).await;
            }
            Err(error) => error,
        };
        let words = explain_chat(&error);
        let may_pass = matches!(error, ChatError::RateLimited(_) | ChatError::Unavailable(_));
        if !may_pass {
            tracing::warn!(
                "the retracted post {posted} in {channel_id} cannot be replaced; if it is still there, delete it in \
                 Slack, then run `myao parked --drop`: {words}"
            );
        }
        let failed = FailedRetraction {
            channel_id,
            posted,
            error: words,
            may_pass,
        };
        self.workspace
            .fail_retraction(failed, self.clock.seconds())
            .await
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
