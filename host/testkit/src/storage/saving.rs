//! Saving a memory: everything is checked before anything is written, so that a refused save leaves no trace.

use myao_plugin::names;
use myao_plugin::storage::{Memory, MemoryDraft, STAND_IN_VERSION, SaveMode, StorageError};

use super::memories::{Series, Subject};
use super::{State, key};

impl State {
    pub(super) fn save(&mut self, draft: MemoryDraft) -> Result<Memory, StorageError> {
        let subject = self.subject(draft.scope, &draft.scope_id)?;
        self.check(&draft)?;
        let series = Series::new(draft.scope, &subject.scope_id, draft.memory_type);
        let newest = self.newest(&series).map(|memory| memory.id);
        if newest != draft.expected {
            return Err(conflict(&draft, newest));
        }
        let source_latest = draft.source_latest_message_ts.as_deref();
        let source_latest = source_latest.map(key).transpose()?;

        // From here on nothing fails.
        let id = self.next_memory();
        let versions = self.memories.entry(series.clone()).or_default();
        let first = versions.kept.first();
        let (version, created_at) = match draft.mode {
            SaveMode::NewVersion => (
                versions.kept.last().map_or(1, |memory| memory.version + 1),
                draft.now,
            ),
            SaveMode::Overwrite => (1, first.map_or(draft.now, |memory| memory.created_at)),
            SaveMode::StandIn => {
                let earlier = versions.stand_in.as_ref();
                let created_at = earlier.map_or(draft.now, |memory| memory.created_at);
                (STAND_IN_VERSION, created_at)
            }
        };
        let memory = Memory {
            id,
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
        };
        match draft.mode {
            SaveMode::StandIn => versions.stand_in = Some(memory.clone()),
            mode => {
                if mode == SaveMode::Overwrite {
                    versions.kept.clear();
                }
                // The memory itself is there: nothing stands in for it, and it rests no longer.
                versions.stand_in = None;
                self.deferrals.remove(&series);
                self.keep(series, memory.clone());
                self.settle(&subject, draft.now.unix_seconds);
            }
        }
        self.drafts.push(draft);
        Ok(memory)
    }

    /// Refuses a draft that makes no sense.
    fn check(&self, draft: &MemoryDraft) -> Result<(), StorageError> {
        if draft.content.trim().is_empty() {
            return Err(StorageError::Invalid(format!(
                "the text of the memory of `{}` is empty: save nothing instead",
                draft.scope_id
            )));
        }
        for source in draft.source_memories.iter().chain(&draft.merged_through) {
            // Ids are handed out in order, from 1 on.
            if !(1..=self.last_memory).contains(source) {
                return Err(StorageError::Invalid(format!(
                    "memory {source} does not exist in this workspace"
                )));
            }
        }
        if draft.source_messages.is_empty() {
            return Ok(());
        }
        let conversation = self.conversation(&draft.source_channel_id)?;
        for ts in &draft.source_messages {
            let source = key(ts)?;
            // One that was deleted since the component read it was a source all the same.
            if !conversation.messages.contains_key(&source)
                && !conversation.deleted.contains(&source)
            {
                return Err(StorageError::Invalid(format!(
                    "source message {ts} of channel `{}` is not stored",
                    draft.source_channel_id
                )));
            }
        }
        Ok(())
    }

    /// Brings to date what waits, after a memory that was made in a run which began at `now`.
    fn settle(&mut self, subject: &Subject, now: i64) {
        let Some(channel_id) = &subject.channel_id else {
            return;
        };
        if let Some(thread) = subject.thread
            && let Some(conversation) = self.channels.get_mut(channel_id)
            && let Some(thread) = conversation.threads.get_mut(&thread)
        {
            // What changed while the run was under way is not in the memory.
            thread.changed = thread.changed.filter(|changed| *changed >= now);
        }
        self.watch(channel_id, subject.thread);
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
