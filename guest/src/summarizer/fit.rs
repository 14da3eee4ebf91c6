//! Makes a prompt fit into the model's context window.
//!
//! What does not fit is left out in this order, until the rest fits:
//!
//! 1. memories of other channels: short-term versions, the oldest first, then long-term memories;
//! 2. the workspace's memories;
//! 3. conversations of the channel outside the target thread, the oldest first;
//! 4. the channel's own memories: short-term versions, the oldest first, then the long-term memory.
//!
//! The persona, the instruction, the target and the memory that it is merged into always stay.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::{NOTHING, Summarizer, Task, count};
use crate::bindings::errors::Error;
use crate::bindings::types::{ChannelMemory, Context, LeftOut, Scope, Thread};
use crate::ts::Ts;

/// A context, as far as it fits.
pub(super) enum Fitted<'t> {
    /// It fits, without what is left out.
    Whole {
        context: Cow<'t, Context>,
        prompt: String,
        left_out: LeftOut,
    },
    /// The target does not fit by itself; everything else is left out.
    TooLong {
        context: Cow<'t, Context>,
        left_out: LeftOut,
    },
}

/// One thing that can be left out.
enum Cut {
    /// The oldest short-term version of the channel at this index that is still there.
    ShortTerm(usize),
    /// The channel at this index, with its name and long-term memory.
    Channel(usize),
    /// The long-term memory of the channel at this index.
    LongTerm(usize),
    WorkspaceShortTerm,
    WorkspaceLongTerm,
    /// The top-level message at this index.
    Message(usize),
    /// The thread at this index.
    Thread(usize),
}

impl Summarizer<'_> {
    /// Whether a prompt keeps to a budget in tokens.
    pub(super) fn fits(&self, prompt: &str, budget: Option<u32>) -> bool {
        let Some(budget) = budget else { return true };
        // No vocabulary has a token of less than one byte, so that most prompts need no count.
        u32::try_from(prompt.len()).is_ok_and(|bytes| bytes <= budget)
            || self.count_tokens(prompt) <= budget
    }

    /// Cuts no more than it takes.
    pub(super) fn fit<'t>(&self, task: Task<'t>, budget: Option<u32>) -> Result<Fitted<'t>, Error> {
        let prompt = self.render(task)?;
        if self.fits(&prompt, budget) {
            return Ok(Fitted::Whole {
                context: Cow::Borrowed(task.context),
                prompt,
                left_out: NOTHING,
            });
        }
        let cuts = cuts(task);
        let (mut too_few, mut enough) = (0, None);
        let mut most = cuts.len();
        // Each cut makes the prompt shorter: the smallest number that is enough is found by halving.
        while too_few < most {
            let tried = if enough.is_none() {
                most
            } else {
                too_few + (most - too_few) / 2
            };
            let (context, left_out) = without(task.context, &cuts, tried);
            let shorter = Task {
                context: &context,
                ..task
            };
            let prompt = self.render(shorter)?;
            if self.fits(&prompt, budget) {
                most = tried;
                enough = Some((context, prompt, left_out));
            } else if enough.is_none() {
                return Ok(Fitted::TooLong {
                    context: Cow::Owned(context),
                    left_out,
                });
            } else {
                too_few = tried + 1;
            }
        }
        Ok(match enough {
            Some((context, prompt, left_out)) => Fitted::Whole {
                context: Cow::Owned(context),
                prompt,
                left_out,
            },
            None => Fitted::TooLong {
                context: Cow::Borrowed(task.context),
                left_out: NOTHING,
            },
        })
    }
}

/// Everything that the task's prompt shows and can do without, the least important first.
fn cuts(task: Task<'_>) -> Vec<Cut> {
    let context = task.context;
    let overview = context
        .workspace_long_term_memory
        .as_ref()
        .map(|_| Cut::WorkspaceLongTerm);
    match task.scope {
        Scope::Workspace => Vec::new(),
        Scope::Channel => overview.into_iter().collect(),
        Scope::Thread => {
            let is_own = |memory: &ChannelMemory| {
                memory.channel_id == context.conversation_history.channel_id
            };
            let (own, others): (Vec<usize>, Vec<usize>) = (0..context.channel_memories.len())
                .partition(|index| context.channel_memories.get(*index).is_some_and(is_own));
            let short_term = context
                .workspace_short_term_memory
                .as_ref()
                .map(|_| Cut::WorkspaceShortTerm);
            let mut cuts = oldest_versions_first(context, &others);
            cuts.extend(others.into_iter().rev().map(Cut::Channel));
            cuts.extend(short_term);
            cuts.extend(overview);
            cuts.extend(conversations_outside_the_target(context));
            cuts.extend(oldest_versions_first(context, &own));
            cuts.extend(own.into_iter().map(Cut::LongTerm));
            cuts
        }
    }
}

/// Every short-term version of the channels: those with the most versions after them first.
fn oldest_versions_first(context: &Context, channels: &[usize]) -> Vec<Cut> {
    let mut versions: Vec<(Reverse<usize>, usize)> = channels
        .iter()
        .filter_map(|index| Some((*index, context.channel_memories.get(*index)?)))
        .flat_map(|(index, memory)| {
            let shown = memory
                .short_term_memory_history
                .len()
                .max(usize::from(memory.short_term_memory.is_some()));
            (0..shown).map(move |newer| (Reverse(newer), index))
        })
        .collect();
    versions.sort_unstable();
    versions
        .into_iter()
        .map(|(_, index)| Cut::ShortTerm(index))
        .collect()
}

/// The channel's top-level messages and threads, those that ended first at the head.
fn conversations_outside_the_target(context: &Context) -> Vec<Cut> {
    let history = &context.conversation_history;
    let is_target =
        |thread: &Thread| Some(thread.thread_ts.as_str()) == context.target_thread_ts.as_deref();
    let messages = history
        .top_level_messages
        .iter()
        .enumerate()
        .map(|(index, message)| (message, Cut::Message(index)));
    let threads = history
        .threads
        .iter()
        .enumerate()
        .filter(|(_, thread)| !is_target(thread))
        .filter_map(|(index, thread)| Some((thread.messages.last()?, Cut::Thread(index))));
    let mut cuts: Vec<_> = messages.chain(threads).collect();
    cuts.sort_by_key(|(last, _)| (last.timestamp.unix_seconds, Ts::parse(&last.ts).ok()));
    cuts.into_iter().map(|(_, cut)| cut).collect()
}

/// The context without the first `cut` of the cuts, and what that leaves out.
fn without(context: &Context, cuts: &[Cut], cut: usize) -> (Context, LeftOut) {
    let mut context = context.clone();
    let mut left_out = NOTHING;
    let own_channel = context.conversation_history.channel_id.clone();
    let (mut channels, mut messages, mut threads) =
        (BTreeSet::new(), BTreeSet::new(), BTreeSet::new());
    for cut in cuts.iter().take(cut) {
        match cut {
            Cut::ShortTerm(index) => {
                if let Some(memory) = context.channel_memories.get_mut(*index) {
                    *memories_of(memory, &own_channel, &mut left_out) += 1;
                    forget_oldest_version(memory);
                }
            }
            Cut::LongTerm(index) | Cut::Channel(index) => {
                if let Some(memory) = context.channel_memories.get_mut(*index) {
                    let had = memory.long_term_memory.take().is_some();
                    *memories_of(memory, &own_channel, &mut left_out) += u32::from(had);
                }
                if matches!(cut, Cut::Channel(_)) {
                    channels.insert(*index);
                }
            }
            Cut::WorkspaceShortTerm => {
                context.workspace_short_term_memory = None;
                left_out.workspace += 1;
            }
            Cut::WorkspaceLongTerm => {
                context.workspace_long_term_memory = None;
                left_out.workspace += 1;
            }
            Cut::Message(index) => {
                messages.insert(*index);
                left_out.messages += 1;
            }
            Cut::Thread(index) => {
                let thread = context.conversation_history.threads.get(*index);
                left_out.messages += thread.map_or(0, |thread| count(&thread.messages));
                threads.insert(*index);
            }
        }
    }
    retain_others(&mut context.channel_memories, &channels);
    retain_others(
        &mut context.conversation_history.top_level_messages,
        &messages,
    );
    retain_others(&mut context.conversation_history.threads, &threads);
    (context, left_out)
}

fn memories_of<'l>(
    memory: &ChannelMemory,
    own_channel: &str,
    left_out: &'l mut LeftOut,
) -> &'l mut u32 {
    if memory.channel_id == own_channel {
        &mut left_out.channel
    } else {
        &mut left_out.other_channels
    }
}

/// The newest version stays the last of the history and the one that is shown by itself.
fn forget_oldest_version(memory: &mut ChannelMemory) {
    if !memory.short_term_memory_history.is_empty() {
        memory.short_term_memory_history.remove(0);
    }
    if memory.short_term_memory_history.is_empty() {
        memory.short_term_memory = None;
    }
}

fn retain_others<T>(items: &mut Vec<T>, without: &BTreeSet<usize>) {
    let mut index = 0;
    items.retain(|_| {
        index += 1;
        !without.contains(&(index - 1))
    });
}
