//! Makes a prompt fit into the model's context window.
//!
//! Parts that do not fit are left out in this order, until the rest fits:
//!
//! 1. records, and what bears on the question, the worst first;
//! 2. memories of other channels: short-term versions, the oldest first, then long-term memories;
//! 3. the workspace's memories;
//! 4. conversations of the channel outside the target thread, the oldest first;
//! 5. the channel's own memories: short-term versions, the oldest first, then the long-term memory;
//! 6. what people marked.
//!
//! The persona, the instruction, the target of a summary and the memory that it is merged into are never left out. If
//! nothing else is left, the oldest messages of a reply's target go; its first message, its newest one and the one that
//! is answered stay.

use std::borrow::Cow;
use std::cell::Cell;
use std::cmp::Reverse;

use crate::bindings::errors::{Error, TokenExcess};
use crate::bindings::llm::Agent;
use crate::bindings::types::{ChannelMemory, Context, LeftOut, Message, Notes, Thread};
use crate::ports::Llm;
use crate::prompt;
use crate::ts::Ts;

/// Nothing left out.
pub(crate) const NOTHING: LeftOut = LeftOut {
    other_channels: 0,
    workspace: 0,
    messages: 0,
    channel: 0,
};

/// How long the prompts of one agent may be.
pub(crate) struct Window<'a> {
    llm: &'a dyn Llm,
    agent: Agent,
    /// The smallest context window seen in this call.
    learned: Cell<Option<u32>>,
}

impl<'a> Window<'a> {
    /// The window of an agent's model.
    pub(crate) fn new(llm: &'a dyn Llm, agent: Agent) -> Self {
        Self {
            llm,
            agent,
            learned: Cell::new(None),
        }
    }

    /// The longest prompt, in tokens, if `kept_free` tokens are kept free; `None` if the window is not known.
    pub(crate) fn budget(&self, kept_free: u32) -> Option<u32> {
        let known = self.llm.context_window(self.agent);
        let window = [known, self.learned.get()].into_iter().flatten().min()?;
        Some(window.saturating_sub(kept_free))
    }

    /// Assumes a smaller window after a prompt was refused as too long: `limit`, or three quarters of what was sent if
    /// the model named no limit, or one that the prompt keeps. A smaller share would waste the window.
    pub(crate) fn learn(&self, prompt: &str, max_tokens: u32, limit: Option<u32>) {
        let sent = self.count_tokens(prompt).saturating_add(max_tokens);
        let named = limit.filter(|limit| *limit < sent);
        self.learned.set(Some(named.unwrap_or(sent / 4 * 3)));
    }

    /// How many tokens a text has.
    pub(crate) fn count_tokens(&self, text: &str) -> u32 {
        let counts = self.llm.count_tokens(self.agent, &[text.to_owned()]);
        counts.first().copied().unwrap_or(u32::MAX)
    }

    /// Returns true if a prompt fits into a budget in tokens.
    pub(crate) fn fits(&self, prompt: &str, budget: Option<u32>) -> bool {
        let Some(budget) = budget else { return true };
        // Every token has at least one byte, so most prompts need no count.
        u32::try_from(prompt.len()).is_ok_and(|bytes| bytes <= budget)
            || self.count_tokens(prompt) <= budget
    }

    /// The error for a prompt that does not fit into a budget.
    pub(crate) fn excess(&self, prompt: &str, budget: Option<u32>) -> Error {
        Error::PromptTooLong(TokenExcess {
            tokens: self.count_tokens(prompt),
            limit: budget.unwrap_or(u32::MAX),
        })
    }

    /// Renders a context with as few cuts as possible. `cuts` is called only if one is needed.
    pub(crate) fn fit<'t>(
        &self,
        context: &'t Context,
        cuts: &dyn Fn() -> Vec<Cut>,
        budget: Option<u32>,
        render: &dyn Fn(&Context) -> Result<String, Error>,
    ) -> Result<Fitted<'t>, Error> {
        let prompt = render(context)?;
        if self.fits(&prompt, budget) {
            return Ok(Fitted::Whole {
                context: Cow::Borrowed(context),
                prompt,
                left_out: NOTHING,
            });
        }
        let cuts = cuts();
        let (mut too_few, mut enough) = (0, None);
        let mut most = cuts.len();
        // Each cut makes the prompt shorter: binary search finds the smallest number of cuts.
        while too_few < most {
            let tried = if enough.is_none() {
                most
            } else {
                too_few + (most - too_few) / 2
            };
            let (shorter, left_out) = without(context, &cuts, tried);
            let prompt = render(&shorter)?;
            if self.fits(&prompt, budget) {
                most = tried;
                enough = Some((shorter, prompt, left_out));
            } else if enough.is_none() {
                return Ok(Fitted::TooLong {
                    context: Cow::Owned(shorter),
                    prompt,
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
                context: Cow::Borrowed(context),
                prompt,
                left_out: NOTHING,
            },
        })
    }
}

/// The result of fitting a context.
pub(crate) enum Fitted<'t> {
    /// It fits, without what is left out.
    Whole {
        context: Cow<'t, Context>,
        prompt: String,
        left_out: LeftOut,
    },
    /// Even without everything that can be left out, the target does not fit.
    TooLong {
        context: Cow<'t, Context>,
        prompt: String,
        left_out: LeftOut,
    },
}

/// One thing that can be left out.
pub(crate) enum Cut {
    /// All records.
    Records,
    /// The marks of people.
    Marks,
    /// The last of the sources that is still there.
    Source,
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
    /// The message at this index of the target thread.
    Target(usize),
}

/// The records and the marks, if there are any.
fn of_notes(context: &Context) -> (Option<Cut>, Option<Cut>) {
    let notes = context.notes.as_ref();
    let records = notes.is_some_and(|notes| !notes.records.is_empty());
    let has_marks = |notes: &Notes| !notes.pinned.is_empty() || !notes.corrections.is_empty();
    let marks = notes.is_some_and(has_marks);
    (records.then_some(Cut::Records), marks.then_some(Cut::Marks))
}

/// Each source.
fn sources(context: &Context) -> impl Iterator<Item = Cut> {
    let notes = context.notes.iter();
    notes.flat_map(|notes| &notes.sources).map(|_| Cut::Source)
}

/// The records, the workspace's long-term memory and the marks, if there are any.
pub(crate) fn overview(context: &Context) -> Vec<Cut> {
    let (records, marks) = of_notes(context);
    let overview = context.workspace_long_term_memory.iter();
    let around = overview.map(|_| Cut::WorkspaceLongTerm);
    records.into_iter().chain(around).chain(marks).collect()
}

/// Everything around the target thread, or around the top level if there is no target thread; the least important
/// first.
pub(crate) fn around_target(context: &Context) -> Vec<Cut> {
    let is_own =
        |memory: &ChannelMemory| memory.channel_id == context.conversation_history.channel_id;
    let (own, others): (Vec<usize>, Vec<usize>) = (0..context.channel_memories.len())
        .partition(|index| context.channel_memories.get(*index).is_some_and(is_own));
    let short_term = context.workspace_short_term_memory.iter();
    let (records, marks) = of_notes(context);
    let mut cuts: Vec<Cut> = records.into_iter().collect();
    cuts.extend(sources(context));
    cuts.extend(oldest_versions_first(context, &others));
    cuts.extend(others.into_iter().rev().map(Cut::Channel));
    cuts.extend(short_term.map(|_| Cut::WorkspaceShortTerm));
    let overview = context.workspace_long_term_memory.iter();
    cuts.extend(overview.map(|_| Cut::WorkspaceLongTerm));
    cuts.extend(conversations_outside_the_target(context));
    cuts.extend(oldest_versions_first(context, &own));
    cuts.extend(own.into_iter().map(Cut::LongTerm));
    cuts.extend(marks);
    cuts
}

/// The messages of a reply's target that can be left out, oldest first: not a thread's first one, the newest one, or
/// the one that is answered.
pub(crate) fn within_target(context: &Context, answered: Option<&str>) -> Vec<Cut> {
    let in_thread = context.target_thread_ts.is_some();
    let messages = prompt::reply_target_messages(context);
    let newest = messages.len().saturating_sub(1);
    let stays = |index: usize, message: &Message| {
        (in_thread && index == 0) || index == newest || Some(message.ts.as_str()) == answered
    };
    messages
        .iter()
        .enumerate()
        .filter(|(index, message)| !stays(*index, message))
        .map(|(index, _)| {
            if in_thread {
                Cut::Target(index)
            } else {
                Cut::Message(index)
            }
        })
        .collect()
}

/// Every short-term version of the channels: those with the most newer versions first.
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
    versions.sort();
    versions
        .into_iter()
        .map(|(_, index)| Cut::ShortTerm(index))
        .collect()
}

/// The channel's top-level messages and threads, ordered by their last message. Without a target thread the top level
/// is the target.
fn conversations_outside_the_target(context: &Context) -> Vec<Cut> {
    let history = &context.conversation_history;
    let is_target =
        |thread: &Thread| Some(thread.thread_ts.as_str()) == context.target_thread_ts.as_deref();
    let messages = history
        .top_level_messages
        .iter()
        .filter(|_| context.target_thread_ts.is_some())
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

/// The context without the first `cut` of the cuts, and what was left out.
fn without(context: &Context, cuts: &[Cut], cut: usize) -> (Context, LeftOut) {
    let mut context = context.clone();
    let mut left_out = NOTHING;
    let own_channel = context.conversation_history.channel_id.clone();
    let (mut channels, mut messages) = (Vec::new(), Vec::new());
    let (mut threads, mut of_target) = (Vec::new(), Vec::new());
    for cut in cuts.iter().take(cut) {
        match cut {
            Cut::Records | Cut::Marks | Cut::Source => cut_notes(&mut context, cut),
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
                    channels.push(*index);
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
                messages.push(*index);
                left_out.messages += 1;
            }
            Cut::Thread(index) => {
                let thread = context.conversation_history.threads.get(*index);
                left_out.messages += thread.map_or(0, |thread| count(&thread.messages));
                threads.push(*index);
            }
            Cut::Target(index) => {
                of_target.push(*index);
                left_out.messages += 1;
            }
        }
    }
    retain_others(&mut context.channel_memories, &channels);
    retain_others(
        &mut context.conversation_history.top_level_messages,
        &messages,
    );
    if let Some(target) = target_thread(&mut context) {
        retain_others(&mut target.messages, &of_target);
    }
    retain_others(&mut context.conversation_history.threads, &threads);
    (context, left_out)
}

/// The notes without records, without marks, or without their last source.
fn cut_notes(context: &mut Context, cut: &Cut) {
    match &mut context.notes {
        Some(notes) if matches!(cut, Cut::Records) => notes.records.clear(),
        Some(notes) if matches!(cut, Cut::Source) => {
            notes.sources.pop();
        }
        Some(notes) => (notes.pinned, notes.corrections) = (Vec::new(), Vec::new()),
        None => {}
    }
}

fn target_thread(context: &mut Context) -> Option<&mut Thread> {
    let target = context.target_thread_ts.as_deref()?;
    let threads = &mut context.conversation_history.threads;
    threads.iter_mut().find(|thread| thread.thread_ts == target)
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

/// Keeps the newest version last in the history, and as the single short-term memory.
fn forget_oldest_version(memory: &mut ChannelMemory) {
    if !memory.short_term_memory_history.is_empty() {
        memory.short_term_memory_history.remove(0);
    }
    if memory.short_term_memory_history.is_empty() {
        memory.short_term_memory = None;
    }
}

fn retain_others<T>(items: &mut Vec<T>, without: &[usize]) {
    let mut keep = vec![true; items.len()];
    for index in without {
        if let Some(keep) = keep.get_mut(*index) {
            *keep = false;
        }
    }
    let mut keep = keep.into_iter();
    items.retain(|_| keep.next() == Some(true));
}

/// The number of items.
pub(crate) fn count<T>(items: impl IntoIterator<Item = T>) -> u32 {
    u32::try_from(items.into_iter().count()).unwrap_or(u32::MAX)
}
