//! Stores and reads the memories that the component saved.

use std::collections::BTreeSet;

use myao_plugin::storage::{
    ChannelFilter, Coverage, Deferral, Memory, MemoryId, MemoryQuery, STAND_IN_VERSION, SaveMode,
    StorageError,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Place, Scope};

use super::{State, key};

/// The key that all versions of one memory share. Ordered as the contract lists memories: by scope, scope id and type,
/// with the enums in the order of `wit/types.wit`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Series {
    scope: u8,
    pub(super) scope_id: String,
    pub(super) memory_type: u8,
}

impl Series {
    pub(super) fn new(scope: Scope, scope_id: &str, memory_type: MemoryType) -> Self {
        Self {
            scope: scope as u8,
            scope_id: scope_id.to_owned(),
            memory_type: memory_type as u8,
        }
    }

    pub(super) fn scope(&self) -> Scope {
        let all = [Scope::Channel, Scope::Thread];
        let scope = all.into_iter().find(|scope| *scope as u8 == self.scope);
        scope.unwrap_or(Scope::Workspace)
    }
}

/// A text of a memory, with data that the component does not see. It is kept for ever.
#[derive(Debug, Clone)]
pub(super) struct StoredText {
    pub(super) memory: Memory,
    /// When a newer text replaced it, in Unix seconds.
    pub(super) superseded_at: Option<i64>,
    /// Channels and ids of its source messages.
    pub(super) source_messages: BTreeSet<(String, TsKey)>,
    /// The ids of its source memories.
    pub(super) source_memories: BTreeSet<u64>,
    /// Whether the model's answer was cut off; `None` for an imported text, and so is the next field.
    pub(super) truncated: Option<bool>,
    pub(super) coverage: Option<Coverage>,
    /// What its call was given; `None` if that is not known.
    pub(super) handed: Option<Handed>,
    /// The ids of the channels from which it was made; `None` if not known. Then the text is set aside.
    pub(super) origins: Option<BTreeSet<String>>,
}

/// What the call of a memory was given, its sources included.
#[derive(Debug, Clone, Default)]
pub(super) struct Handed {
    /// Channels and ids.
    pub(super) messages: BTreeSet<(String, TsKey)>,
    pub(super) memories: BTreeSet<MemoryId>,
}

impl StoredText {
    /// A text without any other data.
    pub(super) fn of(memory: Memory) -> Self {
        Self {
            memory,
            superseded_at: None,
            source_messages: BTreeSet::new(),
            source_memories: BTreeSet::new(),
            truncated: None,
            coverage: None,
            handed: None,
            origins: None,
        }
    }
}

/// What a memory is about, with the thread's id in its usual form.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) scope_id: String,
    /// `None` for the workspace.
    pub(super) channel_id: Option<String>,
    /// `None` unless it is a thread.
    pub(super) thread: Option<TsKey>,
}

impl State {
    /// Parses a scope id.
    ///
    /// # Errors
    /// `not-found` for a channel that is not stored, `invalid` for another workspace, and for anything that is not a
    /// scope id.
    pub(super) fn subject(&self, scope: Scope, scope_id: &str) -> Result<Subject, StorageError> {
        let subject = parse_subject(scope, scope_id)?;
        match &subject.channel_id {
            Some(channel_id) => drop(self.conversation(channel_id)?),
            None if scope_id == self.workspace_scope_id => {}
            None => {
                return Err(StorageError::Invalid(format!(
                    "`{scope_id}` is not the workspace scope id: expected `{}`",
                    self.workspace_scope_id
                )));
            }
        }
        Ok(subject)
    }

    /// A new memory id, greater than all before it.
    pub(super) fn next_memory(&self) -> u64 {
        self.texts.last_key_value().map_or(1, |(id, _)| id + 1)
    }

    /// Stores a text as the newest of its memory.
    pub(super) fn keep(&mut self, series: Series, text: StoredText) {
        let id = text.memory.id;
        self.texts.insert(id, text);
        self.current.entry(series).or_default().push(id);
    }

    /// Sets aside the texts that a text saved in this mode replaces.
    pub(super) fn supersede(&mut self, series: &Series, mode: SaveMode, at: i64) {
        let Some(current) = self.current.get_mut(series) else {
            return;
        };
        current.retain(|id| {
            let Some(text) = self.texts.get_mut(id) else {
                return false;
            };
            let is_kept = mode != SaveMode::Overwrite && text.memory.version != STAND_IN_VERSION;
            if !is_kept {
                text.superseded_at = Some(at);
            }
            is_kept
        });
    }

    /// The texts of a memory that the component can see, in order: first the stand-in, then the versions.
    pub(super) fn current(&self, series: &Series) -> Vec<&Memory> {
        let ids = self.current.get(series).into_iter().flatten();
        let texts = ids.filter_map(|id| self.texts.get(id));
        let mut memories: Vec<&Memory> = texts.map(|text| &text.memory).collect();
        memories.sort_by_key(|memory| memory.version);
        memories
    }

    /// The same without stand-ins.
    fn versions(&self, series: &Series) -> impl DoubleEndedIterator<Item = &Memory> {
        let current = self.current(series).into_iter();
        current.filter(|memory| memory.version != STAND_IN_VERSION)
    }

    /// The same without texts that are set aside because it is not known what they were made from.
    fn counted(&self, series: &Series) -> impl DoubleEndedIterator<Item = &Memory> {
        let versions = self.versions(series);
        versions.filter(|memory| self.has_origins(memory.id))
    }

    fn has_origins(&self, id: u64) -> bool {
        self.texts
            .get(&id)
            .is_some_and(|text| text.origins.is_some())
    }

    /// The newest version that counts.
    pub(super) fn newest_counted(&self, series: &Series) -> Option<&Memory> {
        self.counted(series).next_back()
    }

    /// The newest version that may be shown in a place.
    pub(super) fn newest_seen(&self, place: &Place, series: &Series) -> Option<&Memory> {
        let mut versions = self.versions(series).rev();
        versions.find(|memory| {
            let text = self.texts.get(&memory.id);
            text.is_some_and(|text| self.shows(place, text))
        })
    }

    /// The newest version of the memory, without stand-ins.
    pub(super) fn newest(&self, series: &Series) -> Option<&Memory> {
        self.versions(series).next_back()
    }

    /// How many of a channel's short-term versions up to `until` are not yet merged into its long-term memory.
    pub(super) fn unmerged(&self, channel_id: &str, until: Option<TsKey>) -> usize {
        let of = |memory_type| Series::new(Scope::Channel, channel_id, memory_type);
        let long_term = self.newest_counted(&of(MemoryType::LongTerm));
        let merged = long_term.and_then(|memory| memory.merged_through);
        let short_term = of(MemoryType::ShortTerm);
        let versions = self.counted(&short_term);
        let waiting = versions.filter(|memory| Some(memory.id) > merged);
        waiting.filter(|memory| is_made_by(memory, until)).count()
    }

    pub(super) fn list_memories(
        &self,
        place: &Place,
        query: &MemoryQuery,
    ) -> Result<Vec<Memory>, StorageError> {
        let until = query.until.as_deref().map(key).transpose()?;
        let mut found = Vec::new();
        if query.workspace && self.sees_open(place) {
            found.extend(self.all_of(Scope::Workspace, &self.workspace_scope_id));
        }
        match &query.channels {
            ChannelFilter::None => {}
            ChannelFilter::One(id) if self.shows_channel(place, id) => {
                found.extend(self.of_channel(id, query, until));
            }
            ChannelFilter::One(_) => {}
            ChannelFilter::All => {
                let present = self.channels.iter().filter(|(_, stored)| stored.is_present);
                for (id, _) in present.filter(|(id, _)| self.shows_channel(place, id)) {
                    found.extend(self.of_channel(id, query, until));
                }
            }
        }
        let threads = query.threads.iter();
        let threads = threads.filter_map(|id| parse_subject(Scope::Thread, id).ok());
        let threads: BTreeSet<String> = threads.map(|subject| subject.scope_id).collect();
        for id in &threads {
            found.extend(self.all_of(Scope::Thread, id));
        }
        found.retain(|memory| {
            let text = self.texts.get(&memory.id);
            is_made_by(memory, until) && text.is_some_and(|text| self.shows(place, text))
        });
        let mut found: Vec<Memory> = found.into_iter().cloned().collect();
        for memory in &mut found {
            if query.citations {
                self.mark_programs(memory);
            } else {
                memory.citations.clear();
                memory.records.clear();
            }
        }
        Ok(found)
    }

    /// Says of each line whether programs wrote all its messages.
    pub(super) fn mark_programs(&self, memory: &mut Memory) {
        for line in &mut memory.citations {
            let mut messages = line.messages.iter();
            line.by_program =
                !line.messages.is_empty() && messages.all(|of| self.is_stored_by_program(of));
        }
    }

    fn all_of(&self, scope: Scope, scope_id: &str) -> Vec<&Memory> {
        [MemoryType::LongTerm, MemoryType::ShortTerm]
            .into_iter()
            .flat_map(|memory_type| self.current(&Series::new(scope, scope_id, memory_type)))
            .collect()
    }

    /// The long-term memory, the short-term versions that the query asks for, and the stand-ins.
    fn of_channel(
        &self,
        channel_id: &str,
        query: &MemoryQuery,
        until: Option<TsKey>,
    ) -> Vec<&Memory> {
        let limit = usize::try_from(query.history_limit).unwrap_or(usize::MAX);
        let short_term = Series::new(Scope::Channel, channel_id, MemoryType::ShortTerm);
        let versions = self.versions(&short_term).rev();
        let versions = versions.filter(|memory| is_made_by(memory, until));
        let unmerged = if query.unmerged {
            self.unmerged(channel_id, until)
        } else {
            0
        };
        let oldest = versions.take(limit.max(unmerged)).last();
        let mut memories = self.all_of(Scope::Channel, channel_id);
        memories.retain(|memory| {
            let is_version =
                memory.memory_type == MemoryType::ShortTerm && memory.version != STAND_IN_VERSION;
            !is_version || oldest.is_some_and(|oldest| memory.version >= oldest.version)
        });
        memories
    }

    pub(super) fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: &str,
    ) -> Result<Vec<Deferral>, StorageError> {
        let subject = self.subject(scope, scope_id)?;
        Ok([MemoryType::LongTerm, MemoryType::ShortTerm]
            .into_iter()
            .map(|memory_type| Series::new(scope, &subject.scope_id, memory_type))
            .filter_map(|series| self.deferrals.get(&series).cloned())
            .collect())
    }

    pub(super) fn defer(
        &mut self,
        scope: Scope,
        scope_id: &str,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        let subject = self.subject(scope, scope_id)?;
        let series = Series::new(scope, &subject.scope_id, deferral.memory_type);
        // The answers were bad: the next attempt asks the model again.
        self.forget_answers(&series);
        self.deferrals.insert(series, deferral);
        Ok(())
    }
}

/// Whether a memory was made up to the second of an id.
fn is_made_by(memory: &Memory, until: Option<TsKey>) -> bool {
    until.is_none_or(|until| memory.updated_at.unix_seconds <= until.unix_seconds())
}

/// Parses a scope id, whether or not what it names is stored.
pub(super) fn parse_subject(scope: Scope, scope_id: &str) -> Result<Subject, StorageError> {
    let subject = |channel_id, thread| Subject {
        scope_id: scope_id.to_owned(),
        channel_id,
        thread,
    };
    match scope {
        Scope::Workspace => Ok(subject(None, None)),
        Scope::Channel => Ok(subject(Some(scope_id.to_owned()), None)),
        Scope::Thread => {
            let (channel_id, thread) = scope_id.split_once(':').ok_or_else(|| {
                StorageError::Invalid(format!(
                    "`{scope_id}` is no thread: expected CHANNEL:THREAD_TS"
                ))
            })?;
            let thread = key(thread)?;
            Ok(Subject {
                scope_id: format!("{channel_id}:{thread}"),
                channel_id: Some(channel_id.to_owned()),
                thread: Some(thread),
            })
        }
    }
}
