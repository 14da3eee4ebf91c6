//! The ledger: items are parts of messages, and their state is the fold of what messages and people say of them.

mod fold;
pub(crate) mod people;
mod rows;

use std::collections::BTreeMap;

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::state::items::{ItemChanged, ItemFilter, ItemId, StoredItem};
use myao_plugin::storage::{ItemQuery, MemoryDraft};
use myao_plugin::ts::TsKey;
use myao_plugin::{Item, ItemKind, ItemState, KeptSpan, KeptText, MessageRef, User, erasure};
use myao_terms::addressed::{self, Noted};

use crate::fault::Fault;
use crate::memories::lines;
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::rows as columns;
use crate::sight::Sight;

/// A longer title is cut, in Unicode scalar values.
const MAX_TITLE: u32 = 200;

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
                let insert = "INSERT INTO items (message, kind, start, length) SELECT ?1, ?2, ?3, ?4 \
                    WHERE NOT EXISTS (SELECT 1 FROM items WHERE message = ?1 AND kind = ?2 AND is_marked = 1) \
                    ON CONFLICT DO NOTHING";
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
    let left = "SELECT key, text FROM messages \
        WHERE key IN (SELECT value FROM integers(?1)) AND deleted_at IS NULL AND is_bot = 0";
    let left: Vec<(i64, String)> = columns::list(connection, left, params![messages], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    for (key, text) in left {
        mark(connection, key, &text)?;
    }
    Ok(())
}

/// Notes the item that a message marks itself.
pub(crate) fn mark(connection: &Connection, key: i64, text: &str) -> Result<()> {
    let Some((noted, said)) = addressed::noted(text) else {
        return Ok(());
    };
    let kind = rows::kind_code(match noted {
        Noted::Decision => ItemKind::Decision,
        Noted::Task => ItemKind::Task,
        Noted::Fact => ItemKind::Fact,
    });
    let scalars = |range| {
        let part = text.get(range).map_or(0, |part: &str| part.chars().count());
        u32::try_from(part).unwrap_or(u32::MAX)
    };
    let (start, length) = (scalars(0..said.start), scalars(said).min(MAX_TITLE));
    let insert =
        "INSERT INTO items (message, kind, start, length, is_marked) VALUES (?1, ?2, ?3, ?4, 1)";
    connection.execute(insert, params![key, kind, start, length])?;
    Ok(())
}

/// Removes the items of a channel that a model made: they are made anew. What people marked and set stays.
pub(crate) fn begin_again(connection: &Connection, channel: i64) -> Result<()> {
    for sql in [
        "DELETE FROM items WHERE is_marked = 0 AND message IN (SELECT key FROM messages WHERE channel = ?1)",
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

/// The items that a query of the component selects.
pub(crate) fn selected(
    connection: &Connection,
    place: &Place,
    query: &ItemQuery,
) -> Result<Vec<Item>, Fault> {
    let since = query.since.as_deref().map(TsKey::parse).transpose()?;
    let filter = ItemFilter {
        channel_id: query.channel_id.clone(),
        until: Some(TsKey::parse(&query.until)?),
    };
    let mut selected = Vec::new();
    for StoredItem { item, .. } in items(connection, place, &filter)? {
        let is_new = match since {
            Some(since) => TsKey::parse(&item.state_since)? >= since,
            None => true,
        };
        if is_new && (query.closed || item.state == ItemState::Open) {
            selected.push(item);
        }
    }
    Ok(selected)
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
