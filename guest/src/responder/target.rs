//! Reads the message to answer, and the conversation that it stands in.

use std::collections::BTreeSet;

use super::Responder;
use super::situation::{Inquiry, Situation, Talk, Wanted};
use crate::bindings::chat::ChatError;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::responder::Target;
use crate::bindings::storage::{Keep, MessageQuery, StorageError};
use crate::bindings::types::{ConversationHistory, Message};
use crate::context::{Remembered, conversation_history, no_conversation};
use crate::describe;
use crate::ts::Ts;

impl Responder<'_> {
    /// Reads everything with at most seven storage calls. Messages that the store lacks come from the chat platform; if
    /// it fails, the reply is made without them.
    pub(super) fn situation(&self, target: &Target, wanted: Wanted) -> Result<Situation, Error> {
        let remembered = self.remembered()?;
        let channel = remembered.channel(&target.channel_id)?;
        let mut messages = self.stored_messages(target)?;
        self.fetch_what_is_missing(target, &mut messages)?;
        let answered = self.answered_message(target, &mut messages)?;
        let thread_ts = target.thread_ts.as_deref();
        let mut history = conversation_history(channel, messages, thread_ts)?;
        if thread_ts.is_none() {
            show_at_top_level(&mut history, &answered);
        }
        let talk = Talk {
            history,
            thread_ts,
            answered,
            is_message: true,
        };
        self.situation_of(talk, remembered, wanted)
    }

    /// The situation of a question that is no message: at the top level of its channel, or nowhere.
    pub(super) fn inquired(
        &self,
        inquiry: &Inquiry<'_>,
        wanted: Wanted,
    ) -> Result<Situation, Error> {
        let remembered = self.remembered()?;
        let until = Ts::last_of(self.now).to_string();
        let asked = Message {
            ts: until.clone(),
            user: inquiry.asker.clone(),
            text: inquiry.text.to_owned(),
            timestamp: self.now,
            thread_ts: None,
            edited_at: None,
            is_for_bot: false,
        };
        let mut history = match inquiry.channel_id {
            Some(channel_id) => {
                let channel = remembered.channel(channel_id)?;
                conversation_history(channel, self.top_level(channel_id)?, None)?
            }
            None => no_conversation(),
        };
        history.top_level_messages.push(asked.clone());
        let talk = Talk {
            history,
            thread_ts: None,
            answered: asked,
            is_message: false,
        };
        self.situation_of(talk, remembered, wanted)
    }

    fn remembered(&self) -> Result<Remembered, Error> {
        let until = Ts::last_of(self.now);
        Remembered::load(self.ports.storage, &self.ports.settings, until, true)
    }

    /// The newest messages of the channel, the whole target thread, and the message that is answered, however old.
    fn stored_messages(&self, target: &Target) -> Result<Vec<Message>, Error> {
        let mut messages = match &target.thread_ts {
            Some(thread_ts) => {
                self.list(&self.newest_messages(&target.channel_id, Some(thread_ts.clone())))?
            }
            None => self.top_level(&target.channel_id)?,
        };
        if find(&messages, &target.message_ts)?.is_none() {
            let that_one = MessageQuery {
                since: Some(target.message_ts.clone()),
                until: target.message_ts.clone(),
                limit: 1,
                ..self.newest_messages(&target.channel_id, None)
            };
            messages.extend(self.list(&that_one)?);
        }
        Ok(messages)
    }

    /// The newest messages of a channel, and if some are replies, as many that are none: a busy thread must not take their
    /// place.
    fn top_level(&self, channel_id: &str) -> Result<Vec<Message>, Error> {
        let newest = self.newest_messages(channel_id, None);
        let mut messages = self.list(&newest)?;
        let is_reply = |message: &Message| {
            let thread = message.thread_ts.as_ref();
            thread.is_some_and(|thread| *thread != message.ts)
        };
        if messages.iter().any(is_reply) {
            let known: BTreeSet<Ts> = messages.iter().filter_map(id).collect();
            let mut others = self.list(&MessageQuery {
                keep: Keep::NewestTopLevel,
                ..newest
            })?;
            others.retain(|message| id(message).is_none_or(|id| !known.contains(&id)));
            messages.extend(others);
        }
        Ok(messages)
    }

    fn list(&self, query: &MessageQuery) -> Result<Vec<Message>, Error> {
        let listed = self.ports.storage.list_messages(query);
        listed.map_err(Error::Storage)
    }

    fn newest_messages(&self, channel_id: &str, whole_thread: Option<String>) -> MessageQuery {
        MessageQuery {
            channel_id: channel_id.to_owned(),
            since: None,
            until: Ts::last_of(self.now).to_string(),
            limit: self.ports.settings.reply_message_limit,
            keep: Keep::Newest,
            whole_thread,
            thread_limit: self.ports.settings.generation_message_limit,
            only_new: false,
        }
    }

    /// Asks the platform for the thread if its first message is not stored, and for the channel if nothing else of it
    /// is stored.
    fn fetch_what_is_missing(
        &self,
        target: &Target,
        messages: &mut Vec<Message>,
    ) -> Result<(), Error> {
        let chat = self.chat;
        let channel_id = &target.channel_id;
        let is_target = |message: &Message| match &target.thread_ts {
            Some(thread) => message.ts == *thread || message.thread_ts.as_ref() == Some(thread),
            None => message.ts == target.message_ts,
        };
        let knows_more = messages.iter().any(|message| !is_target(message));
        if let Some(thread_ts) = &target.thread_ts
            && find(messages, thread_ts)?.is_none()
        {
            let limit = self.ports.settings.generation_message_limit;
            let fetched = chat.thread(channel_id, thread_ts, limit);
            self.merge(
                &format!("thread {channel_id}:{thread_ts}"),
                messages,
                fetched,
            );
        }
        if !knows_more {
            let until = Ts::last_of(self.now).to_string();
            let limit = self.ports.settings.reply_message_limit;
            let fetched = chat.history(channel_id, &until, limit);
            self.merge(&format!("history of {channel_id}"), messages, fetched);
        }
        Ok(())
    }

    /// Adds messages that are missing. For the others the stored version is newer.
    fn merge(
        &self,
        what: &str,
        messages: &mut Vec<Message>,
        fetched: Result<Vec<Message>, ChatError>,
    ) {
        let fetched = match fetched {
            Ok(fetched) => fetched,
            Err(error) => {
                let why = describe::chat_error(&error);
                return self.warn(&format!("cannot read the {what} from the chat: {why}"));
            }
        };
        let until = Ts::last_of(self.now);
        let mut known: BTreeSet<Ts> = messages.iter().filter_map(id).collect();
        for message in fetched {
            let thread = message.thread_ts.as_deref().map(Ts::parse).transpose();
            match (id(&message), thread) {
                (Some(ts), Ok(_)) if ts <= until => {
                    if known.insert(ts) {
                        messages.push(message);
                    }
                }
                (Some(_), Ok(_)) => {}
                _ => self.warn(&format!(
                    "the {what} from the chat has an invalid message id"
                )),
            }
        }
    }

    /// The message that is answered. If its author has no name, looks the name up and sets it in all their messages.
    fn answered_message(
        &self,
        target: &Target,
        messages: &mut [Message],
    ) -> Result<Message, Error> {
        let gone = || {
            Error::Storage(StorageError::NotFound(format!(
                "message {} of channel {} is not in the store; it may have been deleted",
                target.message_ts, target.channel_id
            )))
        };
        let mut answered = find(messages, &target.message_ts)?
            .cloned()
            .ok_or_else(gone)?;
        let id = answered.user.id.clone();
        if !answered.user.name.trim().is_empty() || id.is_empty() {
            return Ok(answered);
        }
        match self.chat.get_user(&id) {
            Ok(user) if !user.name.trim().is_empty() => {
                let nameless = messages
                    .iter_mut()
                    .filter(|message| message.user.id == id && message.user.name.trim().is_empty());
                for message in nameless.chain([&mut answered]) {
                    message.user.name.clone_from(&user.name);
                }
            }
            Ok(_) => {}
            Err(error) => self.warn(&format!(
                "cannot read the name of {id} from the chat: {}",
                describe::chat_error(&error)
            )),
        }
        Ok(answered)
    }
}

/// A message that has become the first of a thread is only in that thread; the answered message must be in the target
/// too.
fn show_at_top_level(history: &mut ConversationHistory, answered: &Message) {
    let top_level = &mut history.top_level_messages;
    if top_level.iter().all(|message| message.ts != answered.ts) {
        let at = top_level.partition_point(|message| id(message) < id(answered));
        top_level.insert(at, answered.clone());
    }
}

fn id(message: &Message) -> Option<Ts> {
    Ts::parse(&message.ts).ok()
}

fn find<'m>(messages: &'m [Message], ts: &str) -> Result<Option<&'m Message>, Error> {
    let ts = Ts::parse(ts)?;
    Ok(messages.iter().find(|message| id(message) == Some(ts)))
}
