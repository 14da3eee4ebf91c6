//! Looks slowly for what Slack did not tell: messages that were deleted or edited without an event, as by an admin's tools, and new
//! ones that no event told of.
//!
//! Each channel's stored messages are compared with Slack's, newest first, a page at a time and the replies in its time thread by
//! thread. New is what was written since the last comparison of the channel. Between two calls there is a pause that leaves three
//! quarters of Slack's limit to other work. So with pages of 200 messages a round takes 5 s for each page and for each thread with
//! replies in its time: at most 17,280 calls a day.

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use myao_plugin::state::catch_up::Sweep;
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use myao_slack::error::RefusalKind;
use serde_json::Value;

use super::channel::{CLOCK_SECONDS, OVERLAP_SECONDS, concerns_all, deleted, latest_reply};
use super::{CatchUp, CatchUpError};
use crate::slack::history::{Stretch, id_of};
use crate::stop::Stop;
use crate::told::Told;

/// The shortest pause after a call: Slack takes some 50 calls of each method in a minute
/// (<https://docs.slack.dev/apis/web-api/rate-limits>, Tier 3).
const PAUSE: Duration = Duration::from_secs(5);
/// A call that took longer waited for Slack's limit. It is followed by a pause of so many times that.
const SHARE: u32 = 3;
/// How many messages are asked for at once.
const PAGE: u32 = 200;
/// A channel is compared again after so long, in seconds.
const ROUND_SECONDS: i64 = 24 * 3600;
/// How often it is asked whether a channel is due.
const LOOK: Duration = Duration::from_secs(60);
/// Before every message.
const FIRST: i64 = 0;

impl CatchUp {
    /// Compares channel by channel until asked to stop, while Slack is connected.
    pub(crate) async fn sweep(self, is_alive: impl Fn() -> bool, mut stop: Stop) {
        let mut told = Told::default();
        while !stop.is_requested() {
            if !is_alive() {
                stop.sleep(PAUSE).await;
                continue;
            }
            let swept = tokio::select! {
                swept = self.sweep_next() => swept,
                () = stop.requested() => return,
            };
            let wait = match swept {
                Ok(true) => {
                    if let Some(failures) = told.over() {
                        tracing::info!(
                            "channels are compared with Slack again; {failures} attempts failed"
                        );
                    }
                    Duration::ZERO
                }
                Ok(false) => LOOK,
                Err(error) => {
                    if let Some(why) = told.waits(error.to_string(), 1) {
                        tracing::warn!("channels are not compared with Slack: {why}");
                    }
                    LOOK
                }
            };
            stop.sleep(wait).await;
        }
    }

    /// Compares the next page of a channel. Returns false if no channel is due.
    pub(super) async fn sweep_next(&self) -> Result<bool, CatchUpError> {
        self.slack.client().learn_time().await?;
        let now = self.clock.seconds();
        let Some(sweep) = self.workspace.next_sweep(now - ROUND_SECONDS, now).await? else {
            return Ok(false);
        };
        let channel_id = sweep.channel_id.clone();
        match self.sweep_page(sweep, now).await {
            Err(CatchUpError::Slack(error)) if !concerns_all(&error) => {
                tracing::warn!("{channel_id} is not compared with Slack: {error}");
                let why = error.to_string();
                self.workspace.refuse_sweep(&channel_id, &why, now).await?;
            }
            done => done?,
        }
        Ok(true)
    }

    async fn sweep_page(&self, sweep: Sweep, now: i64) -> Result<(), CatchUpError> {
        let channel_id = &*sweep.channel_id;
        let mut next = sweep.clone();
        let end = TsKey::first_of(now - CLOCK_SECONDS);
        let through = sweep.through.unwrap_or(end);
        let begun = Instant::now();
        let page = self
            .slack
            .newest(channel_id, Some(through.to_string()), PAGE)
            .await?;
        let took = begun.elapsed();
        let Some(from) = page.ids().first().copied() else {
            let hidden = self.sweep_end(channel_id, through, &page, now).await?;
            next.through = None;
            self.workspace.note_sweep(next, hidden, now).await?;
            pause(took).await;
            return Ok(());
        };
        let stored = self.stored(channel_id, from, through).await?;
        self.compare(&sweep, None, &stored, &page, now).await?;
        pause(took).await;
        self.look_for_replies(&sweep, &page, now).await?;
        let threads: BTreeSet<TsKey> = stored.values().filter_map(|id| id.thread_ts).collect();
        for thread in threads {
            let begun = Instant::now();
            let answer = self
                .slack
                .replies_between(channel_id, thread, (from, through));
            match answer.await {
                Ok(replies) if replies.is_whole && !replies.ids().is_empty() => {
                    self.compare(&sweep, Some(thread), &stored, &replies, now)
                        .await?;
                }
                Ok(_) => {}
                // The thread has gone with its first message: each reply is asked for.
                Err(error) if error.refusal() == Some(RefusalKind::NotFound) => {
                    let none = Stretch::default();
                    self.compare(&sweep, Some(thread), &stored, &none, now)
                        .await?;
                }
                Err(error) => return Err(error.into()),
            }
            pause(begun.elapsed()).await;
        }
        let late = self.stored(channel_id, from, through).await?;
        let late = late.keys().filter(|ts| !stored.contains_key(ts)).count();
        if late > 0 {
            tracing::info!(
                "{channel_id}: {late} messages were not stored before; no event told of them"
            );
        }
        next.through = Some(TsKey::from_database(from.to_database() - 1));
        Ok(self.workspace.note_sweep(next, 0, now).await?)
    }

    /// Reads the threads of a page whose last reply is new and not stored: it may be the only one of its time.
    async fn look_for_replies(
        &self,
        sweep: &Sweep,
        page: &Stretch,
        now: i64,
    ) -> Result<(), CatchUpError> {
        let channel_id = &*sweep.channel_id;
        let Some(since) = new_since(sweep) else {
            return Ok(());
        };
        for message in &page.messages {
            let new = latest_reply(message).filter(|reply| *reply >= since);
            let Some((thread, reply)) = id_of(message).zip(new) else {
                continue;
            };
            if self.stored(channel_id, reply, reply).await?.is_empty() {
                let begun = Instant::now();
                self.read_thread(channel_id, thread, since, now).await?;
                pause(begun.elapsed()).await;
            }
        }
        Ok(())
    }

    async fn stored(
        &self,
        channel_id: &str,
        from: TsKey,
        to: TsKey,
    ) -> Result<BTreeMap<TsKey, StoredId>, CatchUpError> {
        let stored = self
            .workspace
            .messages_between(channel_id, from, to)
            .await?;
        Ok(stored.into_iter().map(|id| (id.ts, id)).collect())
    }

    /// Takes over new messages, and edits and deletions that an answer shows of what is stored, and notes what it lacks: each of these
    /// is asked for by itself.
    async fn compare(
        &self,
        sweep: &Sweep,
        thread: Option<TsKey>,
        stored: &BTreeMap<TsKey, StoredId>,
        answer: &Stretch,
        now: i64,
    ) -> Result<(), CatchUpError> {
        let there = answer.ids();
        let channel_id = &*sweep.channel_id;
        let since = new_since(sweep);
        let known: Vec<Value> = answer
            .messages
            .iter()
            .filter(|message| {
                let is_new = |ts| since.is_some_and(|since| ts >= since);
                id_of(message).is_some_and(|ts| is_new(ts) || stored.contains_key(&ts))
            })
            .cloned()
            .collect();
        if !known.is_empty() {
            self.keep(channel_id, &known, now).await?;
        }
        let missing: Vec<StoredId> = stored
            .values()
            .filter(|id| id.thread_ts == thread && !there.contains(&id.ts))
            .copied()
            .collect();
        if !missing.is_empty() {
            self.workspace.note_missing(channel_id, missing).await?;
        }
        Ok(())
    }

    /// Nothing older is visible: a plan or a policy hides it, or it was deleted. Returns how many messages are kept that Slack does not
    /// show.
    async fn sweep_end(
        &self,
        channel_id: &str,
        through: TsKey,
        page: &Stretch,
        now: i64,
    ) -> Result<u64, CatchUpError> {
        let hidden = self
            .stored(channel_id, TsKey::from_database(FIRST), through)
            .await?;
        let follows = self.current.settings().follow_retention;
        if follows && page.is_whole && !hidden.is_empty() && self.shows_all(channel_id).await? {
            let effects: Vec<Effect> = hidden
                .keys()
                .map(|ts| deleted(channel_id, *ts, now))
                .collect();
            self.workspace.apply_effects(effects, now).await?;
            return Ok(0);
        }
        Ok(u64::try_from(hidden.len()).unwrap_or(u64::MAX))
    }

    /// Returns true if a channel shows messages, and no plan hides others.
    async fn shows_all(&self, channel_id: &str) -> Result<bool, CatchUpError> {
        let newest = self.slack.newest(channel_id, None, 1).await?;
        Ok(!newest.is_limited && !newest.ids().is_empty())
    }
}

/// Messages since then that are not stored are new.
fn new_since(sweep: &Sweep) -> Option<TsKey> {
    let good = sweep.good_through?.unix_seconds();
    Some(TsKey::first_of(good - OVERLAP_SECONDS))
}

/// Leaves the rest of Slack's limit to other work.
async fn pause(took: Duration) {
    tokio::time::sleep(PAUSE.max(took * SHARE)).await;
}
