//! Reads what the bot missed while it was not connected: first channels, people and who is in which channel, then the
//! messages since then, channel by channel and thread by thread. All of this runs in the background; answering does not need it.
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
mod pins;
mod sweep;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use audiences::unlisted;
use channel::{CLOCK_SECONDS, OVERLAP_SECONDS, Read, THREADS_ALIVE_SECONDS};
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::catch_up::{Gap, UnreadChannel};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::events::{BotIdentity, is_direct_message};
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
    /// Catches up each time a connection was made, and notes the time while it is alive. What could not be read is
    /// tried again.
    pub(super) async fn run(
        self,
        connected: Arc<Notify>,
        is_alive: impl Fn() -> bool,
        mut stop: Stop,
    ) {
        // Before the first connection it is not known what was missed.
        let mut is_complete = false;
        let mut told = Told::default();
        while !stop.is_requested() {
            let mut stopped = stop.clone();
            tokio::select! {
                () = connected.notified() => is_complete = false,
                () = stopped.sleep(NOTE) => {}
            }
            if stop.is_requested() || !is_alive() {
                continue;
            }
            let step = async {
                // Not known until the store has taken it.
                let was_complete = std::mem::take(&mut is_complete);
                is_complete = was_complete && self.is_unbroken().await?;
                if !is_complete {
                    self.catch_up().await?;
                    is_complete = true;
                    return Ok(());
                }
                self.follow_audiences().await?;
                self.follow_up().await
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

    /// Reads everything that was missed. A channel that Slack does not return is requested again later.
    pub(super) async fn catch_up(&self) -> Result<(), CatchUpError> {
        let now = self.clock.seconds();
        let since = self.gap_since(now).await?;
        let channels = self.read_channels(now).await?;
        self.read_users(now).await?;
        self.read_members(&channels).await?;
        let unread: HashMap<String, Option<i64>> = self
            .workspace
            .unread_channels(i64::MAX)
            .await?
            .into_iter()
            .map(|unread| (unread.channel_id, unread.since))
            .collect();
        let (mut messages, mut later, mut is_away) = (0, 0, false);
        for channel_id in &channels {
            // A channel that could not be read the last time has a longer gap.
            let gap = unread.get(channel_id).copied().flatten();
            let since = gap.into_iter().chain(since).min();
            if is_away {
                self.workspace
                    .put_off_channel(channel_id, since, now)
                    .await?;
                later += 1;
                continue;
            }
            match self.read_channel(channel_id, since, now).await? {
                Read::All(read) => messages += read,
                Read::Later { slack_is_away } => {
                    later += 1;
                    is_away = slack_is_away;
                }
            }
        }
        self.gaps.save(&*self.workspace).await?;
        self.note_connected(now).await?;
        let read = Gap {
            since: since.unwrap_or(0),
            // The host that opened it may have a slower clock.
            until: now - CLOCK_SECONDS,
        };
        self.workspace.close_gap(read).await?;
        self.ask_for_missing(now, MAX_ASKS).await?;
        let read = channels.len() - later;
        tracing::info!("caught up: {read} channels, {messages} messages read");
        if later > 0 {
            tracing::warn!("{later} channels could not be read; they are tried again");
        }
        Ok(())
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

    /// Continues with what could not be read, or is not known yet.
    async fn follow_up(&self) -> Result<(), CatchUpError> {
        let now = self.clock.seconds();
        for UnreadChannel { channel_id, since } in self.workspace.unread_channels(now).await? {
            let known = self.workspace.known_channel(&channel_id).await?;
            if !known.is_some_and(|channel| channel.is_present) {
                self.workspace.end_unread(&channel_id).await?;
                continue;
            }
            match self.read_channel(&channel_id, since, now).await? {
                Read::All(read) => {
                    tracing::info!("caught up with {channel_id}: {read} messages read");
                }
                Read::Later {
                    slack_is_away: true,
                } => break,
                Read::Later { .. } => {}
            }
        }
        self.ask_for_missing(now, MAX_ASKS_LATER).await
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
            let is_present = channel.is_member == Some(true) && channel.is_archived != Some(true);
            let is_ignored = ignores && channel.is_shared() == Some(true);
            effects.extend(channel.effects(at));
            effects.push(Effect::ChannelPresence {
                id: channel.id.clone(),
                present: is_present,
                at,
            });
            if is_present && !is_ignored {
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
