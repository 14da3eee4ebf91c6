//! A memory's text without a model.

use super::{Summarizer, Task};
use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::Agent;
use crate::bindings::types::{Coverage, Engine, Message};
use crate::extractive;
use crate::fit::{NOTHING, count};
use crate::prompt;
use crate::sort::sort_by_key;
use crate::ts::Ts;

impl Summarizer<'_> {
    pub(super) fn extract_task(&self, task: Task<'_>) -> Result<Summary, Error> {
        let messages = in_order_of_time(task);
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
        // Messages may hold no words; memories do, and what does not fit is not to be lost.
        if text.is_empty() && !memories.is_empty() {
            return Err(Error::BadAnswer(BadAnswer::Empty));
        }
        let messages = count(&messages);
        Ok(Summary {
            engine: (!text.is_empty()).then_some(Engine::Extractive),
            text,
            truncated: false,
            coverage: Coverage {
                messages,
                covered: messages,
                left_out: NOTHING,
                chunks: 1,
                calls: 0,
            },
        })
    }
}

/// What others said: the bot's own answers tell what is remembered already. The prompt groups messages by thread; an
/// extract goes by time.
fn in_order_of_time(task: Task<'_>) -> Vec<&Message> {
    let messages = prompt::target_messages(task.context, task.scope, task.memory_type);
    let mut messages: Vec<&Message> = messages
        .filter(|message| !prompt::is_own(message, &task.context.persona))
        .collect();
    // An id that is none sorts first: a context from outside may hold one, and only the order is at stake.
    sort_by_key(&mut messages, |message| {
        (message.timestamp.unix_seconds, Ts::parse(&message.ts).ok())
    });
    messages
}
