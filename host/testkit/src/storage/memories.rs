//! What the component saved, and reading it.

use myao_plugin::storage::{ChannelFilter, Deferral, Memory, MemoryQuery, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};

use super::{State, key};

/// What the versions of one memory have in common. Ordered as the contract lists memories: by scope, scope id and type,
/// the enums in the order of `wit/types.wit`.
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

    pub(super) fn is_of(&self, scope: Scope) -> bool {
        self.scope == scope as u8
    }

    /// The same memory's other type.
    pub(super) fn with_type(&self, memory_type: MemoryType) -> Self {
        Self {
            memory_type: memory_type as u8,
            ..self.clone()
        }
    }
}

/// The texts of one memory that the component can see.
#[derive(Debug, Clone, Default)]
pub(super) struct Versions {
    /// In order; one where the memory is overwritten.
    pub(super) kept: Vec<Memory>,
    /// Version 0, beside them.
    pub(super) stand_in: Option<Memory>,
}

impl Versions {
    /// All of them, the stand-in first.
    pub(super) fn all(&self) -> impl Iterator<Item = Memory> {
        self.stand_in.iter().chain(&self.kept).cloned()
    }

    /// The newest `count`, and the stand-in outside that limit.
    fn newest(&self, count: usize) -> impl Iterator<Item = Memory> {
        let older = self.kept.len().saturating_sub(count);
        let kept = self.kept.iter().skip(older);
        self.stand_in.iter().chain(kept).cloned()
    }
}

/// What a memory is about, with the thread's id in its one way of writing.
#[derive(Debug, Clone)]
pub(super) struct Subject {
    pub(super) scope_id: String,
    /// None for the workspace.
    pub(super) channel_id: Option<String>,
    /// None but for a thread.
    pub(super) thread: Option<TsKey>,
}

impl State {
    /// Reads a scope id.
    ///
    /// # Errors
    /// `not-found` for a channel that is not stored, `invalid` for a workspace that is not this one, and for what is no
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

    /// A new memory id.
    pub(super) fn next_memory(&mut self) -> u64 {
        self.last_memory += 1;
        self.last_memory
    }

    /// Keeps a text as the newest of its memory, and returns what was there.
    pub(super) fn keep(&mut self, series: Series, memory: Memory) {
        if series.is_of(Scope::Channel) {
            self.newest_of_channels
                .insert(series.memory_type, memory.id);
        }
        self.memories.entry(series).or_default().kept.push(memory);
    }

    /// The newest memory, stand-ins not counted.
    pub(super) fn newest(&self, series: &Series) -> Option<&Memory> {
        self.memories.get(series)?.kept.last()
    }

    /// How many of the newest short-term versions of a channel are not merged into its long-term memory.
    pub(super) fn unmerged(&self, channel_id: &str) -> usize {
        let of = |memory_type| Series::new(Scope::Channel, channel_id, memory_type);
        let Some(versions) = self.memories.get(&of(MemoryType::ShortTerm)) else {
            return 0;
        };
        let long_term = self.newest(&of(MemoryType::LongTerm));
        let merged = long_term.and_then(|memory| memory.merged_through);
        // Ids grow with versions.
        let is_merged = |memory: &Memory| Some(memory.id) <= merged;
        versions.kept.len() - versions.kept.partition_point(is_merged)
    }

    pub(super) fn list_memories(&self, query: &MemoryQuery) -> Vec<Memory> {
        let mut found = Vec::new();
        if query.workspace {
            found.extend(self.all_of(Scope::Workspace, &self.workspace_scope_id));
        }
        match &query.channels {
            ChannelFilter::None => {}
            ChannelFilter::One(id) => found.extend(self.of_channel(id, query)),
            ChannelFilter::All => {
                for id in self.channels.keys() {
                    found.extend(self.of_channel(id, query));
                }
            }
        }
        let threads = query.threads.iter();
        let threads = threads.filter_map(|id| parse_subject(Scope::Thread, id).ok());
        let mut threads: Vec<String> = threads.map(|subject| subject.scope_id).collect();
        threads.sort_unstable();
        threads.dedup();
        for id in &threads {
            found.extend(self.all_of(Scope::Thread, id));
        }
        found
    }

    fn all_of(&self, scope: Scope, scope_id: &str) -> impl Iterator<Item = Memory> {
        [MemoryType::LongTerm, MemoryType::ShortTerm]
            .into_iter()
            .filter_map(move |memory_type| {
                self.memories
                    .get(&Series::new(scope, scope_id, memory_type))
            })
            .flat_map(Versions::all)
    }

    /// The long-term memory, and of the short-term versions those that the query asks for.
    fn of_channel(&self, channel_id: &str, query: &MemoryQuery) -> Vec<Memory> {
        let of = |memory_type| {
            let series = Series::new(Scope::Channel, channel_id, memory_type);
            self.memories.get(&series)
        };
        let limit = usize::try_from(query.history_limit).unwrap_or(usize::MAX);
        let unmerged = if query.unmerged {
            self.unmerged(channel_id)
        } else {
            0
        };
        let long_term = of(MemoryType::LongTerm);
        let short_term = of(MemoryType::ShortTerm);
        long_term
            .into_iter()
            .flat_map(Versions::all)
            .chain(
                short_term
                    .into_iter()
                    .flat_map(|versions| versions.newest(limit.max(unmerged))),
            )
            .collect()
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
        self.deferrals.insert(series, deferral);
        Ok(())
    }
}

/// Reads a scope id, whether or not what it names is stored.
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
