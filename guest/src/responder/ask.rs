//! Sends the prompt of a reply or a judgment, as far as it fits the model, and once more where the answer is refused.

use std::cell::OnceCell;

use crate::bindings::errors::{BadAnswer, Error};
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::llm::{Agent, Completion, FinishReason, LlmError, Purpose, Request};
use crate::bindings::log::Level;
use crate::bindings::settings::Values;
use crate::bindings::types::{Context, LeftOut, Message, Scope, Timestamp};
use crate::context::thread_scope_id;
use crate::fit::{Fitted, Window, around_target, within_target};
use crate::ports::{Llm, Log};
use crate::prompt::{Renderer, reply_target_messages};
use crate::words;

/// Makes the prompts of replies and judgments, and asks the model; needs no store and no chat platform.
pub struct Asker<'a> {
    llm: &'a dyn Llm,
    log: &'a dyn Log,
    settings: &'a Values,
    now: Timestamp,
    renderer: OnceCell<Renderer>,
}

/// What is asked: for a reply, or where there is no occasion for one whether there should be.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    /// From what.
    pub(super) context: &'q Context,
    /// Why a reply is written; none for a judgment.
    pub(super) occasion: Option<Occasion>,
    /// The message that is answered.
    pub(super) answered: Option<&'q Message>,
}

/// A prompt that fits.
struct Prompt {
    prompt: String,
    /// What it does not show.
    left_out: LeftOut,
}

/// Why an answer is not taken.
pub(super) struct Refused {
    /// For the caller.
    pub(super) fault: BadAnswer,
    /// For the model.
    pub(super) feedback: String,
}

/// Takes an answer to a prompt, or says why not.
pub(super) type Read<'r, T> = &'r dyn Fn(&Completion, &str) -> Result<T, Refused>;

/// Why there is no answer.
enum Failure {
    TooLong { prompt: String, limit: Option<u32> },
    Error(Error),
}

impl<'a> Asker<'a> {
    /// One that asks as of `now`, as the settings say.
    #[must_use]
    pub fn new(llm: &'a dyn Llm, log: &'a dyn Log, settings: &'a Values, now: Timestamp) -> Self {
        Self {
            llm,
            log,
            settings,
            now,
            renderer: OnceCell::new(),
        }
    }

    /// The exact prompt of a reply to the newest message of the context's target, as far as it fits the model.
    ///
    /// # Errors
    /// [`Error::Template`], [`Error::PromptTooLong`].
    pub fn render_reply(&self, context: &Context, occasion: Occasion) -> Result<String, Error> {
        self.render(context, Some(occasion))
    }

    /// The exact prompt of a judgment about the context's target, as far as it fits the model.
    ///
    /// # Errors
    /// As [`Self::render_reply`].
    pub fn render_judgment(&self, context: &Context) -> Result<String, Error> {
        self.render(context, None)
    }

    fn render(&self, context: &Context, occasion: Option<Occasion>) -> Result<String, Error> {
        let question = Question {
            context,
            occasion,
            answered: reply_target_messages(context).last(),
        };
        let fitted = self.fit(&self.window(question), question)?;
        Ok(fitted.prompt)
    }

    /// An answer that `read` takes, and what the prompt did not show; with ever smaller prompts as long as the model
    /// says that they are too long.
    pub(super) fn ask<T>(
        &self,
        question: Question<'_>,
        schema: Option<&str>,
        read: Read<'_, T>,
    ) -> Result<(T, LeftOut), Error> {
        let window = self.window(question);
        loop {
            let fitted = self.fit(&window, question)?;
            let request = Request {
                system_prompt: fitted.prompt,
                max_tokens: self.max_tokens(question),
                answer_schema: schema.map(str::to_owned),
                purpose: purpose(question),
            };
            match self.ask_twice(request, read) {
                Ok(taken) => return Ok((taken, fitted.left_out)),
                Err(Failure::Error(error)) => return Err(error),
                Err(Failure::TooLong { prompt, limit }) => {
                    window.learn(&prompt, self.max_tokens(question), limit);
                }
            }
        }
    }

    /// An answer that is refused is asked for once more, and the model is told what was wrong.
    fn ask_twice<T>(&self, mut request: Request, read: Read<'_, T>) -> Result<T, Failure> {
        match read(&self.send(&request)?, &request.system_prompt) {
            Ok(taken) => Ok(taken),
            Err(refused) => {
                let line = format!(
                    "asked once more for {}: {}",
                    words::purpose(&request.purpose),
                    words::bad_answer(&refused.fault)
                );
                self.log.write(Level::Info, &line);
                request.system_prompt =
                    format!("{}\n{}\n", request.system_prompt, refused.feedback);
                read(&self.send(&request)?, &request.system_prompt)
                    .map_err(|refused| Failure::Error(Error::BadAnswer(refused.fault)))
            }
        }
    }

    fn send(&self, request: &Request) -> Result<Completion, Failure> {
        match self.llm.complete(request) {
            Ok(completion) if completion.finish_reason == FinishReason::ContentFilter => {
                let reason = "a content filter held the answer back".to_owned();
                Err(Failure::Error(Error::Llm(LlmError::Refused(reason))))
            }
            Ok(completion) => Ok(completion),
            Err(LlmError::ContextTooLong(limit)) => Err(Failure::TooLong {
                prompt: request.system_prompt.clone(),
                limit,
            }),
            Err(error) => Err(Failure::Error(Error::Llm(error))),
        }
    }

    /// Leaves out what does not fit, the target last.
    fn fit(&self, window: &Window<'_>, question: Question<'_>) -> Result<Prompt, Error> {
        let margin = self.settings.context_margin_tokens;
        let budget = window.budget(self.max_tokens(question).saturating_add(margin));
        let context = question.context;
        let cuts = || {
            let answered = question.answered.map(|message| message.ts.as_str());
            let mut cuts = around_target(context);
            cuts.extend(within_target(context, answered));
            cuts
        };
        let render = |context: &Context| {
            self.renderer()?.render_reply(
                context,
                question.occasion,
                self.now,
                question.answered,
                self.settings.legacy_workspace_short_term,
            )
        };
        match window.fit(context, &cuts, budget, &render)? {
            Fitted::Whole {
                prompt, left_out, ..
            } => Ok(Prompt { prompt, left_out }),
            Fitted::TooLong { prompt, .. } => Err(window.excess(&prompt, budget)),
        }
    }

    fn window(&self, question: Question<'_>) -> Window<'a> {
        Window::new(self.llm, agent(question))
    }

    fn renderer(&self) -> Result<&Renderer, Error> {
        if let Some(renderer) = self.renderer.get() {
            return Ok(renderer);
        }
        let renderer = Renderer::new(&self.settings.templates)?;
        Ok(self.renderer.get_or_init(|| renderer))
    }

    fn max_tokens(&self, question: Question<'_>) -> u32 {
        match agent(question) {
            Agent::Judgment => self.settings.judgment_max_tokens,
            Agent::Memory | Agent::Response => self.settings.reply_max_tokens,
        }
    }
}

fn agent(question: Question<'_>) -> Agent {
    match question.occasion {
        Some(_) => Agent::Response,
        None => Agent::Judgment,
    }
}

fn purpose(question: Question<'_>) -> Purpose {
    let channel_id = &question.context.conversation_history.channel_id;
    let (scope, scope_id) = match question.context.target_thread_ts.as_deref() {
        Some(thread_ts) => (Scope::Thread, thread_scope_id(channel_id, thread_ts)),
        None => (Scope::Channel, channel_id.clone()),
    };
    Purpose {
        agent: agent(question),
        scope,
        scope_id,
        memory_type: None,
    }
}
