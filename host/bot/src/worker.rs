//! Applies the events of the inbox.

use std::sync::Arc;
use std::time::Duration;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::inbox::{Failed, WaitingEvent};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_slack::events::{BotIdentity, SlackEvent};
use myao_slack::named::Named;
use tokio::sync::Notify;

use super::clock::Clock;
use super::current::Current;
use super::home::Home;
use super::metrics::Metrics;
use super::settings::ExternalChannels;
use super::stop::Stop;
use super::told::Told;
use crate::slack::live::LiveSlack;

/// The maximum number of events that are applied in one transaction.
const BATCH: u32 = 128;
/// The worker's back-off if the store fails.
const REST: Duration = Duration::from_secs(2);
/// How often to look for failed events that are due for a retry.
const LOOK: Duration = Duration::from_secs(5);
/// How long applied events are remembered, so that a late duplicate is recognised: Slack delivers again for an hour.
const REMEMBERED_SECONDS: i64 = 24 * 3600;

/// Applies events, oldest first.
pub(super) struct Worker {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) bot: BotIdentity,
    pub(super) current: Current,
    pub(super) home: Home,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
    /// Notified of new events.
    pub(super) arrived: Arc<Notify>,
    /// Notifies of mentions.
    pub(super) asked: Arc<Notify>,
}

impl Worker {
    /// Works until asked to stop; what waits then is processed at the next start.
    pub(super) async fn run(self, mut stop: Stop) {
        let mut told = Told::default();
        while !stop.is_requested() {
            let applied = self.apply_waiting().await;
            if applied.is_ok()
                && let Some(failures) = told.over()
            {
                tracing::info!("events wait no longer; {failures} attempts failed");
            }
            match applied {
                Ok(0) => self.forget().await,
                Ok(_) => continue,
                Err(error) => {
                    if let Some(why) = told.waits(explain_storage(&error), 1) {
                        tracing::error!("events wait: {why}");
                    }
                    stop.sleep(REST).await;
                    continue;
                }
            }
            tokio::select! {
                () = self.arrived.notified() => {}
                () = stop.sleep(LOOK) => {}
            }
        }
    }

    /// Applies one batch and returns how many events it had.
    pub(super) async fn apply_waiting(&self) -> Result<usize, StorageError> {
        let now = self.clock.seconds();
        let waiting = self.workspace.waiting_events(now, BATCH).await?;
        if waiting.is_empty() {
            return Ok(0);
        }
        let events: Vec<_> = waiting
            .iter()
            .map(|waiting| SlackEvent::parse(&waiting.payload))
            .collect();
        let mut named = Named::default();
        for event in events.iter().flatten() {
            event.add_named(&mut named);
        }
        // If Slack does not return a name, the event is applied without it.
        let people = self.slack.directory(named).await?;
        let strangers = events
            .iter()
            .flatten()
            .filter_map(|event| event.stranger(&self.bot));
        let strangers = strangers.map(str::to_owned).collect();
        self.slack.look_up_strangers(strangers).await?;
        let mut ready = Vec::with_capacity(waiting.len());
        let mut homes = Vec::new();
        let invited = events.iter().flatten();
        let invited: Vec<String> = invited
            .filter_map(|event| event.invited_to(&self.bot).map(str::to_owned))
            .collect();
        for (waiting, event) in waiting.iter().zip(events) {
            let effects = event.and_then(|event| {
                homes.extend(event.home_opened_by().map(str::to_owned));
                event.effects(&people, &self.bot)
            });
            let effects = effects.map(|effects| self.that_count(effects));
            let effects = effects.unwrap_or_else(|error| {
                // A retry could not read it either. The event ends without an effect.
                tracing::warn!("event {} is left out: {error}", waiting.event_id);
                self.metrics.left_out.count("event");
                Vec::new()
            });
            ready.push((waiting.id, effects));
        }
        let settings = self.current.settings();
        if settings.external_channels == ExternalChannels::Ignore {
            let effects: Vec<Effect> = ready.iter().flat_map(|(_, of)| of.clone()).collect();
            self.slack
                .ignore_shared(&effects, settings.language, 0)
                .await?;
        }
        let asked = ready.iter().any(|(_, effects)| asks(effects));
        let ids: Vec<i64> = ready.iter().map(|(id, _)| *id).collect();
        let applied = self.workspace.apply_events(ready, now).await?;
        for (id, applied) in ids.iter().zip(applied) {
            match applied {
                Ok(_) => self.metrics.events.count("applied"),
                Err(error) => {
                    if let Some(event) = waiting.iter().find(|event| event.id == *id) {
                        self.failed(event, explain_storage(&error)).await?;
                    }
                }
            }
        }
        if asked {
            self.asked.notify_one();
        }
        for user in homes {
            self.home.show(user);
        }
        for channel in invited {
            let by_default = settings.response.mode.into();
            let greeted = self.slack.greet(&channel, settings.language, by_default);
            if let Err(error) = greeted.await {
                let why = explain_storage(&error);
                tracing::warn!("{channel} is not told what the bot does there: {why}");
            }
        }
        Ok(waiting.len())
    }

    /// Without what was said in a group message: Slack reports a mention there, and neither edits nor deletions. Of reactions
    /// only those that pin a message.
    fn that_count(&self, effects: Vec<Effect>) -> Vec<Effect> {
        let is_direct = |effect: &Effect| match effect {
            Effect::Message { record, .. } => self.slack.is_direct(&record.channel_id),
            Effect::Mention { channel_id, .. }
            | Effect::Pin { channel_id, .. }
            | Effect::Feedback { channel_id, .. } => self.slack.is_direct(channel_id),
            Effect::Done { mark, .. } => self.slack.is_direct(&mark.channel_id),
            _ => false,
        };
        let settings = self.current.settings();
        effects
            .into_iter()
            .filter(|effect| !is_direct(effect) && settings.counts(effect))
            .collect()
    }

    /// Schedules a retry of the event; after too many failures it is set aside for people to look at.
    async fn failed(&self, event: &WaitingEvent, error: String) -> Result<(), StorageError> {
        tracing::warn!("event {} took no effect: {error}", event.event_id);
        let now = self.clock.seconds();
        let failed = self.workspace.fail_event(event.id, error, now).await?;
        self.metrics.events.count(match failed {
            Failed::TriedAgainAt(_) => "failed",
            Failed::SetAside => "set-aside",
        });
        Ok(())
    }

    async fn forget(&self) {
        let before = self.clock.seconds() - REMEMBERED_SECONDS;
        if let Err(error) = self.workspace.forget_applied_events(before).await {
            tracing::warn!("old events are not forgotten: {}", explain_storage(&error));
        }
    }
}

fn asks(effects: &[Effect]) -> bool {
    effects
        .iter()
        .any(|effect| matches!(effect, Effect::Mention { .. }))
}
