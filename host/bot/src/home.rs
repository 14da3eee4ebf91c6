//! Publishes the App Home tab each time somebody opens it.

use std::sync::Arc;

use myao_slack::blocks::home_view;

use super::budget::Budget;
use super::current::Current;
use super::views::Views;
use crate::slack::live::LiveSlack;

/// Shows a person who opens the bot's tab the memories that this person may see.
#[derive(Clone)]
pub(super) struct Home {
    views: Views,
    slack: Arc<LiveSlack>,
    current: Current,
    budget: Arc<Budget>,
}

impl Home {
    pub(super) fn new(
        views: Views,
        slack: Arc<LiveSlack>,
        current: Current,
        budget: Arc<Budget>,
    ) -> Self {
        Self {
            views,
            slack,
            current,
            budget,
        }
    }

    /// Publishes in the background: events must not wait for it.
    pub(super) fn show(&self, user: String) {
        let (views, slack) = (self.views.clone(), self.slack.clone());
        let language = self.current.settings().language;
        let budget = self.budget.clone();
        tokio::spawn(async move {
            let shown = match views.home(&user).await {
                Ok(mut content) => {
                    let own = slack.own_channels(&user).await;
                    for channel in &mut content.channels {
                        channel.may_choose = own.contains(&channel.id);
                    }
                    content.asks_again = budget.spent().map(|spent| views.moment(spent.until));
                    let view = home_view(&content, language);
                    let shown = slack.client().publish_home(&user, &view).await;
                    shown.map_err(|error| error.to_string())
                }
                Err(error) => Err(error),
            };
            if let Err(error) = shown {
                tracing::warn!("the App Home of {user} is not shown: {error}");
            }
        });
    }
}
