//! Answers people: when the bot is mentioned, and of its own accord.

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::reply_prompt::Occasion;
use crate::bindings::exports::myao::memory::responder::{Judgment, Reply, Target};
use crate::bindings::types::{Context, Timestamp};
use crate::ports::Ports;

/// Answers, as of one point in time.
pub struct Responder<'a> {
    _ports: &'a Ports<'a>,
    _now: Timestamp,
}

impl<'a> Responder<'a> {
    /// A responder as of `now`: later messages do not exist for it.
    #[must_use]
    pub fn new(ports: &'a Ports<'a>, now: Timestamp) -> Self {
        Self {
            _ports: ports,
            _now: now,
        }
    }

    /// Answers a mention.
    ///
    /// # Errors
    /// Always, as it is not built yet.
    pub fn reply_to_mention(&self, _: &Target) -> Result<Reply, Error> {
        Err(unbuilt())
    }

    /// Answers of its own accord.
    ///
    /// # Errors
    /// Always, as it is not built yet.
    pub fn reply_unasked(&self, _: &Target) -> Result<Reply, Error> {
        Err(unbuilt())
    }

    /// Decides whether an answer would help.
    ///
    /// # Errors
    /// Always, as it is not built yet.
    pub fn judge(&self, _: &Target) -> Result<Judgment, Error> {
        Err(unbuilt())
    }

    /// The prompt of a reply.
    ///
    /// # Errors
    /// Always, as it is not built yet.
    pub fn render_reply(&self, _: &Context, _: Occasion) -> Result<String, Error> {
        Err(unbuilt())
    }

    /// The prompt of a judgment.
    ///
    /// # Errors
    /// Always, as it is not built yet.
    pub fn render_judgment(&self, _: &Context) -> Result<String, Error> {
        Err(unbuilt())
    }
}

fn unbuilt() -> Error {
    Error::Other("the responder is not built yet".to_owned())
}
