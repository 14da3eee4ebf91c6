//! Records beside memories: parts of messages, as references.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::storage::{MemoryDraft, SaveMode};
use myao_plugin::ts::TsKey;
use myao_plugin::{KeptSpan, KeptText, MessageRef, Timestamp, User, erasure};

use crate::fault::Fault;
use crate::memories::lines;
use crate::messages::stored as messages;
use crate::place::Place;
use crate::rows;
use crate::sight::{Sight, json_array, json_tuples};

/// Stores the records of a draft. Those of a text that it replaces go: they are shown nowhere any more.
pub(crate) fn add(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    if let (SaveMode::Overwrite, Some(replaced)) = (draft.mode, draft.expected) {
        remove(connection, rows::memory_column(replaced))?;
    }
    let kept = draft.records.iter();
    let messages = lines::messages(connection, place, kept.clone().map(|span| &span.message))?;
    let rows = kept.zip(messages).zip(0_i64..);
    let rows = rows
        .map(|((span, message), number)| [number, message, span.start.into(), span.length.into()]);
    let insert = "INSERT INTO memory_records (memory, number, message, start, length) \
        SELECT ?1, first, second, third, fourth FROM tuples(?2)";
    connection.execute(insert, params![memory, json_tuples(rows)])?;
    Ok(())
}

/// Removes the records of a memory.
pub(crate) fn remove(connection: &Connection, memory: i64) -> Result<()> {
    connection.execute("DELETE FROM memory_records WHERE memory = ?1", [memory])?;
    Ok(())
}

/// Removes the records of messages, given as a JSON array of keys. Whoever was given their memories reads them again.
pub(crate) fn erase(connection: &Connection, messages: &str, revision: i64) -> Result<()> {
    connection.execute(
        "UPDATE memories SET revised = ?2 WHERE id IN \
            (SELECT memory FROM memory_records WHERE message IN (SELECT value FROM integers(?1)))",
        params![messages, revision],
    )?;
    connection.execute(
        "DELETE FROM memory_records WHERE message IN (SELECT value FROM integers(?1))",
        [messages],
    )?;
    Ok(())
}

/// The records of several memories, by their ids.
pub(crate) fn of(connection: &Connection, memories: &str) -> Result<BTreeMap<i64, Vec<KeptSpan>>> {
    let mut records: BTreeMap<i64, Vec<KeptSpan>> = BTreeMap::new();
    let statement = include_str!("sql/records.sql");
    connection.each(statement, [memories], |row| -> Result<()> {
        records.entry(row.get(0)?).or_default().push(KeptSpan {
            message: MessageRef {
                channel_id: row.get(1)?,
                ts: rows::ts(row.get(2)?),
            },
            start: row.get(3)?,
            length: row.get(4)?,
        });
        Ok(())
    })?;
    Ok(records)
}

/// The words of parts of messages, without those that are gone or may not be seen.
pub(crate) fn texts(
    connection: &Connection,
    place: &Place,
    spans: &[KeptSpan],
) -> Result<Vec<KeptText>, Fault> {
    let (own, sees_open) = Sight::of(connection, place)?.columns();
    let messages = spans.iter().map(|span| &span.message);
    let keys = messages::keys_of(connection, place, messages)?;
    let stored: BTreeSet<i64> = keys.iter().flatten().copied().collect();
    let columns = params![json_array(&stored), own, sees_open];
    let statement = include_str!("sql/span_messages.sql");
    let mut said: BTreeMap<i64, (User, Timestamp, String)> = BTreeMap::new();
    connection.each(statement, columns, |row| -> Result<()> {
        let written = TsKey::from_database(row.get(1)?).unix_seconds();
        let user = User {
            id: row.get(2)?,
            name: row.get(3)?,
            is_bot: row.get(4)?,
        };
        let timestamp = place.local_time.at(written);
        said.insert(row.get(0)?, (user, timestamp, row.get(5)?));
        Ok(())
    })?;
    let texts = spans.iter().zip(keys).filter_map(|(span, key)| {
        let (user, timestamp, text) = said.get(&key?)?;
        Some(KeptText {
            span: span.clone(),
            user: user.clone(),
            timestamp: *timestamp,
            text: erasure::part(text, span.start, span.length),
        })
    });
    Ok(texts.collect())
}
