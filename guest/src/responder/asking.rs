//! Answers questions that are asked outside the chat.

use super::{Answered, Inquiry, Responder};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::{Question, Response};
use crate::bindings::types::User;

impl Responder<'_> {
    /// Answers a question, and returns the answer: nothing is posted.
    ///
    /// # Errors
    /// As [`Self::answer_question`].
    pub fn ask(&self, question: &Question) -> Result<Response, Error> {
        if let Some(overview) = self.overview(&question.text, question.since)? {
            return Ok(overview.into());
        }
        // Whoever asks is no person of the workspace.
        let asker = User {
            id: String::new(),
            name: String::new(),
            is_bot: false,
        };
        let answered = self.answer_question(&Inquiry {
            channel_id: question.channel_id.as_deref(),
            text: &question.text,
            asker: &asker,
        })?;
        Ok(answered.into())
    }
}

impl From<Answered> for Response {
    fn from(answered: Answered) -> Self {
        Self {
            text: answered.text,
            engine: answered.engine,
            found_nothing: answered.found_nothing,
            truncated: answered.truncated,
            left_out: answered.left_out,
            sources: answered.sources,
            citations: answered.citations,
        }
    }
}
