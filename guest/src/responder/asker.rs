//! Makes the prompt of a reply or a judgment, fits it into the model's window, and asks the model.

use crate::ask::{LazyRenderer, Model, Question};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::llm::{Agent, Purpose, Request};
use crate::bindings::types::{Context, LeftOut, Message, Scope, Timestamp};
use crate::context::thread_scope_id;
use crate::fit::{Fitted, Window, around_target, within_target};
use crate::ports::{Llm, Log};
use crate::prompt::reply_target_messages;
use crate::settings::Settings;

/// Makes the prompts of replies and judgments, and asks the model; needs neither a store nor a chat platform.
pub struct Asker<'a> {
    llm: &'a dyn Llm,
    log: &'a dyn Log,
    settings: &'a Settings,
    now: Timestamp,
    renderer: LazyRenderer<'a>,
}

/// The text to ask for: a reply, or without an occasion, a judgment whether there should be one.
#[derive(Clone, Copy)]
pub(super) struct PromptInput<'q> {
    /// The context of the prompt.
    pub(super) context: &'q Context,
    /// Why a reply is written; `None` for a judgment.
    pub(super) occasion: Option<Occasion>,
    /// The message that is answered.
    pub(super) answered: Option<&'q Message>,
    /// A text that is added to the prompt.
    pub(super) after: &'q str,
}

/// A prompt that fits.
struct Prompt {
    prompt: String,
    /// The parts left out.
    left_out: LeftOut,
    /// How many sources it has.
    sources: usize,
}

/// An answer, and what its prompt had.
pub(super) struct Said<A> {
    pub(super) answer: A,
    /// The parts left out of the prompt.
    pub(super) left_out: LeftOut,
    /// How many sources the prompt had.
    pub(super) sources: usize,
}

impl<'a> Asker<'a> {
    /// Asks as of `now`, with these settings.
    #[must_use]
    pub fn new(llm: &'a dyn Llm, log: &'a dyn Log, settings: &'a Settings, now: Timestamp) -> Self {
        Self {
            llm,
            log,
            settings,
            now,
            renderer: LazyRenderer::new(settings),
        }
    }

    /// The prompt of a reply to the newest message of the context's target, shortened to fit the model.
    ///
    /// # Errors
    /// [`Error::Template`], [`Error::PromptTooLong`].
    pub fn render_reply(&self, context: &Context, occasion: Occasion) -> Result<String, Error> {
        self.render(context, Some(occasion))
    }

    /// The exact prompt of a judgment about the context's target, shortened to fit the model.
    ///
    /// # Errors
    /// As [`Self::render_reply`].
    pub fn render_judgment(&self, context: &Context) -> Result<String, Error> {
        self.render(context, None)
    }

    fn render(&self, context: &Context, occasion: Option<Occasion>) -> Result<String, Error> {
        let input = PromptInput {
            context,
            occasion,
            answered: reply_target_messages(context).last(),
            after: "",
        };
        let fitted = self.fit(&self.model(input).window, input)?;
        Ok(fitted.prompt)
    }

    /// Asks the model.
    pub(super) fn ask<Q: Question + Copy>(
        &self,
        input: PromptInput<'_>,
        schema: Option<&str>,
        question: Q,
    ) -> Result<Said<Q::Answer>, Error> {
        let model = self.model(input);
        let max_tokens = self.max_tokens(input);
        let (answered, _) = model.with_shorter_prompts(max_tokens, || {
            let fitted = self.fit(&model.window, input)?;
            let request = Request {
                system_prompt: fitted.prompt,
                max_tokens,
                answer_schema: schema.map(str::to_owned),
                purpose: self.purpose(input),
            };
            Ok(Said {
                answer: model.ask(request, question)?,
                left_out: fitted.left_out,
                sources: fitted.sources,
            })
        })?;
        Ok(answered)
    }

    /// Leaves out what does not fit, messages of the target last.
    fn fit(&self, window: &Window<'_>, input: PromptInput<'_>) -> Result<Prompt, Error> {
        let margin = self.settings.context_margin_tokens;
        let budget = window.budget(self.max_tokens(input).saturating_add(margin));
        let context = input.context;
        let cuts = || {
            let answered = input.answered.map(|message| message.ts.as_str());
            let mut cuts = around_target(context);
            cuts.extend(within_target(context, answered));
            cuts
        };
        let render = |context: &Context| {
            let prompt = self.renderer.get()?.render_reply(
                context,
                input.occasion,
                self.now,
                input.answered,
                self.settings.legacy_workspace_short_term,
            )?;
            Ok(match input.after {
                "" => prompt,
                after => format!("{prompt}\n{after}\n"),
            })
        };
        match window.fit(context, &cuts, budget, &render)? {
            Fitted::Whole {
                context,
                prompt,
                left_out,
            } => Ok(Prompt {
                prompt,
                left_out,
                sources: context
                    .notes
                    .as_ref()
                    .map_or(0, |notes| notes.sources.len()),
            }),
            Fitted::TooLong { prompt, .. } => Err(window.excess(&prompt, budget)),
        }
    }

    fn model(&self, input: PromptInput<'_>) -> Model<'a> {
        Model::new(self.llm, self.log, agent(input))
    }

    fn purpose(&self, input: PromptInput<'_>) -> Purpose {
        let channel_id = &input.context.conversation_history.channel_id;
        let (scope, scope_id) = match input.context.target_thread_ts.as_deref() {
            Some(thread_ts) => (Scope::Thread, thread_scope_id(channel_id, thread_ts)),
            // A question that is asked outside all channels.
            None if channel_id.is_empty() => {
                (Scope::Workspace, self.settings.workspace_scope_id.clone())
            }
            None => (Scope::Channel, channel_id.clone()),
        };
        Purpose {
            agent: agent(input),
            scope,
            scope_id,
            memory_type: None,
        }
    }

    fn max_tokens(&self, input: PromptInput<'_>) -> u32 {
        match agent(input) {
            Agent::Judgment => self.settings.judgment_max_tokens,
            Agent::Memory | Agent::Response => self.settings.reply_max_tokens,
        }
    }
}

fn agent(input: PromptInput<'_>) -> Agent {
    match input.occasion {
        Some(_) => Agent::Response,
        None => Agent::Judgment,
    }
}
