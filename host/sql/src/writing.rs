//! Writes messages, and updates what depends on them, in one transaction of an import or of events.

pub(crate) mod erase;
mod finish;
pub(crate) mod retraction;
mod threads;

pub(crate) use threads::end_changed;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use crate::session::{Connection, Result};
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

use crate::answers::replies;
use crate::fault::Fault;
use crate::ledger;
use crate::messages::channels;
use crate::messages::message_row::{MessageRow, Tie};
use crate::messages::strikes;
use crate::messages::tombstones::Tombstones;
use crate::search::index::Unindexed;
use crate::writing::retraction::Post;

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

    /// A text as it is stored, however long it is.
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
        // First the credentials: a half of one has no form.
        let text = self.without_credentials(&record.text);
        let text = myao_secrets::cut(&text).into_owned();
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

    /// In Unix seconds; 0 for an import.
    fn now(&self) -> i64 {
        match self.source {
            Source::Import => 0,
            Source::Events(now) => now,
        }
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
            if row.is_shown() && !row.is_bot {
                ledger::mark(connection, key, &row.text)?;
            }
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
            let has_gone = !row.is_shown();
            strikes::drop_of(connection, (self.workspace, channel, ts), has_gone)?;
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
}

fn message_key(connection: &Connection, channel: i64, ts: i64) -> Result<i64> {
    connection.query_row(
        "SELECT key FROM messages WHERE channel = ?1 AND ts_key = ?2",
        [channel, ts],
        |row| row.get(0),
    )
}
