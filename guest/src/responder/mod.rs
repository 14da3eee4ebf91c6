//! Replies to people: when the bot is mentioned, and without being asked.
//!
//! `target` reads the message and its conversation, `situation` what is known around it, `found` what bears on the question;
//! `crate::surroundings` chooses what is shown. `asker` makes the prompt fit and sends it, `citing` reads the numbers of sources in
//! the answer, `reply` makes and posts the text, `further` searches for what the model asks for, `judgment` decides whether there
//! should be a reply. Without a model, `quote` answers with what was found. `asking` answers outside the chat; `overview` tells what
//! was said in a time.

mod asker;
mod asking;
mod citing;
mod confirmation;
mod found;
mod further;
mod judgment;
mod overview;
mod question;
mod quote;
mod quoted;
mod reply;
mod situation;
mod target;
#[cfg(test)]
mod tests;

pub use asker::Asker;
pub use situation::Inquiry;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Answer, Judgment, Target};
use crate::bindings::log::Level;
use crate::bindings::types::{Citation, Engine, LeftOut, Source, Timestamp};
use crate::ports::{Chat, Ports};
use situation::Wanted;

/// An answer that is not posted.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// The text, in Markdown, with the numbers of its sources.
    pub text: String,
    /// The engine that made it.
    pub engine: Engine,
    /// True if it was cut off at its token limit.
    pub truncated: bool,
    /// The parts left out of the prompt.
    pub left_out: LeftOut,
    /// Which messages each line was made from.
    pub citations: Vec<Citation>,
    /// The sources that it refers to by its numbers, `[1]` first; without a model, what it quotes.
    pub sources: Vec<Source>,
    /// True if nothing was found that bears on the question.
    pub found_nothing: bool,
    /// True if it says that nothing was found, or has no source where there are some.
    says_nothing: bool,
    /// The text without numbers, and its citations.
    unlinked: (citing::Answer, Vec<Citation>),
}

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
        self.reply(target, Occasion::Mention)
    }

    /// Replies without being asked, and posts the reply.
    ///
    /// # Errors
    /// As [`Self::reply_to_mention`].
    pub fn reply_unasked(&self, target: &Target) -> Result<Answer, Error> {
        self.reply(target, Occasion::Unasked)
    }

    /// Answers a question that is no message; nothing is posted.
    ///
    /// # Errors
    /// [`Error::Storage`] (`not-found` for an unknown channel), [`Error::Template`], [`Error::PromptTooLong`],
    /// [`Error::Llm`], [`Error::BadAnswer`].
    pub fn answer_question(&self, inquiry: &Inquiry<'_>) -> Result<Answered, Error> {
        let mut situation = self.inquired(inquiry, Wanted::reply(&self.ports.settings))?;
        self.answer(&mut situation, Occasion::Mention)
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
