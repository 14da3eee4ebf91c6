//! What a scope and a memory type select from a context.

use crate::bindings::errors::{Combination, Error};
use crate::bindings::types::{ChannelMemory, Context, MemoryType, Message, Persona, Scope};

/// Whether this kind of memory exists.
///
/// # Errors
/// [`Error::UnsupportedCombination`] for a thread's long-term memory, and for the workspace's
/// short-term memory unless the setting `legacy-workspace-short-term` is on.
pub fn check_combination(
    scope: Scope,
    memory_type: MemoryType,
    legacy_workspace_short_term: bool,
) -> Result<(), Error> {
    let supported = match (scope, memory_type) {
        (Scope::Thread, MemoryType::LongTerm) => false,
        (Scope::Workspace, MemoryType::ShortTerm) => legacy_workspace_short_term,
        _ => true,
    };
    if supported {
        Ok(())
    } else {
        Err(Error::UnsupportedCombination(Combination {
            scope,
            memory_type,
        }))
    }
}

/// What the host leaves of a memory whose lines were all erased.
const NOTHING_LEFT: &str = "-";

/// Whether there is anything to summarise. A memory that says nothing does not count; a message counts whatever its text.
#[must_use]
pub fn has_input(context: &Context, scope: Scope, memory_type: MemoryType) -> bool {
    let is_text = |text: &str| !matches!(text.trim(), "" | NOTHING_LEFT);
    match (scope, memory_type) {
        (Scope::Thread, _) => !target_thread_messages(context).is_empty(),
        (Scope::Channel, MemoryType::ShortTerm) => conversation_messages(context).next().is_some(),
        (Scope::Channel, MemoryType::LongTerm) => {
            channel_short_term_memory(context).is_some_and(is_text)
        }
        (Scope::Workspace, MemoryType::ShortTerm) => context
            .channel_memories
            .iter()
            .filter_map(newest_short_term_memory)
            .any(is_text),
        (Scope::Workspace, MemoryType::LongTerm) => context
            .channel_memories
            .iter()
            .filter_map(|channel| channel.long_term_memory.as_deref())
            .any(is_text),
    }
}

/// The messages of the target thread, oldest first; empty without a target.
#[must_use]
pub fn target_thread_messages(context: &Context) -> &[Message] {
    let Some(target) = context.target_thread_ts.as_deref() else {
        return &[];
    };
    let threads = &context.conversation_history.threads;
    threads
        .iter()
        .find(|thread| thread.thread_ts == target)
        .map_or(&[], |thread| thread.messages.as_slice())
}

/// The messages that a reply answers: those of the target thread, or top-level messages if there is no target.
#[must_use]
pub fn reply_target_messages(context: &Context) -> &[Message] {
    match context.target_thread_ts {
        Some(_) => target_thread_messages(context),
        None => &context.conversation_history.top_level_messages,
    }
}

/// Whether the bot itself wrote a message.
#[must_use]
pub fn is_own(message: &Message, persona: &Persona) -> bool {
    message.user.is_bot && message.user.name == persona.name
}

/// All messages of the conversation history: top-level messages, then thread by thread.
pub fn conversation_messages(context: &Context) -> impl Iterator<Item = &Message> {
    let history = &context.conversation_history;
    history
        .top_level_messages
        .iter()
        .chain(history.threads.iter().flat_map(|thread| &thread.messages))
}

/// The memories of workspace and channels in a context.
pub fn memory_texts(context: &Context) -> impl Iterator<Item = &str> {
    let memories = context.channel_memories.iter().flat_map(|memory| {
        let history = memory.short_term_memory_history.iter();
        let newest = memory.short_term_memory.iter();
        memory.long_term_memory.iter().chain(history).chain(newest)
    });
    let workspace = context.workspace_long_term_memory.iter();
    workspace.chain(memories).map(String::as_str)
}

/// The messages that are summarised: those of the target thread, or the whole conversation history; empty if memories
/// are merged.
pub fn target_messages(
    context: &Context,
    scope: Scope,
    memory_type: MemoryType,
) -> impl Iterator<Item = &Message> {
    let thread = (scope == Scope::Thread).then(|| target_thread_messages(context));
    let channel = ((scope, memory_type) == (Scope::Channel, MemoryType::ShortTerm))
        .then(|| conversation_messages(context));
    thread
        .into_iter()
        .flatten()
        .chain(channel.into_iter().flatten())
}

/// The memories that are merged, labelled by channel if there are several; empty if messages are summarised.
#[must_use]
pub fn target_memories(
    context: &Context,
    scope: Scope,
    memory_type: MemoryType,
) -> Vec<(Option<String>, &str)> {
    match (scope, memory_type) {
        (Scope::Channel, MemoryType::LongTerm) => channel_short_term_memory(context)
            .map(|text| (None, text))
            .into_iter()
            .collect(),
        (Scope::Workspace, memory_type) => context
            .channel_memories
            .iter()
            .filter_map(|memory| {
                let text = memory_of_type(memory, memory_type)?;
                Some((Some(format!("#{}", memory.channel_name)), text))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// A channel's long-term memory, or its newest short-term memory.
#[must_use]
pub fn memory_of_type(channel: &ChannelMemory, memory_type: MemoryType) -> Option<&str> {
    match memory_type {
        MemoryType::LongTerm => channel.long_term_memory.as_deref(),
        MemoryType::ShortTerm => newest_short_term_memory(channel),
    }
}

/// The newest short-term memory of the current channel.
#[must_use]
pub(super) fn channel_short_term_memory(context: &Context) -> Option<&str> {
    let channel_id = &context.conversation_history.channel_id;
    let channel = context
        .channel_memories
        .iter()
        .find(|channel| channel.channel_id == *channel_id);
    channel.and_then(newest_short_term_memory)
}

/// The last of a channel's history, or `short-term-memory` if there is no history.
#[must_use]
pub(super) fn newest_short_term_memory(channel: &ChannelMemory) -> Option<&str> {
    let newest = channel
        .short_term_memory_history
        .last()
        .or(channel.short_term_memory.as_ref());
    newest.map(String::as_str)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::indexing_slicing)]

    use super::*;
    use crate::testing::golden_context;
    use MemoryType::{LongTerm, ShortTerm};
    use Scope::{Channel, Thread, Workspace};

    fn with<F: FnOnce(&mut Context)>(change: F) -> Context {
        let mut context = golden_context();
        change(&mut context);
        context
    }

    #[test]
    fn a_target_without_messages_is_no_input() {
        assert!(has_input(&golden_context(), Thread, ShortTerm));
        let without = with(|context| context.target_thread_ts = None);
        assert!(!has_input(&without, Thread, ShortTerm));
        let unknown = with(|context| context.target_thread_ts = Some("1.000001".to_owned()));
        assert!(!has_input(&unknown, Thread, ShortTerm));
    }

    #[test]
    fn the_messages_of_threads_alone_are_input() {
        let threads = with(|context| context.conversation_history.top_level_messages.clear());
        assert!(has_input(&threads, Channel, ShortTerm));
        let nothing = with(|context| {
            context.conversation_history.top_level_messages.clear();
            context.conversation_history.threads.clear();
        });
        assert!(!has_input(&nothing, Channel, ShortTerm));
    }

    #[test]
    fn blank_and_erased_memories_are_no_input() {
        let of = |short_term: &str, long_term: &str| {
            with(|context| {
                for channel in &mut context.channel_memories {
                    channel.short_term_memory = Some(short_term.to_owned());
                    channel.short_term_memory_history = vec![short_term.to_owned()];
                    channel.long_term_memory = Some(long_term.to_owned());
                }
            })
        };
        let pairs = [
            (Channel, LongTerm),
            (Workspace, LongTerm),
            (Workspace, ShortTerm),
        ];
        for (scope, memory_type) in pairs {
            assert!(has_input(&golden_context(), scope, memory_type));
            for (short_term, long_term) in [(" \n", ""), ("-", "-")] {
                let nothing = of(short_term, long_term);
                assert!(!has_input(&nothing, scope, memory_type));
            }
        }
    }

    #[test]
    fn the_newest_short_term_memory_is_the_last_of_the_history() {
        let history = with(|context| {
            context.channel_memories[0].short_term_memory = None;
            context.channel_memories[0].short_term_memory_history =
                vec!["old".to_owned(), "new".to_owned()];
        });
        assert_eq!(channel_short_term_memory(&history), Some("new"));
        let other = with(|context| context.conversation_history.channel_id = "C404".to_owned());
        assert_eq!(channel_short_term_memory(&other), None);
    }
}
