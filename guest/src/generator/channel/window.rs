//! The input of a version: the messages in the window, and everything that is in no version yet.

use std::collections::{BTreeMap, BTreeSet};

use super::state::{ChannelState, VersionContext};
use crate::bindings::errors::Error;
use crate::bindings::llm::Agent;
use crate::bindings::storage::{Backlog, ItemQuery, Keep, Memory, MessageQuery};
use crate::bindings::types::{Context, ConversationHistory, Item, Message, MessageRef, Notes};
use crate::context::{
    NO_NOTES, conversation_history, read_thread_memories, shown_thread_memories, thread_scope_id,
};
use crate::fit::count;
use crate::generator::Run;
use crate::generator::due::summarized_through;
use crate::ledger;
use crate::ports::Ports;
use crate::programs::{self, program_lines};
use crate::prompt::conversation_messages;
use crate::records::Shown;
use crate::ts::Ts;

impl Run<'_> {
    /// The context of the channel's next version: its notes name the messages that are late, and it has the memories of
    /// the threads of which older replies are left out.
    pub(super) fn version_context(
        &self,
        state: &ChannelState,
        backlog: &Backlog,
    ) -> Result<VersionContext, Error> {
        let Window { messages, late } = self.read_window(&state.channel.id, backlog)?;
        let history = conversation_history(&state.channel, messages, None)?;
        let threads = self.memories_of_long_threads(&history)?;
        let mut context = Context {
            thread_memories: shown_thread_memories(&threads),
            ..state.context(self, history)
        };
        let memories = state.long_term.iter().chain(&state.short_terms);
        let memories: Vec<&Memory> = memories
            .filter(|memory| self.is_made_by_now(memory))
            .collect();
        let Shown { records, marks } = self.shown_records(&memories, &context, &state.marks)?;
        context.notes = Some(Notes {
            now: Some(self.now),
            late,
            records,
            pinned: marks.pinned,
            corrections: marks.corrections,
            items: self.shown_items(&context)?,
            ..NO_NOTES
        });
        let around = state.workspace_long_term.iter().chain(&threads);
        programs::mark(&mut context, program_lines(around));
        Ok(VersionContext { context, threads })
    }

    /// The open items that a version's prompt shows; `None` if nobody is asked for any.
    fn shown_items(&self, context: &Context) -> Result<Option<Vec<Item>>, Error> {
        let Ports {
            storage,
            llm,
            settings,
            ..
        } = self.ports;
        if self.extracts() || settings.ledger_max_tokens == 0 {
            return Ok(None);
        }
        let items = storage.list_items(&ItemQuery {
            channel_id: Some(context.conversation_history.channel_id.clone()),
            since: None,
            until: self.until().to_string(),
            closed: false,
        });
        let count_tokens = |texts: &[String]| llm.count_tokens(Agent::Memory, texts);
        let room = settings.ledger_max_tokens / 2;
        let messages = conversation_messages(context).map(|message| message.text.as_str());
        let messages = messages.collect::<Vec<_>>().join("\n");
        let shown = |items| ledger::shown(items, &messages, room, &count_tokens);
        Ok(items.map_err(Error::Storage)?.map(shown))
    }

    /// The memories of the threads of which the history does not show all that they were made from.
    fn memories_of_long_threads(
        &self,
        history: &ConversationHistory,
    ) -> Result<Vec<Memory>, Error> {
        let memories = read_thread_memories(self.ports.storage, history, self.until())?;
        let shown = history.threads.iter();
        let shown: BTreeMap<String, &[Message]> = shown
            .map(|thread| {
                let scope_id = thread_scope_id(&history.channel_id, &thread.thread_ts);
                (scope_id, thread.messages.as_slice())
            })
            .collect();
        let is_long = |memory: &Memory| {
            let shown = shown.get(&memory.scope_id).copied().unwrap_or_default();
            let latest = memory.source_latest_message_ts.as_deref();
            let latest = latest.and_then(|ts| Ts::parse(ts).ok());
            let is_covered = |message: &&Message| Ts::parse(&message.ts).ok() <= latest;
            let covered: Vec<&Message> = shown.iter().filter(is_covered).collect();
            count(&covered) < memory.source_message_count
        };
        Ok(memories.into_iter().filter(is_long).collect())
    }

    /// The messages since the window's start, and everything new. If there are more new messages than go into one
    /// memory, the oldest go first and the others into the next version.
    fn read_window(&self, channel_id: &str, backlog: &Backlog) -> Result<Window, Error> {
        let limit = self.ports.settings.generation_message_limit;
        let is_first = backlog.short_term_version.is_none();
        let (is_too_much, is_late) = (
            backlog.new_message_count > limit,
            backlog.late_message_count > 0,
        );
        let read = |since: Option<Ts>, limit, keep, only_new| {
            let query = MessageQuery {
                channel_id: channel_id.to_owned(),
                since: since.map(|since| since.to_string()),
                until: self.until().to_string(),
                limit,
                keep,
                whole_thread: None,
                thread_limit: 0,
                only_new,
            };
            let messages = self.ports.storage.list_messages(&query);
            messages.map_err(Error::Storage)
        };
        if is_too_much && is_first {
            let since = self.first_unsummarized(backlog)?;
            return Ok(Window {
                messages: read(Some(since), limit, Keep::Oldest, false)?,
                late: Vec::new(),
            });
        }
        let window = |limit| read(Some(self.since(backlog)?), limit, Keep::Newest, false);
        if !is_too_much && !is_late {
            return Ok(Window {
                messages: window(limit)?,
                late: Vec::new(),
            });
        }
        let new = read(None, limit, Keep::Oldest, true)?;
        let late = late(channel_id, &new, summarized_through(backlog)?)?;
        let around = match limit.saturating_sub(backlog.new_message_count) {
            0 => Vec::new(),
            rest => window(rest)?,
        };
        let mut messages = new;
        let listed: BTreeSet<String> = messages.iter().map(|message| message.ts.clone()).collect();
        messages.extend(
            around
                .into_iter()
                .filter(|message| !listed.contains(&message.ts)),
        );
        Ok(Window { messages, late })
    }
}

/// The input of a version.
struct Window {
    messages: Vec<Message>,
    /// Those of the messages that are late.
    late: Vec<MessageRef>,
}

/// The new messages that are older than what is summarised. The first message of a thread may be listed only because a
/// reply is, so it is not counted.
fn late(
    channel_id: &str,
    new: &[Message],
    summarized_through: Option<Ts>,
) -> Result<Vec<MessageRef>, Error> {
    let replied_to: BTreeSet<&str> = new
        .iter()
        .filter_map(|message| message.thread_ts.as_deref().filter(|ts| *ts != message.ts))
        .collect();
    let mut late = Vec::new();
    for message in new {
        let is_old = Some(Ts::parse(&message.ts)?) <= summarized_through;
        if is_old && !replied_to.contains(message.ts.as_str()) {
            late.push(MessageRef {
                channel_id: channel_id.to_owned(),
                ts: message.ts.clone(),
            });
        }
    }
    Ok(late)
}
