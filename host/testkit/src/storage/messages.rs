//! Stores and reads what people wrote.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::RangeInclusive;

use myao_plugin::storage::records::UserRecord;
use myao_plugin::storage::{Channel, Keep, Marked, Message, MessageQuery, StorageError, marks};
use myao_plugin::ts::TsKey;
use myao_plugin::{KeptSpan, KeptText, MessageRef, Place, User, erasure};

use super::members::Members;
use super::merging::StoredMessage;
use super::pins::Pins;
use super::progress::News;
use super::{State, key};

/// The name of a user without one. It must not look like a name, and must never be an id.
const UNKNOWN_USER: &str = "(unknown user)";

/// A person or program.
#[derive(Debug, Clone)]
pub(super) struct StoredUser {
    pub(super) record: UserRecord,
    /// Since when an event has shown this state, in Unix seconds; `None` if it is only known from an import.
    pub(super) changed_at: Option<i64>,
    /// Whether it is a guest; `None` if that is not known.
    pub(super) is_guest: Option<bool>,
    /// The time of the event that set it.
    pub(super) guest_at: Option<TsKey>,
    /// When the account was last known to be closed.
    pub(super) closed_at: Option<TsKey>,
}

impl StoredUser {
    pub(super) fn of(record: UserRecord, changed_at: Option<i64>) -> Self {
        Self {
            record,
            changed_at,
            is_guest: None,
            guest_at: None,
            closed_at: None,
        }
    }
}

/// One channel with its messages. Each `_at` is the time of the event that set the value; `None` if no event did.
#[derive(Debug, Clone, Default)]
pub(super) struct Conversation {
    /// Without `#`; empty if it is unknown.
    pub(super) name: String,
    pub(super) name_at: Option<TsKey>,
    /// True if that is not known.
    pub(super) is_private: bool,
    pub(super) private_at: Option<TsKey>,
    /// Whether it is shared with another organisation; `None` if that is not known.
    pub(super) is_shared: Option<bool>,
    pub(super) shared_at: Option<TsKey>,
    pub(super) members: Members,
    /// Whether an import says that there are guests. It counts until the members are read.
    pub(super) imported_guests: Option<bool>,
    /// Whether the bot is in the channel. The component sees no other channels.
    pub(super) is_present: bool,
    pub(super) present_at: Option<TsKey>,
    /// Since the bot left it, until it is back and has read what it missed.
    pub(super) is_behind: bool,
    /// The message up to which its history was read.
    pub(super) read_through: Option<TsKey>,
    /// If there is no version: the message up to which its messages count as history, if that is known.
    pub(super) history_through: Option<TsKey>,
    pub(super) news: News,
    pub(super) pins: Pins,
    /// By id, including deleted ones.
    pub(super) messages: BTreeMap<TsKey, StoredMessage>,
    /// The replies of each thread, without deleted ones, by the id of its first message, which need not be stored.
    pub(super) threads: BTreeMap<TsKey, BTreeSet<TsKey>>,
    /// Threads with a message that was changed, deleted or late, and when, in Unix seconds. The entry is removed when a
    /// later run makes the thread's memory.
    pub(super) changed_threads: BTreeMap<TsKey, i64>,
}

impl Conversation {
    /// Returns true if only the operator sees it: of deletions in a private channel that it left the bot does not hear.
    pub(super) fn is_hidden(&self) -> bool {
        self.is_private && self.is_behind
    }

    /// The name that people see: the id if there is no name.
    pub(super) fn shown_name(&self, id: &str) -> String {
        let name = Some(&self.name).filter(|name| !name.is_empty());
        name.map_or_else(|| id.to_owned(), Clone::clone)
    }

    /// A message that is not deleted.
    pub(super) fn shown(&self, ts: TsKey) -> Option<&StoredMessage> {
        self.messages.get(&ts).filter(|message| message.is_shown())
    }

    /// All messages that are not deleted, oldest first.
    pub(super) fn all_shown(&self) -> impl DoubleEndedIterator<Item = (TsKey, &StoredMessage)> {
        let shown = self.messages.iter().filter(|(_, stored)| stored.is_shown());
        shown.map(|(ts, message)| (*ts, message))
    }

    /// Ids from `since` to `until`, both included.
    pub(super) fn between(
        &self,
        since: Option<TsKey>,
        until: TsKey,
    ) -> impl DoubleEndedIterator<Item = TsKey> {
        let range = bounds(since, until).map(|bounds| self.messages.range(bounds));
        let shown = range
            .into_iter()
            .flatten()
            .filter(|(_, stored)| stored.is_shown());
        shown.map(|(ts, _)| *ts)
    }

    /// The same for one thread, including its first message.
    pub(super) fn of_thread(
        &self,
        thread: TsKey,
        since: Option<TsKey>,
        until: TsKey,
    ) -> BTreeSet<TsKey> {
        let Some(bounds) = bounds(since, until) else {
            return BTreeSet::new();
        };
        let replies = self.threads.get(&thread).into_iter().flatten().copied();
        let first = self.shown(thread).map(|_| thread);
        let all = replies.chain(first);
        all.filter(|ts| bounds.contains(ts)).collect()
    }

    /// Whether the thread has a reply at `until`: without one it does not count as a thread.
    pub(super) fn has_thread(&self, thread: TsKey, until: TsKey) -> bool {
        let replies = self.threads.get(&thread);
        let oldest = replies.and_then(|replies| replies.first());
        oldest.is_some_and(|oldest| *oldest <= until)
    }

    /// The thread of a stored message: `None` for a top-level message without replies at `until`.
    fn thread_of(&self, ts: TsKey, message: &StoredMessage, until: TsKey) -> Option<TsKey> {
        let first = || self.has_thread(ts, until).then_some(ts);
        message.thread.or_else(first)
    }
}

impl State {
    /// The channels that the bot is in and that may be shown in a place, ordered by name and then by id.
    pub(super) fn list_channels(&self, place: &Place) -> Vec<Channel> {
        let present = self.channels.iter().filter(|(_, stored)| stored.is_present);
        let shown = present.filter(|(id, _)| self.shows_channel(place, id));
        let mut channels: Vec<Channel> = shown
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

        // The thread is read independently of `since` and `limit`, so it uses up none of the limit.
        let of_thread: BTreeSet<TsKey> = whole_thread
            .into_iter()
            .flat_map(|thread| conversation.of_thread(thread, None, until))
            .collect();
        let most = usize::try_from(query.thread_limit).unwrap_or(usize::MAX);
        let is_first = |ts: &&TsKey| Some(**ts) == whole_thread;
        let replies = of_thread.iter().rev().filter(|ts| !is_first(ts));
        let newest: Vec<TsKey> = replies.take(most).copied().collect();
        let first: Option<TsKey> = of_thread.iter().find(is_first).copied();
        let window = conversation
            .between(since, until)
            .filter(|ts| !of_thread.contains(ts));
        let only_new = query.only_new && self.has_version(&query.channel_id);
        let window = window.filter(|ts| !only_new || conversation.news.waiting.contains(ts));
        let limit = usize::try_from(query.limit).unwrap_or(usize::MAX);
        let mut picked: BTreeSet<TsKey> = match query.keep {
            Keep::Newest => window.rev().take(limit).collect(),
            Keep::NewestTopLevel => window
                .rev()
                .filter(|ts| {
                    let message = conversation.messages.get(ts);
                    message.is_some_and(|message| message.thread.is_none())
                })
                .take(limit)
                .collect(),
            Keep::Oldest => window.take(limit).collect(),
        };
        picked.extend(newest.into_iter().chain(first));

        // If a reply is returned, the first message of its thread is returned, too.
        let first_messages: Vec<TsKey> = picked
            .iter()
            .filter_map(|ts| conversation.messages.get(ts)?.thread)
            .filter(|first| *first <= until)
            .collect();
        picked.extend(first_messages);
        Ok(picked
            .into_iter()
            .filter_map(|ts| self.shown_message(conversation, ts, until))
            .collect())
    }

    /// The newest messages of a channel that people may have marked, oldest first.
    pub(super) fn list_marked(
        &self,
        channel_id: &str,
        until: TsKey,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        let conversation = self.conversation(channel_id)?;
        let counts = |user_id: &str| self.may_mark(conversation, user_id);
        let is_mark = |stored: &StoredMessage| {
            marks::may_be(&stored.text) && !stored.is_bot && counts(&stored.user_id)
        };
        let mark = |ts: TsKey| {
            let is_pinned = conversation.pins.has(ts, until, counts);
            let is_marked = is_pinned || conversation.shown(ts).is_some_and(is_mark);
            let message = self.shown_message(conversation, ts, until);
            message
                .filter(|_| is_marked)
                .map(|message| Marked { message, is_pinned })
        };
        let all = conversation.between(None, until).rev();
        let mut newest: Vec<Marked> = all.filter_map(mark).take(super::most(limit)).collect();
        newest.reverse();
        Ok(newest)
    }

    /// A message as the component sees it at a time; `None` if it is deleted.
    pub(super) fn shown_message(
        &self,
        conversation: &Conversation,
        ts: TsKey,
        until: TsKey,
    ) -> Option<Message> {
        let message = conversation.shown(ts)?;
        let thread = conversation.thread_of(ts, message, until);
        Some(self.message(ts, message, thread))
    }

    /// A message as the component sees it.
    fn message(&self, ts: TsKey, message: &StoredMessage, thread: Option<TsKey>) -> Message {
        let user = self.users.get(&message.user_id);
        Message {
            ts: ts.to_string(),
            user: User {
                id: message.user_id.clone(),
                name: self.author(message),
                is_bot: message.is_bot || user.is_some_and(|user| user.record.is_bot),
            },
            text: message.text.clone(),
            timestamp: self.timestamp(ts.unix_seconds()),
            thread_ts: thread.map(|thread| thread.to_string()),
            edited_at: message.edited_at.map(|at| self.timestamp(at)),
        }
    }

    /// Whether a message is stored, and a program wrote it.
    pub(super) fn is_stored_by_program(&self, of: &MessageRef) -> bool {
        let messages = self
            .channels
            .get(&of.channel_id)
            .map(|channel| &channel.messages);
        let message = key(&of.ts).ok().and_then(|ts| messages?.get(&ts));
        message.is_some_and(|message| self.is_by_program(message))
    }

    /// The words of parts of messages, without those that are gone or may not be seen.
    pub(super) fn texts_of(
        &self,
        place: &Place,
        spans: &[KeptSpan],
    ) -> Result<Vec<KeptText>, StorageError> {
        let mut texts = Vec::new();
        for span in spans {
            let of = &span.message;
            let ts = key(&of.ts)?;
            let is_seen = self.shows_channel(place, &of.channel_id);
            let conversation = self.channels.get(&of.channel_id).filter(|_| is_seen);
            let Some(stored) = conversation.and_then(|conversation| conversation.shown(ts)) else {
                continue;
            };
            let message = self.message(ts, stored, None);
            texts.push(KeptText {
                span: span.clone(),
                user: message.user,
                timestamp: message.timestamp,
                text: erasure::part(&message.text, span.start, span.length),
            });
        }
        Ok(texts)
    }

    /// The name of the author of a message.
    pub(super) fn author(&self, message: &StoredMessage) -> String {
        let user = self.users.get(&message.user_id);
        let names = [
            message.author_name.as_deref(),
            user.map(|user| user.record.name.as_str()),
        ];
        let name = names.into_iter().flatten().find(|name| !name.is_empty());
        name.unwrap_or(UNKNOWN_USER).to_owned()
    }
}

/// `None` if the range ends before it begins, which would make `BTreeMap` panic.
fn bounds(since: Option<TsKey>, until: TsKey) -> Option<RangeInclusive<TsKey>> {
    let bounds = since.unwrap_or(TsKey::first_of(0))..=until;
    (!bounds.is_empty()).then_some(bounds)
}

/// A channel as the component sees it: if it has no name, its name is its id.
pub(super) fn channel(id: &str, conversation: &Conversation) -> Channel {
    Channel {
        id: id.to_owned(),
        name: conversation.shown_name(id),
        is_private: conversation.is_private,
    }
}
