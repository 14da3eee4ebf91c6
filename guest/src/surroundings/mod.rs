//! The surroundings that a prompt shows beside its conversation, within a limit of tokens (`context.surroundings_max_tokens`).

pub(crate) mod reply;
mod thread;

pub(crate) use thread::bound as bound_around_thread;

use crate::answer::CountTokens;
use crate::bindings::types::{ChannelMemory, Context, Message};
use crate::ts::Ts;

/// Tokens around a text: its number, date, author and place.
const AROUND: u32 = 24;

/// A conversation outside the target: the message of the top level, or the thread, at this index.
#[derive(PartialEq)]
enum Conversation {
    Message(usize),
    Thread(usize),
}

/// Those of the parts, the most important first, that fit into `max_tokens` together.
fn fitting<P>(parts: Vec<(P, String)>, max_tokens: u32, count_tokens: &CountTokens<'_>) -> Vec<P> {
    let (parts, texts): (Vec<P>, Vec<String>) = parts.into_iter().unzip();
    let counts = match texts.as_slice() {
        [] => Vec::new(),
        texts => count_tokens(texts),
    };
    let mut left = max_tokens;
    let fits = |count: u32| {
        let rest = left.checked_sub(count.saturating_add(AROUND));
        left = rest.unwrap_or(left);
        rest.is_some()
    };
    let fits: Vec<bool> = counts.into_iter().map(fits).collect();
    let parts = parts.into_iter().zip(fits);
    parts
        .filter_map(|(part, fits)| fits.then_some(part))
        .collect()
}

/// The conversations outside the target, the newest first.
fn conversations(context: &Context) -> Vec<(Conversation, String)> {
    let history = &context.conversation_history;
    let target = context.target_thread_ts.as_deref();
    let mut found: Vec<(Option<Ts>, (Conversation, String))> = Vec::new();
    for (at, message) in history.top_level_messages.iter().enumerate() {
        // Without a target thread the top level is the target.
        if target.is_some() {
            let part = (Conversation::Message(at), shown(message));
            found.push((Ts::parse(&message.ts).ok(), part));
        }
    }
    for (at, thread) in history.threads.iter().enumerate() {
        let newest = thread.messages.last();
        if let Some(newest) = newest.filter(|_| target != Some(thread.thread_ts.as_str())) {
            let messages: Vec<String> = thread.messages.iter().map(shown).collect();
            let part = (Conversation::Thread(at), messages.join("\n\n"));
            found.push((Ts::parse(&newest.ts).ok(), part));
        }
    }
    found.sort_by_key(|(newest, _)| std::cmp::Reverse(*newest));
    found.into_iter().map(|(_, part)| part).collect()
}

/// About as a prompt shows a message.
fn shown(message: &Message) -> String {
    format!(
        "**2024-03-01 10:00:00** {}:\n{}",
        message.user.name, message.text
    )
}

fn own_memory(context: &Context) -> Option<&ChannelMemory> {
    let channel_id = &context.conversation_history.channel_id;
    let mut memories = context.channel_memories.iter();
    memories.find(|memory| memory.channel_id == *channel_id)
}

/// Keeps some items, by their index.
fn retain<T>(items: &mut Vec<T>, keep: impl Fn(usize, &T) -> bool) {
    let mut at = 0;
    items.retain(|item| {
        at += 1;
        keep(at - 1, item)
    });
}
