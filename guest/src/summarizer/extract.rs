//! A memory's text without a model.

use std::borrow::Cow;

use super::{Summarizer, Task, nothing_to_summarize};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::Agent;
use crate::bindings::types::{Coverage, Engine, Message};
use crate::extractive;
use crate::fit::{NOTHING, count};
use crate::marks;
use crate::prompt;
use crate::text::dates::dated;
use crate::ts::Ts;

impl Summarizer<'_> {
    pub(super) fn extract_task(&self, task: Task<'_>) -> Result<Summary, Error> {
        let messages = in_order_of_time(task);
        let messages: Vec<&Message> = messages.iter().map(|message| &**message).collect();
        let memories = prompt::target_memories(task.context, task.scope, task.memory_type);
        let input = if memories.is_empty() {
            extractive::Input::Messages(&messages)
        } else {
            extractive::Input::Memories {
                existing: task.existing_memory,
                new: &memories,
            }
        };
        let count_tokens = |texts: &[String]| self.llm.count_tokens(Agent::Memory, texts);
        let text = extractive::summarize(input, self.max_tokens(task.memory_type), &count_tokens);
        if text.is_empty() {
            // Messages may have no words. Memories do, and must not be lost because they do not fit.
            return match memories.as_slice() {
                [] => Ok(nothing_to_summarize(task.scope, task.existing_memory)),
                _ => Err(Error::BadAnswer(BadAnswer::Empty)),
            };
        }
        let messages = count(&messages);
        Ok(Summary {
            engine: Some(Engine::Extractive),
            text,
            truncated: false,
            coverage: Coverage {
                messages,
                covered: messages,
                left_out: NOTHING,
                chunks: 1,
                calls: 0,
                unfounded: 0,
                doubtful: 0,
                refused: 0,
                records: 0,
                late: 0,
                refused_items: 0,
            },
            citations: Vec::new(),
            records: Vec::new(),
            items: Vec::new(),
        })
    }
}

/// A prompt groups messages by thread; an extract orders them by time. The bot's own messages repeat what is remembered
/// already, so their texts are left out, and so is what is only said to it. Of a context with notes, relative dates have the date that they mean behind them.
fn in_order_of_time(task: Task<'_>) -> Vec<Cow<'_, Message>> {
    let messages = prompt::target_messages(task.context, task.scope, task.memory_type);
    let mut messages: Vec<Cow<'_, Message>> = messages
        .map(|message| {
            let text = if prompt::is_own(message, &task.context.persona) {
                Some(String::new())
            } else {
                task.context.notes.as_ref().and_then(|_| dated(message))
            };
            text.map_or(Cow::Borrowed(message), |text| {
                Cow::Owned(Message {
                    text,
                    ..message.clone()
                })
            })
        })
        .collect();
    messages.retain(|message| !marks::is_only_for(message, &task.context.persona.name));
    // An invalid id sorts first: a context from outside may have one, and only the order depends on it.
    messages.sort_by_key(|message| (message.timestamp.unix_seconds, Ts::parse(&message.ts).ok()));
    messages
}
