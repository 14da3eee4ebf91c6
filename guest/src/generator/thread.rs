//! One thread: its memory is overwritten whenever it has a new message.

use super::channel::newest;
use super::{Run, StepResult, outcome};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Made, SkipReason};
use crate::bindings::storage::{Backlog, Keep, Memory, MemoryDraft, MessageQuery, SaveMode};
use crate::bindings::types::{Context, MemoryType, Scope};
use crate::context::{self, Remembered, thread_scope_id};
use crate::prompt;

impl Run<'_> {
    pub(super) fn thread(&self, backlog: &Backlog) -> Entry {
        let thread_ts = backlog.thread_ts.as_deref().unwrap_or_default();
        let mut made = Vec::new();
        let result = self.work_on_thread(backlog, thread_ts, &mut made);
        Entry {
            scope: Scope::Thread,
            scope_id: thread_scope_id(&backlog.channel.id, thread_ts),
            channel_name: backlog.channel.name.clone(),
            made,
            outcome: outcome(result),
        }
    }

    fn work_on_thread(
        &self,
        backlog: &Backlog,
        thread_ts: &str,
        made: &mut Vec<Made>,
    ) -> StepResult {
        if backlog.new_message_count == 0 {
            return Ok(Some(SkipReason::NoNewMessages));
        }
        if self.is_outside_window(backlog)? {
            return Ok(Some(SkipReason::OutsideWindow));
        }
        let (context, memories) = self.thread_context(backlog, thread_ts)?;
        let scope_id = thread_scope_id(&backlog.channel.id, thread_ts);
        let previous = memories.iter().find(|memory| memory.scope_id == scope_id);
        if previous.and_then(|memory| memory.source_latest_message_ts.as_ref())
            != backlog.summarized_through.as_ref()
        {
            // Another run was faster, as for channels.
            let backlog = self.read_backlog(&backlog.channel.id, Some(thread_ts))?;
            if backlog.new_message_count == 0 {
                return Ok(Some(SkipReason::NoNewMessages));
            }
        }
        let summary =
            self.summarizer
                .summarize(&context, Scope::Thread, MemoryType::ShortTerm, None)?;
        let Some(engine) = summary.engine else {
            return Ok(Some(SkipReason::NothingToSummarize));
        };
        let messages: Vec<String> = prompt::target_thread_messages(&context)
            .iter()
            .map(|m| m.ts.clone())
            .collect();
        let draft = MemoryDraft {
            scope: Scope::Thread,
            memory_type: MemoryType::ShortTerm,
            mode: SaveMode::Overwrite,
            expected: previous.map(|memory| memory.id),
            scope_id,
            content: summary.text,
            engine,
            now: self.now,
            source_channel_id: backlog.channel.id.clone(),
            source_message_count: u32::try_from(messages.len()).unwrap_or(u32::MAX),
            source_latest_message_ts: newest(&messages)?,
            source_messages: messages,
            source_memories: Vec::new(),
            merged_through: None,
        };
        made.push(super::made(&self.save(&draft)?));
        Ok(None)
    }

    /// The same context as a reply in that thread would get (document `extra05a`).
    fn thread_context(
        &self,
        backlog: &Backlog,
        thread_ts: &str,
    ) -> Result<(Context, Vec<Memory>), Error> {
        let remembered = match self.remembered.get() {
            Some(remembered) => remembered,
            None => {
                let read = Remembered::load(self.ports.storage, &self.ports.settings)?;
                self.remembered.get_or_init(|| read)
            }
        };
        let query = MessageQuery {
            channel_id: backlog.channel.id.clone(),
            // The thread itself is read whole; around it, the window is enough.
            since: Some(self.window_start().to_string()),
            until: self.until().to_string(),
            limit: self.ports.settings.generation_message_limit,
            keep: Keep::Newest,
            whole_thread: Some(thread_ts.to_owned()),
        };
        context::build(self.ports.storage, &self.ports.settings, remembered, &query)
    }
}
