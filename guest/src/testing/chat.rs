//! A scripted chat platform.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use crate::bindings::chat::{ChatError, PostOutcome, PostRequest};
use crate::bindings::types::{Message, User};
use crate::ports::Chat;
use crate::ts::Ts;

/// Records posts and calls, returns what it was given, and fails if told to.
#[derive(Default)]
pub(crate) struct ScriptedChat {
    posts: RefCell<Vec<PostRequest>>,
    calls: RefCell<Vec<&'static str>>,
    /// The error of every `post` from now on.
    pub(crate) post_fault: RefCell<Option<ChatError>>,
    /// True if every call but `post` fails.
    pub(crate) blind: Cell<bool>,
    /// Messages that only the platform has, by channel.
    pub(crate) messages: RefCell<BTreeMap<String, Vec<Message>>>,
    /// People by id.
    pub(crate) users: RefCell<BTreeMap<String, User>>,
}

impl ScriptedChat {
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
        found: impl FnOnce() -> Result<T, ChatError>,
    ) -> Result<T, ChatError> {
        self.calls.borrow_mut().push(name);
        if self.blind.get() {
            return Err(ChatError::Unavailable(format!("{name} was to fail")));
        }
        found()
    }

    fn of_channel(&self, channel_id: &str) -> Vec<Message> {
        let messages = self.messages.borrow();
        messages.get(channel_id).cloned().unwrap_or_default()
    }
}

impl Chat for ScriptedChat {
    fn post(&self, request: &PostRequest) -> Result<PostOutcome, ChatError> {
        self.calls.borrow_mut().push("post");
        if let Some(fault) = self.post_fault.borrow().clone() {
            return Err(fault);
        }
        self.posts.borrow_mut().push(request.clone());
        let id = format!("1800000000.{:06}", self.posts.borrow().len());
        Ok(PostOutcome::Posted(vec![id]))
    }

    fn thread(
        &self,
        channel_id: &str,
        thread_ts: &str,
        limit: u32,
    ) -> Result<Vec<Message>, ChatError> {
        self.look("thread", || {
            let mut messages = self.of_channel(channel_id);
            messages.retain(|message| {
                message.ts == thread_ts || message.thread_ts.as_deref() == Some(thread_ts)
            });
            let older = messages
                .len()
                .saturating_sub(1 + usize::try_from(limit).unwrap());
            if older > 0 {
                messages.drain(1..=older);
            }
            match messages.as_slice() {
                [] => Err(ChatError::NotFound(thread_ts.to_owned())),
                _ => Ok(messages),
            }
        })
    }

    fn history(&self, channel_id: &str, _: &str, limit: u32) -> Result<Vec<Message>, ChatError> {
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

    fn permalink(&self, channel_id: &str, ts: &str) -> Result<String, ChatError> {
        self.look("permalink", || {
            Ok(format!("https://chat.example/{channel_id}/{ts}"))
        })
    }

    fn get_user(&self, id: &str) -> Result<User, ChatError> {
        self.look("get-user", || {
            let users = self.users.borrow();
            users
                .get(id)
                .cloned()
                .ok_or_else(|| ChatError::NotFound(id.to_owned()))
        })
    }
}
