//! A channel's memories, and which of them wait to be merged.

use std::collections::BTreeSet;

use super::newest;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::storage::{
    Backlog, ChannelFilter, Deferral, Memory, MemoryDraft, MemoryId, MemoryQuery, SaveMode,
};
use crate::bindings::types::{
    Channel, Context, ConversationHistory, Coverage, Engine, MemoryType, MessageRef, Notes, Scope,
};
use crate::context::{
    self, NO_NOTES, Remembered, assemble, history_limit, no_conversation, no_memories,
    workspace_memory,
};
use crate::fit::count;
use crate::generator::Run;
use crate::generator::backoff::Subject;
use crate::line_sources::citations;
use crate::marks::{Corrections, Marks};
use crate::prompt;
use crate::ts::Ts;

/// The context of a channel's next version.
pub(super) struct VersionContext {
    pub(super) context: Context,
    /// The memories of threads that it shows.
    pub(super) threads: Vec<Memory>,
}

/// A channel's memories in the store.
pub(super) struct ChannelState {
    pub(super) channel: Channel,
    pub(super) workspace_long_term: Option<Memory>,
    pub(super) long_term: Option<Memory>,
    /// In order of versions.
    pub(super) short_terms: Vec<Memory>,
    /// The stand-in for the next version.
    pub(super) stand_in: Option<Memory>,
    pub(super) deferrals: Vec<Deferral>,
    /// The marks in the channel.
    pub(super) marks: Marks,
}

impl ChannelState {
    pub(super) fn load(run: &Run, channel: &Channel) -> Result<Self, Error> {
        let read = |query| {
            let memories = run.ports.storage.list_memories(&query);
            memories.map_err(Error::Storage)
        };
        // New versions and the merge go on from what is there, whenever it was made.
        let memories = read(MemoryQuery {
            channels: ChannelFilter::One(channel.id.clone()),
            history_limit: history_limit(&run.ports.settings).max(1),
            unmerged: true,
            ..no_memories(None)
        })?;
        let of_workspace = read(MemoryQuery {
            workspace: true,
            ..no_memories(Some(run.until()))
        })?;
        let workspace_long_term =
            workspace_memory(&run.ports.settings, &of_workspace, MemoryType::LongTerm).cloned();
        let mut state = Self {
            channel: channel.clone(),
            workspace_long_term,
            long_term: None,
            short_terms: Vec::new(),
            stand_in: None,
            deferrals: run.read_deferrals(Scope::Channel, &channel.id)?,
            marks: run.read_marks(&channel.id)?,
        };
        for memory in memories {
            match (memory.scope, memory.memory_type) {
                (Scope::Channel, MemoryType::LongTerm) => state.long_term = Some(memory),
                (Scope::Channel, _) if context::is_stand_in(&memory) => {
                    state.stand_in = Some(memory);
                }
                (Scope::Channel, MemoryType::ShortTerm) => state.short_terms.push(memory),
                _ => {}
            }
        }
        state.short_terms.sort_by_key(|memory| memory.version);
        Ok(state)
    }

    pub(super) fn subject(&self, memory_type: MemoryType) -> Subject<'_> {
        Subject {
            scope: Scope::Channel,
            scope_id: &self.channel.id,
            memory_type,
            deferrals: &self.deferrals,
        }
    }

    /// A short-term memory of the context's messages.
    pub(super) fn draft(
        &self,
        run: &Run,
        version: &VersionContext,
        summary: Summary,
        engine: Engine,
        mode: SaveMode,
    ) -> Result<MemoryDraft, Error> {
        let VersionContext { context, threads } = version;
        let around: Vec<&Memory> = self.workspace_long_term.iter().chain(threads).collect();
        let citations = citations(&summary.text, engine, context, &[], &around);
        let records = run.records_of_messages(&summary.text, &citations, context);
        let late = context.notes.as_ref().map_or(0, |notes| count(&notes.late));
        let previous = self.short_terms.last();
        let previous = previous.and_then(|memory| memory.source_latest_message_ts.clone());
        let messages: Vec<String> = prompt::conversation_messages(context)
            .map(|message| message.ts.clone())
            .collect();
        Ok(MemoryDraft {
            scope: Scope::Channel,
            scope_id: self.channel.id.clone(),
            memory_type: MemoryType::ShortTerm,
            mode,
            expected: self.newest_short_term(),
            content: summary.text,
            engine,
            now: run.now,
            source_channel_id: self.channel.id.clone(),
            source_message_count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            source_latest_message_ts: newest(messages.iter().chain(&previous))?,
            source_messages: messages,
            source_memories: self
                .workspace_long_term
                .iter()
                .map(|memory| memory.id)
                .collect(),
            merged_through: None,
            truncated: summary.truncated,
            coverage: Coverage {
                late,
                records: count(&records),
                ..summary.coverage
            },
            citations,
            records,
            items: summary.items,
        })
    }

    /// Returns true if the backlog was counted from this state's newest short-term memory.
    pub(super) fn matches_backlog(&self, backlog: &Backlog) -> bool {
        let newest = self.short_terms.last();
        newest.map(|memory| memory.version) == backlog.short_term_version
            && newest
                .is_none_or(|memory| memory.source_latest_message_ts == backlog.summarized_through)
    }

    fn newest_short_term(&self) -> Option<MemoryId> {
        self.short_terms.iter().map(|memory| memory.id).max()
    }

    /// The versions that are not merged into the long-term memory yet.
    pub(super) fn waiting(&self) -> Vec<Memory> {
        let merged = self
            .long_term
            .as_ref()
            .and_then(|memory| memory.merged_through);
        self.short_terms
            .iter()
            .filter(|memory| Some(memory.id) > merged)
            .cloned()
            .collect()
    }

    /// The channel alone: other channels' memories are not part of a channel's prompts, and reading them for each
    /// channel would take quadratic time (regression 13). Memories that were made later than this run are not shown.
    pub(super) fn context(&self, run: &Run, history: ConversationHistory) -> Context {
        let memories: Vec<Memory> = self
            .workspace_long_term
            .iter()
            .chain(&self.long_term)
            .chain(&self.short_terms)
            .chain(&self.stand_in)
            .filter(|memory| run.is_made_by_now(memory))
            .map(|memory| Memory {
                content: self.corrected(run, memory),
                ..memory.clone()
            })
            .collect();
        let remembered = Remembered {
            channels: vec![self.channel.clone()],
            memories,
        };
        assemble(&run.ports.settings, remembered, history)
    }

    /// The text of a memory. Without a model, lines that a correction strikes are left out, unless none would be left; a
    /// model is told.
    pub(super) fn corrected(&self, run: &Run, memory: &Memory) -> String {
        if run.extracts() {
            let corrections = Corrections::of(&self.marks);
            let rest = corrections.without_superseded(memory);
            rest.unwrap_or_else(|| memory.content.clone())
        } else {
            memory.content.clone()
        }
    }

    /// The messages of a version that are older than the newest of the long-term memory, but are in no line of it or of
    /// what was merged into it.
    fn late_in(&self, version: &Memory) -> Vec<MessageRef> {
        let newest = self.long_term.as_ref();
        let newest = newest.and_then(|memory| memory.source_latest_message_ts.as_deref());
        let newest = newest.and_then(|ts| Ts::parse(ts).ok());
        let before = self
            .short_terms
            .iter()
            .filter(|memory| memory.id < version.id);
        let known: BTreeSet<&str> = before.chain(&self.long_term).flat_map(cited).collect();
        let late: BTreeSet<&str> = cited(version)
            .filter(|ts| Ts::parse(ts).ok() <= newest && !known.contains(ts))
            .collect();
        let refer = |ts: &str| MessageRef {
            channel_id: self.channel.id.clone(),
            ts: ts.to_owned(),
        };
        late.into_iter().map(refer).collect()
    }

    /// The context as if this version were the newest.
    pub(super) fn merge_context(&self, run: &Run, short_term: &Memory) -> Context {
        let history = ConversationHistory {
            channel_id: self.channel.id.clone(),
            channel_name: self.channel.name.clone(),
            ..no_conversation()
        };
        let mut context = self.context(run, history);
        for memory in &mut context.channel_memories {
            let content = self.corrected(run, short_term);
            memory.short_term_memory = Some(content.clone());
            memory.short_term_memory_history = vec![content];
        }
        // Without records and what is pinned: a model never writes them anew.
        context.notes = Some(Notes {
            now: Some(run.now),
            late: self.late_in(short_term),
            corrections: run.shown_marks(&self.marks).corrections,
            ..NO_NOTES
        });
        context
    }
}

/// The messages that the lines of a memory cite.
fn cited(memory: &Memory) -> impl Iterator<Item = &str> {
    let messages = memory.citations.iter().flat_map(|line| &line.messages);
    messages.map(|message| message.ts.as_str())
}
