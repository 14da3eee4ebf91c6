//! Writes messages, and updates what depends on them, in one transaction of an import or of events.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::forgetting::Erased;
use myao_plugin::storage::SaveMode;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};

use crate::answers::replies;
use crate::answers::retraction::{self, Post};
use crate::erasure::erase;
use crate::erasure::erase::Anew;
use crate::fault::Fault;
use crate::memories::series::Series;
use crate::messages::channels;
use crate::messages::message_row::{MessageRow, Tie};
use crate::messages::stored as messages;
use crate::messages::tombstones::Tombstones;
use crate::rows;
use crate::schedule::backlog::{recount_channel, recount_thread};
use crate::search::index::Unindexed;
use crate::visibility::sight::json_array;

/// How many messages an import collects before it updates what depends on them. This limits the memory of large
/// imports.
const GATHERED: usize = 200_000;

/// Who writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Source {
    /// An import, which has no times of changes.
    Import,
    /// Events, at a time in Unix seconds.
    Events(i64),
}

/// The change of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Put {
    New,
    Changed,
    Unchanged,
    /// It was to be forgotten.
    Forgotten,
}

/// The writes of a transaction. [`Writing::finish`] updates what depends on it.
pub(crate) struct Writing {
    workspace: i64,
    source: Source,
    /// True if no credential is stored.
    redacts: bool,
    channels: HashMap<String, i64>,
    /// Read when the first message comes.
    tombstones: Option<Tombstones>,
    /// Channels and threads to recount.
    touched_channels: BTreeSet<i64>,
    touched_threads: BTreeSet<(i64, i64)>,
    /// Messages that may be the first message of an existing thread.
    touched_messages: BTreeSet<(i64, i64)>,
    /// New messages of events: channel, id, and the thread that they would be in.
    inserted: Vec<(i64, i64, i64)>,
    /// Channel and thread of messages that a memory may include and that now read differently.
    changed: BTreeSet<(i64, i64)>,
    /// Channel and id of messages that now read differently.
    reworded: BTreeSet<(i64, i64)>,
    /// Channel and id of messages that events edited or deleted before they were stored. An event that could not be applied
    /// may hold what they said.
    unseen: BTreeSet<(i64, i64)>,
    /// Thread and time of deleted messages, with the channel's id.
    deleted: Vec<(String, i64, i64)>,
    unindexed: Unindexed,
}

impl Writing {
    pub(crate) fn new(workspace: i64, source: Source) -> Self {
        Self {
            workspace,
            source,
            redacts: true,
            channels: HashMap::new(),
            tombstones: None,
            touched_channels: BTreeSet::new(),
            touched_threads: BTreeSet::new(),
            touched_messages: BTreeSet::new(),
            inserted: Vec::new(),
            changed: BTreeSet::new(),
            reworded: BTreeSet::new(),
            unseen: BTreeSet::new(),
            deleted: Vec::new(),
            unindexed: Unindexed::default(),
        }
    }

    /// Stores credentials in messages, or not.
    pub(crate) fn redacting(self, redacts: bool) -> Self {
        Self { redacts, ..self }
    }

    /// A text as it is stored.
    pub(crate) fn without_credentials<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if self.redacts {
            myao_secrets::redact(text)
        } else {
            Cow::Borrowed(text)
        }
    }

    /// The key of a channel that an import or an event names. A new channel is added.
    pub(crate) fn channel(&mut self, connection: &Connection, id: &str) -> Result<i64> {
        if let Some(key) = self.channels.get(id) {
            return Ok(*key);
        }
        let key = channels::known_or_added(connection, self.workspace, id, true)?;
        connection.execute(include_str!("sql/take_part.sql"), [key])?;
        self.channels.insert(id.to_owned(), key);
        Ok(key)
    }

    /// Stores a message, or merges it into the existing one. If it was to be forgotten, only that it exists is stored.
    pub(crate) fn message(
        &mut self,
        connection: &Connection,
        record: &MessageRecord,
        changed: TsKey,
    ) -> Result<Put, Fault> {
        let channel = self.channel(connection, &record.channel_id)?;
        let text = self.without_credentials(&record.text).into_owned();
        let mut row = MessageRow::of(record, changed).reworded(text);
        let refusal = self.tombstones(connection)?.refusal(record);
        if let Some(why) = refusal {
            row = row.refused(why);
        }
        let ts = record.ts.to_database();
        let put = self.put(connection, channel, ts, &row)?;
        if refusal.is_some() {
            let channel = (record.channel_id.as_str(), channel);
            replies::drop_of_deleted(connection, self.workspace, channel, ts)?;
        }
        let put = if refusal.is_some() {
            Put::Forgotten
        } else {
            put
        };
        if self.source == Source::Import && self.touched_messages.len() >= GATHERED {
            self.work_off(connection)?;
        }
        Ok(put)
    }

    /// The tombstones.
    pub(crate) fn tombstones(&mut self, connection: &Connection) -> Result<&Tombstones> {
        if self.tombstones.is_none() {
            self.tombstones = Some(Tombstones::of(connection, self.workspace)?);
        }
        Ok(self.tombstones.get_or_insert_default())
    }

    /// Deletes a message, at a time in Unix seconds.
    pub(crate) fn delete(
        &mut self,
        connection: &Connection,
        channel_id: &str,
        ts: TsKey,
        at: i64,
    ) -> Result<(), Fault> {
        let channel = self.channel(connection, channel_id)?;
        let ts = ts.to_database();
        let put = self.put(connection, channel, ts, &MessageRow::deleted(at))?;
        if put == Put::Changed {
            let thread = MessageRow::read(connection, channel, ts)?.and_then(|row| row.thread);
            self.deleted
                .push((channel_id.to_owned(), thread.unwrap_or(ts), at));
        }
        replies::drop_of_deleted(connection, self.workspace, (channel_id, channel), ts)
    }

    /// Marks a channel for recounting.
    pub(crate) fn touch_channel(&mut self, channel: i64) {
        self.touched_channels.insert(channel);
    }

    /// Marks a thread for recounting.
    pub(crate) fn touch_thread(&mut self, channel: i64, thread: i64) {
        self.touched_threads.insert((channel, thread));
    }

    /// Marks a message, by its key, for indexing anew.
    pub(crate) fn touch_text(&mut self, channel: i64, key: i64) {
        self.unindexed.change(channel, key);
    }

    /// Recounts what was touched, notes which threads have a memory that is older than their messages, and erases what
    /// messages said that read differently now.
    pub(crate) fn finish(mut self, connection: &Connection) -> Result<Erased, Fault> {
        self.work_off(connection)?;
        let erased = self.erase(connection)?;
        self.work_off(connection)?;
        for channel in &self.touched_channels {
            recount_channel(connection, *channel)?;
        }
        self.set_aside_memories(connection)?;
        Ok(erased)
    }

    /// Deletes retracted posts.
    pub(crate) fn delete_posts(
        &mut self,
        connection: &Connection,
        posts: &[Post],
    ) -> Result<(), Fault> {
        for (channel, ts) in posts {
            // An import knows no time.
            let posted = TsKey::from_database(*ts).unix_seconds();
            let deleted = MessageRow::deleted(self.now().max(posted));
            self.put(connection, *channel, *ts, &deleted)?;
        }
        Ok(())
    }

    /// Retracts the posts that were made from messages that now read differently, and those that were made from such
    /// posts. Returns how many.
    fn retract(&mut self, connection: &Connection) -> Result<usize, Fault> {
        let mut count = 0;
        let mut seen = BTreeSet::new();
        loop {
            let new: Vec<Post> = self.reworded.difference(&seen).copied().collect();
            if new.is_empty() {
                return Ok(count);
            }
            for message in new {
                let posts = retraction::made_from(connection, message)?;
                self.delete_posts(connection, &posts)?;
                count += posts.len();
                seen.insert(message);
            }
        }
    }

    /// Erases what messages said that now read differently, and ends the deferrals of their channels.
    fn erase(&mut self, connection: &Connection) -> Result<Erased, Fault> {
        let meant = self.reworded.len();
        let posts = self.retract(connection)?;
        let meant_keys = messages::keys(connection, &self.reworded)?;
        let channels: BTreeSet<i64> = self.reworded.iter().map(|(channel, _)| *channel).collect();
        let mut anew = Anew::default();
        let mut erased = erase::erase(connection, self.workspace, &meant_keys, &mut anew)?;
        if !self.unseen.is_empty() {
            let unseen = json_array(&messages::keys(connection, &self.unseen)?);
            erased.events += erase::drop_events(connection, self.workspace, &unseen)?;
        }
        self.touched_channels.extend(anew.channels);
        for (scope, scope_id) in anew.memories {
            self.make_anew(connection, scope, &scope_id)?;
        }
        for channel in channels {
            connection.execute(
                include_str!("sql/end_deferrals_of_channel.sql"),
                [self.workspace, channel],
            )?;
        }
        Ok(Erased {
            messages: meant,
            posts,
            ..erased
        })
    }

    /// Ends the deferral of a memory that lost lines; a thread's is made again.
    fn make_anew(
        &mut self,
        connection: &Connection,
        scope: i64,
        scope_id: &str,
    ) -> Result<(), Fault> {
        connection.execute(
            "DELETE FROM deferrals WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3",
            params![self.workspace, scope, scope_id],
        )?;
        if rows::scope(scope) == Scope::Thread {
            let (channel_id, thread) = rows::thread_scope(scope_id)?;
            let channel = self.channel(connection, channel_id)?;
            self.changed.insert((channel, thread));
        }
        Ok(())
    }

    /// In Unix seconds; 0 for an import.
    fn now(&self) -> i64 {
        match self.source {
            Source::Import => 0,
            Source::Events(now) => now,
        }
    }

    /// Updates what depends on the messages so far, except the counts of whole channels.
    fn work_off(&mut self, connection: &Connection) -> Result<(), Fault> {
        self.find_late(connection)?;
        self.find_first_messages(connection)?;
        for (channel, thread) in std::mem::take(&mut self.touched_threads) {
            recount_thread(connection, channel, thread)?;
        }
        self.mark_changed(connection)?;
        self.unindexed.work_off(connection)?;
        self.touched_messages.clear();
        self.changed.clear();
        Ok(())
    }

    fn put(
        &mut self,
        connection: &Connection,
        channel: i64,
        ts: i64,
        row: &MessageRow,
    ) -> Result<Put, Fault> {
        let place = (self.workspace, channel, ts);
        if let Some(key) = row.insert(connection, place)? {
            self.unindexed.add(channel, key);
            self.touch_message(channel, ts, row.thread);
            if row.is_shown() && self.source != Source::Import {
                self.inserted.push((channel, ts, row.thread.unwrap_or(ts)));
            }
            if row.is_changed() && self.source != Source::Import {
                self.unseen.insert((channel, ts));
            }
            return Ok(Put::New);
        }
        let Some(stored) = MessageRow::read(connection, channel, ts)? else {
            return Ok(Put::Unchanged);
        };
        let tie = match self.source {
            Source::Import => Tie::Stored,
            Source::Events(_) => Tie::Greater,
        };
        let merged = stored.merged(row, tie);
        if merged == stored {
            return Ok(Put::Unchanged);
        }
        self.replace(connection, (channel, ts), &stored, &merged)?;
        Ok(Put::Changed)
    }

    /// Puts placeholders in the place of credentials in a stored message.
    pub(crate) fn redact(
        &mut self,
        connection: &Connection,
        (channel, ts): (i64, i64),
    ) -> Result<()> {
        match MessageRow::read(connection, channel, ts)? {
            Some(stored) => {
                let text = myao_secrets::redact(&stored.text).into_owned();
                let redacted = stored.clone().reworded(text);
                self.replace(connection, (channel, ts), &stored, &redacted)
            }
            None => Ok(()),
        }
    }

    fn replace(
        &mut self,
        connection: &Connection,
        (channel, ts): (i64, i64),
        stored: &MessageRow,
        row: &MessageRow,
    ) -> Result<()> {
        row.update(connection, (self.workspace, channel, ts))?;
        self.touch_message(channel, ts, row.thread);
        self.touched_threads
            .extend(stored.thread.map(|thread| (channel, thread)));
        if row.reads_differently(stored) {
            let key = message_key(connection, channel, ts)?;
            self.unindexed.change(channel, key);
            self.changed.insert((channel, row.thread.unwrap_or(ts)));
            self.reworded.insert((channel, ts));
        }
        Ok(())
    }

    fn touch_message(&mut self, channel: i64, ts: i64, thread: Option<i64>) {
        self.touched_channels.insert(channel);
        self.touched_messages.insert((channel, ts));
        self.touched_threads
            .extend(thread.map(|thread| (channel, thread)));
    }

    /// Marks threads for recounting if their first message was touched. A new channel has no threads.
    fn find_first_messages(&mut self, connection: &Connection) -> Result<()> {
        let has_threads = include_str!("sql/has_threads.sql");
        let mut last = None;
        for (channel, ts) in &self.touched_messages {
            let known = last.filter(|(known, _)| known == channel);
            let (_, has) = match known {
                Some(known) => known,
                None => (
                    *channel,
                    connection.query_row(has_threads, [channel], |row| row.get(0))?,
                ),
            };
            last = Some((*channel, has));
            if has && ThreadState::read(connection, *channel, *ts)?.is_some() {
                self.touched_threads.insert((*channel, *ts));
            }
        }
        Ok(())
    }

    /// Marks threads as changed if a newer message was stored before: a memory may already cover the time of the
    /// message that came now. Messages of an import are history and do not count.
    fn find_late(&mut self, connection: &Connection) -> Result<()> {
        for (channel, ts, thread) in &self.inserted {
            let before = ThreadState::read(connection, *channel, *thread)?;
            if before.is_some_and(|state| state.newest > Some(*ts)) {
                self.changed.insert((*channel, *thread));
            }
        }
        Ok(())
    }

    fn mark_changed(&self, connection: &Connection) -> Result<()> {
        for thread in &self.changed {
            mark_changed(connection, self.workspace, *thread, self.now())?;
        }
        Ok(())
    }

    /// Marks the memories of threads as superseded if deletions left the thread without a reply: nothing else would
    /// ever replace them.
    fn set_aside_memories(&self, connection: &Connection) -> Result<(), Fault> {
        for (channel_id, thread, at) in &self.deleted {
            let Some(channel) = self.channels.get(channel_id).copied() else {
                continue;
            };
            let state = ThreadState::read(connection, channel, *thread)?;
            if state.is_some_and(|state| state.has_reply) {
                continue;
            }
            let series = Series {
                workspace: self.workspace,
                scope: Scope::Thread,
                scope_id: &rows::thread_scope_id(channel_id, *thread),
                memory_type: MemoryType::ShortTerm,
            };
            series.supersede(connection, SaveMode::Overwrite, *at)?;
            end_changed(connection, self.workspace, (channel, *thread), i64::MAX)?;
            recount_thread(connection, channel, *thread)?;
        }
        Ok(())
    }
}

fn message_key(connection: &Connection, channel: i64, ts: i64) -> Result<i64> {
    connection.query_row(
        "SELECT key FROM messages WHERE channel = ?1 AND ts_key = ?2",
        [channel, ts],
        |row| row.get(0),
    )
}

/// Notes that a thread changed at a time, if there is one.
fn mark_changed(
    connection: &Connection,
    workspace: i64,
    (channel, thread): (i64, i64),
    now: i64,
) -> Result<()> {
    if ThreadState::read(connection, channel, thread)?.is_some() {
        connection.execute(
            include_str!("sql/mark_changed_thread.sql"),
            [workspace, channel, thread, now],
        )?;
    }
    Ok(())
}

/// Removes the note that a thread changed before a time: its memory was made since.
pub(crate) fn end_changed(
    connection: &Connection,
    workspace: i64,
    (channel, thread): (i64, i64),
    before: i64,
) -> Result<()> {
    connection.execute(
        include_str!("sql/end_changed_thread.sql"),
        [workspace, channel, thread, before],
    )?;
    Ok(())
}

/// The counts of a thread.
struct ThreadState {
    newest: Option<i64>,
    has_reply: bool,
}

impl ThreadState {
    /// Returns `None` if there is no thread.
    fn read(connection: &Connection, channel: i64, thread: i64) -> Result<Option<Self>> {
        connection
            .query_row(
                include_str!("sql/thread_state.sql"),
                [channel, thread],
                |row| {
                    Ok(Self {
                        newest: row.get(0)?,
                        has_reply: row.get(1)?,
                    })
                },
            )
            .optional()
    }
}
