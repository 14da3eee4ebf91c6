//! Makes the text of one memory from a context, with a language model or without one
//! (documents `05` and `extra05a`).

#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::{Completion, FinishReason, LlmError, Request};
use crate::bindings::settings::Values;
use crate::bindings::types::{Context, Engine, MemoryType, Message, Scope};
use crate::extractive;
use crate::ports::Llm;
use crate::prompt::{self, Renderer};
use crate::ts::Ts;

/// Makes texts; holds the compiled templates, so that a run compiles them once.
pub struct Summarizer<'a> {
    llm: &'a dyn Llm,
    settings: &'a Values,
    renderer: OnceCell<Renderer>,
}

impl<'a> Summarizer<'a> {
    /// A summariser that works as the settings say.
    #[must_use]
    pub fn new(llm: &'a dyn Llm, settings: &'a Values) -> Self {
        Self {
            llm,
            settings,
            renderer: OnceCell::new(),
        }
    }

    /// The exact prompt for a memory, whether or not there is something to summarise.
    ///
    /// # Errors
    /// [`Error::UnsupportedCombination`], [`Error::MissingTargetThread`], [`Error::Template`].
    pub fn render_prompt(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<String, Error> {
        let legacy = self.settings.legacy_workspace_short_term;
        let renderer = match self.renderer.get() {
            Some(renderer) => renderer,
            None => {
                let renderer = Renderer::new(&self.settings.templates)?;
                self.renderer.get_or_init(|| renderer)
            }
        };
        renderer.render(context, scope, memory_type, existing_memory, legacy)
    }

    /// The text of a memory.
    ///
    /// # Errors
    /// As [`Self::render_prompt`] but for the missing target thread, which is nothing to summarise;
    /// [`Error::Llm`] and [`Error::EmptyAnswer`].
    pub fn summarize(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<Summary, Error> {
        prompt::check_combination(
            scope,
            memory_type,
            self.settings.legacy_workspace_short_term,
        )?;
        if !prompt::has_input(context, scope, memory_type) {
            // A thread has no memory to fall back on: document `05`, "target なし".
            let text = existing_memory
                .filter(|_| scope != Scope::Thread)
                .unwrap_or_default();
            return Ok(Summary {
                text: text.to_owned(),
                engine: None,
                truncated: false,
            });
        }
        match self.settings.engine {
            Engine::Extractive => self.extract(context, scope, memory_type, existing_memory),
            Engine::Llm | Engine::Imported => {
                let system_prompt =
                    self.render_prompt(context, scope, memory_type, existing_memory)?;
                let request = Request {
                    system_prompt,
                    max_tokens: self.max_tokens(memory_type),
                };
                accept(self.llm.complete(&request).map_err(Error::Llm)?)
            }
        }
    }

    fn max_tokens(&self, memory_type: MemoryType) -> u32 {
        match memory_type {
            MemoryType::LongTerm => self.settings.long_term_summary_max_tokens,
            MemoryType::ShortTerm => self.settings.short_term_summary_max_tokens,
        }
    }

    fn extract(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<Summary, Error> {
        let messages = match (scope, memory_type) {
            (Scope::Thread, _) => prompt::target_thread_messages(context).iter().collect(),
            (Scope::Channel, MemoryType::ShortTerm) => in_order_of_time(context),
            _ => Vec::new(),
        };
        let memories = match (scope, memory_type) {
            (Scope::Channel, MemoryType::LongTerm) => prompt::channel_short_term_memory(context)
                .map(|text| (None, text))
                .into_iter()
                .collect(),
            (Scope::Workspace, memory_type) => channels_memories(context, memory_type),
            _ => Vec::new(),
        };
        let input = if memories.is_empty() {
            extractive::Input::Messages(&messages)
        } else {
            extractive::Input::Memories {
                existing: existing_memory,
                new: &memories,
            }
        };
        let count_tokens = |texts: &[String]| self.llm.count_tokens(texts);
        let text = extractive::summarize(input, self.max_tokens(memory_type), &count_tokens);
        // Messages may hold no words; memories do, and what does not fit is not to be lost.
        if text.is_empty() && !memories.is_empty() {
            return Err(Error::EmptyAnswer);
        }
        let engine = (!text.is_empty()).then_some(Engine::Extractive);
        Ok(Summary {
            text,
            engine,
            truncated: false,
        })
    }
}

/// All messages of the conversation; the prompt groups them by thread, an extract goes by time.
fn in_order_of_time(context: &Context) -> Vec<&Message> {
    let mut messages: Vec<&Message> = prompt::conversation_messages(context).collect();
    // An id that is none sorts first: a context from outside may hold one, and only the order is at stake.
    messages.sort_by_key(|message| (message.timestamp.unix_seconds, Ts::parse(&message.ts).ok()));
    messages
}

/// The memories of one type, labelled by channel.
fn channels_memories(context: &Context, memory_type: MemoryType) -> Vec<(Option<String>, &str)> {
    context
        .channel_memories
        .iter()
        .filter_map(|memory| {
            let text = match memory_type {
                MemoryType::LongTerm => memory.long_term_memory.as_deref(),
                MemoryType::ShortTerm => prompt::newest_short_term_memory(memory),
            };
            Some((Some(format!("#{}", memory.channel_name)), text?))
        })
        .collect()
}

/// Takes a model's answer as a memory's text.
///
/// An answer that was cut off at the token limit is kept up to its last whole line: throwing it
/// away made every tick of the Python bot try again (regression 11).
fn accept(completion: Completion) -> Result<Summary, Error> {
    let truncated = completion.finish_reason == FinishReason::Length;
    let text = completion.text.trim_start();
    let text = match text.rsplit_once('\n') {
        Some((whole, _)) if truncated => whole,
        _ => text,
    };
    let text = text.trim_end();
    match completion.finish_reason {
        FinishReason::ContentFilter => Err(Error::Llm(LlmError::Refused(
            "a content filter held the answer back".to_owned(),
        ))),
        _ if text.is_empty() => Err(Error::EmptyAnswer),
        _ => Ok(Summary {
            text: text.to_owned(),
            engine: Some(Engine::Llm),
            truncated,
        }),
    }
}
