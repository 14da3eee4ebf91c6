//! Reads what people said, and the memories made from it.

use std::cmp::Reverse;

use myao_plugin::recording::Recording;
use myao_plugin::state::view::{
    ChannelTally, MemoryFilter, SourceLine, SourceMemory, SourceMessage, Sources, StoredAnswer,
    StoredMemory, View,
};
use myao_plugin::storage::{Channel, STAND_IN_VERSION, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Citation, MemoryType, MessageRef, Place, Scope, erasure};

use super::memories::{Series, StoredText};
use super::{MemoryStorage, State, key};

/// The store as it is seen from a place, for people.
pub(super) struct Seen {
    pub(super) storage: MemoryStorage,
    pub(super) place: Place,
}

#[async_trait::async_trait]
impl View for Seen {
    async fn channels(&self) -> Result<Vec<Channel>, StorageError> {
        Ok(self.storage.state().list_channels(&self.place))
    }

    async fn memories(&self, filter: MemoryFilter) -> Result<Vec<StoredMemory>, StorageError> {
        let state = self.storage.state();
        let shown = state.texts.values().filter(|text| {
            let memory = &text.memory;
            let of_channel = match Place::of(memory.scope, &memory.scope_id) {
                Place::Channel(id) => state.shows_channel(&self.place, &id),
                _ => state.sees_open(&self.place),
            };
            of_channel && state.shows(&self.place, text)
        });
        let wanted = shown.filter(|text| is_wanted(text, &filter));
        let mut wanted: Vec<&StoredText> = wanted.collect();
        if let Some(newest) = filter.newest {
            wanted.sort_by_key(|text| Reverse(text.memory.id));
            wanted.truncate(usize::try_from(newest).unwrap_or(usize::MAX));
        }
        wanted.sort_by_key(|text| {
            let memory = &text.memory;
            let series = Series::new(memory.scope, &memory.scope_id, memory.memory_type);
            (series, memory.version, memory.id)
        });
        let stored = wanted
            .into_iter()
            .map(|text| state.stored_memory(text, filter.with_text));
        Ok(stored.collect())
    }

    async fn tallies(&self, channel_ids: Vec<String>) -> Result<Vec<ChannelTally>, StorageError> {
        let memories = self.memories(MemoryFilter::default()).await?;
        let tally = |id: &String| {
            let place = Place::Channel(id.clone());
            let mut tally = ChannelTally::default();
            for StoredMemory { memory, .. } in &memories {
                let is_counted = memory.version > STAND_IN_VERSION
                    && Place::of(memory.scope, &memory.scope_id) == place;
                if is_counted {
                    tally.newest = tally.newest.max(Some(memory.updated_at.unix_seconds));
                    match (memory.scope, memory.memory_type) {
                        (Scope::Channel, MemoryType::ShortTerm) => tally.versions += 1,
                        (Scope::Thread, _) => tally.threads += 1,
                        _ => {}
                    }
                }
            }
            tally
        };
        Ok(channel_ids.iter().map(tally).collect())
    }

    async fn sources(&self, memory: u64) -> Result<Sources, StorageError> {
        let state = self.storage.state();
        let text = state.texts.get(&memory);
        let text = text.filter(|text| state.shows(&self.place, text));
        let text = text.ok_or_else(|| {
            StorageError::NotFound(format!("there is no memory with the id {memory}"))
        })?;
        let messages = text.source_messages.iter();
        let messages = messages.filter(|(id, _)| state.shows_channel(&self.place, id));
        let messages = messages.filter_map(|(channel_id, ts)| state.source(channel_id, *ts));
        let mut messages: Vec<SourceMessage> = messages.collect();
        in_order(&mut messages);
        let memories = text.source_memories.iter();
        let memories = memories
            .filter_map(|id| state.texts.get(id))
            .filter(|text| state.shows(&self.place, text))
            .map(source_memory);
        Ok(Sources {
            messages,
            memories: memories.collect(),
            lines: state.source_lines(&self.place, text),
            records: state.source_records(&self.place, text),
        })
    }

    async fn answers(
        &self,
        judged: Option<bool>,
        limit: u32,
    ) -> Result<Vec<StoredAnswer>, StorageError> {
        Ok(self.storage.state().answers(&self.place, judged, limit))
    }

    async fn recording_of(&self, memory: u64) -> Result<Option<Recording>, StorageError> {
        if self.place != Place::Operator {
            return Ok(None);
        }
        Ok(self.storage.state().recording_of(memory))
    }
}

/// Oldest first.
fn in_order(messages: &mut [SourceMessage]) {
    messages.sort_by(|a, b| (a.ts, &a.channel_id).cmp(&(b.ts, &b.channel_id)));
}

fn is_wanted(text: &StoredText, filter: &MemoryFilter) -> bool {
    let memory = &text.memory;
    let scope_id = filter.scope_id.as_ref();
    let threads_of = filter.threads_of.as_ref();
    let is_thread_of = |id: &String| {
        memory.scope == Scope::Thread
            && Place::of(memory.scope, &memory.scope_id) == Place::Channel(id.clone())
    };
    filter.scope.is_none_or(|scope| scope == memory.scope)
        && scope_id.is_none_or(|scope_id| *scope_id == memory.scope_id)
        && filter
            .memory_type
            .is_none_or(|wanted| wanted == memory.memory_type)
        && threads_of.is_none_or(is_thread_of)
        && match &filter.ids {
            Some(ids) => ids.contains(&memory.id),
            None => filter.newest.is_some() || text.superseded_at.is_some() == filter.superseded,
        }
}

fn source_memory(text: &StoredText) -> SourceMemory {
    let memory = &text.memory;
    SourceMemory {
        id: memory.id,
        scope: memory.scope,
        scope_id: memory.scope_id.clone(),
        memory_type: memory.memory_type,
        version: memory.version,
        updated_at: memory.updated_at,
        superseded: text.superseded_at.is_some(),
    }
}

impl State {
    fn stored_memory(&self, text: &StoredText, with_text: bool) -> StoredMemory {
        let mut memory = text.memory.clone();
        memory.citations.clear();
        memory.records.clear();
        if !with_text {
            memory.content.clear();
        }
        let count = |sources: usize| u32::try_from(sources).unwrap_or(u32::MAX);
        StoredMemory {
            channel_name: self.name_of(memory.scope, &memory.scope_id),
            memory,
            superseded_at: text.superseded_at.map(|at| self.timestamp(at)),
            source_messages: count(text.source_messages.len()),
            source_memories: count(text.source_memories.len()),
            truncated: text.truncated,
            coverage: text.coverage,
            is_set_aside: text.origins.is_none(),
        }
    }

    fn source_lines(&self, place: &Place, text: &StoredText) -> Vec<SourceLine> {
        let memory = &text.memory;
        let lines = erasure::lines(&memory.content, &memory.citations);
        let line = |line: &Citation| {
            let messages = line.messages.iter();
            let messages = messages.filter_map(|of| self.seen_source(place, of));
            let mut messages: Vec<SourceMessage> = messages.collect();
            in_order(&mut messages);
            SourceLine {
                text: erasure::part(&memory.content, line.start, line.length),
                messages,
            }
        };
        lines.iter().map(line).collect()
    }

    fn source_records(&self, place: &Place, text: &StoredText) -> Vec<SourceMessage> {
        let records = text.memory.records.iter();
        let current = records.filter(|_| text.superseded_at.is_none());
        let records = current.filter_map(|span| {
            let message = self.seen_source(place, &span.message)?;
            Some(SourceMessage {
                text: erasure::part(&message.text, span.start, span.length),
                ..message
            })
        });
        let mut records: Vec<SourceMessage> = records.collect();
        in_order(&mut records);
        records
    }

    /// A message that is still there and may be seen.
    fn seen_source(&self, place: &Place, of: &MessageRef) -> Option<SourceMessage> {
        let source = self.source(&of.channel_id, key(&of.ts).ok()?)?;
        let is_seen = self.shows_channel(place, &of.channel_id);
        (is_seen && !source.deleted).then_some(source)
    }

    pub(super) fn source(&self, channel_id: &str, ts: TsKey) -> Option<SourceMessage> {
        let conversation = self.channels.get(channel_id)?;
        let message = conversation.messages.get(&ts)?;
        Some(SourceMessage {
            channel_id: channel_id.to_owned(),
            channel_name: conversation.shown_name(channel_id),
            ts,
            author: self.author(message),
            text: message.text.clone(),
            deleted: !message.is_shown(),
        })
    }
}
