//! One stored message, and how another state of it is merged into it.

use crate::session::{Connection, OptionalExtension, Result, ToSql};
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

use crate::messages::tombstones::Refusal;

/// The columns of a message, without its channel and id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MessageRow {
    pub(crate) thread: Option<i64>,
    user_id: String,
    author_name: Option<String>,
    pub(crate) is_bot: bool,
    pub(crate) text: String,
    edited_at: Option<i64>,
    deleted_at: Option<i64>,
    /// True if it was only kept long enough: what was made from it stays.
    is_expired: bool,
    changed: i64,
}

/// Which of two texts with the same time is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tie {
    /// The stored one: importing twice changes nothing, whatever names the import resolves.
    Stored,
    /// The greater one: events have no fixed order, so neither of them is the first.
    Greater,
}

impl MessageRow {
    /// A message with the time of its text.
    pub(crate) fn of(record: &MessageRecord, changed: TsKey) -> Self {
        let ts = record.ts.to_database();
        Self {
            thread: record
                .thread_ts
                .map(TsKey::to_database)
                .filter(|thread| *thread != ts),
            user_id: record.user_id.clone(),
            author_name: record.author_name.clone(),
            is_bot: record.is_bot,
            text: record.text.clone(),
            edited_at: record.edited_at,
            deleted_at: None,
            is_expired: false,
            changed: changed.to_database(),
        }
    }

    /// A message of which only the time of its deletion is known, in Unix seconds.
    pub(crate) fn deleted(at: i64) -> Self {
        Self {
            thread: None,
            user_id: String::new(),
            author_name: None,
            is_bot: false,
            text: String::new(),
            edited_at: None,
            deleted_at: Some(at),
            is_expired: false,
            changed: 0,
        }
    }

    /// The message without what it said.
    pub(crate) fn refused(self, why: Refusal) -> Self {
        Self {
            author_name: None,
            text: String::new(),
            deleted_at: Some(why.since),
            is_expired: why.is_expiry,
            ..self
        }
    }

    /// The message with another text in the place of its own.
    pub(crate) fn reworded(self, text: String) -> Self {
        Self { text, ..self }
    }

    /// Returns true if it is not deleted.
    pub(crate) fn is_shown(&self) -> bool {
        self.deleted_at.is_none()
    }

    /// Returns true if it said something else before, or says nothing any more.
    pub(crate) fn is_changed(&self) -> bool {
        self.deleted_at.is_some() || self.edited_at.is_some()
    }

    /// Returns true if a reader sees a different message than before, or what was made from it no longer holds.
    pub(crate) fn reads_differently(&self, before: &Self) -> bool {
        let seen = |row: &Self| (row.is_shown(), row.is_expired, row.author_name.clone());
        self.text != before.text || seen(self) != seen(before)
    }

    /// Merges both states. With [`Tie::Greater`], order and repetition do not matter.
    pub(crate) fn merged(&self, new: &Self, tie: Tie) -> Self {
        let newer = match (new.changed.cmp(&self.changed), tie) {
            (std::cmp::Ordering::Equal, Tie::Greater) => {
                (&new.text, &new.author_name) > (&self.text, &self.author_name)
            }
            (order, _) => order.is_gt(),
        };
        let winner = if newer { new } else { self };
        let deleted_at = least(self.deleted_at, new.deleted_at);
        let is_kept = deleted_at.is_none();
        Self {
            thread: least(self.thread, new.thread),
            user_id: self.user_id.clone().max(new.user_id.clone()),
            author_name: winner.author_name.clone().filter(|_| is_kept),
            is_bot: self.is_bot || new.is_bot,
            text: if is_kept {
                winner.text.clone()
            } else {
                String::new()
            },
            edited_at: self.edited_at.max(new.edited_at),
            deleted_at,
            // Whoever edits or deletes an expired message takes back what was made from it.
            is_expired: self.is_expired
                && (new.is_shown() || new.is_expired)
                && new.changed <= self.changed,
            changed: self.changed.max(new.changed),
        }
    }

    /// Reads the stored message.
    pub(crate) fn read(connection: &Connection, channel: i64, ts: i64) -> Result<Option<Self>> {
        connection
            .query_row(include_str!("sql/message_row.sql"), [channel, ts], |row| {
                Ok(Self {
                    thread: row.get(0)?,
                    user_id: row.get(1)?,
                    author_name: row.get(2)?,
                    is_bot: row.get(3)?,
                    text: row.get(4)?,
                    edited_at: row.get(5)?,
                    deleted_at: row.get(6)?,
                    changed: row.get(7)?,
                    is_expired: row.get(8)?,
                })
            })
            .optional()
    }

    /// Stores a new message. Returns its key; `None` if it already exists.
    pub(crate) fn insert(
        &self,
        connection: &Connection,
        place: (i64, i64, i64),
    ) -> Result<Option<i64>> {
        let insert = include_str!("sql/insert_message.sql");
        let key = connection.query_row(insert, &self.columns(&place)[..], |row| row.get(0));
        key.optional()
    }

    /// Stores this state of an existing message.
    pub(crate) fn update(&self, connection: &Connection, place: (i64, i64, i64)) -> Result<bool> {
        let update = include_str!("sql/update_message.sql");
        Ok(connection.execute(update, &self.columns(&place)[..])? == 1)
    }

    /// The parameters of both. `place` is the workspace, the channel and the message's id.
    fn columns<'a>(&'a self, place: &'a (i64, i64, i64)) -> [&'a dyn ToSql; 12] {
        let (workspace, channel, ts) = place;
        [
            workspace,
            channel,
            ts,
            &self.thread,
            &self.user_id,
            &self.author_name,
            &self.is_bot,
            &self.text,
            &self.edited_at,
            &self.deleted_at,
            &self.changed,
            &self.is_expired,
        ]
    }
}

fn least(a: Option<i64>, b: Option<i64>) -> Option<i64> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}
