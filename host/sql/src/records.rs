//! What is kept beside memories: parts of messages, as references.

use std::collections::BTreeMap;

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::storage::{MemoryDraft, SaveMode};
use myao_plugin::{KeptSpan, KeptText, MessageRef, User, erasure};

use super::fault::Fault;
use super::place::Place;
use super::sight::Sight;
use super::{lines, rows};

/// Stores the records of a draft. Those of a text that it replaces go: they are shown nowhere any more.
pub(super) fn add(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    if let (SaveMode::Overwrite, Some(replaced)) = (draft.mode, draft.expected) {
        remove(connection, rows::memory_column(replaced))?;
    }
    let insert = "INSERT INTO memory_records (memory, number, message, start, length) VALUES (?1, ?2, ?3, ?4, ?5)";
    for (number, span) in (0_i64..).zip(&draft.records) {
        let message = lines::message(connection, place, &span.message)?;
        connection.execute(
            insert,
            params![memory, number, message, span.start, span.length],
        )?;
    }
    Ok(())
}

/// Removes the records of a memory.
pub(super) fn remove(connection: &Connection, memory: i64) -> Result<()> {
    connection.execute("DELETE FROM memory_records WHERE memory = ?1", [memory])?;
    Ok(())
}

/// Removes the records of messages, given as a JSON array of keys. Whoever was given their memories reads them again.
pub(super) fn erase(connection: &Connection, messages: &str, revision: i64) -> Result<()> {
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
pub(super) fn of(connection: &Connection, memories: &str) -> Result<BTreeMap<i64, Vec<KeptSpan>>> {
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
pub(super) fn texts(
    connection: &Connection,
    place: &Place,
    spans: &[KeptSpan],
) -> Result<Vec<KeptText>, Fault> {
    let (own, sees_open) = Sight::of(connection, place)?.columns();
    let statement = include_str!("sql/span_message.sql");
    let mut texts = Vec::new();
    for span in spans {
        let of = &span.message;
        let columns = params![
            place.workspace,
            of.channel_id,
            rows::key(&of.ts)?,
            own,
            sees_open
        ];
        let found = connection.query_row(statement, columns, |row| {
            let key: i64 = row.get(0)?;
            let written = myao_plugin::ts::TsKey::from_database(key).unix_seconds();
            let text: String = row.get(4)?;
            Ok(KeptText {
                span: span.clone(),
                user: User {
                    id: row.get(1)?,
                    name: row.get(2)?,
                    is_bot: row.get(3)?,
                },
                timestamp: place.local_time.at(written),
                text: erasure::part(&text, span.start, span.length),
            })
        });
        texts.extend(found.optional()?);
    }
    Ok(texts)
}
