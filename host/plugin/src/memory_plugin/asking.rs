//! Questions that are answered, and not in the chat.

use tracing::Instrument as _;

use super::MemoryPlugin;
use crate::Place;
use crate::bindings::exports::myao::memory::responder::{Question, Response};
use crate::bindings::types::Timestamp;
use crate::capabilities::Purpose;
use crate::error::CallError;
use crate::spans::{Subject, component_call, record_outcome};

impl MemoryPlugin {
    /// `responder.ask`: the answer to a question that is asked from a place. It reads only: what the component would post, save
    /// or defer is refused, and of the model's answer only the cost is recorded.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn ask(
        &self,
        place: Place,
        question: &str,
        now: Timestamp,
    ) -> Result<Response, CallError> {
        self.ask_since(place, question, None, now).await
    }

    /// The same, of what was said, decided or done from a time on.
    ///
    /// # Errors
    /// [`CallError`].
    pub async fn ask_since(
        &self,
        place: Place,
        question: &str,
        since: Option<Timestamp>,
        now: Timestamp,
    ) -> Result<Response, CallError> {
        let channel_id = match &place {
            Place::Channel(id) => Some(id.clone()),
            _ => None,
        };
        let question = Question {
            text: question.to_owned(),
            channel_id: channel_id.clone(),
            since,
        };
        let subject = channel_id.as_deref().map_or(Subject::All, Subject::Channel);
        call!(
            self,
            subject,
            place,
            Purpose::Look,
            responder.call_ask(&question, now)
        )?
        .map_err(CallError::Refused)
    }
}
