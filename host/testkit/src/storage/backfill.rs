//! When messages were written, and how far a backfill has come.

use std::collections::BTreeSet;

use myao_plugin::state::backfill::{BackfillState, Unreached};
use myao_plugin::storage::{STAND_IN_VERSION, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope};

use super::memories::Series;
use super::messages::Conversation;
use super::{MemoryStorage, State};

#[async_trait::async_trait]
impl BackfillState for MemoryStorage {
    async fn unreached(&self) -> Result<Vec<Unreached>, StorageError> {
        let state = self.state();
        let present = state
            .channels
            .iter()
            .filter(|(_, stored)| stored.is_present);
        let unreached = present.filter_map(|(id, stored)| state.unreached(id, stored));
        let mut unreached: Vec<Unreached> = unreached.collect();
        unreached.sort_by(|a, b| {
            (&a.channel_name, &a.channel_id).cmp(&(&b.channel_name, &b.channel_id))
        });
        Ok(unreached)
    }

    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError> {
        let state = self.state();
        let channels = state.channels.values();
        let shown = channels.flat_map(Conversation::all_shown).map(|(ts, _)| ts);
        Ok(shown.filter(|other| *other > ts).min())
    }

    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError> {
        Ok(self.state().oldest_new(|_| true))
    }

    async fn oldest_message_never_summarized(&self) -> Result<Option<TsKey>, StorageError> {
        let state = self.state();
        Ok(state.oldest_new(|id| state.newest(&short_term(id)).is_none()))
    }

    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError> {
        Ok(self.state().backfill_tick)
    }

    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError> {
        self.state().backfill_tick = Some(unix_seconds);
        Ok(())
    }
}

impl State {
    /// Among the channels for which `counts` is true, the oldest message that its channel's short-term memory has not
    /// taken in.
    fn oldest_new(&self, counts: impl Fn(&str) -> bool) -> Option<TsKey> {
        let channels = self.channels.iter();
        let channels = channels.filter(|(id, stored)| stored.is_present && counts(id));
        let oldest = channels.filter_map(|(id, stored)| {
            let watermark = self.watermark(id, None);
            let mut shown = stored.all_shown().map(|(ts, _)| ts);
            shown.find(|ts| Some(*ts) > watermark)
        });
        oldest.min()
    }

    /// The messages of a channel up to its watermark that are not a source of any of its memories.
    fn unreached(&self, id: &str, conversation: &Conversation) -> Option<Unreached> {
        let watermark = self.watermark(id, None)?;
        // The sources of an imported memory are unknown: it counts as made from everything up to its own watermark.
        let reached = self.imported_through(id);
        let sources = self.sources_in(id);
        let shown = conversation.all_shown().map(|(ts, _)| ts);
        let unreached: Vec<TsKey> = shown
            .filter(|ts| *ts <= watermark && Some(*ts) > reached && !sources.contains(ts))
            .collect();
        Some(Unreached {
            channel_id: id.to_owned(),
            channel_name: conversation.shown_name(id),
            messages: unreached.len() as u64,
            oldest: *unreached.first()?,
            newest: *unreached.last()?,
        })
    }

    fn imported_through(&self, channel_id: &str) -> Option<TsKey> {
        let memories = self.texts.values().map(|text| &text.memory);
        let imported = memories.filter(|memory| {
            let is_short_term = memory.memory_type == MemoryType::ShortTerm;
            let is_of_channel = memory.scope == Scope::Channel && memory.scope_id == channel_id;
            is_of_channel && is_short_term && memory.engine == Engine::Imported
        });
        let latest = imported
            .filter_map(|memory| TsKey::parse(memory.source_latest_message_ts.as_deref()?).ok());
        latest.max()
    }

    /// The messages of a channel that channel memories were made from, including older texts.
    fn sources_in(&self, channel_id: &str) -> BTreeSet<TsKey> {
        let texts = self.texts.values().filter(|text| {
            text.memory.scope == Scope::Channel && text.memory.version != STAND_IN_VERSION
        });
        let sources = texts.flat_map(|text| &text.source_messages);
        let of_channel = sources.filter(|(id, _)| id == channel_id);
        of_channel.map(|(_, ts)| *ts).collect()
    }
}

fn short_term(channel_id: &str) -> Series {
    Series::new(Scope::Channel, channel_id, MemoryType::ShortTerm)
}
