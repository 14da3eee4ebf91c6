//! Writes messages and applies the consequences, in one transaction of an import or of events.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::forgetting::Erased;
use myao_plugin::storage::SaveMode;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Place, Scope};

use super::State;
use super::memories::Series;
use super::merging::{StoredMessage, Tie};
use super::messages::Conversation;

/// A change of a thread further in the future than this, in seconds, was noted while the clock was ahead.
pub(super) const A_DAY: i64 = 24 * 3600;

/// The origin of the records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// An import, which has no times of changes.
    Import,
    /// Events, at a time in Unix seconds.
    Events(i64),
}

/// The result of storing a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Put {
    New,
    Changed,
    Unchanged,
    /// It was to be forgotten.
    Forgotten,
}

/// A channel's id and the first message of one of its threads.
type ThreadId = (String, TsKey);

/// What a transaction has written. [`Writing::finish`] applies the consequences.
pub(super) struct Writing<'a> {
    pub(super) state: &'a mut State,
    source: Source,
    /// The newest message that each thread had before the transaction; `None` if there was no thread.
    before: BTreeMap<ThreadId, Option<TsKey>>,
    /// New messages from events, with their threads.
    inserted: Vec<(ThreadId, TsKey)>,
    /// Threads with messages that look different to a reader now.
    changed: BTreeSet<ThreadId>,
    /// Those messages.
    pub(super) reworded: BTreeSet<(String, TsKey)>,
    /// Messages that events edited or deleted before they were stored. An event that could not be applied may hold what they
    /// said.
    unseen: BTreeSet<(String, TsKey)>,
    /// Threads of messages that were deleted, and when.
    deleted: Vec<(ThreadId, i64)>,
}

impl<'a> Writing<'a> {
    pub(super) fn new(state: &'a mut State, source: Source) -> Self {
        Self {
            state,
            source,
            before: BTreeMap::new(),
            inserted: Vec::new(),
            changed: BTreeSet::new(),
            reworded: BTreeSet::new(),
            unseen: BTreeSet::new(),
            deleted: Vec::new(),
        }
    }

    /// A channel that an import or an event names; it is added if it is new. Only members of a channel get its events.
    pub(super) fn channel(&mut self, id: &str) -> &mut Conversation {
        let channels = &mut self.state.channels;
        let channel = channels.entry(id.to_owned()).or_insert(Conversation {
            // If only a message named the channel, it is not known who may read it.
            is_private: true,
            ..Conversation::default()
        });
        if channel.present_at.is_none() {
            channel.is_present = true;
        }
        channel
    }

    /// Stores a message, or merges it into the stored one. If it was to be forgotten, only that it exists is stored.
    pub(super) fn message(&mut self, record: MessageRecord, changed: TsKey) -> Put {
        let (channel_id, ts) = (record.channel_id.clone(), record.ts);
        let Some((since, is_expired)) = self.state.refusal(&record) else {
            return self.put(&channel_id, ts, StoredMessage::of(record, changed));
        };
        let refused = StoredMessage::of(record, changed).refused(since, is_expired);
        self.put(&channel_id, ts, refused);
        self.state.drop_reply(&channel_id, ts);
        Put::Forgotten
    }

    /// Deletes a message, at a time in Unix seconds, even if it is not stored yet.
    pub(super) fn delete(&mut self, channel_id: &str, ts: TsKey, at: i64) {
        if self.put(channel_id, ts, StoredMessage::deleted(at)) == Put::Changed {
            let stored = self.channel(channel_id).messages.get(&ts);
            let thread = stored.and_then(|stored| stored.thread).unwrap_or(ts);
            self.deleted.push(((channel_id.to_owned(), thread), at));
        }
        self.state.drop_reply(channel_id, ts);
    }

    fn put(&mut self, channel_id: &str, ts: TsKey, new: StoredMessage) -> Put {
        let stored = self.channel(channel_id).messages.get(&ts).cloned();
        let tie = match self.source {
            Source::Import => Tie::Stored,
            Source::Events(_) => Tie::Greater,
        };
        let merged = match &stored {
            None => new,
            Some(stored) => stored.merged(&new, tie),
        };
        if stored.as_ref() == Some(&merged) {
            return Put::Unchanged;
        }
        let thread = (channel_id.to_owned(), merged.thread.unwrap_or(ts));
        self.remember(&thread);
        for thread in stored.iter().filter_map(|stored| stored.thread).chain([ts]) {
            self.remember(&(channel_id.to_owned(), thread));
        }
        let is_changed = !merged.is_shown() || merged.edited_at.is_some();
        if stored.is_none() && is_changed && self.source != Source::Import {
            self.unseen.insert((channel_id.to_owned(), ts));
        }
        match &stored {
            None if merged.is_shown() && self.source != Source::Import => {
                self.inserted.push((thread, ts));
            }
            Some(stored) if merged.reads_differently(stored) => {
                self.changed.insert(thread);
                self.reworded.insert((channel_id.to_owned(), ts));
            }
            _ => {}
        }
        let had_version = self.state.had_version(channel_id);
        let conversation = self.channel(channel_id);
        if let Some(before) = stored.as_ref().and_then(|stored| stored.thread)
            && let Some(replies) = conversation.threads.get_mut(&before)
        {
            replies.remove(&ts);
            if replies.is_empty() {
                conversation.threads.remove(&before);
            }
        }
        if let Some(thread) = merged.thread.filter(|_| merged.is_shown()) {
            conversation.threads.entry(thread).or_default().insert(ts);
        }
        conversation.messages.insert(ts, merged);
        if stored.is_none() && had_version {
            conversation.news.waiting.insert(ts);
        }
        if stored.is_some() {
            Put::Changed
        } else {
            Put::New
        }
    }

    /// In Unix seconds; 0 for an import.
    pub(super) fn now(&self) -> i64 {
        match self.source {
            Source::Import => 0,
            Source::Events(now) => now,
        }
    }

    /// Remembers the state of a thread before the transaction.
    fn remember(&mut self, thread: &ThreadId) {
        if !self.before.contains_key(thread) {
            let newest = self.state.newest_of_thread(thread);
            self.before.insert(thread.clone(), newest);
        }
    }

    /// Marks the threads whose memories are older than their messages, and ends the deferrals of channels with messages
    /// that read differently.
    pub(super) fn finish(mut self) -> (&'a mut State, Erased) {
        // A late message may be older than what a memory covers already. Imported messages count as history.
        for (thread, ts) in &self.inserted {
            if self.before.get(thread).copied().flatten() > Some(*ts) {
                self.changed.insert(thread.clone());
            }
        }
        let now = self.now();
        let meant = self.reworded.len();
        let posts = self.retract();
        let mut erased = Erased {
            messages: meant,
            posts,
            ..self.state.erase(&self.reworded)
        };
        erased.events += self.state.drop_events_of(&self.unseen);
        self.changed
            .append(&mut std::mem::take(&mut self.state.threads_to_make_anew));
        for thread in &self.changed {
            self.state.mark_changed(thread, now);
        }
        for (channel_id, _) in &self.reworded {
            self.state.deferrals.retain(|series, _| {
                let place = Place::of(series.scope(), &series.scope_id);
                series.scope() != Scope::Workspace && !place.hears(channel_id)
            });
        }
        for ((channel_id, thread), at) in &self.deleted {
            self.state.set_aside_memory(channel_id, *thread, *at);
        }
        (self.state, erased)
    }
}

impl State {
    /// The newest message of a thread; `None` if there is no message or no thread.
    fn newest_of_thread(&self, (channel_id, thread): &ThreadId) -> Option<TsKey> {
        if !self.is_thread(channel_id, *thread) {
            return None;
        }
        let conversation = self.channels.get(channel_id)?;
        let replies = conversation.threads.get(thread).into_iter().flatten();
        let first = conversation.shown(*thread).map(|_| *thread);
        replies.copied().chain(first).max()
    }

    /// Whether a thread has a reply or a memory.
    fn is_thread(&self, channel_id: &str, thread: TsKey) -> bool {
        let conversation = self.channels.get(channel_id);
        let has_reply = conversation.is_some_and(|stored| stored.threads.contains_key(&thread));
        has_reply
            || self
                .newest(&Series::of_thread(channel_id, thread))
                .is_some()
    }

    fn mark_changed(&mut self, (channel_id, thread): &ThreadId, now: i64) {
        if !self.is_thread(channel_id, *thread) {
            return;
        }
        if let Some(conversation) = self.channels.get_mut(channel_id) {
            let changed = conversation.changed_threads.entry(*thread).or_insert(now);
            let was_ahead = now > 0 && *changed > now.saturating_add(A_DAY);
            *changed = if was_ahead { now } else { now.max(*changed) };
        }
    }

    /// Sets aside the memory of a thread that has no reply left after deletions: nothing would ever replace it.
    fn set_aside_memory(&mut self, channel_id: &str, thread: TsKey, at: i64) {
        let Some(conversation) = self.channels.get_mut(channel_id) else {
            return;
        };
        if conversation.threads.contains_key(&thread) {
            return;
        }
        conversation.changed_threads.remove(&thread);
        self.supersede(
            &Series::of_thread(channel_id, thread),
            SaveMode::Overwrite,
            at,
        );
    }
}

impl Series {
    /// The memory of a thread.
    pub(super) fn of_thread(channel_id: &str, thread: TsKey) -> Self {
        Self::new(
            Scope::Thread,
            &format!("{channel_id}:{thread}"),
            MemoryType::ShortTerm,
        )
    }
}
