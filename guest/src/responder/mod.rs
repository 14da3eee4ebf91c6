//! Answers people: when the bot is mentioned, and of its own accord.
//!
//! `target` reads what is answered and what is known around it, `asker` makes the prompt fit and sends it, `reply`
//! makes and posts the text, `judgment` decides whether there should be one. Without a model `quote` answers with
//! what is remembered.

mod asker;
mod judgment;
mod privacy;
mod quote;
mod reply;
mod target;
#[cfg(test)]
mod tests;

pub use asker::Asker;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Judgment, Reply, Target};
use crate::bindings::log::Level;
use crate::bindings::types::Timestamp;
use crate::ports::Ports;

/// Answers, as of one point in time.
pub struct Responder<'a> {
    ports: &'a Ports<'a>,
    now: Timestamp,
    asker: Asker<'a>,
}

impl<'a> Responder<'a> {
    /// A responder as of `now`: later messages do not exist for it.
    #[must_use]
    pub fn new(ports: &'a Ports<'a>, now: Timestamp) -> Self {
        Self {
            ports,
            now,
            asker: Asker::new(ports.llm, ports.log, &ports.settings, now),
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

    fn warn(&self, line: &str) {
        self.ports.log.write(Level::Warn, line);
    }
}
