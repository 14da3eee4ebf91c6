//! One thread: its memory is overwritten when it has a new message.

use super::backoff::{self, Subject};
use super::channel::newest;
use super::{Run, StepResult, outcome};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Made, Outcome, SkipReason};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::Agent;
use crate::bindings::storage::{
    Backlog, Keep, Memory, MemoryDraft, MemoryQuery, MessageQuery, SaveMode,
};
use crate::bindings::types::{Context, Coverage, MemoryType, Notes, Scope};
use crate::context::{self, NO_NOTES, Remembered, no_memories, thread_scope_id};
use crate::fit::count;
use crate::line_sources::citations;
use crate::programs::{self, program_lines};
use crate::prompt;
use crate::settings::ThreadMemories;
use crate::surroundings::bound_around_thread;

impl Run<'_> {
    pub(super) fn thread(&self, backlog: &Backlog) -> Entry {
        let thread_ts = backlog.thread_ts.as_deref().unwrap_or_default();
        let mut made = Vec::new();
        let result = self.update_thread(backlog, thread_ts, &mut made);
        Entry {
            scope: Scope::Thread,
            scope_id: thread_scope_id(&backlog.channel.id, thread_ts),
            channel_name: backlog.channel.name.clone(),
            made,
            outcome: outcome(result),
        }
    }

    fn update_thread(
        &self,
        backlog: &Backlog,
        thread_ts: &str,
        made: &mut Vec<Made>,
    ) -> StepResult {
        if backlog.new_message_count == 0 {
            return Ok(Outcome::Skipped(SkipReason::NoNewMessages));
        }
        // Who asks for the memory of an old thread on demand gets it.
        let always = self.ports.settings.thread_memories == ThreadMemories::Always;
        if always && self.is_outside_window(backlog)? {
            return Ok(Outcome::Skipped(SkipReason::OutsideWindow));
        }
        let ThreadContext {
            context,
            own,
            around,
        } = self.thread_context(backlog, thread_ts)?;
        let scope_id = thread_scope_id(&backlog.channel.id, thread_ts);
        let (stand_ins, saved): (Vec<&Memory>, Vec<&Memory>) =
            own.iter().partition(|memory| context::is_stand_in(memory));
        let previous = saved.first().copied();
        if previous.and_then(|memory| memory.source_latest_message_ts.as_ref())
            != backlog.summarized_through.as_ref()
        {
            // Another run saved first, as for channels.
            let backlog = self.read_backlog(&backlog.channel.id, Some(thread_ts))?;
            if backlog.new_message_count == 0 {
                return Ok(Outcome::Skipped(SkipReason::NoNewMessages));
            }
        }
        let thread = ThreadOf {
            run: self,
            context: &context,
            around: &around,
            scope_id: &scope_id,
            previous,
            stand_in: stand_ins.first().copied(),
        };
        let deferrals = self.read_deferrals(Scope::Thread, &scope_id)?;
        if let Some(deferral) = self.active_deferral(&deferrals, MemoryType::ShortTerm) {
            thread.save_stand_in(made)?;
            return Ok(Outcome::Deferred(deferral));
        }
        let summary = self.summarizer.summarize_with(
            &context,
            Scope::Thread,
            MemoryType::ShortTerm,
            None,
            Self::narrowing(&deferrals, MemoryType::ShortTerm),
        );
        let summary = match summary {
            Ok(summary) => summary,
            Err(error) => {
                let subject = Subject {
                    scope: Scope::Thread,
                    scope_id: &scope_id,
                    memory_type: MemoryType::ShortTerm,
                    deferrals: &deferrals,
                };
                self.defer_if_lasting(&subject, &error);
                if backoff::is_model_error(&error) {
                    thread.save_stand_in(made)?;
                }
                return Err(error);
            }
        };
        match thread.draft(summary, SaveMode::Overwrite)? {
            Some(draft) => self.save(&draft, made).map(|_| Outcome::Done),
            None => Ok(Outcome::Skipped(SkipReason::NothingToSummarize)),
        }
    }

    /// The context that a reply in that thread gets (document `extra05a`), as far as it fits around the thread.
    fn thread_context(&self, backlog: &Backlog, thread_ts: &str) -> Result<ThreadContext, Error> {
        let storage = self.ports.storage;
        let remembered = Remembered::load(storage, &self.ports.settings, self.until(), true)?;
        let mut around = remembered.memories.clone();
        let query = MessageQuery {
            channel_id: backlog.channel.id.clone(),
            // The thread is read whole; around it, the window is enough.
            since: Some(self.window_start().to_string()),
            until: self.until().to_string(),
            limit: self.ports.settings.generation_message_limit,
            keep: Keep::Newest,
            whole_thread: Some(thread_ts.to_owned()),
            thread_limit: self.ports.settings.generation_message_limit,
            only_new: false,
        };
        let (mut context, memories) =
            context::build(storage, &self.ports.settings, remembered, &query)?;
        around.extend(memories);
        let marks = self.shown_marks(&self.read_marks(&backlog.channel.id)?);
        context.notes = Some(Notes {
            now: Some(self.now),
            pinned: marks.pinned,
            corrections: marks.corrections,
            ..NO_NOTES
        });
        let llm = self.ports.llm;
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Memory, texts);
        let max_tokens = self.ports.settings.surroundings_max_tokens;
        bound_around_thread(&mut context, max_tokens, &count_tokens);
        around.retain(|memory| context::shows(&context, memory));
        programs::mark(&mut context, program_lines(&around));
        // The memory to replace, whenever it was made.
        let query = MemoryQuery {
            threads: vec![thread_scope_id(&backlog.channel.id, thread_ts)],
            ..no_memories(None)
        };
        let own = storage.list_memories(&query).map_err(Error::Storage)?;
        Ok(ThreadContext {
            context,
            own,
            around,
        })
    }
}

/// The context of a thread's memory.
struct ThreadContext {
    context: Context,
    /// The thread's memory and its stand-in, as they are now.
    own: Vec<Memory>,
    /// All memories that it shows.
    around: Vec<Memory>,
}

/// A thread of which a memory is made.
struct ThreadOf<'a, 'r> {
    run: &'a Run<'r>,
    context: &'a Context,
    around: &'a [Memory],
    scope_id: &'a str,
    previous: Option<&'a Memory>,
    stand_in: Option<&'a Memory>,
}

impl ThreadOf<'_, '_> {
    /// Saves an extracted memory in place of the model's, if the settings want it and it says something new.
    fn save_stand_in(&self, made: &mut Vec<Made>) -> Result<(), Error> {
        let run = self.run;
        if !run.ports.settings.extractive_stand_in {
            return Ok(());
        }
        let summary = run
            .summarizer
            .extract(self.context, Scope::Thread, MemoryType::ShortTerm)?;
        match self.draft(summary, SaveMode::StandIn)? {
            Some(draft) if backoff::has_news(self.stand_in, &draft) => {
                run.save(&draft, made).map(|_| ())
            }
            _ => Ok(()),
        }
    }

    /// The memory of the context's target thread; `None` if there was nothing to summarise.
    fn draft(&self, summary: Summary, mode: SaveMode) -> Result<Option<MemoryDraft>, Error> {
        let Some(engine) = summary.engine else {
            return Ok(None);
        };
        let context = self.context;
        let around: Vec<&Memory> = self.around.iter().collect();
        let citations = citations(&summary.text, engine, context, &[], &around);
        let records = self
            .run
            .records_of_messages(&summary.text, &citations, context);
        let messages: Vec<String> = prompt::target_thread_messages(context)
            .iter()
            .map(|message| message.ts.clone())
            .collect();
        Ok(Some(MemoryDraft {
            scope: Scope::Thread,
            scope_id: self.scope_id.to_owned(),
            memory_type: MemoryType::ShortTerm,
            mode,
            expected: self.previous.map(|memory| memory.id),
            content: summary.text,
            engine,
            now: self.run.now,
            source_channel_id: context.conversation_history.channel_id.clone(),
            source_message_count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            source_latest_message_ts: newest(&messages)?,
            source_messages: messages,
            source_memories: Vec::new(),
            merged_through: None,
            truncated: summary.truncated,
            coverage: Coverage {
                records: count(&records),
                ..summary.coverage
            },
            citations,
            records,
            items: Vec::new(),
        }))
    }
}
