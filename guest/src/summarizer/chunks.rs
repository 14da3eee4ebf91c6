//! Summarises a target that does not fit into one prompt: chunk by chunk, in the order of time, and then all
//! summaries into one.
//!
//! A chunk takes whole conversations. A thread that is longer than a chunk is split between messages, and a
//! message that is longer than a chunk within its text, so that everything is covered.

use std::collections::VecDeque;

use super::ask::{Answers, Failure, Job};
use super::{Summarizer, Task};
use crate::answer::Accepted;
use crate::bindings::errors::Error;
use crate::bindings::llm::Agent;
use crate::bindings::types::{ChannelMemory, Context, MemoryType, Message, Scope, Thread};
use crate::fit::count;
use crate::prompt;
use crate::sort::sort_by_key;
use crate::ts::Ts;

/// Tokens of what stands around a message's text: time, name, marks.
const AROUND_A_MESSAGE: u32 = 24;

/// A part of the target that stays together where it can.
enum Unit {
    /// Messages of one thread, or one message outside threads.
    Conversation {
        thread_ts: Option<String>,
        messages: Vec<Message>,
    },
    /// What is remembered of one channel.
    Memory(ChannelMemory),
}

/// The part of a target that is still to be summarised.
struct Rest {
    /// The context without the target.
    around: Context,
    /// With the tokens that each takes, about.
    units: VecDeque<(Unit, u32)>,
}

/// The part of a target that goes into one prompt.
struct Chunk {
    context: Context,
    prompt: String,
}

impl Summarizer<'_> {
    /// The text of a target that is too long, and the number of its chunks.
    pub(super) fn ask_in_chunks(
        &self,
        task: Task<'_>,
        budget: Option<u32>,
        answers: &Answers<'_>,
    ) -> Result<(Accepted, u32), Failure> {
        let mut rest = self.split(task, budget)?;
        if (task.scope, task.memory_type) == (Scope::Workspace, MemoryType::LongTerm) {
            return self.merge_one_after_the_other(task, rest, budget, answers);
        }
        let mut chunks = Vec::new();
        while let Some(chunk) = self.next_chunk(task, &mut rest, budget)? {
            chunks.push(chunk);
        }
        let jobs = chunks
            .iter()
            .map(|chunk| {
                let task = Task {
                    context: &chunk.context,
                    ..task
                };
                Job::new(chunk.prompt.clone(), task)
            })
            .collect();
        let summaries = self.ask_all(answers, jobs)?;
        let merged = self.merge_summaries(task, summaries, budget, answers)?;
        Ok((merged, count(&chunks)))
    }

    /// What [`Self::ask_in_chunks`] asks first.
    pub(super) fn first_chunk_prompt(
        &self,
        task: Task<'_>,
        budget: Option<u32>,
    ) -> Result<String, Error> {
        let mut rest = self.split(task, budget)?;
        let chunk = self.next_chunk(task, &mut rest, budget)?;
        Ok(chunk.map(|chunk| chunk.prompt).unwrap_or_default())
    }

    /// A long-term memory takes in as many channels as fit, and then as many more, and so on.
    fn merge_one_after_the_other(
        &self,
        task: Task<'_>,
        mut rest: Rest,
        budget: Option<u32>,
        answers: &Answers<'_>,
    ) -> Result<(Accepted, u32), Failure> {
        let mut merged = Accepted {
            text: task.existing_memory.unwrap_or_default().to_owned(),
            truncated: false,
        };
        let mut chunks = 0;
        loop {
            let existing = merged.text.clone();
            let task = Task {
                existing_memory: Some(existing.as_str()).filter(|text| !text.is_empty()),
                ..task
            };
            let Some(chunk) = self.next_chunk(task, &mut rest, budget)? else {
                return Ok((merged, chunks));
            };
            let task = Task {
                context: &chunk.context,
                ..task
            };
            let accepted = self.ask_one(answers, Job::new(chunk.prompt.clone(), task))?;
            merged = Accepted {
                truncated: merged.truncated || accepted.truncated,
                ..accepted
            };
            chunks += 1;
        }
    }

    /// Merges summaries into one; as many at once as fit, and then what came of it.
    fn merge_summaries(
        &self,
        task: Task<'_>,
        summaries: Vec<Accepted>,
        budget: Option<u32>,
        answers: &Answers<'_>,
    ) -> Result<Accepted, Failure> {
        let mut truncated = summaries.iter().any(|summary| summary.truncated);
        let mut texts: Vec<String> = summaries.into_iter().map(|summary| summary.text).collect();
        while texts.len() > 1 {
            let mut groups = Vec::new();
            self.group(task, &texts, budget, &mut groups)?;
            if groups.len() == texts.len() {
                let prompt = self
                    .renderer()?
                    .render_merge(task.context, task.scope, &texts)?;
                return Err(self.window.excess(&prompt, budget).into());
            }
            let (merging, single): (Vec<_>, Vec<_>) = groups
                .into_iter()
                .enumerate()
                .partition(|(_, (group, _))| group.len() > 1);
            let jobs = merging
                .iter()
                .map(|(_, (group, prompt))| Job::merging(prompt.clone(), group, task.context))
                .collect();
            let merged = self.ask_all(answers, jobs)?;
            truncated |= merged.iter().any(|merged| merged.truncated);
            let mut next: Vec<(usize, String)> = merging
                .iter()
                .zip(merged)
                .map(|((position, _), merged)| (*position, merged.text))
                .collect();
            next.extend(
                single
                    .into_iter()
                    .map(|(position, (group, _))| (position, group.concat())),
            );
            sort_by_key(&mut next, |(position, _)| *position);
            texts = next.into_iter().map(|(_, text)| text).collect();
        }
        let text = texts.pop().unwrap_or_default();
        Ok(Accepted { text, truncated })
    }

    /// Halves the summaries until each part fits into a prompt, or is a single one.
    fn group<'s>(
        &self,
        task: Task<'_>,
        texts: &'s [String],
        budget: Option<u32>,
        groups: &mut Vec<(&'s [String], String)>,
    ) -> Result<(), Error> {
        let prompt = self
            .renderer()?
            .render_merge(task.context, task.scope, texts)?;
        if texts.len() == 1 || self.window.fits(&prompt, budget) {
            groups.push((texts, prompt));
            return Ok(());
        }
        let (older, newer) = texts.split_at(texts.len() / 2);
        self.group(task, older, budget, groups)?;
        self.group(task, newer, budget, groups)
    }

    /// Takes as many units as fit into one prompt; none where none are left.
    fn next_chunk(
        &self,
        task: Task<'_>,
        rest: &mut Rest,
        budget: Option<u32>,
    ) -> Result<Option<Chunk>, Error> {
        let around = self.render(Task {
            context: &rest.around,
            ..task
        })?;
        let room = budget.map_or(u32::MAX, |budget| {
            budget.saturating_sub(self.window.count_tokens(&around))
        });
        while !rest.units.is_empty() {
            let mut taken = rest.that_weigh(room);
            while taken > 0 {
                let context = rest.with_first(taken);
                let prompt = self.render(Task {
                    context: &context,
                    ..task
                })?;
                if self.window.fits(&prompt, budget) {
                    rest.units.drain(..taken);
                    return Ok(Some(Chunk { context, prompt }));
                }
                if taken == 1 && !rest.halve_first() {
                    return Err(self.window.excess(&prompt, budget));
                }
                taken /= 2;
            }
        }
        Ok(None)
    }

    fn split(&self, task: Task<'_>, budget: Option<u32>) -> Result<Rest, Error> {
        let mut around = task.context.clone();
        let units: Vec<Unit> = match (task.scope, task.memory_type) {
            (Scope::Channel, MemoryType::LongTerm) => {
                return Err(self.window.excess(&self.render(task)?, budget));
            }
            (Scope::Workspace, memory_type) => std::mem::take(&mut around.channel_memories)
                .into_iter()
                .filter(|memory| prompt::memory_of_type(memory, memory_type).is_some())
                .map(Unit::Memory)
                .collect(),
            (Scope::Channel, MemoryType::ShortTerm) => channel_conversations(&mut around),
            (Scope::Thread, _) => target_messages(&mut around),
        };
        let texts: Vec<String> = units
            .iter()
            .flat_map(|unit| unit.texts(task.memory_type))
            .collect();
        let mut counts = self.llm.count_tokens(Agent::Memory, &texts).into_iter();
        let weigh = |unit: Unit| {
            let weight = unit.texts(task.memory_type).fold(0_u32, |sum, _| {
                let text = counts.next().unwrap_or(u32::MAX);
                sum.saturating_add(text).saturating_add(AROUND_A_MESSAGE)
            });
            (unit, weight)
        };
        Ok(Rest {
            around,
            units: units.into_iter().map(weigh).collect(),
        })
    }
}

/// Takes the conversations out of a context: in order of their first messages.
fn channel_conversations(context: &mut Context) -> Vec<Unit> {
    let history = &mut context.conversation_history;
    let top_level = std::mem::take(&mut history.top_level_messages)
        .into_iter()
        .map(|message| (None, vec![message]));
    let threads = std::mem::take(&mut history.threads)
        .into_iter()
        .map(|thread| (Some(thread.thread_ts), thread.messages));
    let mut conversations: Vec<(Option<String>, Vec<Message>)> = top_level.chain(threads).collect();
    sort_by_key(&mut conversations, |(_, messages)| {
        let first = messages.first();
        (
            first.map(|message| message.timestamp.unix_seconds),
            first.and_then(|message| Ts::parse(&message.ts).ok()),
        )
    });
    conversations
        .into_iter()
        .map(|(thread_ts, messages)| Unit::Conversation {
            thread_ts,
            messages,
        })
        .collect()
}

/// Takes the messages of the target thread out of a context, each by itself.
fn target_messages(context: &mut Context) -> Vec<Unit> {
    let target = context.target_thread_ts.as_deref();
    let (targets, others): (Vec<Thread>, Vec<Thread>) =
        std::mem::take(&mut context.conversation_history.threads)
            .into_iter()
            .partition(|thread| Some(thread.thread_ts.as_str()) == target);
    context.conversation_history.threads = others;
    targets
        .into_iter()
        .flat_map(|thread| {
            let thread_ts = thread.thread_ts;
            thread
                .messages
                .into_iter()
                .map(move |message| Unit::Conversation {
                    thread_ts: Some(thread_ts.clone()),
                    messages: vec![message],
                })
        })
        .collect()
}

impl Rest {
    /// How many units weigh no more than this; at least one.
    fn that_weigh(&self, room: u32) -> usize {
        let mut sum = 0_u32;
        let fitting = self.units.iter().take_while(|(_, weight)| {
            sum = sum.saturating_add(*weight);
            sum <= room
        });
        fitting.count().max(1)
    }

    /// The context in which the first units are the target.
    fn with_first(&self, taken: usize) -> Context {
        let mut context = self.around.clone();
        let history = &mut context.conversation_history;
        for (unit, _) in self.units.iter().take(taken) {
            match unit {
                Unit::Memory(memory) => context.channel_memories.push(memory.clone()),
                Unit::Conversation {
                    thread_ts: None,
                    messages,
                } => history.top_level_messages.extend(messages.iter().cloned()),
                Unit::Conversation {
                    thread_ts: Some(thread_ts),
                    messages,
                } => match history.threads.last_mut() {
                    Some(last) if last.thread_ts == *thread_ts => {
                        last.messages.extend(messages.iter().cloned());
                    }
                    _ => history.threads.push(Thread {
                        thread_ts: thread_ts.clone(),
                        messages: messages.clone(),
                    }),
                },
            }
        }
        context
    }

    /// Splits the first unit in two; says whether it could be split.
    fn halve_first(&mut self) -> bool {
        let Some((unit, weight)) = self.units.pop_front() else {
            return false;
        };
        match unit.halves() {
            Ok((first, second)) => {
                self.units.push_front((second, weight / 2));
                self.units.push_front((first, weight / 2));
                true
            }
            Err(whole) => {
                self.units.push_front((whole, weight));
                false
            }
        }
    }
}

impl Unit {
    fn texts(&self, memory_type: MemoryType) -> impl Iterator<Item = String> {
        let (messages, memory) = match self {
            Self::Conversation { messages, .. } => (messages.as_slice(), None),
            Self::Memory(memory) => (&[][..], prompt::memory_of_type(memory, memory_type)),
        };
        messages
            .iter()
            .map(|message| message.text.clone())
            .chain(memory.map(str::to_owned))
    }

    /// Two halves, or the unit itself where it cannot be split.
    fn halves(self) -> Result<(Self, Self), Self> {
        let Self::Conversation {
            thread_ts,
            mut messages,
        } = self
        else {
            return Err(self);
        };
        let second = match messages.as_mut_slice() {
            [message] => match split_text(&message.text) {
                Some((first, second)) => {
                    let rest = Message {
                        text: second,
                        ..message.clone()
                    };
                    message.text = first;
                    vec![rest]
                }
                None => {
                    return Err(Self::Conversation {
                        thread_ts,
                        messages,
                    });
                }
            },
            _ => messages.split_off(messages.len() / 2),
        };
        let unit = |messages| Self::Conversation {
            thread_ts: thread_ts.clone(),
            messages,
        };
        Ok((unit(messages), unit(second)))
    }
}

/// A text in two, at the line's or word's end before its middle if there is one near; none for a single character.
fn split_text(text: &str) -> Option<(String, String)> {
    let middle = text.ceil_char_boundary(text.len() / 2);
    let nearby = text.floor_char_boundary(middle - middle / 4);
    let before = text.get(nearby..middle)?;
    let end = before
        .rfind('\n')
        .or_else(|| before.rfind(char::is_whitespace))
        .map_or(middle, |space| nearby + space);
    let (first, second) = text.split_at_checked(end)?;
    (!first.is_empty() && !second.is_empty()).then(|| (first.to_owned(), second.to_owned()))
}
