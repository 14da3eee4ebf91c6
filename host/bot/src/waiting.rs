//! The bot's waits, as known from the store and this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use myao_plugin::state::Workspace;
use myao_plugin::storage::StorageError;
use myao_plugin::waits::{Wait, WaitKind, is_under_way};

use super::budget::Budget;
use super::clock::Clock;
use super::current::Current;
use super::metrics::Figures;
use crate::slack::live::LiveSlack;

/// A wait that keeps people from being answered is reported as trouble if it lasts more seconds than this.
const TROUBLE_SECONDS: i64 = 60;
/// The same for a mention that waits for so long, whatever the reason: a model may take some minutes.
const UNANSWERED_SECONDS: i64 = 600;
/// The method that every answer needs.
const POST: &str = "chat.postMessage";
/// The agent that every answer needs.
const REPLIES: &str = "response";

/// Lists what waits.
#[derive(Clone)]
pub(super) struct Waiting {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) budget: Arc<Budget>,
    /// Conversations whose judgment or answer failed, by the message's key.
    pub(super) judgments: Deferrals,
    /// Channels of which it could not be read who reads them.
    pub(super) audiences: Deferrals,
}

impl Waiting {
    /// Everything that waits now.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub(super) async fn list(&self) -> Result<Vec<Wait>, StorageError> {
        let now = self.clock.seconds();
        let mut waits = self.in_process(now);
        waits.extend(self.workspace.waits(now).await?);
        let judgments = self.judgments.under_way(now).into_iter();
        waits.extend(judgments.map(|(until, key)| Wait {
            kind: WaitKind::Judgment,
            label: "failed",
            what: format!("the judgment of {key}"),
            until,
            why: "it failed, or the answer did".to_owned(),
        }));
        waits.extend(self.unread_audiences(now).await?);
        Ok(waits)
    }

    /// What the metrics show of the database, as far as it can be read.
    pub(super) async fn figures(&self) -> Figures {
        let workspace = &self.workspace;
        let gap = workspace.gap().await.ok();
        let unread = workspace.unread_channels(i64::MAX).await.ok();
        Figures {
            now: self.clock.seconds(),
            backlog: workspace.backlog().await.ok(),
            database: workspace.database_use(),
            caught_up: workspace.connected_through().await.ok().flatten(),
            gap: gap.map(|gap| gap.is_some()),
            unread: unread.map(|unread| unread.len()),
            swept: workspace.swept().await.ok(),
            budget: self.budget.spent_parts().await.unwrap_or_default(),
        }
    }

    /// The channels that Slack is asked about again.
    async fn unread_audiences(&self, now: i64) -> Result<Vec<Wait>, StorageError> {
        let unknown = self.workspace.channels_of_unknown_audience().await?;
        let waits = self
            .audiences
            .under_way(now)
            .into_iter()
            .map(|(until, id)| Wait {
                kind: WaitKind::Audience,
                label: "",
                what: format!("asking who reads {id}"),
                until,
                why: match unknown.contains(&id) {
                    true => "Slack did not say, so it counts as private".to_owned(),
                    false => "Slack did not say, so it counts as what it was".to_owned(),
                },
            });
        Ok(waits.collect())
    }

    /// The waits that keep people from being answered, as text.
    pub(super) async fn troubles(&self) -> Vec<String> {
        let now = self.clock.seconds();
        // If the store cannot be read, that is another trouble.
        let mentions = self.workspace.backlog().await.unwrap_or_default().mentions;
        let unanswered = mentions.since.map(|since| now - since);
        let unanswered = unanswered.filter(|seconds| *seconds > UNANSWERED_SECONDS);
        let waits = self.in_process(now).into_iter();
        let mute = waits.filter(|wait| {
            let is_of_answers =
                [POST, REPLIES].contains(&wait.label) || wait.kind == WaitKind::Budget;
            is_of_answers && wait.until - now > TROUBLE_SECONDS
        });
        mute.map(|wait| {
            format!(
                "{} waits for {} s: {}",
                wait.what,
                wait.until - now,
                wait.why
            )
        })
        .chain(unanswered.map(|seconds| {
            format!(
                "mentions wait for an answer: {}, one for {seconds} s",
                mentions.count
            )
        }))
        .collect()
    }

    fn in_process(&self, now: i64) -> Vec<Wait> {
        let end = |wait: Duration| {
            // Round up: a part of a second must be waited for, too.
            let seconds = wait.as_secs() + u64::from(wait.subsec_nanos() > 0);
            now.saturating_add(i64::try_from(seconds).unwrap_or(i64::MAX))
        };
        let methods = self.slack.client().waits().into_iter();
        let methods = methods.map(|(method, wait)| Wait {
            kind: WaitKind::Slack,
            label: method,
            what: format!("Slack's {method}"),
            until: end(wait),
            why: "Slack wants no calls for now (429)".to_owned(),
        });
        let plugin = self.current.plugin();
        let models = plugin.paused_models().into_iter();
        let models = models.map(|(agent, wait)| Wait {
            kind: WaitKind::Model,
            label: agent,
            what: format!("the model of agents.{agent}"),
            until: end(wait),
            why: "its provider wants no calls for now (429)".to_owned(),
        });
        let embedder = plugin.embedder().and_then(|embedder| embedder.paused_for());
        let embedder = embedder.map(|wait| Wait {
            kind: WaitKind::Model,
            label: "embeddings",
            what: "the model of recall.embeddings".to_owned(),
            until: end(wait),
            why: "it failed: messages are found by their words alone".to_owned(),
        });
        let budget = self.budget.spent().into_iter().map(|spent| Wait {
            kind: WaitKind::Budget,
            label: "day",
            what: "asking models".to_owned(),
            until: spent.until,
            why: format!("{} is used up", spent.key),
        });
        methods
            .chain(models)
            .chain(embedder)
            .chain(budget)
            .collect()
    }
}

/// The failures, and until when they are deferred, by key and in Unix seconds. Forgotten at a restart.
#[derive(Clone, Default)]
pub(super) struct Deferrals(Arc<Mutex<HashMap<String, Deferral>>>);

/// A wait and its full length: if more than that is left, the clock was set back.
struct Deferral {
    until: i64,
    longest: i64,
}

impl Deferral {
    fn is_under_way(&self, now: i64) -> bool {
        is_under_way(self.until, now, self.longest)
    }
}

impl Deferrals {
    /// Defers what has this key for so many seconds.
    pub(super) fn add(&self, key: String, now: i64, seconds: u32) {
        let longest = i64::from(seconds);
        let until = now.saturating_add(longest);
        self.with(|deferred| deferred.insert(key, Deferral { until, longest }));
    }

    /// Returns true if the work with this key is deferred.
    pub(super) fn holds(&self, key: &str, now: i64) -> bool {
        self.with(|deferred| {
            deferred.retain(|_, wait| wait.is_under_way(now));
            deferred.contains_key(key)
        })
    }

    /// The keys that have waited long enough.
    pub(super) fn ended(&self, now: i64) -> Vec<String> {
        self.with(|deferred| {
            let ended = deferred.iter().filter(|(_, wait)| !wait.is_under_way(now));
            ended.map(|(key, _)| key.clone()).collect()
        })
    }

    /// Ends the wait of what has this key.
    pub(super) fn end(&self, key: &str) {
        self.with(|deferred| deferred.remove(key));
    }

    /// Ends every wait.
    pub(super) fn clear(&self) {
        self.with(HashMap::clear);
    }

    /// When which wait ends, the next one first.
    pub(super) fn under_way(&self, now: i64) -> Vec<(i64, String)> {
        let mut waits: Vec<(i64, String)> = self.with(|deferred| {
            let under_way = deferred.iter().filter(|(_, wait)| wait.is_under_way(now));
            under_way
                .map(|(key, wait)| (wait.until, key.clone()))
                .collect()
        });
        waits.sort();
        waits
    }

    fn with<T>(&self, work: impl FnOnce(&mut HashMap<String, Deferral>) -> T) -> T {
        work(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[cfg(test)]
mod tests {
    use super::Deferrals;

    #[test]
    fn what_failed_is_left_alone_until_then_or_the_clock_comes_back() {
        const YEAR: i64 = 365 * 24 * 3600;
        let failed = Deferrals::default();
        failed.add("C1:1.0".to_owned(), 1000, 600);
        assert!(failed.holds("C1:1.0", 1599) && !failed.holds("C1:2.0", 1000));
        assert_eq!(failed.under_way(1000), [(1600, "C1:1.0".to_owned())]);
        assert!(!failed.holds("C1:1.0", 1600));
        failed.add("C1:1.0".to_owned(), YEAR, 600);
        assert!(!failed.holds("C1:1.0", 1000));
        failed.add("C1:1.0".to_owned(), 1000, 600);
        failed.clear();
        assert!(!failed.holds("C1:1.0", 1000));
    }
}
