//! The ledger: items are parts of messages, and their state is the fold of what messages and people say of them.

mod fold;
pub(crate) mod people;
mod rows;

use std::collections::BTreeMap;

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::state::items::{ItemChanged, ItemFilter, ItemId, StoredItem};
use myao_plugin::storage::MemoryDraft;
use myao_plugin::ts::TsKey;
use myao_plugin::{Item, ItemState, KeptSpan, KeptText, MessageRef, User, erasure};

use crate::fault::Fault;
use crate::memories::lines;
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::rows as columns;
use crate::sight::Sight;

/// Stores the changes of a draft. An item that is stored already, and a change that its message said before, stay as they are.
pub(crate) fn add(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
) -> Result<(), Fault> {
    let titles = draft.items.iter().map(|change| &change.title.message);
    let titles = lines::messages(connection, place, titles)?;
    let sources = draft.items.iter().map(|change| &change.message);
    let sources = lines::messages(connection, place, sources)?;
    for ((change, title), source) in draft.items.iter().zip(titles).zip(sources) {
        let kind = rows::kind_code(change.kind);
        let (start, length) = (change.title.start, change.title.length);
        let at = columns::key(&change.message.ts)?;
        match rows::columns(&change.event) {
            None => {
                let insert = "INSERT INTO items (message, kind, start, length) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
                connection.execute(insert, params![title, kind, start, length])?;
            }
            Some((field, value)) => {
                let insert = "INSERT INTO item_changes (message, kind, start, field, user_id, said_in, at, value) \
                    VALUES (?1, ?2, ?3, ?4, '', ?5, ?6, ?7) \
                    ON CONFLICT (message, kind, start, field, user_id, at) DO UPDATE SET value = excluded.value";
                let columns = params![title, kind, start, field, source, at, value];
                connection.execute(insert, columns)?;
            }
        }
    }
    Ok(())
}

/// Removes the items of messages, given as a JSON array of keys, and what the messages say of others. A state that one of
/// them changed is not known any more.
pub(crate) fn erase(connection: &Connection, messages: &str) -> Result<()> {
    for sql in [
        "DELETE FROM items WHERE message IN (SELECT value FROM integers(?1))",
        "DELETE FROM item_changes WHERE message IN (SELECT value FROM integers(?1))",
        "DELETE FROM item_changes WHERE field <> 0 AND said_in IN (SELECT value FROM integers(?1))",
        "UPDATE item_changes SET value = 'unknown' WHERE said_in IN (SELECT value FROM integers(?1))",
    ] {
        connection.execute(sql, [messages])?;
    }
    Ok(())
}

/// Removes the items of a channel that messages made, or of all channels: they are made anew. What people set stays.
pub(crate) fn begin_again(connection: &Connection, channel: i64) -> Result<()> {
    for sql in [
        "DELETE FROM items WHERE message IN (SELECT key FROM messages WHERE channel = ?1)",
        "DELETE FROM item_changes WHERE user_id = '' AND message IN (SELECT key FROM messages WHERE channel = ?1)",
    ] {
        connection.execute(sql, [channel])?;
    }
    Ok(())
}

/// Removes what a person set, and that somebody is to do a thing, if it is they.
pub(crate) fn forget_user(connection: &Connection, place: &Place, user_id: &str) -> Result<()> {
    let delete = "DELETE FROM item_changes WHERE (user_id = ?2 OR (field = 1 AND value = '@' || ?2)) \
        AND message IN (SELECT key FROM messages WHERE workspace = ?1)";
    connection.execute(delete, params![place.workspace, user_id])?;
    Ok(())
}

/// The open items of a channel that may be read here.
pub(crate) fn open(
    connection: &Connection,
    place: &Place,
    channel_id: &str,
    until: &str,
) -> Result<Vec<Item>, Fault> {
    let filter = ItemFilter {
        channel_id: Some(channel_id.to_owned()),
        until: Some(TsKey::parse(until)?),
    };
    let items = items(connection, place, &filter)?.into_iter();
    let items = items.map(|stored| stored.item);
    Ok(items.filter(|item| item.state == ItemState::Open).collect())
}

/// The items that may be seen here, in order of their messages.
pub(crate) fn items(
    connection: &Connection,
    place: &Place,
    filter: &ItemFilter,
) -> Result<Vec<StoredItem>, Fault> {
    let (own, sees_open) = Sight::of(connection, place)?.columns();
    let channel = filter.channel_id.as_deref();
    let channel = channel
        .map(|id| channel_key(connection, place, id))
        .transpose()?;
    let until = filter.until.map_or(i64::MAX, TsKey::to_database);
    let seen = params![place.workspace, own, sees_open, channel, until];
    let mut changes: BTreeMap<(i64, i64, u32), Vec<ItemChanged>> = BTreeMap::new();
    let sql = include_str!("sql/changes.sql");
    connection.each(sql, seen, |row| -> Result<()> {
        let of = (row.get(0)?, row.get(1)?, row.get(2)?);
        changes
            .entry(of)
            .or_default()
            .extend(rows::changed(row, 3)?);
        Ok(())
    })?;
    let sql = include_str!("sql/items.sql");
    let mut items = Vec::new();
    connection.each(sql, seen, |row| -> Result<()> {
        let (message, kind, start, length): (i64, i64, u32, u32) =
            (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
        let ts = TsKey::from_database(row.get(4)?);
        let id = ItemId {
            channel_id: row.get(5)?,
            ts,
            kind: rows::kind(kind),
            start,
        };
        let text: String = row.get(10)?;
        let title = KeptText {
            span: KeptSpan {
                message: MessageRef {
                    channel_id: id.channel_id.clone(),
                    ts: ts.to_string(),
                },
                start,
                length,
            },
            user: User {
                id: row.get(7)?,
                name: row.get(8)?,
                is_bot: row.get(9)?,
            },
            timestamp: place.local_time.at(ts.unix_seconds()),
            text: erasure::part(&text, start, length),
        };
        let changes = changes.remove(&(message, kind, start)).unwrap_or_default();
        items.push(StoredItem {
            item: fold::item(id.kind, title, &changes),
            channel_name: row.get(6)?,
            id,
            changes,
        });
        Ok(())
    })?;
    Ok(items)
}
