//! Makes the text of one memory from a context, with a language model or without one
//! (documents `05` and `extra05a`).
//!
//! With a model: [`fit`] cuts the context until the prompt fits, [`chunks`] splits a target that does not fit
//! by itself, [`ask`] sends the prompts and judges the answers.

mod ask;
mod chunks;
mod extract;
mod fit;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell};

use ask::{Answers, Failure, Job};
use fit::Fitted;

use crate::answer::Judge;
use crate::bindings::errors::{Error, TokenExcess};
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::{Agent, Purpose};
use crate::bindings::settings::Values;
use crate::bindings::types::{Context, Coverage, Engine, LeftOut, MemoryType, Scope};
use crate::context::thread_scope_id;
use crate::ports::Llm;
use crate::prompt::{self, Renderer};

/// Makes texts; holds the compiled templates, so that a run compiles them once.
pub struct Summarizer<'a> {
    llm: &'a dyn Llm,
    settings: &'a Values,
    judge: Judge,
    renderer: OnceCell<Renderer>,
    /// The smallest context window that a refused prompt showed; the host may not remember it.
    learned_window: Cell<Option<u32>>,
}

/// The memory that is to be made, and from what.
#[derive(Clone, Copy)]
struct Task<'t> {
    context: &'t Context,
    scope: Scope,
    memory_type: MemoryType,
    existing_memory: Option<&'t str>,
}

impl<'a> Summarizer<'a> {
    /// A summariser that works as the settings say, and takes the answers that `judge` accepts.
    #[must_use]
    pub fn new(llm: &'a dyn Llm, settings: &'a Values, judge: Judge) -> Self {
        Self {
            llm,
            settings,
            judge,
            renderer: OnceCell::new(),
            learned_window: Cell::new(None),
        }
    }

    /// The exact prompt for a memory, whether or not there is something to summarise; the first one of a
    /// target that is summarised in chunks.
    ///
    /// # Errors
    /// [`Error::UnsupportedCombination`], [`Error::MissingTargetThread`], [`Error::Template`],
    /// [`Error::PromptTooLong`].
    pub fn render_prompt(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<String, Error> {
        let task = Task {
            context,
            scope,
            memory_type,
            existing_memory,
        };
        let budget = self.budget(memory_type);
        match self.fit(task, budget)? {
            Fitted::Whole { prompt, .. } => Ok(prompt),
            Fitted::TooLong { context, .. } => {
                let task = Task {
                    context: &context,
                    ..task
                };
                self.first_chunk_prompt(task, budget)
            }
        }
    }

    /// The text of a memory.
    ///
    /// # Errors
    /// As [`Self::render_prompt`] but for the missing target thread, which is nothing to summarise;
    /// [`Error::Llm`] and [`Error::BadAnswer`].
    pub fn summarize(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<Summary, Error> {
        let task = Task {
            context,
            scope,
            memory_type,
            existing_memory,
        };
        let legacy = self.settings.legacy_workspace_short_term;
        prompt::check_combination(scope, memory_type, legacy)?;
        if !prompt::has_input(context, scope, memory_type) {
            return Ok(nothing_to_summarize(scope, existing_memory));
        }
        match self.settings.engine {
            Engine::Extractive => self.extract_task(task),
            Engine::Llm | Engine::Imported => self.ask_for(task),
        }
    }

    /// The text of a memory without a model, whatever the settings say.
    ///
    /// # Errors
    /// [`Error::BadAnswer`] where memories do not fit into their limit.
    pub fn extract(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
    ) -> Result<Summary, Error> {
        self.extract_task(Task {
            context,
            scope,
            memory_type,
            existing_memory: None,
        })
    }

    /// Asks the model, with ever smaller prompts as long as it says that they are too long.
    fn ask_for(&self, task: Task<'_>) -> Result<Summary, Error> {
        let calls = Cell::new(0);
        loop {
            match self.ask_within(task, self.budget(task.memory_type), &calls) {
                Ok(summary) => return Ok(summary),
                Err(Failure::Error(error)) => return Err(error),
                Err(Failure::TooLong { prompt, limit }) => {
                    self.learn_window(&prompt, self.max_tokens(task.memory_type), limit);
                }
            }
        }
    }

    fn ask_within(
        &self,
        task: Task<'_>,
        budget: Option<u32>,
        calls: &Cell<u32>,
    ) -> Result<Summary, Failure> {
        let answers = Answers {
            purpose: self.purpose(task),
            max_tokens: self.max_tokens(task.memory_type),
            calls,
        };
        let (made, left_out, chunks) = match self.fit(task, budget)? {
            Fitted::Whole {
                context,
                prompt,
                left_out,
            } => {
                let task = Task {
                    context: &context,
                    ..task
                };
                let job = Job::new(prompt, task);
                (self.ask_one(&answers, job)?, left_out, 1)
            }
            Fitted::TooLong { context, left_out } => {
                let task = Task {
                    context: &context,
                    ..task
                };
                let (made, chunks) = self.ask_in_chunks(task, budget, &answers)?;
                (made, left_out, chunks)
            }
        };
        let messages = count(prompt::target_messages(
            task.context,
            task.scope,
            task.memory_type,
        ));
        Ok(Summary {
            text: made.text,
            engine: Some(Engine::Llm),
            truncated: made.truncated,
            coverage: Coverage {
                messages,
                covered: messages,
                left_out,
                chunks,
                calls: calls.get(),
            },
        })
    }

    /// The longest prompt, in tokens; none where the context window is not known.
    fn budget(&self, memory_type: MemoryType) -> Option<u32> {
        let known = self.llm.context_window(Agent::Memory);
        let window = [known, self.learned_window.get()]
            .into_iter()
            .flatten()
            .min()?;
        let reserved = self
            .max_tokens(memory_type)
            .saturating_add(self.settings.context_margin_tokens);
        Some(window.saturating_sub(reserved))
    }

    /// Takes a smaller context window for true after a prompt was refused as too long. Where no limit is
    /// told, or one that the prompt keeps, the model takes three quarters: less would waste its window.
    fn learn_window(&self, prompt: &str, max_tokens: u32, limit: Option<u32>) {
        let sent = self.count_tokens(prompt).saturating_add(max_tokens);
        let told = limit.filter(|limit| *limit < sent);
        self.learned_window.set(Some(told.unwrap_or(sent / 4 * 3)));
    }

    fn render(&self, task: Task<'_>) -> Result<String, Error> {
        let legacy = self.settings.legacy_workspace_short_term;
        self.renderer()?.render(
            task.context,
            task.scope,
            task.memory_type,
            task.existing_memory,
            legacy,
        )
    }

    fn renderer(&self) -> Result<&Renderer, Error> {
        if let Some(renderer) = self.renderer.get() {
            return Ok(renderer);
        }
        let renderer = Renderer::new(&self.settings.templates)?;
        Ok(self.renderer.get_or_init(|| renderer))
    }

    fn max_tokens(&self, memory_type: MemoryType) -> u32 {
        match memory_type {
            MemoryType::LongTerm => self.settings.long_term_summary_max_tokens,
            MemoryType::ShortTerm => self.settings.short_term_summary_max_tokens,
        }
    }

    fn count_tokens(&self, text: &str) -> u32 {
        let counts = self.llm.count_tokens(Agent::Memory, &[text.to_owned()]);
        counts.first().copied().unwrap_or(u32::MAX)
    }

    fn purpose(&self, task: Task<'_>) -> Purpose {
        let channel_id = &task.context.conversation_history.channel_id;
        let scope_id = match task.scope {
            Scope::Workspace => self.settings.workspace_scope_id.clone(),
            Scope::Channel => channel_id.clone(),
            Scope::Thread => {
                let thread_ts = task.context.target_thread_ts.as_deref();
                thread_scope_id(channel_id, thread_ts.unwrap_or_default())
            }
        };
        Purpose {
            agent: Agent::Memory,
            scope: task.scope,
            scope_id,
            memory_type: Some(task.memory_type),
        }
    }
}

/// The existing memory, unchanged; a thread has none to fall back on (document `05`, "target なし").
fn nothing_to_summarize(scope: Scope, existing_memory: Option<&str>) -> Summary {
    let text = existing_memory
        .filter(|_| scope != Scope::Thread)
        .unwrap_or_default();
    Summary {
        text: text.to_owned(),
        engine: None,
        truncated: false,
        coverage: Coverage {
            messages: 0,
            covered: 0,
            left_out: NOTHING,
            chunks: 0,
            calls: 0,
        },
    }
}

/// Nothing left out.
const NOTHING: LeftOut = LeftOut {
    other_channels: 0,
    workspace: 0,
    messages: 0,
    channel: 0,
};

fn count<T>(items: impl IntoIterator<Item = T>) -> u32 {
    u32::try_from(items.into_iter().count()).unwrap_or(u32::MAX)
}

fn too_long(tokens: u32, limit: u32) -> Error {
    Error::PromptTooLong(TokenExcess { tokens, limit })
}
