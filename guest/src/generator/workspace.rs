//! The workspace: the channels' memories merged into one.

use std::collections::BTreeSet;

use super::backoff::Subject;
use super::{Run, StepResult, made_later, outcome};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Made, Outcome, SkipReason};
use crate::bindings::storage::{
    ChannelFilter, Memory, MemoryDraft, MemoryId, MemoryQuery, SaveMode,
};
use crate::bindings::types::{Channel, Context, Coverage, MemoryType, Notes, Scope};
use crate::context::{
    self, NO_NOTES, Remembered, assemble, no_conversation, no_memories, workspace_memory,
};
use crate::fit::count;
use crate::line_sources::citations;
use crate::programs::{self, program_lines};
use crate::settings::Settings;
use crate::ts::Ts;

pub(super) fn entry(settings: &Settings, made: Vec<Made>, result: StepResult) -> Entry {
    Entry {
        scope: Scope::Workspace,
        scope_id: settings.workspace_scope_id.clone(),
        channel_name: String::new(),
        made,
        outcome: outcome(result),
    }
}

impl Run<'_> {
    pub(super) fn workspace(&self) -> Entry {
        let mut made = Vec::new();
        let result = self.update_workspace(&mut made);
        entry(&self.ports.settings, made, result)
    }

    fn update_workspace(&self, made: &mut Vec<Made>) -> StepResult {
        let storage = self.ports.storage;
        let channels = storage.list_channels().map_err(Error::Storage)?;
        let legacy = self.ports.settings.legacy_workspace_short_term;
        let read = |query| storage.list_memories(&query).map_err(Error::Storage);
        // The memory to merge into, whenever it was made.
        let mut memories = read(MemoryQuery {
            workspace: true,
            ..no_memories(None)
        })?;
        memories.extend(read(MemoryQuery {
            channels: ChannelFilter::All,
            history_limit: u32::from(legacy),
            ..no_memories(Some(self.until()))
        })?);
        memories.retain(|memory| !context::is_stand_in(memory));
        let remembered = Remembered {
            channels: channels.clone(),
            memories: memories.clone(),
        };
        let mut context = assemble(&self.ports.settings, remembered, no_conversation());
        context.notes = Some(Notes {
            now: Some(self.now),
            ..NO_NOTES
        });
        programs::mark(&mut context, program_lines(&memories));
        let mut result = self.merge(&context, &channels, &memories, MemoryType::LongTerm, made);
        if legacy {
            let short_term =
                self.merge(&context, &channels, &memories, MemoryType::ShortTerm, made);
            // Each is tried even if the other failed; a failure of either is reported.
            result = match (result, short_term) {
                (Ok(Outcome::Skipped(_)), Ok(other)) => Ok(other),
                (first, Ok(_)) => first,
                (first, Err(error)) => first.and(Err(error)),
            };
        }
        result
    }

    fn merge(
        &self,
        context: &Context,
        channels: &[Channel],
        memories: &[Memory],
        memory_type: MemoryType,
        made: &mut Vec<Made>,
    ) -> StepResult {
        let sources = Sources::select(channels, memories, memory_type);
        let Some(newest) = sources.newest else {
            return Ok(Outcome::Skipped(SkipReason::NothingToSummarize));
        };
        let existing = workspace_memory(&self.ports.settings, memories, memory_type);
        if existing
            .and_then(|memory| memory.merged_through)
            .is_some_and(|merged| merged >= newest)
        {
            return Ok(Outcome::Skipped(SkipReason::Unchanged));
        }
        if existing.is_some_and(|memory| !self.is_made_by_now(memory)) {
            return Ok(Outcome::Skipped(made_later()));
        }
        let scope_id = &self.ports.settings.workspace_scope_id;
        let deferrals = self.read_deferrals(Scope::Workspace, scope_id)?;
        if let Some(deferral) = self.active_deferral(&deferrals, memory_type) {
            return Ok(Outcome::Deferred(deferral));
        }
        // The short-term memory is made from scratch each time; only the long-term one grows.
        let merged_into = existing.filter(|_| memory_type == MemoryType::LongTerm);
        let summary = self.summarizer.summarize_with(
            context,
            Scope::Workspace,
            memory_type,
            merged_into.map(|memory| memory.content.as_str()),
            Self::narrowing(&deferrals, memory_type),
        );
        let summary = summary.inspect_err(|error| {
            let subject = Subject {
                scope: Scope::Workspace,
                scope_id,
                memory_type,
                deferrals: &deferrals,
            };
            self.defer_if_lasting(&subject, error);
        })?;
        let Some(engine) = summary.engine else {
            return Ok(Outcome::Skipped(SkipReason::NothingToSummarize));
        };
        let merged: Vec<&Memory> = merged_into
            .into_iter()
            .chain(sources.memories.iter().copied())
            .collect();
        let citations = citations(&summary.text, engine, context, &merged, &[]);
        let citations = self.citations_of_merged(&summary.text, citations)?;
        let records = self.records_of_memories(&summary.text, &citations, &merged)?;
        let draft = MemoryDraft {
            scope: Scope::Workspace,
            scope_id: scope_id.clone(),
            memory_type,
            mode: SaveMode::Overwrite,
            expected: existing.map(|memory| memory.id),
            content: summary.text,
            engine,
            now: self.now,
            source_channel_id: String::new(),
            source_messages: Vec::new(),
            source_memories: merged_into
                .map(|memory| memory.id)
                .into_iter()
                .chain(sources.memories.iter().map(|memory| memory.id))
                .collect(),
            source_message_count: sources.message_count,
            source_latest_message_ts: sources.latest.map(|ts| ts.to_string()),
            merged_through: Some(newest),
            truncated: summary.truncated,
            coverage: Coverage {
                records: count(&records),
                ..summary.coverage
            },
            citations,
            records,
            items: Vec::new(),
        };
        self.save(&draft, made).map(|_| Outcome::Done)
    }
}

/// The channels' memories of one type.
struct Sources<'a> {
    memories: Vec<&'a Memory>,
    newest: Option<MemoryId>,
    message_count: u32,
    latest: Option<Ts>,
}

impl<'a> Sources<'a> {
    /// Ignores channels that no longer exist.
    fn select(channels: &[Channel], memories: &'a [Memory], memory_type: MemoryType) -> Self {
        let there: BTreeSet<&str> = channels.iter().map(|channel| channel.id.as_str()).collect();
        let selected: Vec<&'a Memory> = memories
            .iter()
            .filter(|memory| {
                memory.scope == Scope::Channel
                    && memory.memory_type == memory_type
                    && there.contains(memory.scope_id.as_str())
            })
            .collect();
        Self {
            newest: selected.iter().map(|memory| memory.id).max(),
            message_count: selected.iter().fold(0, |sum, memory| {
                sum.saturating_add(memory.source_message_count)
            }),
            latest: selected
                .iter()
                .filter_map(|memory| memory.source_latest_message_ts.as_deref())
                .filter_map(|ts| Ts::parse(ts).ok())
                .max(),
            memories: selected,
        }
    }
}
