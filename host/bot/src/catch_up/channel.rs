//! Reads what was missed in one channel.

use std::collections::BTreeSet;

use myao_plugin::Place;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::error::{ClientError, RefusalKind};
use myao_slack::events::is_direct_message;
use myao_slack::{done, pins};
use serde_json::Value;

use super::{CatchUp, CatchUpError};
use crate::slack::history::{Stretch, id_of};

/// How far before the gap messages are read again, in seconds: events need not arrive in order.
pub(super) const OVERLAP_SECONDS: i64 = 60;
/// Messages written after the request to Slack may be missing from its answer. The two clocks may differ by this many
/// seconds.
pub(super) const CLOCK_SECONDS: i64 = 5;
/// Threads with activity within this time before the gap are checked for new replies, in seconds. The history does not
/// report replies to older messages.
pub(super) const THREADS_ALIVE_SECONDS: i64 = 24 * 3600;
/// The log shows progress after each so many threads of a channel.
const TOLD_EVERY: usize = 100;

/// The outcome of reading a channel.
pub(super) enum Read {
    /// The number of messages that were read.
    All(usize),
    /// Slack did not return them: it is tried again.
    Later {
        /// True if the failure concerns every channel.
        slack_is_away: bool,
    },
}

impl CatchUp {
    /// Reads a channel, or defers it.
    pub(super) async fn read_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<Read, CatchUpError> {
        match self.try_channel(channel_id, since, now).await {
            Ok(read) => {
                self.workspace.end_unread(channel_id).await?;
                Ok(Read::All(read))
            }
            Err(CatchUpError::Slack(error)) => {
                tracing::warn!("what was missed in {channel_id} is not known yet: {error}");
                self.workspace
                    .put_off_channel(channel_id, since, now)
                    .await?;
                let slack_is_away = concerns_all(&error);
                Ok(Read::Later { slack_is_away })
            }
            Err(error) => Err(error),
        }
    }

    /// A channel's messages since the gap began, and the replies to them; if its history was never read, only the
    /// newest page.
    async fn try_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<usize, CatchUpError> {
        let read_through = self.workspace.history_read_through(channel_id).await?;
        let from = since.map(|since| TsKey::first_of(since - OVERLAP_SECONDS));
        let from = from.filter(|_| read_through.is_some());
        let stretch = match from {
            Some(from) => {
                let oldest = from.to_string();
                self.slack.history_since(channel_id, &oldest).await?
            }
            None if read_through.is_none() => {
                let plugin = self.current.plugin();
                let limit = plugin.settings().number("response.channel_messages_limit");
                self.slack.newest(channel_id, None, limit).await?
            }
            None => return Ok(0),
        };
        self.keep(channel_id, &stretch.messages, now).await?;
        let mut read = stretch.messages.len();
        if let Some(from) = from {
            // Messages of the gap count as new, even if the channel has no version and the gap is longer than the window.
            let channel = vec![channel_id.to_owned()];
            self.workspace
                .at(Place::Schedule)
                .expect_first_version(channel, from.to_string())
                .await?;
            self.look_for_missing(channel_id, None, from, now, &stretch)
                .await?;
            self.look_for_pins(channel_id, from, now).await?;
        }
        // A first message stored without its replies would be taken for a whole thread, so for a new channel all
        // replies are read.
        let replies_from = from.unwrap_or(TsKey::first_of(0));
        let parents = stretch
            .messages
            .iter()
            .filter_map(|message| replied_since(message, replies_from));
        for parent in parents {
            read += self
                .read_thread(channel_id, parent, replies_from, now)
                .await?;
        }
        if let Some((from, since)) = from.zip(since) {
            read += self.read_threads(channel_id, from, since, now).await?;
        }
        let through = TsKey::first_of(now);
        self.workspace
            .set_history_read_through(channel_id, through)
            .await?;
        Ok(read)
    }

    /// Reads replies to messages from before the gap.
    async fn read_threads(
        &self,
        channel_id: &str,
        from: TsKey,
        since: i64,
        now: i64,
    ) -> Result<usize, CatchUpError> {
        let alive = TsKey::first_of(since - THREADS_ALIVE_SECONDS);
        let mut threads = self.workspace.recent_threads(channel_id, alive).await?;
        // Threads that began in the gap are read with their channel.
        threads.retain(|thread| *thread < from);
        let mut read = 0;
        for (number, thread) in threads.iter().enumerate() {
            if number > 0 && number.is_multiple_of(TOLD_EVERY) {
                let all = threads.len();
                tracing::info!("{number} of {all} older threads of {channel_id} were read");
            }
            read += self.read_thread(channel_id, *thread, from, now).await?;
        }
        Ok(read)
    }

    pub(super) async fn read_thread(
        &self,
        channel_id: &str,
        thread_ts: TsKey,
        from: TsKey,
        now: i64,
    ) -> Result<usize, CatchUpError> {
        let (thread, oldest) = (thread_ts.to_string(), from.to_string());
        let thread = self.slack.thread_since(channel_id, &thread, Some(&oldest));
        let stretch = match thread.await {
            Ok(stretch) => stretch,
            Err(error) if error.refusal() == Some(RefusalKind::NotFound) => {
                return self.look_for_thread(channel_id, thread_ts, from, now).await;
            }
            Err(error) => return Err(error.into()),
        };
        self.keep(channel_id, &stretch.messages, now).await?;
        self.look_for_missing(channel_id, Some(thread_ts), from, now, &stretch)
            .await?;
        Ok(stretch.messages.len())
    }

    /// If a thread is not found, requests its messages one by one. If it is the channel that is not found, reading the
    /// channel has already reported it.
    async fn look_for_thread(
        &self,
        channel_id: &str,
        thread_ts: TsKey,
        from: TsKey,
        now: i64,
    ) -> Result<usize, CatchUpError> {
        let to = TsKey::first_of(now - CLOCK_SECONDS);
        let stored = self
            .workspace
            .messages_between(channel_id, from, to)
            .await?;
        let replies = stored
            .into_iter()
            .filter(|stored| stored.thread_ts == Some(thread_ts));
        let parent = StoredId {
            ts: thread_ts,
            thread_ts: None,
        };
        let messages = std::iter::once(parent).chain(replies).collect();
        self.workspace.note_missing(channel_id, messages).await?;
        Ok(0)
    }

    /// Messages that the store has in this range but Slack's answer lacks may be deleted, or the answer may be wrong,
    /// so each is requested by itself. An answer that was cut off or is empty proves nothing.
    async fn look_for_missing(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        from: TsKey,
        now: i64,
        stretch: &Stretch,
    ) -> Result<(), CatchUpError> {
        let there: BTreeSet<TsKey> = stretch.ids();
        if there.is_empty() || !stretch.is_whole {
            return Ok(());
        }
        let to = TsKey::first_of(now - CLOCK_SECONDS);
        let stored = self
            .workspace
            .messages_between(channel_id, from, to)
            .await?;
        let missing: Vec<StoredId> = stored
            .into_iter()
            .filter(|stored| stored.thread_ts == thread_ts && !there.contains(&stored.ts))
            .collect();
        if !missing.is_empty() {
            self.workspace.note_missing(channel_id, missing).await?;
        }
        Ok(())
    }

    /// Stores messages, and asks for answers to the mentions among them.
    pub(super) async fn keep(
        &self,
        channel_id: &str,
        messages: &[Value],
        now: i64,
    ) -> Result<(), CatchUpError> {
        let mut effects = self.slack.effects_of(channel_id, messages, now).await?;
        let settings = self.current.settings();
        let pins = messages
            .iter()
            .flat_map(|message| pins::of_message(message, channel_id));
        let pins: Vec<Effect> = pins.filter(|pin| settings.counts(pin)).collect();
        effects.extend(self.unpinned(channel_id, messages, &pins, now).await?);
        effects.extend(pins);
        let done = messages
            .iter()
            .flat_map(|message| done::of_message(message, channel_id));
        effects.extend(done.map(|mark| Effect::Done {
            at: mark.ts,
            is_given: true,
            mark,
        }));
        let tombstones = messages.iter().filter(|message| is_tombstone(message));
        effects.extend(tombstones.filter_map(|message| {
            let ts = id_of(message)?;
            Some(deleted(channel_id, ts, now))
        }));
        let oldest = now - i64::from(self.current.settings().response.max_message_age_seconds);
        let kept = effects.iter().filter_map(|effect| match effect {
            Effect::Message { record, .. } => Some(record.ts),
            _ => None,
        });
        let kept: BTreeSet<TsKey> = kept.collect();
        let counts = |mention: &Effect| match mention {
            Effect::Mention { ts, asked_at, .. } => *asked_at >= oldest && kept.contains(ts),
            _ => false,
        };
        let mentions = messages
            .iter()
            .filter_map(|message| self.mention(channel_id, message));
        let mentions: Vec<Effect> = mentions.filter(counts).collect();
        let asked = !mentions.is_empty();
        effects.extend(mentions);
        self.apply(channel_id, effects, now).await?;
        if asked {
            self.asked.notify_one();
        }
        Ok(())
    }

    /// Applies effects together. If the store refuses them, applies them one by one, so that one bad effect does not
    /// block the others.
    async fn apply(
        &self,
        channel_id: &str,
        effects: Vec<Effect>,
        now: i64,
    ) -> Result<(), StorageError> {
        let together = self.workspace.apply_effects(effects.clone(), now).await;
        match together {
            Ok(()) | Err(StorageError::Unavailable(_)) => return together,
            Err(_) => {}
        }
        for effect in effects {
            match self.workspace.apply_effects(vec![effect], now).await {
                Ok(()) => {}
                Err(error @ StorageError::Unavailable(_)) => return Err(error),
                Err(error) => {
                    let error = explain_storage(&error);
                    tracing::warn!("something of {channel_id} is left out: {error}");
                    self.slack.count_left_out();
                }
            }
        }
        Ok(())
    }

    fn mention(&self, channel_id: &str, message: &Value) -> Option<Effect> {
        let text = |key: &str| message.get(key).and_then(Value::as_str);
        let by_person = text("bot_id").is_none() && text("user") != Some(&self.bot.user_id);
        let asks_bot = is_direct_message(channel_id)
            || text("text")?.contains(&format!("<@{}>", self.bot.user_id));
        let ts = id_of(message).filter(|_| by_person && asks_bot)?;
        let thread_ts = text("thread_ts").and_then(|thread| TsKey::parse(thread).ok());
        Some(Effect::Mention {
            channel_id: channel_id.to_owned(),
            ts,
            thread_ts: thread_ts.filter(|thread| *thread != ts),
            asked_at: ts.unix_seconds(),
        })
    }
}

/// Returns true if a message is the placeholder for a deleted message that has replies.
pub(super) fn is_tombstone(message: &Value) -> bool {
    message.get("subtype").and_then(Value::as_str) == Some("tombstone")
}

/// A deletion that was noticed at `now`, in Unix seconds.
pub(super) fn deleted(channel_id: &str, ts: TsKey, now: i64) -> Effect {
    Effect::MessageDeleted {
        channel_id: channel_id.to_owned(),
        ts,
        at: TsKey::first_of(now - CLOCK_SECONDS),
    }
}

/// Returns true if the same error would occur for every channel.
pub(super) fn concerns_all(error: &ClientError) -> bool {
    match error {
        ClientError::RateLimited { .. } | ClientError::Unreachable { .. } => true,
        ClientError::Refused { .. } => error.refusal() == Some(RefusalKind::Auth),
        _ => false,
    }
}

/// The id of a message that got a reply since then, as far as the message shows it.
fn replied_since(message: &Value, since: TsKey) -> Option<TsKey> {
    let latest = latest_reply(message);
    let has_replies = message.get("reply_count").and_then(Value::as_u64) > Some(0);
    let is_new = latest.map_or(has_replies, |latest| latest >= since);
    id_of(message).filter(|_| is_new)
}

pub(super) fn latest_reply(message: &Value) -> Option<TsKey> {
    let latest = message.get("latest_reply").and_then(Value::as_str)?;
    TsKey::parse(latest).ok()
}
