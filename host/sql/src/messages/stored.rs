//! Reads channels and messages.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::params;
use crate::session::{Connection, Error, OptionalExtension, Result, Row};
use myao_plugin::storage::{Channel, Keep, Marked, Message, MessageQuery, StorageError};
use myao_plugin::{MessageRef, User};

use crate::fault::Fault;
use crate::messages::progress;
use crate::place::Place;
use crate::rows;
use crate::sight::{Sight, json_texts, json_tuples};

/// No message and no channel has this key.
const NO_KEY: i64 = -1;

/// The channels that may be seen, ordered by name and then by id.
pub(crate) fn channels(connection: &Connection, place: &Place) -> Result<Vec<Channel>, Fault> {
    let (own, sees_open) = Sight::of(connection, place)?.columns();
    let statement = include_str!("sql/channels.sql");
    let rows =
        connection.query_map(statement, params![place.workspace, own, sees_open], |row| {
            Ok(Channel {
                id: row.get(0)?,
                name: row.get(1)?,
                is_private: row.get(2)?,
            })
        })?;
    Ok(rows)
}

/// The key of a channel's row.
pub(crate) fn channel_key(connection: &Connection, place: &Place, id: &str) -> Result<i64, Fault> {
    let statement = include_str!("sql/channel_key.sql");
    let key = connection
        .query_row(statement, params![place.workspace, id], |row| row.get(0))
        .optional()?;
    key.ok_or_else(|| not_stored(id))
}

/// The key of a channel, or a key of none if its messages may not be read here now ([`Sight`]).
fn readable_channel_key(connection: &Connection, place: &Place, id: &str) -> Result<i64, Fault> {
    let key = channel_key(connection, place, id)?;
    Ok(match Sight::of(connection, place)? {
        Sight::Bound { own, .. } if !own.contains(&key) => NO_KEY,
        _ => key,
    })
}

pub(crate) fn not_stored(id: &str) -> Fault {
    StorageError::NotFound(format!("channel `{id}` is not stored: import it first")).into()
}

/// The keys of those of these channels that are stored, by their ids.
pub(crate) fn channel_keys<'i>(
    connection: &Connection,
    place: &Place,
    ids: impl Iterator<Item = &'i str>,
) -> Result<HashMap<String, i64>> {
    let ids: BTreeSet<&str> = ids.collect();
    let sql =
        "SELECT id, key FROM channels WHERE workspace = ?1 AND id IN (SELECT value FROM texts(?2))";
    let ids = json_texts(ids.into_iter().map(str::to_owned));
    let found = rows::list(connection, sql, params![place.workspace, ids], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(found.into_iter().collect())
}

/// The messages that a query selects, oldest first.
pub(crate) fn messages(
    connection: &Connection,
    place: &Place,
    query: &MessageQuery,
) -> Result<Vec<Message>, Fault> {
    let since = query
        .since
        .as_deref()
        .map(rows::key)
        .transpose()?
        .unwrap_or(0);
    let until = rows::key(&query.until)?;
    let thread = query
        .whole_thread
        .as_deref()
        .map(rows::key)
        .transpose()?
        .unwrap_or(NO_KEY);
    let channel = readable_channel_key(connection, place, &query.channel_id)?;
    let only_new = query.only_new && progress::has_version(connection, channel)?;
    let (newest, oldest) = match query.keep {
        Keep::Newest | Keep::NewestTopLevel => (query.limit, 0),
        Keep::Oldest => (0, query.limit),
    };
    let (all, new) = if only_new {
        ((0, 0), (newest, oldest))
    } else {
        ((newest, oldest), (0, 0))
    };
    let statement = include_str!("sql/messages.sql");
    let rows = connection.query_map(
        statement,
        params![
            channel,
            since,
            until,
            all.0,
            all.1,
            thread,
            new.0,
            new.1,
            query.thread_limit,
            query.keep == Keep::NewestTopLevel,
        ],
        |row| message(row, place),
    )?;
    Ok(rows)
}

/// The newest messages of a channel up to an id that people may have marked, oldest first.
pub(crate) fn marked(
    connection: &Connection,
    place: &Place,
    (channel_id, until): (&str, &str),
    limit: u32,
) -> Result<Vec<Marked>, Fault> {
    let channel = readable_channel_key(connection, place, channel_id)?;
    let columns = params![channel, rows::key(until)?, limit, place.workspace];
    let statement = include_str!("sql/marked.sql");
    let mut marked: Vec<Marked> = connection.query_map(statement, columns, |row| {
        Ok(Marked {
            message: message(row, place)?,
            is_pinned: row.get(8)?,
        })
    })?;
    marked.reverse();
    Ok(marked)
}

/// A message from the first columns that `sql/messages.sql` and others select.
pub(crate) fn message(row: &Row<'_>, place: &Place) -> Result<Message> {
    let key: i64 = row.get(0)?;
    let written = myao_plugin::ts::TsKey::from_database(key).unix_seconds();
    let edited: Option<i64> = row.get(6)?;
    Ok(Message {
        ts: rows::ts(key),
        user: User {
            id: row.get(1)?,
            name: row.get(2)?,
            is_bot: row.get(3)?,
        },
        text: row.get(4)?,
        timestamp: place.local_time.at(written),
        thread_ts: row.get::<Option<i64>>(5)?.map(rows::ts),
        edited_at: edited.map(|seconds| place.local_time.at(seconds)),
        is_for_bot: row.get(7)?,
    })
}

/// The keys of stored messages, by their channels and ids.
pub(crate) fn keys(
    connection: &Connection,
    messages: &BTreeSet<(i64, i64)>,
) -> Result<BTreeSet<i64>> {
    let places = messages.iter().map(|(channel, ts)| [*channel, *ts]);
    let found = positions(connection, &json_tuples(places))?;
    if found.len() < messages.len() {
        return Err(Error::NoRow);
    }
    Ok(found.into_values().collect())
}

/// The channels and ids of messages, a JSON array for `tuples`. Leaves out those of other channels than these.
pub(crate) fn places(
    channels: &HashMap<String, i64>,
    messages: &BTreeMap<String, BTreeSet<i64>>,
) -> String {
    let known = messages
        .iter()
        .filter_map(|(id, keys)| Some((*channels.get(id)?, keys)));
    json_tuples(known.flat_map(|(channel, keys)| keys.iter().map(move |key| [channel, *key])))
}

/// The keys of the messages that are referred to, in the same order; `None` for one that is not stored.
pub(crate) fn keys_of<'r>(
    connection: &Connection,
    place: &Place,
    references: impl Iterator<Item = &'r MessageRef> + Clone,
) -> Result<Vec<Option<i64>>, Fault> {
    let channels = references.clone().map(|of| &*of.channel_id);
    let channels = channel_keys(connection, place, channels)?;
    let mut places = Vec::new();
    for MessageRef { channel_id, ts } in references {
        let channel = channels.get(channel_id).copied().unwrap_or(NO_KEY);
        places.push([channel, rows::key(ts)?]);
    }
    let count = places.len();
    let found = positions(connection, &json_tuples(places))?;
    Ok((0..count)
        .map(|position| found.get(&position).copied())
        .collect())
}

/// The keys of messages by their positions in a list of channels and ids.
fn positions(connection: &Connection, places: &str) -> Result<BTreeMap<usize, i64>> {
    let sql = "SELECT wanted.key, m.key FROM tuples(?1) AS wanted \
        CROSS JOIN messages AS m ON m.channel = wanted.first AND m.ts_key = wanted.second";
    let found = rows::list(connection, sql, params![places], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(found.into_iter().collect())
}
