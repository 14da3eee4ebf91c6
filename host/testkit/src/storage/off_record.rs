//! What is said off the record.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::off_record::{OffRecord, Speaker};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

use super::writing::{Source, Writing};
use super::{MemoryStorage, State};

/// By speaker, and the first message that a time is about: the first one that it is not about any more.
#[derive(Debug, Clone, Default)]
pub(super) struct OffRecordTimes(BTreeMap<Speaker, BTreeMap<TsKey, Option<TsKey>>>);

impl OffRecordTimes {
    fn since(&self, of: &Speaker) -> Option<TsKey> {
        let mut times = self.0.get(of)?.iter();
        times.find_map(|(since, until)| until.is_none().then_some(*since))
    }

    /// When the time began that a message is in, in Unix seconds.
    pub(super) fn began(&self, record: &MessageRecord) -> Option<i64> {
        // What the operator writes is said to the bot.
        if record.user_id == OPERATOR_ID {
            return None;
        }
        let channel = Speaker::Channel(record.channel_id.clone());
        let user = Speaker::User(record.user_id.clone());
        let times = [channel, user].into_iter().filter_map(|of| self.0.get(&of));
        let has = |since: TsKey, until: Option<TsKey>| {
            record.ts >= since && until.is_none_or(|until| record.ts < until)
        };
        let mut times = times.flatten();
        let time = times.find(|(since, until)| has(**since, **until));
        time.map(|(since, _)| since.unix_seconds())
    }

    /// Whether an event that came at a time, in milliseconds, may hold what was said off the record within a day before.
    pub(super) fn may_be_in_event(&self, received_at_ms: i64) -> bool {
        const DAY_MS: i64 = 24 * 3600 * 1000;
        let ms = |ts: &TsKey| ts.to_database() / 1000;
        let times = self.0.values().flatten();
        let mut may = times.map(|(since, until)| {
            let is_over = until
                .as_ref()
                .is_some_and(|until| ms(until) < received_at_ms - DAY_MS);
            ms(since) <= received_at_ms && !is_over
        });
        may.any(|may| may)
    }

    /// Whether a memory of another program may hold what was said off the record. It was made at `made_at`, in Unix
    /// seconds; `channel_id` is `None` for the workspace.
    pub(super) fn may_be_in_memory(&self, channel_id: Option<&str>, made_at: i64) -> bool {
        self.0.iter().any(|(of, times)| {
            let is_about = match of {
                Speaker::Channel(id) => channel_id.is_none_or(|channel| channel == id),
                Speaker::User(_) => true,
            };
            is_about && times.keys().any(|since| made_at >= since.unix_seconds())
        })
    }
}

#[async_trait::async_trait]
impl OffRecord for MemoryStorage {
    async fn set_off_record(
        &self,
        of: Speaker,
        is_off: bool,
        at: TsKey,
        now: i64,
    ) -> Result<bool, StorageError> {
        let mut state = self.state();
        let since = state.off_record.since(&of);
        match (is_off, since) {
            (true, None) => {
                let times = state.off_record.0.entry(of.clone()).or_default();
                times.insert(at, None);
                state.delete_since(&of, at, now);
            }
            (false, Some(since)) => {
                let times = state.off_record.0.entry(of).or_default();
                times.insert(since, Some(at.max(since)));
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    async fn off_record_since(&self, of: Speaker) -> Result<Option<TsKey>, StorageError> {
        Ok(self.state().off_record.since(&of))
    }

    async fn all_off_record(&self) -> Result<Vec<(Speaker, TsKey)>, StorageError> {
        let state = self.state();
        let speakers = state.off_record.0.keys();
        let since = speakers.filter_map(|of| Some((of.clone(), state.off_record.since(of)?)));
        Ok(since.collect())
    }
}

impl State {
    fn delete_since(&mut self, of: &Speaker, at: TsKey, now: i64) {
        let is_meant = |channel_id: &str, user_id: &str| match of {
            Speaker::Channel(id) => id == channel_id,
            Speaker::User(id) => id == user_id,
        };
        let mut meant: BTreeSet<(String, TsKey)> = BTreeSet::new();
        for (channel_id, conversation) in &self.channels {
            for (ts, message) in conversation.messages.range(at..) {
                if message.is_shown() && is_meant(channel_id, &message.user_id) {
                    meant.insert((channel_id.clone(), *ts));
                }
            }
        }
        let mut writing = Writing::new(self, Source::Events(now));
        for (channel_id, ts) in &meant {
            writing.delete(channel_id, *ts, now);
        }
        writing.finish();
    }
}
