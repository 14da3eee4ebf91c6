//! A first reading of all messages: their ids, threads, authors and channels.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, Row};

use super::{
    ids::ChannelIds,
    rows::{flag, text, time, trimmed},
};
use crate::{
    import::{ImportError, mrkdwn::Names},
    storage::records::{ChannelRecord, UserRecord},
    ts::TsKey,
};

/// Everybody, every channel, and the ids of its messages.
#[derive(Debug, Default)]
pub(super) struct Census {
    /// By id.
    pub(super) users: BTreeMap<String, UserRecord>,
    /// By id.
    pub(super) channels: BTreeMap<String, ChannelRecord>,
    ids: HashMap<String, ChannelIds>,
}

impl Census {
    /// Reads users, channels, and of the messages what the import has to know beforehand.
    pub(super) fn read(connection: &Connection) -> Result<Self, ImportError> {
        let mut census = Self::default();
        let mut statement = connection.prepare(include_str!("users.sql"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            census.add_user(
                trimmed(row, "user_id")?,
                trimmed(row, "name")?,
                flag(row, "is_bot")?,
            );
        }
        let mut statement = connection.prepare(include_str!("channels.sql"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            census.add_channel(trimmed(row, "channel_id")?, &trimmed(row, "name")?);
        }
        let mut statement = connection.prepare(include_str!("messages.sql"))?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            census.add_message(row)?;
        }
        census.ids.values_mut().for_each(ChannelIds::make);
        Ok(census)
    }

    /// The ids of a channel's messages.
    pub(super) fn ids(&self, channel_id: &str) -> Option<&ChannelIds> {
        self.ids.get(channel_id)
    }

    /// How many messages had no id.
    pub(super) fn made_ids(&self) -> usize {
        self.ids.values().map(ChannelIds::made).sum()
    }

    fn add_message(&mut self, row: &Row<'_>) -> Result<(), ImportError> {
        let channel_id = trimmed(row, "channel_id")?;
        self.add_user(
            trimmed(row, "user_id")?,
            trimmed(row, "user_name")?,
            flag(row, "user_is_bot")?,
        );
        self.add_channel(channel_id.clone(), "");
        let message_id = trimmed(row, "message_id")?;
        let thread = trimmed(row, "thread_ts")?;
        let ids = self.ids.entry(channel_id.clone()).or_default();
        let is_reply = !thread.is_empty();
        if is_reply {
            ids.name_thread(thread);
        }
        if let Ok(ts) = TsKey::parse(&message_id) {
            ids.take(ts);
            return Ok(());
        }
        let stored_at = text(row, "timestamp")?.unwrap_or_default();
        let Some(stored_at) = time(&stored_at) else {
            return Err(ImportError::BadRow {
                table: "messages",
                row: format!("{channel_id}/{message_id}"),
                column: "timestamp",
                value: stored_at.into_owned(),
                expected: "a time in UTC, as in 2024-03-01 10:05:00",
            });
        };
        ids.wait(message_id, stored_at, is_reply);
        Ok(())
    }

    /// Adds a user, or gives a name to one without. An id in place of a name is no name.
    fn add_user(&mut self, id: String, name: String, is_bot: bool) {
        let name = if name == id { String::new() } else { name };
        let known = self.users.entry(id).or_insert_with_key(|id| UserRecord {
            id: id.clone(),
            name: String::new(),
            is_bot,
        });
        if known.name.is_empty() {
            known.name = name;
        }
    }

    fn add_channel(&mut self, id: String, name: &str) {
        let name = name.trim_start_matches('#');
        // The database does not say what is private; Slack's ids do for all but newer channels.
        let is_private = id.starts_with(['D', 'G']);
        let name = if name == id { "" } else { name };
        self.channels
            .entry(id)
            .or_insert_with_key(|id| ChannelRecord {
                id: id.clone(),
                name: name.to_owned(),
                is_private,
            });
    }
}

impl Names for Census {
    fn user(&self, id: &str) -> Option<&str> {
        self.users.get(id).map(|user| user.name.as_str())
    }

    fn channel(&self, id: &str) -> Option<&str> {
        self.channels.get(id).map(|channel| channel.name.as_str())
    }
}
