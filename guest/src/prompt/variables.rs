//! The variables of templates, as methods. The names and values are those of `template_context` in the document
//! `extra05a-system-prompt.md`, so that a template written for the Python bot works.

use std::collections::BTreeSet;

use super::selection::{channel_short_term_memory, reply_target_messages, target_thread_messages};
use super::time;
use super::views::{
    Channels, Messages, Name, Numbered, NumberedItem, Text, Texts, Threads, Time, View,
};
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::types::{
    ChannelMemory, Context, KeptText, MemoryType, Message, Persona, Scope, Thread, ThreadMemory,
    Timestamp,
};
use crate::describe;
use crate::notes;

/// The kind of prompt.
#[derive(Clone, Copy)]
pub(super) enum Request<'a> {
    /// A memory.
    Memory {
        scope: Scope,
        memory_type: MemoryType,
        existing: Option<&'a str>,
    },
    /// One summary from those of a target's chunks.
    Merge {
        scope: Scope,
        summaries: &'a [String],
    },
    /// A reply, or without an occasion, the judgment whether there should be one.
    Reply {
        occasion: Option<Occasion>,
        now: Timestamp,
        answered: Option<&'a Message>,
    },
}

/// All variables of a prompt. Those of other kinds of prompts are none or empty.
pub(super) struct Variables<'a> {
    pub(super) context: &'a Context,
    pub(super) request: Request<'a>,
    legacy_workspace_short_term: bool,
    channels: Vec<&'a ChannelMemory>,
    threads: Vec<&'a Thread>,
}

impl<'a> Variables<'a> {
    pub(super) fn new(
        context: &'a Context,
        request: Request<'a>,
        legacy_workspace_short_term: bool,
    ) -> Self {
        Self {
            context,
            request,
            legacy_workspace_short_term,
            channels: unique(&context.channel_memories, |channel| &channel.channel_id),
            threads: unique(&context.conversation_history.threads, |thread| {
                &thread.thread_ts
            }),
        }
    }

    /// The approximate size of the prompt in bytes, so that the string need not grow.
    pub(super) fn size(&self) -> usize {
        let messages = |messages: &[Message]| -> usize {
            let sizes = messages.iter().map(|message| {
                "**2024-03-01 10:00:00** :\n\n\n".len()
                    + message.user.name.len()
                    + message.text.len()
            });
            sizes.sum()
        };
        let memory = |memory: &ChannelMemory| -> usize {
            let long_term = memory.long_term_memory.iter();
            let texts = long_term.chain(&memory.short_term_memory_history);
            texts.map(String::len).sum()
        };
        let threads = self.threads.iter().map(|thread| messages(&thread.messages));
        let channels = self.channels.iter().copied().map(memory);
        let own = &self.context.persona.system_prompt;
        let top_level = messages(&self.context.conversation_history.top_level_messages);
        own.len() + top_level + threads.sum::<usize>() + channels.sum::<usize>() + 2048
    }

    pub(super) fn persona(&self) -> View<'a, Persona> {
        View(&self.context.persona)
    }

    pub(super) fn scope(&self) -> &'static str {
        match self.request {
            Request::Memory { scope, .. } | Request::Merge { scope, .. } => describe::scope(scope),
            Request::Reply { .. } => "",
        }
    }

    pub(super) fn memory_type(&self) -> &'static str {
        match self.request {
            Request::Memory {
                memory_type: MemoryType::LongTerm,
                ..
            } => "long_term",
            Request::Memory {
                memory_type: MemoryType::ShortTerm,
                ..
            } => "short_term",
            Request::Merge { .. } | Request::Reply { .. } => "",
        }
    }

    pub(super) fn existing_memory(&self) -> Option<Text<'a>> {
        match self.request {
            Request::Memory { existing, .. } => existing.map(Text),
            Request::Merge { .. } | Request::Reply { .. } => None,
        }
    }

    pub(super) fn workspace_long_term_memory(&self) -> Option<Text<'a>> {
        self.context.workspace_long_term_memory.as_deref().map(Text)
    }

    pub(super) fn workspace_short_term_memory(&self) -> Option<Text<'a>> {
        let memory = self.context.workspace_short_term_memory.as_deref();
        memory
            .filter(|_| self.legacy_workspace_short_term)
            .map(Text)
    }

    /// Each channel's memories.
    pub(super) fn channel_memories(&self) -> Channels<'_> {
        Channels(&self.channels)
    }

    pub(super) fn current_channel_name(&self) -> Name<'a> {
        Name(&self.context.conversation_history.channel_name)
    }

    /// The newest short-term memory of the current channel, if it is merged into the long-term one.
    pub(super) fn channel_short_term_memory(&self) -> Option<Text<'a>> {
        match self.request {
            Request::Memory {
                scope: Scope::Channel,
                memory_type: MemoryType::LongTerm,
                ..
            } => channel_short_term_memory(self.context).map(Text),
            _ => None,
        }
    }

    pub(super) fn top_level_messages(&self) -> Messages<'a> {
        Messages(&self.context.conversation_history.top_level_messages)
    }

    /// The messages of each thread.
    pub(super) fn thread_messages(&self) -> Threads<'_> {
        Threads(&self.threads)
    }

    /// The memories of threads of which older replies are left out. A context without notes shows none.
    pub(super) fn thread_summaries(&self) -> Vec<View<'a, ThreadMemory>> {
        let memories = self.context.thread_memories.iter();
        let is_shown = self.context.notes.is_some();
        memories.filter(|_| is_shown).map(View).collect()
    }

    /// The messages shown that were stored after newer ones were summarised.
    pub(super) fn late_messages(&self) -> Vec<View<'a, Message>> {
        let notes = self.context.notes.as_ref();
        let late = notes.map_or(&[][..], |notes| &notes.late);
        if late.is_empty() {
            return Vec::new();
        }
        let late: BTreeSet<&str> = late.iter().map(|message| message.ts.as_str()).collect();
        super::conversation_messages(self.context)
            .filter(|message| late.contains(message.ts.as_str()))
            .map(View)
            .collect()
    }

    /// Returns true if what is to be merged has messages that were stored after newer ones were.
    pub(super) fn has_late_messages(&self) -> bool {
        let notes = self.context.notes.as_ref();
        notes.is_some_and(|notes| !notes.late.is_empty())
    }

    /// The parts of messages that are shown word for word, oldest first.
    pub(super) fn records(&self) -> Vec<View<'a, KeptText>> {
        let notes = self.context.notes.as_ref();
        let records = notes.map_or(&[][..], |notes| &notes.records);
        records.iter().map(View).collect()
    }

    /// What people pinned or asked to remember, oldest first.
    pub(super) fn pinned(&self) -> Vec<View<'a, KeptText>> {
        let notes = self.context.notes.as_ref();
        let pinned = notes.map_or(&[][..], |notes| &notes.pinned);
        pinned.iter().map(View).collect()
    }

    /// Corrections by people, oldest first.
    pub(super) fn corrections(&self) -> Vec<View<'a, KeptText>> {
        let notes = self.context.notes.as_ref();
        let corrections = notes.map_or(&[][..], |notes| &notes.corrections);
        corrections.iter().map(View).collect()
    }

    /// Returns true if the prompt asks for items.
    pub(super) fn asks_for_items(&self) -> bool {
        notes::asks_for_items(self.context)
    }

    /// The open items of the channel, with their numbers.
    pub(super) fn items(&self) -> Vec<NumberedItem<'a>> {
        let notes = self.context.notes.as_ref();
        let items = notes.and_then(|notes| notes.items.as_deref());
        let numbered = (1..).zip(items.unwrap_or_default());
        numbered
            .map(|(number, item)| NumberedItem { number, item })
            .collect()
    }

    /// What bears on the question, with its numbers.
    pub(super) fn sources(&self) -> Vec<Numbered<'a>> {
        let notes = self.context.notes.as_ref();
        let sources = notes.map_or(&[][..], |notes| &notes.sources);
        let numbered = (1..).zip(sources);
        numbered
            .map(|(number, source)| Numbered { number, source })
            .collect()
    }

    /// The day of the call and its weekday, if the notes give the time.
    pub(super) fn today(&self) -> Option<String> {
        let notes = self.context.notes.as_ref()?;
        time::day(notes.now?)
    }

    pub(super) fn target_thread_ts(&self) -> Option<Name<'a>> {
        self.context.target_thread_ts.as_deref().map(Name)
    }

    pub(super) fn target_thread_messages(&self) -> Messages<'a> {
        Messages(target_thread_messages(self.context))
    }

    /// The messages that a reply answers.
    pub(super) fn target_messages(&self) -> Messages<'a> {
        Messages(reply_target_messages(self.context))
    }

    pub(super) fn chunk_summaries(&self) -> Texts<'a> {
        match self.request {
            Request::Merge { summaries, .. } => Texts(summaries),
            Request::Memory { .. } | Request::Reply { .. } => Texts(&[]),
        }
    }

    pub(super) fn occasion(&self) -> &'static str {
        match self.request {
            Request::Reply {
                occasion: Some(Occasion::Mention),
                ..
            } => "mention",
            Request::Reply {
                occasion: Some(Occasion::Unasked),
                ..
            } => "unasked",
            _ => "",
        }
    }

    pub(super) fn now(&self) -> Option<Time> {
        match self.request {
            Request::Reply { now, .. } => Some(Time(now)),
            Request::Memory { .. } | Request::Merge { .. } => None,
        }
    }

    /// As `UTC+09:00`.
    pub(super) fn utc_offset(&self) -> String {
        let offset = self.now().map_or(0, |now| now.0.utc_offset_seconds);
        format!("UTC{}", time::UtcOffset(offset))
    }

    /// The time of the message that is answered.
    pub(super) fn answered_at(&self) -> Option<Time> {
        match self.request {
            Request::Reply { answered, .. } => answered.map(|message| Time(message.timestamp)),
            Request::Memory { .. } | Request::Merge { .. } => None,
        }
    }
}

/// The first item of each id, in order.
fn unique<T>(items: &[T], id: impl Fn(&T) -> &str) -> Vec<&T> {
    let mut seen = BTreeSet::new();
    items.iter().filter(|item| seen.insert(id(item))).collect()
}
