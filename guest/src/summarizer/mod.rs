//! Makes the text of one memory from a context, with or without a language model (documents `05` and `extra05a`).
//!
//! With a model: `fit` cuts the context until the prompt fits, `chunks` splits a target that does not fit by itself,
//! `job` makes the requests and judges the answers, `narrow` leaves out what the model refuses.

mod chunks;
mod extract;
mod job;
mod narrow;
#[cfg(test)]
mod tests;

use crate::answer::Accepted;
use crate::ask::{Failure, LazyRenderer, Model};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_summarizer::Summary;
use crate::bindings::llm::{Agent, Purpose};
use crate::bindings::types::{Context, Coverage, Engine, LeftOut, MemoryType, Scope};
use crate::context::thread_scope_id;
use crate::fit::{Cut, Fitted, NOTHING, around_target, count, overview};
use crate::ledger::changes;
use crate::line_sources::citations;
use crate::notes::asks_for_items;
use crate::ports::{Llm, Log};
use crate::prompt;
use crate::settings::Settings;
pub use narrow::Narrowing;

/// Makes the texts of memories; holds the compiled templates, so that a run compiles them once.
pub struct Summarizer<'a> {
    llm: &'a dyn Llm,
    settings: &'a Settings,
    renderer: LazyRenderer<'a>,
    model: Model<'a>,
}

/// The memory to make, and its context.
#[derive(Clone, Copy)]
struct Task<'t> {
    context: &'t Context,
    scope: Scope,
    memory_type: MemoryType,
    existing_memory: Option<&'t str>,
}

impl<'a> Summarizer<'a> {
    /// A summariser with these settings.
    #[must_use]
    pub fn new(llm: &'a dyn Llm, log: &'a dyn Log, settings: &'a Settings) -> Self {
        Self {
            llm,
            settings,
            renderer: LazyRenderer::new(settings),
            model: Model::new(llm, log, Agent::Memory),
        }
    }

    /// The exact prompt for a memory, even if there is nothing to summarise. If the target is summarised in chunks, the
    /// prompt of the first one.
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
        let budget = self.budget(task);
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

    /// The text of a memory, and the messages of the context that each line was made from.
    ///
    /// # Errors
    /// As [`Self::render_prompt`], except that a missing target thread is nothing to summarise; [`Error::Llm`] and
    /// [`Error::BadAnswer`].
    pub fn summarize(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
    ) -> Result<Summary, Error> {
        let mut summary = self.summarize_with(
            context,
            scope,
            memory_type,
            existing_memory,
            Narrowing::Nothing,
        )?;
        // A context has the texts of memories alone: what they were made from is not known here.
        let merges = !prompt::target_memories(context, scope, memory_type).is_empty();
        if let Some(engine) = summary.engine.filter(|_| !merges) {
            summary.citations = citations(&summary.text, engine, context, &[], &[]);
        }
        Ok(summary)
    }

    /// The same without citations, and with what is narrowed down if the model does not answer.
    ///
    /// # Errors
    /// As [`Self::summarize`].
    pub fn summarize_with(
        &self,
        context: &Context,
        scope: Scope,
        memory_type: MemoryType,
        existing_memory: Option<&str>,
        narrowing: Narrowing,
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
            Engine::Llm | Engine::Imported => self.ask_for(task, narrowing),
        }
    }

    /// The text of a memory without a model, whatever the settings say.
    ///
    /// # Errors
    /// [`Error::BadAnswer`] if memories do not fit into their limit.
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

    fn ask_for(&self, task: Task<'_>, narrowing: Narrowing) -> Result<Summary, Error> {
        match self.attempt(task) {
            Err(error) if narrowing.covers(&error) => self.narrowed(task, narrowing, error),
            made => made,
        }
    }

    fn attempt(&self, task: Task<'_>) -> Result<Summary, Error> {
        let ask = || self.ask_within(task, self.budget(task));
        let max_tokens = self.answer_tokens(task);
        let (made, calls) = self.model.with_shorter_prompts(max_tokens, ask)?;
        let (accepted, left_out, chunks) = made;
        let (items, refused_items) = changes(&accepted.reports, task.context);
        let messages = count(prompt::target_messages(
            task.context,
            task.scope,
            task.memory_type,
        ));
        Ok(Summary {
            text: accepted.text,
            engine: Some(Engine::Llm),
            truncated: accepted.truncated,
            coverage: Coverage {
                messages,
                covered: messages,
                left_out,
                chunks,
                calls,
                unfounded: accepted.unfounded,
                doubtful: accepted.doubtful,
                refused: 0,
                records: 0,
                late: 0,
                refused_items,
            },
            citations: Vec::new(),
            records: Vec::new(),
            items,
        })
    }

    /// The model's answer, what its prompt left out, and the number of chunks.
    fn ask_within(
        &self,
        task: Task<'_>,
        budget: Option<u32>,
    ) -> Result<(Accepted, LeftOut, u32), Failure> {
        match self.fit(task, budget)? {
            Fitted::Whole {
                context,
                prompt,
                left_out,
            } => {
                let task = Task {
                    context: &context,
                    ..task
                };
                let (request, job) = self.question(prompt, task);
                Ok((self.model.ask(request, job)?, left_out, 1))
            }
            Fitted::TooLong {
                context, left_out, ..
            } => {
                let task = Task {
                    context: &context,
                    ..task
                };
                let (accepted, chunks) = self.ask_in_chunks(task, budget)?;
                Ok((accepted, left_out, chunks))
            }
        }
    }

    /// The longest prompt, in tokens; `None` if the context window is not known.
    fn budget(&self, task: Task<'_>) -> Option<u32> {
        let margin = self.settings.context_margin_tokens;
        let answer = self.answer_tokens(task);
        self.model.window.budget(answer.saturating_add(margin))
    }

    fn fit<'t>(&self, task: Task<'t>, budget: Option<u32>) -> Result<Fitted<'t>, Error> {
        let render = |context: &Context| self.render(Task { context, ..task });
        self.model
            .window
            .fit(task.context, &|| cuts(task), budget, &render)
    }

    fn render(&self, task: Task<'_>) -> Result<String, Error> {
        let legacy = self.settings.legacy_workspace_short_term;
        self.renderer.get()?.render(
            task.context,
            task.scope,
            task.memory_type,
            task.existing_memory,
            legacy,
        )
    }

    fn max_tokens(&self, memory_type: MemoryType) -> u32 {
        match memory_type {
            MemoryType::LongTerm => self.settings.long_term_summary_max_tokens,
            MemoryType::ShortTerm => self.settings.short_term_summary_max_tokens,
        }
    }

    /// The longest answer: a memory's text, and what is reported of items.
    fn answer_tokens(&self, task: Task<'_>) -> u32 {
        let reports = match asks_for_items(task.context) {
            true => self.settings.ledger_max_tokens,
            false => 0,
        };
        self.max_tokens(task.memory_type).saturating_add(reports)
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

/// The existing memory, unchanged; for a thread, the empty text (document `05`, "target なし").
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
    }
}

/// Everything that the task's prompt can do without, the least important first.
fn cuts(task: Task<'_>) -> Vec<Cut> {
    match task.scope {
        Scope::Workspace => Vec::new(),
        Scope::Channel => overview(task.context),
        Scope::Thread => around_target(task.context),
    }
}
