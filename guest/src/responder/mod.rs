//! Answers people: when the bot is mentioned, and of its own accord.
//!
//! [`target`] reads what is answered and what is known around it, [`ask`] makes the prompt fit and sends it, [`reply`]
//! makes and posts the text, [`judgment`] decides whether there should be one. Without a model [`quote`] answers with
//! what is remembered.

mod ask;
mod json;
mod judgment;
mod privacy;
mod quote;
mod reply;
mod target;
#[cfg(test)]
mod tests;

use std::cell::OnceCell;

use ask::Question;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Judgment, Reply, Target};
use crate::bindings::llm::Purpose;
use crate::bindings::log::Level;
use crate::bindings::types::{Context, Scope, Timestamp};
use crate::ports::Ports;
use crate::prompt::{Renderer, reply_target_messages};

/// Answers, as of one point in time.
pub struct Responder<'a> {
    ports: &'a Ports<'a>,
    now: Timestamp,
    renderer: OnceCell<Renderer>,
}

impl<'a> Responder<'a> {
    /// A responder as of `now`: later messages do not exist for it.
    #[must_use]
    pub fn new(ports: &'a Ports<'a>, now: Timestamp) -> Self {
        Self {
            ports,
            now,
            renderer: OnceCell::new(),
        }
    }

    /// Answers a mention, and posts the answer.
    ///
    /// # Errors
    /// [`Error::InvalidTs`], [`Error::Storage`] (`not-found` where the message is gone), [`Error::Template`],
    /// [`Error::PromptTooLong`], [`Error::Llm`], [`Error::BadAnswer`], and [`Error::Slack`] where the answer cannot be posted.
    pub fn reply_to_mention(&self, target: &Target) -> Result<Reply, Error> {
        self.answer(target, Occasion::Mention)
    }

    /// Answers of its own accord, and posts the answer.
    ///
    /// # Errors
    /// As [`Self::reply_to_mention`].
    pub fn reply_unasked(&self, target: &Target) -> Result<Reply, Error> {
        self.answer(target, Occasion::Unasked)
    }

    /// Decides whether an answer would help; without a model it would not.
    ///
    /// # Errors
    /// As [`Self::reply_to_mention`], but nothing is posted.
    pub fn judge(&self, target: &Target) -> Result<Judgment, Error> {
        self.decide(target)
    }

    /// The exact prompt of a reply to the newest message of the context's target, as far as it fits the model.
    ///
    /// # Errors
    /// [`Error::Template`], [`Error::PromptTooLong`].
    pub fn render_reply(&self, context: &Context, occasion: Occasion) -> Result<String, Error> {
        self.render_question(context, Some(occasion))
    }

    /// The exact prompt of a judgment about the context's target, as far as it fits the model.
    ///
    /// # Errors
    /// As [`Self::render_reply`].
    pub fn render_judgment(&self, context: &Context) -> Result<String, Error> {
        self.render_question(context, None)
    }

    fn render_question(
        &self,
        context: &Context,
        occasion: Option<Occasion>,
    ) -> Result<String, Error> {
        let question = Question {
            context,
            occasion,
            answered: reply_target_messages(context).last(),
        };
        let fitted = self.fit(&self.window(question), question)?;
        Ok(fitted.prompt)
    }

    fn renderer(&self) -> Result<&Renderer, Error> {
        if let Some(renderer) = self.renderer.get() {
            return Ok(renderer);
        }
        let renderer = Renderer::new(&self.ports.settings.templates)?;
        Ok(self.renderer.get_or_init(|| renderer))
    }

    fn warn(&self, line: &str) {
        self.ports.log.write(Level::Warn, line);
    }
}
