//! What the bot missed while it was not connected: channels and people, then messages since then, channel by channel and
//! thread by thread. All in the background: answering needs none of it.
//!
//! Slack limits `conversations.history` and `conversations.replies` tightly for many apps
//! (<https://docs.slack.dev/apis/web-api/rate-limits>); the client waits as long as Slack says. Normal work makes no such calls.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use myao_slack::client::HistoryRequest;
use serde_json::Value;
use tokio::sync::Notify;

use super::clock::Clock;
use super::current::Current;
use super::stop::Stop;
use crate::explain::explain_storage;
use crate::slack::events::BotIdentity;
use crate::slack::live::{LiveSlack, channel_name, user_effect};
use crate::storage::StorageError;
use crate::storage::effects::Effect;
use crate::storage::sqlite::SqliteWorkspace;
use crate::storage::sqlite::sync::StoredId;
use crate::ts::TsKey;

/// How often a living connection is noted: what comes after the last note is read again at the next start.
const NOTE: Duration = Duration::from_secs(30);
/// How far before the gap messages are read again, in seconds: events need not come in order.
const OVERLAP_SECONDS: i64 = 60;
/// What Slack does not have was deleted, but for what may have been written after Slack was asked: the two clocks may
/// differ by so many seconds.
const CLOCK_SECONDS: i64 = 5;
/// Threads that were alive so long before the gap are looked at for new replies, in seconds. History does not tell of
/// replies to older messages.
const THREADS_ALIVE_SECONDS: i64 = 24 * 3600;
/// The most of such threads.
const MAX_THREADS: u32 = 200;

/// Why catching up ended early. The next connection tries again.
#[derive(Debug, thiserror::Error)]
pub(super) enum CatchUpError {
    #[error("{0}")]
    Slack(#[from] myao_slack::error::SlackError),
    #[error("{}", explain_storage(.0))]
    Storage(#[from] StorageError),
}

/// Reads what was missed.
#[derive(Clone)]
pub(super) struct CatchUp {
    pub(super) workspace: SqliteWorkspace,
    pub(super) slack: Arc<LiveSlack>,
    pub(super) bot: BotIdentity,
    pub(super) current: Current,
    pub(super) clock: Clock,
    /// Tells of mentions.
    pub(super) asked: Arc<Notify>,
}

impl CatchUp {
    /// Catches up each time a connection was made, and notes while it lives. What could not be read is tried again.
    pub(super) async fn run(
        self,
        connected: Arc<Notify>,
        is_alive: impl Fn() -> bool,
        mut stop: Stop,
    ) {
        // Before the first connection nothing is known of what was missed.
        let mut is_complete = false;
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
                if is_complete {
                    let now = self.clock.seconds();
                    return Ok(self.workspace.set_connected_through(now).await?);
                }
                self.catch_up().await
            };
            tokio::select! {
                ended = step => match ended {
                    Ok(()) => is_complete = true,
                    Err(error) => tracing::warn!("what was missed is not known yet: {error}"),
                },
                () = stop.requested() => return,
            }
        }
    }

    /// Reads everything that was missed.
    pub(super) async fn catch_up(&self) -> Result<(), CatchUpError> {
        let now = self.clock.seconds();
        let since = self.workspace.connected_through().await?;
        let channels = self.read_channels(now).await?;
        self.read_users(now).await?;
        let mut messages = 0;
        for channel_id in &channels {
            messages += self.read_channel(channel_id, since, now).await?;
        }
        if let Some(since) = since {
            messages += self.read_threads(since, now).await?;
        }
        self.workspace.set_connected_through(now).await?;
        tracing::info!(
            "caught up: {} channels, {messages} messages read",
            channels.len()
        );
        Ok(())
    }

    /// All channels, and in which the bot is. None is ever taken out of the store.
    async fn read_channels(&self, now: i64) -> Result<Vec<String>, CatchUpError> {
        let at = TsKey::first_of(now);
        let listed = self.slack.client().channels().await?;
        let mut effects = Vec::with_capacity(listed.len() * 2);
        let mut present = Vec::new();
        for channel in &listed {
            let is_present = channel.is_member == Some(true) && channel.is_archived != Some(true);
            effects.push(channel_name(channel, at));
            effects.push(Effect::ChannelPresence {
                id: channel.id.clone(),
                present: is_present,
                at,
            });
            if is_present {
                present.push(channel.id.clone());
            }
        }
        self.workspace.apply_effects(effects, now).await?;
        Ok(present)
    }

    async fn read_users(&self, now: i64) -> Result<(), CatchUpError> {
        let users = self.slack.client().users().await?;
        let effects = users.iter().map(|user| user_effect(user, now)).collect();
        Ok(self.workspace.apply_effects(effects, now).await?)
    }

    /// A channel's messages since the gap began, and replies to them; of a channel without any message, the newest page.
    async fn read_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<usize, CatchUpError> {
        let is_new = self
            .workspace
            .history_read_through(channel_id)
            .await?
            .is_none();
        let (messages, from) = match since.filter(|_| !is_new) {
            Some(since) => {
                let from = TsKey::first_of(since - OVERLAP_SECONDS);
                (
                    self.slack
                        .history_since(channel_id, &from.to_string())
                        .await?,
                    Some(from),
                )
            }
            None if is_new => (self.newest(channel_id).await?, None),
            None => return Ok(0),
        };
        self.keep(channel_id, &messages, now).await?;
        let mut read = messages.len();
        if let Some(from) = from {
            let there = times_of(&messages);
            self.delete_others(channel_id, None, from, now, &there)
                .await?;
        }
        // A first message that is known without its replies would pass for a whole thread: of a new channel all are read.
        let from = from.unwrap_or(TsKey::first_of(0));
        for parent in messages
            .iter()
            .filter_map(|message| replied_since(message, from))
        {
            read += self.read_thread(channel_id, parent, from, now).await?;
        }
        let through = TsKey::first_of(now);
        self.workspace
            .set_history_read_through(channel_id, through)
            .await?;
        Ok(read)
    }

    /// The newest messages, as many as a reply shows.
    async fn newest(&self, channel_id: &str) -> Result<Vec<Value>, CatchUpError> {
        let request = HistoryRequest {
            channel: channel_id.to_owned(),
            limit: Some(self.current.config().response.channel_messages_limit),
            ..HistoryRequest::default()
        };
        Ok(self.slack.client().history(&request).await?.messages)
    }

    /// Replies to messages from before the gap.
    async fn read_threads(&self, since: i64, now: i64) -> Result<usize, CatchUpError> {
        let from = TsKey::first_of(since - OVERLAP_SECONDS);
        let alive = TsKey::first_of(since - THREADS_ALIVE_SECONDS);
        let threads = self.workspace.recent_threads(alive, MAX_THREADS).await?;
        let mut read = 0;
        for thread in threads {
            // Those that began in the gap are read with their channel.
            if thread.thread_ts < from {
                read += self
                    .read_thread(&thread.channel_id, thread.thread_ts, from, now)
                    .await?;
            }
        }
        Ok(read)
    }

    async fn read_thread(
        &self,
        channel_id: &str,
        thread_ts: TsKey,
        from: TsKey,
        now: i64,
    ) -> Result<usize, CatchUpError> {
        let (thread, oldest) = (thread_ts.to_string(), from.to_string());
        let messages = self
            .slack
            .thread_since(channel_id, &thread, Some(&oldest))
            .await?;
        self.keep(channel_id, &messages, now).await?;
        let there = times_of(&messages);
        self.delete_others(channel_id, Some(thread_ts), from, now, &there)
            .await?;
        Ok(messages.len())
    }

    /// Keeps messages, and asks for answers to the mentions among them.
    async fn keep(
        &self,
        channel_id: &str,
        messages: &[Value],
        now: i64,
    ) -> Result<(), CatchUpError> {
        let mut effects = self.slack.effects_of(channel_id, messages).await?;
        let oldest = now - i64::from(self.current.config().response.max_message_age_seconds);
        let mentions: Vec<Effect> = messages
            .iter()
            .filter_map(|message| self.mention(channel_id, message))
            .filter(|mention| matches!(mention, Effect::Mention { asked_at, .. } if *asked_at >= oldest))
            .collect();
        let asked = !mentions.is_empty();
        effects.extend(mentions);
        self.workspace.apply_effects(effects, now).await?;
        if asked {
            self.asked.notify_one();
        }
        Ok(())
    }

    fn mention(&self, channel_id: &str, message: &Value) -> Option<Effect> {
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        let by_person = text("bot_id").is_none() && text("user") != Some(&self.bot.user_id);
        let names_bot = text("text")?.contains(&format!("<@{}>", self.bot.user_id));
        let ts = TsKey::parse(text("ts")?)
            .ok()
            .filter(|_| by_person && names_bot)?;
        let thread_ts = text("thread_ts").and_then(|thread| TsKey::parse(thread).ok());
        Some(Effect::Mention {
            channel_id: channel_id.to_owned(),
            ts,
            thread_ts: thread_ts.filter(|thread| *thread != ts),
            asked_at: ts.unix_seconds(),
        })
    }

    /// What the store has of a stretch and Slack no longer has was deleted.
    async fn delete_others(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        from: TsKey,
        now: i64,
        there: &BTreeSet<TsKey>,
    ) -> Result<(), CatchUpError> {
        let to = TsKey::first_of(now - CLOCK_SECONDS);
        let stored = self
            .workspace
            .messages_between(channel_id, from, to)
            .await?;
        let deleted = stored
            .into_iter()
            .filter(|stored| stored.thread_ts == thread_ts && !there.contains(&stored.ts));
        let effects: Vec<Effect> = deleted
            .map(|StoredId { ts, .. }| Effect::MessageDeleted {
                channel_id: channel_id.to_owned(),
                ts,
                at: to,
            })
            .collect();
        if !effects.is_empty() {
            self.workspace.apply_effects(effects, now).await?;
        }
        Ok(())
    }
}

fn times_of(messages: &[Value]) -> BTreeSet<TsKey> {
    let ts = messages
        .iter()
        .filter_map(|message| message.get("ts")?.as_str());
    ts.filter_map(|ts| TsKey::parse(ts).ok()).collect()
}

/// The id of a message that was replied to since then, as far as it tells.
fn replied_since(message: &Value, since: TsKey) -> Option<TsKey> {
    let key = |name: &str| TsKey::parse(message.get(name)?.as_str()?).ok();
    let has_replies = message.get("reply_count").and_then(Value::as_u64) > Some(0);
    let is_new = key("latest_reply").map_or(has_replies, |latest| latest >= since);
    key("ts").filter(|_| is_new)
}
