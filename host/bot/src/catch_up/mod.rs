//! Reads what the bot missed while it was not connected: first channels and people, then who is in which channel and the messages
//! since then, channel by channel and thread by thread. All of this runs in the background; answering does not need it.
//!
//! **Invariant: what is not read yet is owed.** The gap becomes one gap a channel, stored together; then the connection counts again.
//! A start in the middle reads what is left from there on, and of the other channels only what came after the last note.
//!
//! **Invariant: one channel, or one message, never blocks another.** If Slack does not return a channel, that channel
//! is deferred, together with the start of its gap; a message that cannot be read is skipped and reported.
//!
//! Slack has low rate limits for `conversations.history` and `conversations.replies` for many apps
//! (<https://docs.slack.dev/apis/web-api/rate-limits>); the client waits as long as Slack says. Normal work makes no
//! such calls.

mod audiences;
mod channel;
mod missing;
mod owed;
mod pins;
mod sweep;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use audiences::unlisted;
use channel::{CLOCK_SECONDS, OVERLAP_SECONDS, THREADS_ALIVE_SECONDS};
use futures::FutureExt as _;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::catch_up::Gap;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::client::Channel;
use myao_slack::events::{BotIdentity, is_direct_message};
use owed::Reading;
use tokio::sync::Notify;

use super::clock::Clock;
use super::current::Current;
use super::gaps::Gaps;
use super::settings::ExternalChannels;
use super::stop::Stop;
use super::told::Told;
use super::waiting::Deferrals;
use crate::slack::live::LiveSlack;

/// How often a live connection is noted: what comes after the last note is read again at the next start.
const NOTE: Duration = Duration::from_secs(30);
/// The maximum number of messages that are requested one by one at the end of catching up.
const MAX_ASKS: u32 = 50;
/// For how long Slack sends events again, in seconds: they may be older than the list that says that their channel is shared.
pub(super) const SENT_AGAIN_SECONDS: i64 = 3600;
/// A host that dies leaves the upkeep to another within so many seconds, and Slack sends again what it did not acknowledge
/// (<https://docs.slack.dev/apis/events-api/#retries>).
const HANDED_OVER_SECONDS: i64 = 120;
/// The maximum each time after that.
const MAX_ASKS_LATER: u32 = 10;

/// Why catching up stopped early. It is tried again with the next connection.
#[derive(Debug, thiserror::Error)]
pub(super) enum CatchUpError {
    #[error("{0}")]
    Slack(#[from] myao_slack::error::ClientError),
    #[error("{}", explain_storage(.0))]
    Storage(#[from] StorageError),
}

/// Reads what was missed.
#[derive(Clone)]
pub(super) struct CatchUp {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) bot: BotIdentity,
    pub(super) current: Current,
    pub(super) clock: Clock,
    /// Notifies of mentions.
    pub(super) asked: Arc<Notify>,
    /// Channels of which it could not be read who reads them.
    pub(super) audiences: Deferrals,
    /// The gap that is not stored yet.
    pub(super) gaps: Gaps,
}

impl CatchUp {
    /// Finds out what was missed each time a connection was made, reads it, and notes the time while the connection is alive. What
    /// could not be read is tried again.
    pub(super) async fn run(
        self,
        connected: Arc<Notify>,
        is_alive: impl Fn() -> bool,
        mut stop: Stop,
    ) {
        // Before the first connection it is not known what was missed.
        let mut is_known = matches!(self.is_handed_over().await, Ok(true));
        if is_known {
            // The connection that this tells of is older.
            let _ = connected.notified().now_or_never();
            tracing::info!("nothing was missed: this host was connected all the time");
        }
        let mut reading = Reading::default();
        let mut told = Told::default();
        while !stop.is_requested() {
            let mut stopped = stop.clone();
            let read = tokio::select! {
                biased;
                () = connected.notified() => {
                    is_known = false;
                    Ok(())
                }
                read = self.read_owed(&mut reading), if reading.is_under_way() => read,
                () = stopped.sleep(NOTE) => Ok(()),
            };
            if read.is_err() {
                is_known = false;
                reading = Reading::default();
            }
            if stop.is_requested() || !is_alive() {
                continue;
            }
            let step = async {
                read?;
                self.step(&mut is_known, &mut reading).await
            };
            let ended: Result<(), CatchUpError> = tokio::select! {
                ended = step => ended,
                () = stop.requested() => return,
            };
            match ended {
                Ok(()) => {
                    if let Some(failures) = told.over() {
                        tracing::info!("what was missed is known; {failures} attempts failed");
                    }
                }
                Err(error) => {
                    if let Some(why) = told.waits(error.to_string(), 1) {
                        tracing::warn!("what was missed is not known yet: {why}");
                    }
                }
            }
        }
    }

    /// Does what is due while connected. `is_known`: what was missed is known.
    async fn step(&self, is_known: &mut bool, reading: &mut Reading) -> Result<(), CatchUpError> {
        // Not known until the store has taken it.
        let was_known = std::mem::take(is_known);
        // A clock that was just set must not date the facts that are read now.
        self.slack.client().learn_time().await?;
        *is_known = was_known && self.is_unbroken().await?;
        if !*is_known {
            self.catch_up(reading).await?;
            *is_known = true;
            return Ok(());
        }
        self.follow_audiences(&reading.of_unread_members).await?;
        self.follow_up(reading).await
    }

    /// Returns true if another host noted a moment ago that nothing is missing, and this one has been connected since before.
    async fn is_handed_over(&self) -> Result<bool, CatchUpError> {
        let now = self.clock.seconds();
        let noted = self.workspace.connected_through().await?;
        let is_recent =
            |noted: &i64| (now - HANDED_OVER_SECONDS..=now + OVERLAP_SECONDS).contains(noted);
        let is_whole = noted
            .filter(is_recent)
            .is_some_and(|noted| self.gaps.connected_since() <= noted - OVERLAP_SECONDS);
        Ok(is_whole && self.workspace.unread_channels(i64::MAX).await?.is_empty())
    }

    /// Notes the time if nothing was missed. Returns false if something is to be read again.
    async fn is_unbroken(&self) -> Result<bool, CatchUpError> {
        let now = self.clock.seconds();
        self.gaps.save(&*self.workspace).await?;
        let is_due = |gap: Gap| gap.is_over(now - CLOCK_SECONDS);
        if self.workspace.gap().await?.is_some_and(is_due) {
            return Ok(false);
        }
        self.note_connected(now).await?;
        Ok(true)
    }

    /// Finds out what was missed: all channels are owed since then, and the connection is good again. A channel that Slack does not
    /// return is requested again later.
    async fn catch_up(&self, reading: &mut Reading) -> Result<(), CatchUpError> {
        let now = self.clock.seconds();
        // The channels that are being read are owed again.
        *reading = Reading::default();
        let since = self.gap_since(now).await?;
        let channels = self.read_channels(now).await?;
        self.read_users(now).await?;
        self.audiences.clear();
        self.workspace.owe_channels(&channels, since, now).await?;
        self.gaps.save(&*self.workspace).await?;
        self.note_connected(now).await?;
        let owed = Gap {
            since: since.unwrap_or(0),
            // The host that opened it may have a slower clock.
            until: now - CLOCK_SECONDS,
        };
        self.workspace.close_gap(owed).await?;
        let channels: HashSet<String> = channels.into_iter().collect();
        let mut owed = self.workspace.unread_channels(i64::MAX).await?;
        owed.retain(|owed| channels.contains(&owed.channel_id));
        *reading = Reading::of_members_too(channels);
        reading.begin(owed);
        self.follow_up(reading).await
    }

    /// The time since which something may be missing, in Unix seconds; `None` if there never was a connection. A time
    /// in the future was noted while the clock was ahead: then everything since the newest message counts as missing.
    async fn gap_since(&self, now: i64) -> Result<Option<i64>, CatchUpError> {
        let noted = self.workspace.connected_through().await?;
        if noted.is_none_or(|noted| noted <= now + OVERLAP_SECONDS) {
            let gap = self.workspace.gap().await?;
            return Ok(noted.map(|noted| gap.map_or(noted, |gap| gap.since.min(noted))));
        }
        let newest = self.workspace.newest_message(TsKey::first_of(now)).await?;
        let since = newest.map_or(now - THREADS_ALIVE_SECONDS, TsKey::unix_seconds);
        tracing::warn!(
            "the clock was ahead when the bot was last connected; all since the newest message is read again"
        );
        Ok(Some(since))
    }

    /// Notes that nothing before now is missing.
    async fn note_connected(&self, now: i64) -> Result<(), CatchUpError> {
        let latest = now + OVERLAP_SECONDS;
        self.workspace
            .bring_back_connected_through(now, latest)
            .await?;
        Ok(self.workspace.set_connected_through(now).await?)
    }

    /// Reads all channels and whether the bot is in them, and returns the ids of those that it is in. No channel is
    /// ever removed from the store.
    async fn read_channels(&self, now: i64) -> Result<Vec<String>, CatchUpError> {
        let at = TsKey::first_of(now);
        let listed = self.slack.client().channels().await?;
        let settings = self.current.settings();
        let ignores = settings.external_channels == ExternalChannels::Ignore;
        let mut effects = Vec::with_capacity(listed.len() * 3);
        let mut present = Vec::new();
        for channel in &listed {
            let is_ignored = ignores && channel.is_shared() == Some(true);
            effects.extend(channel.effects(at));
            effects.push(presence(channel, at));
            if is_present(channel) && !is_ignored {
                present.push(channel.id.clone());
            }
        }
        effects.extend(unlisted(&*self.workspace, &listed, &self.bot.user_id, at).await?);
        if ignores {
            self.slack
                .ignore_shared(&effects, settings.language, SENT_AGAIN_SECONDS)
                .await?;
        }
        self.workspace.apply_effects(effects, now).await?;
        present.extend(self.direct_messages().await?);
        Ok(present)
    }

    /// The direct messages with the bot that the store knows: only another scope would list them. It may have those of
    /// others, too, from an import.
    async fn direct_messages(&self) -> Result<Vec<String>, CatchUpError> {
        let mut with_bot = Vec::new();
        for channel in self.workspace.all_channels().await? {
            let ever = TsKey::first_of(0);
            if is_direct_message(&channel.id)
                && self
                    .workspace
                    .is_member(&self.bot.user_id, &channel.id, ever)
                    .await?
            {
                with_bot.push(channel.id);
            }
        }
        Ok(with_bot)
    }

    async fn read_users(&self, now: i64) -> Result<(), CatchUpError> {
        let users = self.slack.client().users().await?;
        let at = TsKey::first_of(now);
        let effects = users
            .iter()
            .flat_map(|user| user.effects(at, &self.bot.team_id))
            .collect();
        Ok(self.workspace.apply_effects(effects, now).await?)
    }
}

/// Returns true if the bot takes part in a channel.
fn is_present(channel: &Channel) -> bool {
    channel.is_member == Some(true) && channel.is_archived != Some(true)
}

fn presence(channel: &Channel, at: TsKey) -> Effect {
    Effect::ChannelPresence {
        id: channel.id.clone(),
        present: is_present(channel),
        at,
    }
}
