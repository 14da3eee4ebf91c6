//! Saves a memory: everything is checked before anything is written, so a refused save leaves no trace.

use std::collections::BTreeSet;

use myao_plugin::storage::{Memory, MemoryDraft, STAND_IN_VERSION, SaveMode, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Place, Scope, erasure, names};

use super::memories::{Handed, Series, StoredText, Subject};
use super::{State, key};

impl State {
    pub(super) fn save(
        &mut self,
        place: &Place,
        draft: MemoryDraft,
        given: Handed,
    ) -> Result<Memory, StorageError> {
        let subject = self.subject(draft.scope, &draft.scope_id)?;
        let sources = self.check(&draft)?;
        let series = Series::new(draft.scope, &subject.scope_id, draft.memory_type);
        let newest = self.newest_seen(place, &series).map(|memory| memory.id);
        if newest != draft.expected {
            return Err(conflict(&draft, newest));
        }
        let source_latest = draft.source_latest_message_ts.as_deref();
        let source_latest = source_latest.map(key).transpose()?;

        let mut handed = given.memories.clone();
        handed.extend(&draft.source_memories);
        if !self.shows_all(place, &handed) {
            return Err(StorageError::Conflict(format!(
                "a memory that this one was made from may not be shown to {place} any more: read again"
            )));
        }
        let heard = given.messages.iter().map(|(channel_id, _)| channel_id);
        let heard = heard.cloned().collect();
        let origins = self.origins(subject.channel_id.as_ref(), &handed, &heard);

        // Nothing can fail from here on.
        let is_first = !subject
            .channel_id
            .as_deref()
            .is_some_and(|id| self.has_version(id));
        let now = draft.now.unix_seconds;
        let created_at = |version| {
            let mut current = self.current(&series).into_iter();
            let first = current.find(|memory| memory.version == version);
            first.map_or(draft.now, |memory| memory.created_at)
        };
        let (version, created_at) = match draft.mode {
            SaveMode::NewVersion => {
                let newest = self.newest(&series);
                (newest.map_or(1, |memory| memory.version + 1), draft.now)
            }
            SaveMode::Overwrite => (1, created_at(1)),
            SaveMode::StandIn => (STAND_IN_VERSION, created_at(STAND_IN_VERSION)),
        };
        let memory = Memory {
            id: self.next_memory(),
            scope: draft.scope,
            scope_id: subject.scope_id.clone(),
            memory_type: draft.memory_type,
            version,
            content: draft.content.clone(),
            engine: draft.engine,
            created_at,
            updated_at: draft.now,
            source_message_count: draft.source_message_count,
            source_latest_message_ts: source_latest.map(|ts| ts.to_string()),
            merged_through: draft.merged_through,
            citations: draft.citations.clone(),
            records: draft.records.clone(),
        };
        let channel_id = &draft.source_channel_id;
        let source_messages: BTreeSet<(String, TsKey)> = sources
            .into_iter()
            .map(|ts| (channel_id.clone(), ts))
            .collect();
        let text = StoredText {
            handed: self.all_handed(&draft, given, &source_messages),
            source_messages,
            source_memories: draft.source_memories.iter().copied().collect(),
            truncated: Some(draft.truncated),
            coverage: Some(draft.coverage),
            origins: Some(origins),
            ..StoredText::of(memory.clone())
        };
        // The memory itself exists now, or a newer stand-in: an older stand-in is no longer needed.
        self.supersede(&series, draft.mode, now);
        self.keep(series.clone(), text);
        self.link_recorded_save(&series, &draft.content, memory.id);
        if draft.mode != SaveMode::StandIn {
            self.deferrals.remove(&series);
            self.end_wait(&series, draft.engine, memory.id);
            self.settle(&subject, now);
            if let (Scope::Channel, MemoryType::ShortTerm, Some(channel_id)) =
                (draft.scope, draft.memory_type, &subject.channel_id)
            {
                self.settle_messages(channel_id, memory.id, is_first);
            }
        }
        self.drafts.push(draft);
        let mut saved = memory;
        self.mark_programs(&mut saved);
        Ok(saved)
    }

    /// What a line without a source may hold; `None` if there is one and nothing is known of it. A channel's memory says
    /// itself from which of the channel's memories it was made: its call was also given those that it replaces.
    fn all_handed(
        &self,
        draft: &MemoryDraft,
        mut given: Handed,
        sources: &BTreeSet<(String, TsKey)>,
    ) -> Option<Handed> {
        given.messages.extend(sources.iter().cloned());
        given.memories.retain(|id| {
            let memory = self.texts.get(id).map(|text| &text.memory);
            !memory.is_some_and(|memory| {
                let both = (memory.scope, draft.scope);
                both == (Scope::Channel, Scope::Channel) && memory.scope_id == draft.scope_id
            })
        });
        given.memories.extend(&draft.source_memories);
        let lines = erasure::lines(&draft.content, &draft.citations);
        let has_unknown = lines.iter().any(|line| line.messages.is_empty());
        let is_nothing = given.messages.is_empty() && given.memories.is_empty();
        (!has_unknown || !is_nothing).then_some(given)
    }

    /// Refuses an invalid draft; returns its source messages.
    fn check(&self, draft: &MemoryDraft) -> Result<Vec<TsKey>, StorageError> {
        if draft.content.trim().is_empty() {
            return Err(StorageError::Invalid(format!(
                "the text of the memory of `{}` is empty: save nothing instead",
                draft.scope_id
            )));
        }
        for source in draft.source_memories.iter().chain(&draft.merged_through) {
            if !self.texts.contains_key(source) {
                return Err(StorageError::Invalid(format!(
                    "memory {source} does not exist in this workspace"
                )));
            }
        }
        if !erasure::are_in_order(&draft.content, &draft.citations) {
            return Err(StorageError::Invalid(format!(
                "the citations of the memory of `{}` are not lines of its text",
                draft.scope_id
            )));
        }
        let cited = draft.citations.iter().flat_map(|line| &line.messages);
        for of in cited.chain(draft.records.iter().map(|span| &span.message)) {
            let cited = self.conversation(&of.channel_id)?;
            if !cited.messages.contains_key(&key(&of.ts)?) {
                return Err(StorageError::Invalid(format!(
                    "cited message {} of channel `{}` is not stored",
                    of.ts, of.channel_id
                )));
            }
        }
        if draft.source_messages.is_empty() {
            return Ok(Vec::new());
        }
        let conversation = self.conversation(&draft.source_channel_id)?;
        let sources = draft.source_messages.iter().map(|ts| {
            let source = key(ts)?;
            // A message that was deleted after the component read it is still a valid source.
            if !conversation.messages.contains_key(&source) {
                return Err(StorageError::Invalid(format!(
                    "source message {ts} of channel `{}` is not stored",
                    draft.source_channel_id
                )));
            }
            Ok(source)
        });
        sources.collect()
    }

    /// Applies the consequences of a memory that was made in a run that began at `now`.
    fn settle(&mut self, subject: &Subject, now: i64) {
        let Some(channel_id) = &subject.channel_id else {
            return;
        };
        let Some(conversation) = self.channels.get_mut(channel_id) else {
            return;
        };
        match subject.thread {
            None => {}
            // A change during the run is not in the memory.
            Some(thread) => conversation
                .changed_threads
                .retain(|changed, at| *changed != thread || *at >= now),
        }
    }
}

fn conflict(draft: &MemoryDraft, newest: Option<u64>) -> StorageError {
    let text = |id: Option<u64>| id.map_or("none".to_owned(), |id| id.to_string());
    StorageError::Conflict(format!(
        "the newest {} {} memory of `{}` is {}, not {}: read again",
        names::scope(draft.scope),
        names::memory_type(draft.memory_type),
        draft.scope_id,
        text(newest),
        text(draft.expected)
    ))
}
