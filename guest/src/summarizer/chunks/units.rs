//! The units that a target is split into: whole conversations, and if one is too long, its halves.

use std::collections::VecDeque;

use crate::bindings::types::{ChannelMemory, Context, MemoryType, Message, Thread};
use crate::prompt;
use crate::ts::Ts;

/// A part of the target that stays together if possible.
pub(super) enum Unit {
    /// Messages of one thread, or one message outside threads.
    Conversation {
        thread_ts: Option<String>,
        messages: Vec<Message>,
    },
    /// One channel's memories.
    Memory(ChannelMemory),
}

/// The part of a target that is still to be summarised.
pub(super) struct Remaining {
    /// The context without the target.
    pub(super) around: Context,
    /// With about how many tokens each takes.
    pub(super) units: VecDeque<(Unit, u32)>,
}

/// Moves the conversations out of a context, ordered by their first messages.
pub(super) fn channel_conversations(context: &mut Context) -> Vec<Unit> {
    let history = &mut context.conversation_history;
    let top_level = std::mem::take(&mut history.top_level_messages)
        .into_iter()
        .map(|message| (None, vec![message]));
    let threads = std::mem::take(&mut history.threads)
        .into_iter()
        .map(|thread| (Some(thread.thread_ts), thread.messages));
    let mut conversations: Vec<(Option<String>, Vec<Message>)> = top_level.chain(threads).collect();
    conversations.sort_by_key(|(_, messages)| {
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

/// Moves the messages of the target thread out of a context, each as a unit.
pub(super) fn target_messages(context: &mut Context) -> Vec<Unit> {
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

impl Remaining {
    /// How many units fit into so many tokens; at least one.
    pub(super) fn fitting(&self, room: u32) -> usize {
        let mut sum = 0_u32;
        let fitting = self.units.iter().take_while(|(_, weight)| {
            sum = sum.saturating_add(*weight);
            sum <= room
        });
        fitting.count().max(1)
    }

    /// The context with the first units as the target.
    pub(super) fn with_first(&self, taken: usize) -> Context {
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

    /// Splits the first unit in two; returns whether it could be split.
    pub(super) fn halve_first(&mut self) -> bool {
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
    pub(super) fn texts(&self, memory_type: MemoryType) -> impl Iterator<Item = String> {
        let (messages, memory) = match self {
            Self::Conversation { messages, .. } => (messages.as_slice(), None),
            Self::Memory(memory) => (&[][..], prompt::memory_of_type(memory, memory_type)),
        };
        messages
            .iter()
            .map(|message| message.text.clone())
            .chain(memory.map(str::to_owned))
    }

    /// Two halves, or `Err` with the unit if it cannot be split.
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

/// Splits a text in two, at the end of a line or a word near its middle if possible; `None` for a single character.
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
