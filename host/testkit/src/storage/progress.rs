//! Which messages of a channel wait for a version, and which were news of one.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::storage::MemoryId;
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope};

use super::State;
use super::memories::Series;

/// The progress of one channel. It means something only while the channel has a version.
#[derive(Debug, Clone, Default)]
pub(super) struct News {
    /// The messages that wait.
    pub(super) waiting: BTreeSet<TsKey>,
    /// The first version that each message went into.
    news_of: BTreeMap<TsKey, MemoryId>,
    /// Whether messages began to wait again, because memories lost lines, since the newest version was made.
    pub(super) has_lost_lines: bool,
    /// Whether there are messages that neither wait nor went into a version.
    has_history: bool,
}

impl News {
    fn is_history(&self, ts: TsKey) -> bool {
        !self.waiting.contains(&ts) && !self.news_of.contains_key(&ts)
    }
}

impl State {
    /// Whether the channel has a version.
    pub(super) fn has_version(&self, channel_id: &str) -> bool {
        let series = Series::new(Scope::Channel, channel_id, MemoryType::ShortTerm);
        self.newest_counted(&series).is_some()
    }

    /// Whether the channel has or had a version.
    pub(super) fn had_version(&self, channel_id: &str) -> bool {
        self.has_version(channel_id)
            || self.texts.values().any(|text| {
                let memory = &text.memory;
                let is_of_channel = memory.scope == Scope::Channel && memory.scope_id == channel_id;
                let is_version = memory.memory_type == MemoryType::ShortTerm && memory.version > 0;
                is_of_channel && is_version && text.origins.is_some()
            })
    }

    /// A version of the channel was saved, the first one if `is_first`: what it was made from does not wait any more. With
    /// the first one, everything newer than its oldest message begins to wait.
    pub(super) fn settle_messages(&mut self, channel_id: &str, version: MemoryId, is_first: bool) {
        let imported = self.imported_through(channel_id);
        let Some(text) = self.texts.get(&version) else {
            return;
        };
        let sources: BTreeSet<TsKey> = text.source_messages.iter().map(|(_, ts)| *ts).collect();
        let latest = text.memory.source_latest_message_ts.as_deref();
        let latest = latest.and_then(|ts| TsKey::parse(ts).ok());
        let Some(conversation) = self.channels.get_mut(channel_id) else {
            return;
        };
        if is_first {
            // The first message of a thread may be far older than the rest.
            let replied_to: BTreeSet<TsKey> = sources
                .iter()
                .filter_map(|ts| conversation.messages.get(ts)?.thread)
                .collect();
            let oldest = sources.iter().find(|ts| !replied_to.contains(ts)).copied();
            let begin = oldest.or(latest);
            let all: Vec<TsKey> = conversation.messages.keys().copied().collect();
            for ts in all.into_iter().filter(|ts| Some(*ts) > begin) {
                conversation.news.waiting.insert(ts);
                conversation.news.news_of.remove(&ts);
            }
        }
        let sources = if sources.is_empty() {
            let waiting = conversation.news.waiting.iter().copied();
            waiting.filter(|ts| Some(*ts) <= latest).collect()
        } else {
            sources
        };
        for ts in sources {
            let was_waiting = conversation.news.waiting.remove(&ts);
            if is_first || was_waiting || !conversation.news.news_of.contains_key(&ts) {
                conversation.news.news_of.insert(ts, version);
            }
        }
        conversation.news.has_lost_lines = false;
        if is_first {
            conversation.history_through = None;
            let is_history = |ts| conversation.news.is_history(ts) && Some(ts) > imported;
            let has_history = conversation.all_shown().any(|(ts, _)| is_history(ts));
            conversation.news.has_history = has_history;
        }
    }

    /// A version is set aside: what was its news waits again.
    pub(super) fn give_back(&mut self, channel_id: &str, version: MemoryId) {
        if let Some(conversation) = self.channels.get_mut(channel_id) {
            let progress = &mut conversation.news;
            let news = progress.news_of.extract_if(.., |_, of| *of == version);
            let news: Vec<TsKey> = news.map(|(ts, _)| ts).collect();
            progress.waiting.extend(news);
        }
    }

    /// The version that a message was news of.
    pub(super) fn version_with(&self, channel_id: &str, ts: TsKey) -> Option<MemoryId> {
        let conversation = self.channels.get(channel_id)?;
        conversation.news.news_of.get(&ts).copied()
    }

    /// What was news of a version waits again.
    pub(super) fn wait_again(&mut self, channel_id: &str, version: MemoryId) -> usize {
        let Some(conversation) = self.channels.get_mut(channel_id) else {
            return 0;
        };
        let of_version = conversation.news.news_of.iter();
        let of_version =
            of_version.filter(|(ts, of)| **of == version && conversation.shown(**ts).is_some());
        let again: Vec<TsKey> = of_version.map(|(ts, _)| *ts).collect();
        for ts in &again {
            conversation.news.news_of.remove(ts);
            conversation.news.waiting.insert(*ts);
        }
        conversation.news.has_lost_lines |= !again.is_empty();
        again.len()
    }

    /// It is not known what a memory of another program was made from. It lost lines: if it counted, everything up to its
    /// newest message waits that is in no other version; if it was never accepted, that becomes history. Returns how many
    /// messages wait.
    pub(super) fn wait_for_imported(&mut self, id: MemoryId) -> usize {
        let Some(text) = self.texts.get(&id) else {
            return 0;
        };
        let (channel_id, is_accepted) = (text.memory.scope_id.clone(), text.origins.is_some());
        let latest = text.memory.source_latest_message_ts.as_deref();
        let latest = latest.and_then(|ts| TsKey::parse(ts).ok());
        if !self.has_version(&channel_id) {
            return 0;
        }
        let imported = self.imported_through(&channel_id);
        let Some(conversation) = self.channels.get_mut(&channel_id) else {
            return 0;
        };
        let shown: Vec<TsKey> = conversation.all_shown().map(|(ts, _)| ts).collect();
        let news = &mut conversation.news;
        let counted_for = |ts: &TsKey| news.is_history(*ts) || news.news_of.get(ts) == Some(&id);
        let again: Vec<TsKey> = shown
            .iter()
            .copied()
            .filter(|ts| is_accepted && Some(*ts) <= latest && counted_for(ts))
            .collect();
        for ts in &again {
            news.news_of.remove(ts);
            news.waiting.insert(*ts);
        }
        news.has_lost_lines |= !again.is_empty();
        let is_history = |ts: &TsKey| news.is_history(*ts) && Some(*ts) > imported;
        news.has_history = shown.iter().any(is_history);
        again.len()
    }

    /// One message waits again; returns false if it is not shown or waits already.
    pub(super) fn wait_alone(&mut self, channel_id: &str, ts: TsKey) -> bool {
        let Some(conversation) = self.channels.get_mut(channel_id) else {
            return false;
        };
        if conversation.shown(ts).is_none() {
            return false;
        }
        conversation.news.news_of.remove(&ts);
        let is_new = conversation.news.waiting.insert(ts);
        conversation.news.has_lost_lines |= is_new;
        is_new
    }

    /// The history of all channels begins to wait.
    pub(super) fn take_in_history(&mut self) {
        let ids: Vec<String> = self.channels.keys().cloned().collect();
        for id in ids {
            let imported = self.imported_through(&id);
            let Some(conversation) = self.channels.get_mut(&id) else {
                continue;
            };
            if !std::mem::take(&mut conversation.news.has_history) {
                continue;
            }
            let all = conversation.messages.keys().copied();
            let history: Vec<TsKey> = all
                .filter(|ts| conversation.news.is_history(*ts) && Some(*ts) > imported)
                .collect();
            conversation.news.waiting.extend(history);
        }
    }

    /// The oldest message of all channels that only a backfill takes in.
    pub(super) fn oldest_history(&self) -> Option<TsKey> {
        let channels = self.channels.iter().filter(|(_, stored)| stored.is_present);
        let oldest = channels.filter_map(|(id, stored)| {
            if !self.has_version(id) {
                return stored.all_shown().map(|(ts, _)| ts).next();
            }
            let mut shown = stored.all_shown().map(|(ts, _)| ts);
            let oldest = shown.find(|ts| stored.news.is_history(*ts));
            oldest.filter(|_| stored.news.has_history)
        });
        oldest.min()
    }

    /// The newest message of the memories of another program. What they were made from is not known: they count as made
    /// from everything up to it.
    fn imported_through(&self, channel_id: &str) -> Option<TsKey> {
        let memories = self.texts.values().map(|text| &text.memory);
        let imported = memories.filter(|memory| {
            let is_short_term = memory.memory_type == MemoryType::ShortTerm;
            let is_of_channel = memory.scope == Scope::Channel && memory.scope_id == channel_id;
            let is_imported = memory.engine == Engine::Imported;
            // What was made anew from its messages counts then.
            is_of_channel && is_short_term && is_imported && !self.revisions.has_lost(memory.id)
        });
        let latest = imported
            .filter_map(|memory| TsKey::parse(memory.source_latest_message_ts.as_deref()?).ok());
        latest.max()
    }
}
