//! Shortcuts on messages. What one shows is a window that only the person who chose it sees.

use std::sync::Arc;

use myao_plugin::ts::TsKey;
use myao_slack::blocks::thread_modal;
use myao_slack::shortcut::{Shortcut, THREAD};

use super::current::Current;
use super::views::Views;
use crate::slack::live::LiveSlack;

/// Answers shortcuts.
pub(super) struct Shortcuts {
    views: Views,
    slack: Arc<LiveSlack>,
    current: Current,
}

impl Shortcuts {
    pub(super) fn new(views: Views, slack: Arc<LiveSlack>, current: Current) -> Self {
        Self {
            views,
            slack,
            current,
        }
    }

    /// Answers a payload in the background: Slack waits for its acknowledgement. A click on a link, and what other versions
    /// of the app offered, need no answer.
    pub(super) fn answer(&self, payload: &str) {
        let Some(chosen) = Shortcut::parse(payload).filter(|of| of.callback_id == THREAD) else {
            return;
        };
        let (views, slack) = (self.views.clone(), self.slack.clone());
        let language = self.current.settings().language;
        tokio::spawn(async move {
            let Ok(first) = TsKey::parse(&chosen.first_ts) else {
                return;
            };
            let shown = match views
                .thread(chosen.user_id, &chosen.channel_id, first)
                .await
            {
                Ok(thread) => {
                    let view = thread_modal(thread.as_ref(), language);
                    let opened = slack.client().open_modal(&chosen.trigger_id, &view).await;
                    opened.map_err(|error| error.to_string())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = shown {
                tracing::warn!("a shortcut is not answered: {error}");
            }
        });
    }
}
