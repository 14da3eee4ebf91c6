//! A scripted chat platform.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::bindings::slack::{PostRequest, SlackError};
use crate::bindings::types::{Message, User};
use crate::ports::Slack;
use crate::ts::Ts;

/// Records posts and calls, returns what it was given, and fails if told to.
#[derive(Default)]
pub(crate) struct ScriptedSlack {
    posts: RefCell<Vec<PostRequest>>,
    calls: RefCell<Vec<&'static str>>,
    /// The error of every `post` from now on.
    pub(crate) post_fault: RefCell<Option<SlackError>>,
    /// Whether every call but `post` fails.
    pub(crate) blind: Cell<bool>,
    /// Messages that only the platform has, by channel.
    pub(crate) messages: RefCell<BTreeMap<String, Vec<Message>>>,
    /// People by id.
    pub(crate) users: RefCell<BTreeMap<String, User>>,
}

impl ScriptedSlack {
    /// Adds a message to the platform.
    pub(crate) fn knows(&self, channel_id: &str, message: Message) {
        let mut messages = self.messages.borrow_mut();
        messages
            .entry(channel_id.to_owned())
            .or_default()
            .push(message);
    }

    /// What was posted, in order.
    pub(crate) fn posts(&self) -> Vec<PostRequest> {
        self.posts.borrow().clone()
    }

    /// The names of the calls since the last time.
    pub(crate) fn take_calls(&self) -> Vec<&'static str> {
        self.calls.take()
    }

    fn look<T>(
        &self,
        name: &'static str,
        found: impl FnOnce() -> Result<T, SlackError>,
    ) -> Result<T, SlackError> {
        self.calls.borrow_mut().push(name);
        if self.blind.get() {
            return Err(SlackError::Unavailable(format!("{name} was to fail")));
        }
        found()
    }

    fn of_channel(&self, channel_id: &str) -> Vec<Message> {
        let messages = self.messages.borrow();
        messages.get(channel_id).cloned().unwrap_or_default()
    }
}

impl Slack for ScriptedSlack {
    fn post(&self, request: &PostRequest) -> Result<Vec<String>, SlackError> {
        self.calls.borrow_mut().push("post");
        if let Some(fault) = self.post_fault.borrow().clone() {
            return Err(fault);
        }
        self.posts.borrow_mut().push(request.clone());
        Ok(vec![format!("1800000000.{:06}", self.posts.borrow().len())])
    }

    fn thread(&self, channel_id: &str, thread_ts: &str) -> Result<Vec<Message>, SlackError> {
        self.look("thread", || {
            let mut messages = self.of_channel(channel_id);
            messages.retain(|message| {
                message.ts == thread_ts || message.thread_ts.as_deref() == Some(thread_ts)
            });
            match messages.as_slice() {
                [] => Err(SlackError::NotFound(thread_ts.to_owned())),
                _ => Ok(messages),
            }
        })
    }

    fn history(&self, channel_id: &str, _: &str, limit: u32) -> Result<Vec<Message>, SlackError> {
        self.look("history", || {
            let mut messages = self.of_channel(channel_id);
            messages.retain(|message| {
                // A reply has the id of another message here; an invalid id is accepted.
                let thread = message.thread_ts.as_deref().map(Ts::parse);
                thread.is_none_or(|thread| thread.is_err() || thread == Ts::parse(&message.ts))
            });
            let limit = usize::try_from(limit).unwrap();
            Ok(messages.split_off(messages.len().saturating_sub(limit)))
        })
    }

    fn permalink(&self, channel_id: &str, ts: &str) -> Result<String, SlackError> {
        self.look("permalink", || {
            Ok(format!("https://chat.example/{channel_id}/{ts}"))
        })
    }

    fn get_user(&self, id: &str) -> Result<User, SlackError> {
        self.look("get-user", || {
            let users = self.users.borrow();
            users
                .get(id)
                .cloned()
                .ok_or_else(|| SlackError::NotFound(id.to_owned()))
        })
    }
}
