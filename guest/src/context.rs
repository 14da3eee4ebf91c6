//! Builds a [`Context`] from the store, the same way for memories and for replies (document `extra05a`,
//! `build_context_with_memory`).

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::context_builder::BuildRequest;
use crate::bindings::storage::{
    ChannelFilter, Keep, Memory, MemoryQuery, MessageQuery, StorageError,
};
use crate::bindings::types::{
    Channel, ChannelMemory, Context, ConversationHistory, MemoryType, Message, Notes, Persona,
    Scope, Thread, ThreadMemory, Timestamp,
};
use crate::ports::Storage;
use crate::prompt::persona_for;
use crate::settings::Settings;
use crate::ts::Ts;

/// Notes that say nothing.
pub const NO_NOTES: Notes = Notes {
    now: None,
    late: Vec::new(),
    programs: false,
    program_lines: Vec::new(),
    namesakes: Vec::new(),
    records: Vec::new(),
    pinned: Vec::new(),
    corrections: Vec::new(),
    sources: Vec::new(),
    items: None,
    remarks: Vec::new(),
    answer_max_tokens: None,
};

/// The channels, their memories and the workspace's.
#[derive(Clone)]
pub struct Remembered {
    /// All channels, in display order.
    pub channels: Vec<Channel>,
    /// Memories of workspace and channels.
    pub memories: Vec<Memory>,
}

impl Remembered {
    /// Reads everything that was made up to `until`, with citations or without: two storage calls, however many channels
    /// there are.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn load(
        storage: &dyn Storage,
        settings: &Settings,
        until: Ts,
        citations: bool,
    ) -> Result<Self, Error> {
        Ok(Self {
            channels: storage.list_channels().map_err(Error::Storage)?,
            memories: storage
                .list_memories(&MemoryQuery {
                    workspace: true,
                    channels: ChannelFilter::All,
                    history_limit: history_limit(settings),
                    citations,
                    ..no_memories(Some(until))
                })
                .map_err(Error::Storage)?,
        })
    }

    /// The same without the other channels and their memories.
    #[must_use]
    pub fn only(mut self, channel_id: &str) -> Self {
        self.channels.retain(|channel| channel.id == channel_id);
        self.memories
            .retain(|memory| memory.scope != Scope::Channel || memory.scope_id == channel_id);
        self
    }

    /// One channel.
    ///
    /// # Errors
    /// [`Error::Storage`] (`not-found`).
    pub fn channel(&self, channel_id: &str) -> Result<&Channel, Error> {
        let mut channels = self.channels.iter();
        channels
            .find(|channel| channel.id == channel_id)
            .ok_or_else(|| not_found(channel_id))
    }
}

/// A query that asks for no memory yet: for those made up to `until`, or as they are now, with their citations.
#[must_use]
pub fn no_memories(until: Option<Ts>) -> MemoryQuery {
    MemoryQuery {
        until: until.map(|until| until.to_string()),
        workspace: false,
        channels: ChannelFilter::None,
        history_limit: 0,
        unmerged: false,
        threads: Vec::new(),
        citations: true,
    }
}

/// The number of short-term versions in a prompt (document `01e`): one if versions are off.
#[must_use]
pub fn history_limit(settings: &Settings) -> u32 {
    if settings.history_enabled {
        settings.max_history_count
    } else {
        1
    }
}

/// The scope id of a thread's memory.
#[must_use]
pub fn thread_scope_id(channel_id: &str, thread_ts: &str) -> String {
    format!("{channel_id}:{thread_ts}")
}

/// Builds the context that a caller asks for, as of `now`: of one channel, or of the whole workspace if the request
/// names no channel. Makes at most four storage calls.
///
/// # Errors
/// [`Error::Storage`] (`not-found` for an unknown channel), or [`Error::InvalidTs`].
pub fn build_requested(
    storage: &dyn Storage,
    settings: &Settings,
    request: BuildRequest,
    now: Timestamp,
) -> Result<Context, Error> {
    let until = Ts::last_of(now);
    let remembered = Remembered::load(storage, settings, until, false)?;
    if request.channel_id.is_empty() {
        return Ok(assemble(settings, remembered, no_conversation()));
    }
    let query = MessageQuery {
        channel_id: request.channel_id,
        since: request
            .since
            .map(|since| Ts::first_of(since.unix_seconds).to_string()),
        until: until.to_string(),
        limit: request
            .message_limit
            .unwrap_or(settings.reply_message_limit),
        keep: Keep::Newest,
        whole_thread: request.target_thread_ts,
        thread_limit: settings.generation_message_limit,
        only_new: false,
    };
    build(storage, settings, remembered, &query).map(|(context, _)| context)
}

/// Builds the context of one channel: reads its messages and its threads' memories (two storage calls) and adds the
/// memories that are already loaded.
///
/// # Errors
/// [`Error::Storage`], or [`Error::InvalidTs`] if the store holds an invalid id.
pub fn build(
    storage: &dyn Storage,
    settings: &Settings,
    remembered: Remembered,
    messages: &MessageQuery,
) -> Result<(Context, Vec<Memory>), Error> {
    let channel = remembered.channel(&messages.channel_id)?;
    let listed = storage.list_messages(messages).map_err(Error::Storage)?;
    let history = conversation_history(channel, listed, messages.whole_thread.as_deref())?;
    let target = messages.whole_thread.as_deref();
    let until = Ts::parse(&messages.until)?;
    build_around(storage, settings, remembered, history, target, until)
}

/// The same from messages that are already loaded: one storage call, for the threads' memories, up to `until`.
///
/// # Errors
/// [`Error::Storage`].
pub fn build_around(
    storage: &dyn Storage,
    settings: &Settings,
    remembered: Remembered,
    history: ConversationHistory,
    target_thread: Option<&str>,
    until: Ts,
) -> Result<(Context, Vec<Memory>), Error> {
    let thread_memories = read_thread_memories(storage, &history, until)?;
    let mut context = assemble(settings, remembered, history);
    context.thread_memories = shown_thread_memories(&thread_memories);
    context.target_thread_ts = target_thread.map(str::to_owned);
    Ok((context, thread_memories))
}

/// The memories of the history's threads up to `until`, stand-ins included: one storage call, if there are threads.
///
/// # Errors
/// [`Error::Storage`].
pub fn read_thread_memories(
    storage: &dyn Storage,
    history: &ConversationHistory,
    until: Ts,
) -> Result<Vec<Memory>, Error> {
    if history.threads.is_empty() {
        return Ok(Vec::new());
    }
    let scope_ids = history
        .threads
        .iter()
        .map(|thread| thread_scope_id(&history.channel_id, &thread.thread_ts))
        .collect();
    storage
        .list_memories(&MemoryQuery {
            threads: scope_ids,
            ..no_memories(Some(until))
        })
        .map_err(Error::Storage)
}

/// One memory of each thread: its stand-in, if there is one. The store returns that first.
#[must_use]
pub fn shown_thread_memories(memories: &[Memory]) -> Vec<ThreadMemory> {
    memories
        .chunk_by(|a, b| a.scope_id == b.scope_id)
        .filter_map(<[Memory]>::first)
        .map(thread_memory)
        .collect()
}

fn thread_memory(memory: &Memory) -> ThreadMemory {
    let thread_ts = memory
        .scope_id
        .rsplit_once(':')
        .map_or("", |(_, thread_ts)| thread_ts);
    ThreadMemory {
        thread_ts: thread_ts.to_owned(),
        content: memory.content.clone(),
    }
}

fn not_found(channel_id: &str) -> Error {
    Error::Storage(StorageError::NotFound(format!(
        "channel {channel_id} is not in the store"
    )))
}

/// Puts a context together. Takes the texts by value, as they are most of it. There may be more memories than are
/// shown.
#[must_use]
pub fn assemble(
    settings: &Settings,
    remembered: Remembered,
    history: ConversationHistory,
) -> Context {
    let Remembered { channels, memories } = remembered;
    let workspace = |memory_type| {
        workspace_memory(settings, &memories, memory_type).map(|memory| memory.content.clone())
    };
    let workspace_long_term_memory = workspace(MemoryType::LongTerm);
    let workspace_short_term_memory =
        workspace(MemoryType::ShortTerm).filter(|_| settings.legacy_workspace_short_term);
    let mut by_channel: BTreeMap<String, Vec<Memory>> = BTreeMap::new();
    for memory in memories {
        if memory.scope == Scope::Channel {
            let of_channel = by_channel.entry(memory.scope_id.clone()).or_default();
            of_channel.push(memory);
        }
    }
    let limit = usize::try_from(history_limit(settings)).unwrap_or(usize::MAX);
    let mut context = Context {
        persona: Persona {
            name: String::new(),
            system_prompt: String::new(),
        },
        conversation_history: history,
        workspace_long_term_memory,
        workspace_short_term_memory,
        channel_memories: channels
            .into_iter()
            .map(|channel| {
                let memories = by_channel.remove(&channel.id).unwrap_or_default();
                channel_memory(channel, memories, limit)
            })
            .collect(),
        thread_memories: Vec::new(),
        target_thread_ts: None,
        notes: None,
    };
    context.persona = persona_for(settings, &settings.memory_prompt, &context);
    context
}

/// Returns true if a memory is a stand-in; see `save-mode` in `wit/storage.wit`.
#[must_use]
pub fn is_stand_in(memory: &Memory) -> bool {
    memory.version == 0
}

/// The workspace's memory of one type, under the scope id in the settings.
#[must_use]
pub fn workspace_memory<'a>(
    settings: &Settings,
    memories: &'a [Memory],
    memory_type: MemoryType,
) -> Option<&'a Memory> {
    memories.iter().find(|memory| {
        memory.scope == Scope::Workspace
            && memory.scope_id == settings.workspace_scope_id
            && memory.memory_type == memory_type
    })
}

/// Returns true if a context has all of a memory.
pub(crate) fn shows(context: &Context, memory: &Memory) -> bool {
    let is_it = |text: &String| *text == memory.content;
    match memory.scope {
        Scope::Workspace => {
            let short_term = context.workspace_short_term_memory.iter();
            let mut texts = short_term.chain(&context.workspace_long_term_memory);
            texts.any(is_it)
        }
        Scope::Channel => context.channel_memories.iter().any(|shown| {
            let versions = shown.short_term_memory_history.iter();
            shown.channel_id == memory.scope_id
                && versions.chain(&shown.long_term_memory).any(is_it)
        }),
        Scope::Thread => true,
    }
}

/// The newest `limit` short-term versions, oldest first; the order of the input does not matter (document `01e`).
fn channel_memory(channel: Channel, memories: Vec<Memory>, limit: usize) -> ChannelMemory {
    let (mut versions, long_terms): (Vec<Memory>, Vec<Memory>) = memories
        .into_iter()
        .partition(|memory| memory.memory_type == MemoryType::ShortTerm);
    // A stand-in is the newest.
    versions.sort_by_key(|memory| (is_stand_in(memory), memory.version));
    let shown = versions.split_off(versions.len().saturating_sub(limit));
    let history: Vec<String> = shown.into_iter().map(|memory| memory.content).collect();
    ChannelMemory {
        channel_id: channel.id,
        channel_name: channel.name,
        long_term_memory: long_terms.into_iter().next().map(|memory| memory.content),
        short_term_memory: history.last().cloned(),
        short_term_memory_history: history,
    }
}

/// Sorts messages into top level and threads, both oldest first.
///
/// A thread's first message comes first in its thread, whoever wrote it (regression 5). A message without replies is
/// top level, unless it is the target.
///
/// # Errors
/// [`Error::InvalidTs`].
pub fn conversation_history(
    channel: &Channel,
    messages: Vec<Message>,
    target_thread: Option<&str>,
) -> Result<ConversationHistory, Error> {
    let mut keyed = Vec::with_capacity(messages.len());
    for message in messages {
        let ts = Ts::parse(&message.ts)?;
        let thread = message.thread_ts.as_deref().map(Ts::parse).transpose()?;
        keyed.push((ts, thread, message));
    }
    keyed.sort_by_key(|(ts, ..)| *ts);
    let target = target_thread.map(Ts::parse).transpose()?;
    let replied_to = |(ts, thread, _): &(Ts, Option<Ts>, _)| thread.filter(|thread| thread != ts);
    let with_replies = keyed.iter().filter_map(replied_to).chain(target);
    let mut threads: BTreeMap<Ts, Option<Thread>> = with_replies.map(|ts| (ts, None)).collect();
    let mut top_level_messages = Vec::new();
    for (ts, thread, message) in keyed {
        let Some(thread) = threads.get_mut(&thread.unwrap_or(ts)) else {
            top_level_messages.push(message);
            continue;
        };
        let thread_ts = message
            .thread_ts
            .clone()
            .unwrap_or_else(|| message.ts.clone());
        thread
            .get_or_insert_with(|| Thread {
                thread_ts,
                messages: Vec::new(),
            })
            .messages
            .push(message);
    }
    Ok(ConversationHistory {
        channel_id: channel.id.clone(),
        channel_name: channel.name.clone(),
        top_level_messages,
        threads: threads.into_values().flatten().collect(),
    })
}

/// An empty history, for workspace memories.
#[must_use]
pub fn no_conversation() -> ConversationHistory {
    ConversationHistory {
        channel_id: String::new(),
        channel_name: String::new(),
        top_level_messages: Vec::new(),
        threads: Vec::new(),
    }
}
