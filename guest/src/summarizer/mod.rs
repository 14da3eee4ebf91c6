//! Makes the text of one memory from a context, with a language model or without one
//! (documents `05` and `extra05a`).
//!
//! With a model: `fit` cuts the context until the prompt fits, `chunks` splits a target that does not fit
//! by itself, `ask` sends the prompts and judges the answers.

mod ask;
mod chunks;
mod extract;
#[cfg(test)]
mod tests;

use std::cell::{Cell, OnceCell};

use ask::{Answers, Failure, Job};

use crate::answer::Judge;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::{Agent, Purpose};
use crate::bindings::settings::Values;
use crate::bindings::types::{Context, Coverage, Engine, MemoryType, Scope};
use crate::context::thread_scope_id;
use crate::fit::{Cut, Fitted, NOTHING, Window, around_target, count, overview};
use crate::ports::{Llm, Log};
use crate::prompt::{self, Renderer};

/// Makes texts; holds the compiled templates, so that a run compiles them once.
pub struct Summarizer<'a> {
    llm: &'a dyn Llm,
    log: &'a dyn Log,
    settings: &'a Values,
    judge: Judge,
    renderer: OnceCell<Renderer>,
    window: Window<'a>,
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
    pub fn new(llm: &'a dyn Llm, log: &'a dyn Log, settings: &'a Values, judge: Judge) -> Self {
        Self {
            llm,
            log,
            settings,
            judge,
            renderer: OnceCell::new(),
            window: Window::new(llm, Agent::Memory),
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
                    let max_tokens = self.max_tokens(task.memory_type);
                    self.window.learn(&prompt, max_tokens, limit);
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
            Fitted::TooLong {
                context, left_out, ..
            } => {
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
        let margin = self.settings.context_margin_tokens;
        self.window
            .budget(self.max_tokens(memory_type).saturating_add(margin))
    }

    fn fit<'t>(&self, task: Task<'t>, budget: Option<u32>) -> Result<Fitted<'t>, Error> {
        let render = |context: &Context| self.render(Task { context, ..task });
        self.window
            .fit(task.context, &|| cuts(task), budget, &render)
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

/// Everything that the task's prompt shows and can do without, the least important first.
fn cuts(task: Task<'_>) -> Vec<Cut> {
    match task.scope {
        Scope::Workspace => Vec::new(),
        Scope::Channel => overview(task.context),
        Scope::Thread => around_target(task.context),
    }
}
