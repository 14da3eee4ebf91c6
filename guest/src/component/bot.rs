//! Exports and imports of the world `bot` in addition to `memory`: the import `chat`, and answers to people.

use super::memory::begin;
use super::{Component, Host};
use crate::bindings::chat;
use crate::bindings::chat::{ChatError, PostOutcome, PostRequest};
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::{
    self as responder_export, Answer, Judgment, Question, Response, Target,
};
use crate::bindings::types::{Message, Timestamp, User};
use crate::handed::check_question;
use crate::ports::Chat;
use crate::responder::Responder;

impl Chat for Host {
    fn post(&self, request: &PostRequest) -> Result<PostOutcome, ChatError> {
        chat::post(request)
    }
    fn thread(
        &self,
        channel_id: &str,
        thread_ts: &str,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        chat::thread(channel_id, thread_ts, limit).map(|read| self.handed(read))
    }
    fn history(
        &self,
        channel_id: &str,
        until: &str,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        chat::history(channel_id, until, limit).map(|read| self.handed(read))
    }
    fn permalink(&self, channel_id: &str, ts: &str) -> Result<String, ChatError> {
        chat::permalink(channel_id, ts)
    }
    fn get_user(&self, id: &str) -> Result<User, ChatError> {
        chat::get_user(id)
    }
}

impl responder_export::Guest for Component {
    fn reply_to_mention(target: Target, now: Timestamp) -> Result<Answer, Error> {
        let (ports, now) = begin(now)?;
        Responder::new(&ports, Host::of(&ports.settings), now).reply_to_mention(&target)
    }

    fn judge(target: Target, now: Timestamp) -> Result<Judgment, Error> {
        let (ports, now) = begin(now)?;
        Responder::new(&ports, Host::of(&ports.settings), now).judge(&target)
    }

    fn reply_unasked(target: Target, now: Timestamp) -> Result<Answer, Error> {
        let (ports, now) = begin(now)?;
        Responder::new(&ports, Host::of(&ports.settings), now).reply_unasked(&target)
    }

    fn ask(question: Question, now: Timestamp) -> Result<Response, Error> {
        check_question(&question.text)?;
        let (ports, now) = begin(now)?;
        let host = Host::of(&ports.settings);
        Responder::new(&ports, host, now).ask(&host.handed(question))
    }
}

crate::bindings::export!(Component with_types_in crate::bindings);
