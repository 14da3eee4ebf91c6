//! Around a thread of which a memory is made.
//!
//! The memories of its channel are kept first. Then come the memories of the workspace and of other channels, and other
//! conversations of the channel: those that share most words with the thread first. If everything fits, nothing is left out.

use super::{Conversation, conversations, fitting, own_memory, retain};
use crate::answer::CountTokens;
use crate::bearing::bearing;
use crate::bindings::types::Context;
use crate::prompt::target_thread_messages;

/// Something that may be shown. Channels and versions have their index.
#[derive(PartialEq)]
enum Part {
    LongTerm(usize),
    Version(usize, usize),
    WorkspaceLongTerm,
    WorkspaceShortTerm,
    Conversation(Conversation),
}

/// Keeps in a context what fits into `max_tokens` around its target thread. If something goes, channels without a memory that is
/// shown go, too.
pub(crate) fn bound(context: &mut Context, max_tokens: u32, count_tokens: &CountTokens<'_>) {
    let parts = parts(context);
    let all = parts.len();
    let shown = fitting(parts, max_tokens, count_tokens);
    if shown.len() < all {
        keep(context, &shown);
    }
}

/// Everything that may be shown, the most important first.
fn parts(context: &Context) -> Vec<(Part, String)> {
    let own_id = own_memory(context).map(|memory| memory.channel_id.as_str());
    let (mut own, mut others) = (Vec::new(), Vec::new());
    for (channel, memory) in context.channel_memories.iter().enumerate() {
        let is_own = own_id == Some(memory.channel_id.as_str());
        let parts = if is_own { &mut own } else { &mut others };
        let long_term = memory.long_term_memory.iter();
        parts.extend(long_term.map(|text| (Part::LongTerm(channel), text.clone())));
        let versions = memory.short_term_memory_history.iter().enumerate().rev();
        parts.extend(versions.map(|(at, text)| (Part::Version(channel, at), text.clone())));
    }
    let mut around = Vec::new();
    let long_term = context.workspace_long_term_memory.iter();
    around.extend(long_term.map(|text| (Part::WorkspaceLongTerm, text.clone())));
    let short_term = context.workspace_short_term_memory.iter();
    around.extend(short_term.map(|text| (Part::WorkspaceShortTerm, text.clone())));
    let conversations = conversations(context).into_iter();
    around.extend(conversations.map(|(place, text)| (Part::Conversation(place), text)));
    around.extend(others);
    own.extend(most_bearing_first(around, context));
    own
}

/// Parts in the order in which they bear on the target thread; what bears equally stays in its order.
fn most_bearing_first(parts: Vec<(Part, String)>, context: &Context) -> Vec<(Part, String)> {
    let said: Vec<&str> = target_thread_messages(context)
        .iter()
        .map(|message| message.text.as_str())
        .collect();
    let texts = parts.iter().map(|(_, text)| text.as_str());
    let bearing = bearing(texts, &said.join("\n"));
    let mut parts: Vec<_> = bearing.into_iter().zip(parts).collect();
    parts.sort_by_key(|(bearing, _)| std::cmp::Reverse(*bearing));
    parts.into_iter().map(|(_, part)| part).collect()
}

/// Leaves only these parts in a context.
fn keep(context: &mut Context, shown: &[Part]) {
    let own_id = context.conversation_history.channel_id.clone();
    let has = |part: Part| shown.contains(&part);
    for (channel, memory) in context.channel_memories.iter_mut().enumerate() {
        if !has(Part::LongTerm(channel)) {
            memory.long_term_memory = None;
        }
        let versions = &mut memory.short_term_memory_history;
        retain(versions, |at, _| has(Part::Version(channel, at)));
        memory.short_term_memory = versions.last().cloned();
    }
    context.channel_memories.retain(|memory| {
        memory.channel_id == own_id
            || memory.long_term_memory.is_some()
            || memory.short_term_memory.is_some()
    });
    if !has(Part::WorkspaceLongTerm) {
        context.workspace_long_term_memory = None;
    }
    if !has(Part::WorkspaceShortTerm) {
        context.workspace_short_term_memory = None;
    }
    let target = context.target_thread_ts.clone();
    let history = &mut context.conversation_history;
    retain(&mut history.top_level_messages, |at, _| {
        has(Part::Conversation(Conversation::Message(at)))
    });
    retain(&mut history.threads, |at, thread| {
        target.as_ref() == Some(&thread.thread_ts)
            || has(Part::Conversation(Conversation::Thread(at)))
    });
}
