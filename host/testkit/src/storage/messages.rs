//! What people wrote, and reading it.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use myao_plugin::User;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Channel, Keep, Message, MessageQuery, StorageError};
use myao_plugin::ts::TsKey;

use super::{State, key};

/// The name of somebody who has none. It must not look like one, and never be an id.
const UNKNOWN_USER: &str = "(unknown user)";

/// One channel with its messages.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    /// Without `#`; empty where it is not known.
    pub(super) name: String,
    pub(super) is_private: bool,
    /// By id, without deleted ones.
    pub(super) messages: BTreeMap<TsKey, MessageRecord>,
    /// Ids of deleted messages, which never come back.
    pub(super) deleted: BTreeSet<TsKey>,
    /// By the id of the first message, which need not be stored.
    pub(super) threads: BTreeMap<TsKey, Thread>,
    /// Without a version: up to where its messages are history, if that is known.
    pub(super) history_through: Option<TsKey>,
}

/// One thread.
#[derive(Debug, Clone, Default)]
pub(super) struct Thread {
    /// Without the first message; a thread without replies is none.
    pub(super) replies: BTreeSet<TsKey>,
    /// When one of its summarised messages was last changed or deleted, in Unix seconds, if its memory was not made since.
    pub(super) changed: Option<i64>,
}

impl Conversation {
    /// Ids from `since` to `until`, both included.
    pub(super) fn between(
        &self,
        since: Option<TsKey>,
        until: TsKey,
    ) -> impl DoubleEndedIterator<Item = TsKey> {
        let bounds = bounds(since, until);
        let range = bounds.map(|bounds| self.messages.range(bounds));
        range.into_iter().flatten().map(|(ts, _)| *ts)
    }

    /// The same of one thread, its first message included: a reply is newer than what it replies to.
    pub(super) fn of_thread(
        &self,
        thread: TsKey,
        since: Option<TsKey>,
        until: TsKey,
    ) -> impl DoubleEndedIterator<Item = TsKey> {
        let bounds = bounds(since, until);
        let first = bounds.clone().filter(|bounds| bounds.contains(&thread));
        let first = first.filter(|_| self.messages.contains_key(&thread));
        let replies = self.threads.get(&thread).map(|thread| &thread.replies);
        let replies = replies.and_then(|replies| Some(replies.range(bounds?)));
        let replies = replies.into_iter().flatten().copied();
        first.map(|_| thread).into_iter().chain(replies)
    }

    /// Whether the thread has a reply at `until`: without one it is none.
    pub(super) fn has_thread(&self, thread: TsKey, until: TsKey) -> bool {
        let thread = self.threads.get(&thread);
        thread
            .and_then(|thread| thread.replies.first())
            .is_some_and(|first| *first <= until)
    }

    /// The thread of a stored message: none for a top-level one without replies at `until`.
    fn thread_of(&self, message: &MessageRecord, until: TsKey) -> Option<TsKey> {
        let first = || self.has_thread(message.ts, until).then_some(message.ts);
        message.thread_ts.or_else(first)
    }
}

impl State {
    /// All channels, ordered by name and then by id.
    pub(super) fn list_channels(&self) -> Vec<Channel> {
        let mut channels: Vec<Channel> = self
            .channels
            .iter()
            .map(|(id, conversation)| channel(id, conversation))
            .collect();
        channels.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        channels
    }

    pub(super) fn list_messages(&self, query: &MessageQuery) -> Result<Vec<Message>, StorageError> {
        let since = query.since.as_deref().map(key).transpose()?;
        let until = key(&query.until)?;
        let whole_thread = query.whole_thread.as_deref().map(key).transpose()?;
        let conversation = self.conversation(&query.channel_id)?;

        // The whole thread is outside `since` and `limit`, so it uses none of the limit up.
        let of_thread: BTreeSet<TsKey> = whole_thread
            .into_iter()
            .flat_map(|thread| conversation.of_thread(thread, None, until))
            .collect();
        let window = conversation
            .between(since, until)
            .filter(|ts| !of_thread.contains(ts));
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let mut picked: BTreeSet<TsKey> = match query.keep {
            Keep::Newest => window.rev().take(limit).collect(),
            Keep::Oldest => window.take(limit).collect(),
        };
        picked.extend(of_thread);

        // The first message of every thread of which a reply is returned comes with it.
        let first_messages: Vec<TsKey> = picked
            .iter()
            .filter_map(|ts| conversation.messages.get(ts)?.thread_ts)
            .filter(|first| *first <= until)
            .collect();
        picked.extend(first_messages);
        Ok(picked
            .into_iter()
            .filter_map(|ts| conversation.messages.get(&ts))
            .map(|message| self.message(message, conversation.thread_of(message, until)))
            .collect())
    }

    /// A message as the component sees it.
    fn message(&self, message: &MessageRecord, thread: Option<TsKey>) -> Message {
        let user = self.users.get(&message.user_id);
        let names = [
            message.author_name.as_deref(),
            user.map(|user| user.name.as_str()),
        ];
        let name = names.into_iter().flatten().find(|name| !name.is_empty());
        Message {
            ts: message.ts.to_string(),
            user: User {
                id: message.user_id.clone(),
                name: name.unwrap_or(UNKNOWN_USER).to_owned(),
                is_bot: message.is_bot || user.is_some_and(|user| user.is_bot),
            },
            text: message.text.clone(),
            timestamp: self.timestamp(message.ts.unix_seconds()),
            thread_ts: thread.map(|thread| thread.to_string()),
            edited_at: message.edited_at.map(|at| self.timestamp(at)),
        }
    }
}

/// None where the range ends before it begins, which `BTreeMap` takes for a fault.
fn bounds(since: Option<TsKey>, until: TsKey) -> Option<RangeInclusive<TsKey>> {
    let bounds = since.unwrap_or(TsKey::first_of(0))..=until;
    (!bounds.is_empty()).then_some(bounds)
}

/// A channel as the component sees it: one without a name is called by its id.
pub(super) fn channel(id: &str, conversation: &Conversation) -> Channel {
    let name = if conversation.name.is_empty() {
        id
    } else {
        &conversation.name
    };
    Channel {
        id: id.to_owned(),
        name: name.to_owned(),
        is_private: conversation.is_private,
    }
}
