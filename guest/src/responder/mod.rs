//! Replies to people: when the bot is mentioned, and without being asked.
//!
//! `target` reads the message and what is known around it, `asker` makes the prompt fit and sends it, `reply` makes and
//! posts the text, `judgment` decides whether there should be a reply. Without a model, `quote` answers by quoting
//! memories and messages.

mod asker;
mod confirmation;
mod judgment;
mod quote;
mod reply;
mod target;
#[cfg(test)]
mod tests;

pub use asker::Asker;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Answer, Judgment, Target};
use crate::bindings::log::Level;
use crate::bindings::types::Timestamp;
use crate::ports::{Chat, Ports};

/// Replies, as of one point in time.
pub struct Responder<'a> {
    ports: &'a Ports<'a>,
    chat: &'a dyn Chat,
    now: Timestamp,
    asker: Asker<'a>,
}

impl<'a> Responder<'a> {
    /// A responder as of `now`, which ignores later messages.
    #[must_use]
    pub fn new(ports: &'a Ports<'a>, chat: &'a dyn Chat, now: Timestamp) -> Self {
        Self {
            ports,
            chat,
            now,
            asker: Asker::new(ports.llm, ports.log, &ports.settings, now),
        }
    }

    /// Replies to a mention, and posts the reply.
    ///
    /// # Errors
    /// [`Error::InvalidTs`], [`Error::Storage`] (`not-found` if the message is gone), [`Error::Template`],
    /// [`Error::PromptTooLong`], [`Error::Llm`], [`Error::BadAnswer`], and [`Error::Chat`] if the reply cannot be
    /// posted.
    pub fn reply_to_mention(&self, target: &Target) -> Result<Answer, Error> {
        self.answer(target, Occasion::Mention)
    }

    /// Replies without being asked, and posts the reply.
    ///
    /// # Errors
    /// As [`Self::reply_to_mention`].
    pub fn reply_unasked(&self, target: &Target) -> Result<Answer, Error> {
        self.answer(target, Occasion::Unasked)
    }

    /// Decides whether a reply would help; without a model the answer is no.
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
