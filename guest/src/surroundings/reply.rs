//! Around the conversation that is answered.
//!
//! The most important parts come first: the channel's own long-term memory and newest version, what bears on the question, its
//! older versions, the records, the workspace's memory, other conversations of the channel. What does not fit is left out.

use super::{Conversation, conversations, fitting, own_memory, retain};
use crate::answer::CountTokens;
use crate::bindings::types::{Context, Message, Notes, Source, Thread};
use crate::context::NO_NOTES;

/// A judgment is shown so many of the newest messages of the conversation.
const JUDGED_MESSAGES: usize = 20;

/// Something that may be shown.
#[derive(PartialEq)]
enum Part {
    LongTerm,
    /// The version at this index.
    Version(usize),
    /// The source at this index.
    Source(usize),
    Record(usize),
    Workspace,
    Conversation(Conversation),
}

/// Leaves in a context what fits into `max_tokens`, in order of importance. The sources, of which the first are `hits` of the
/// search, become the context's.
pub(crate) fn bound(
    context: &mut Context,
    sources: Vec<Source>,
    hits: usize,
    max_tokens: u32,
    count_tokens: &CountTokens<'_>,
) {
    let parts = parts(context, &sources, hits);
    let shown = fitting(parts, max_tokens, count_tokens);
    keep(context, sources, &shown);
}

/// Leaves out what a judgment does not need: memories, and of the conversation all but its newest messages.
pub(crate) fn for_judgment(context: &mut Context, answered: &Message) {
    context.channel_memories.clear();
    context.workspace_long_term_memory = None;
    context.workspace_short_term_memory = None;
    let target = context.target_thread_ts.clone();
    let history = &mut context.conversation_history;
    let of_target = match &target {
        Some(target) => history
            .threads
            .iter_mut()
            .find(|thread| thread.thread_ts == *target)
            .map(|thread| &mut thread.messages),
        None => Some(&mut history.top_level_messages),
    };
    if let Some(messages) = of_target {
        let old = messages.len().saturating_sub(JUDGED_MESSAGES);
        retain(messages, |at, message| {
            at >= old || at == 0 && target.is_some() || message.ts == answered.ts
        });
    }
}

/// Everything that may be shown, the most important first.
fn parts(context: &Context, sources: &[Source], hits: usize) -> Vec<(Part, String)> {
    let mut parts = Vec::new();
    let own = own_memory(context);
    let versions: Vec<(usize, &String)> = own
        .iter()
        .flat_map(|memory| memory.short_term_memory_history.iter().enumerate())
        .collect();
    let version = |(at, text): &(usize, &String)| (Part::Version(*at), (*text).clone());
    let source = |(at, source): (usize, &Source)| (Part::Source(at), source.text.clone());
    let long_term = own.and_then(|memory| memory.long_term_memory.clone());
    parts.extend(long_term.map(|text| (Part::LongTerm, text)));
    parts.extend(versions.last().map(version));
    parts.extend(sources.iter().enumerate().take(hits).map(source));
    parts.extend(versions.iter().rev().skip(1).map(version));
    parts.extend(sources.iter().enumerate().skip(hits).map(source));
    let records = context.notes.iter().flat_map(|notes| &notes.records);
    // A context has its records in order of time.
    let records = records.enumerate().map(|(at, record)| {
        let text = format!("{}: {}", record.user.name, record.text);
        (Part::Record(at), text)
    });
    let records: Vec<_> = records.collect();
    parts.extend(records.into_iter().rev());
    let workspace = context.workspace_long_term_memory.clone();
    parts.extend(workspace.map(|text| (Part::Workspace, text)));
    let conversations = conversations(context).into_iter();
    parts.extend(conversations.map(|(place, text)| (Part::Conversation(place), text)));
    parts
}

/// Leaves only these parts in a context.
fn keep(context: &mut Context, sources: Vec<Source>, shown: &[Part]) {
    let has = |part: Part| shown.contains(&part);
    let channel_id = context.conversation_history.channel_id.clone();
    context
        .channel_memories
        .retain(|memory| memory.channel_id == channel_id);
    for memory in &mut context.channel_memories {
        if !has(Part::LongTerm) {
            memory.long_term_memory = None;
        }
        let versions = &mut memory.short_term_memory_history;
        retain(versions, |at, _| has(Part::Version(at)));
        memory.short_term_memory = memory.short_term_memory_history.last().cloned();
    }
    if !has(Part::Workspace) {
        context.workspace_long_term_memory = None;
    }
    let in_thread = context.target_thread_ts.is_some();
    let target = context.target_thread_ts.clone();
    let history = &mut context.conversation_history;
    retain(&mut history.top_level_messages, |at, _| {
        !in_thread || has(Part::Conversation(Conversation::Message(at)))
    });
    retain(&mut history.threads, |at, thread: &Thread| {
        target.as_ref() == Some(&thread.thread_ts)
            || has(Part::Conversation(Conversation::Thread(at)))
    });
    let notes: &mut Notes = context.notes.get_or_insert(NO_NOTES);
    retain(&mut notes.records, |at, _| has(Part::Record(at)));
    notes.sources = sources;
    retain(&mut notes.sources, |at, _| has(Part::Source(at)));
}
