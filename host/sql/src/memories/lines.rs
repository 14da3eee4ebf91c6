//! The lines of memories, with the messages that they were made from.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::storage::{MemoryDraft, StorageError};
use myao_plugin::{Citation, MessageRef, erasure};

use crate::fault::Fault;
use crate::messages::stored as messages;
use crate::place::Place;
use crate::rows;
use crate::sight::{json_array, json_tuples};

/// A line with its messages' keys.
pub(crate) struct StoredLine {
    pub(crate) start: u32,
    pub(crate) length: u32,
    pub(crate) messages: Vec<i64>,
}

/// Stores the lines of a draft's text.
pub(crate) fn add(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    if !erasure::are_in_order(&draft.content, &draft.citations) {
        let id = &draft.scope_id;
        let text = format!("the citations of the memory of `{id}` are not lines of its text");
        return Err(StorageError::Invalid(text).into());
    }
    let lines = erasure::lines(&draft.content, &draft.citations);
    let cited = lines.iter().flat_map(|line| &line.messages);
    let mut keys = messages(connection, place, cited)?.into_iter();
    let stored = lines.iter().map(|line| StoredLine {
        start: line.start,
        length: line.length,
        messages: keys.by_ref().take(line.messages.len()).collect(),
    });
    let stored: Vec<StoredLine> = stored.collect();
    Ok(insert(connection, memory, &stored)?)
}

/// Stores a text of which nothing is known as one line.
pub(crate) fn add_unknown(connection: &Connection, memory: i64, content: &str) -> Result<()> {
    let whole = erasure::lines(content, &[]);
    let lines: Vec<StoredLine> = whole
        .iter()
        .map(|line| StoredLine {
            start: line.start,
            length: line.length,
            messages: Vec::new(),
        })
        .collect();
    insert(connection, memory, &lines)
}

/// Stores lines in place of those of before.
pub(crate) fn replace(connection: &Connection, memory: i64, lines: &[StoredLine]) -> Result<()> {
    connection.execute("DELETE FROM memory_lines WHERE memory = ?1", [memory])?;
    insert(connection, memory, lines)
}

fn insert(connection: &Connection, memory: i64, lines: &[StoredLine]) -> Result<()> {
    let insert = "INSERT INTO memory_lines (memory, number, start, length, has_source) \
        SELECT ?1, first, second, third, fourth FROM tuples(?2)";
    let numbered = (0_i64..).zip(lines);
    let rows = numbered.clone().map(|(number, line)| {
        let has_source = i64::from(!line.messages.is_empty());
        [number, line.start.into(), line.length.into(), has_source]
    });
    connection.execute(insert, params![memory, json_tuples(rows)])?;
    let cite = "INSERT INTO line_sources (memory, number, message) \
        SELECT ?1, first, second FROM tuples(?2) WHERE true ON CONFLICT DO NOTHING";
    let rows = numbered
        .flat_map(|(number, line)| line.messages.iter().map(move |message| [number, *message]));
    connection.execute(cite, params![memory, json_tuples(rows)])?;
    Ok(())
}

/// Returns true if a memory has a line without a source.
pub(crate) fn has_unknown(connection: &Connection, memory: i64) -> Result<bool> {
    let unknown = "SELECT EXISTS (SELECT 1 FROM memory_lines INDEXED BY memory_lines_without_source \
        WHERE memory = ?1 AND has_source = 0)";
    connection.query_row(unknown, [memory], |row| row.get(0))
}

/// The lines of a memory, in order.
pub(crate) fn of(connection: &Connection, memory: i64) -> Result<Vec<StoredLine>> {
    let mut lines: BTreeMap<i64, StoredLine> = BTreeMap::new();
    let statement = include_str!("sql/lines_of_memory.sql");
    connection.each(statement, [memory], |row| -> Result<()> {
        let line = lines.entry(row.get(0)?).or_insert(StoredLine {
            start: row.get(1)?,
            length: row.get(2)?,
            messages: Vec::new(),
        });
        line.messages.extend(row.get::<Option<i64>>(3)?);
        Ok(())
    })?;
    Ok(lines.into_values().collect())
}

/// The citations of a draft as they were saved.
pub(crate) fn of_saved(
    connection: &Connection,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<Vec<Citation>> {
    if draft.citations.is_empty() {
        return Ok(Vec::new());
    }
    let ids = json_array(&BTreeSet::from([memory]));
    let mut found = citations(connection, &ids)?;
    Ok(found.remove(&memory).unwrap_or_default())
}

/// The citations of several memories, by their ids. A memory of which nothing is known has none.
pub(crate) fn citations(
    connection: &Connection,
    memories: &str,
) -> Result<BTreeMap<i64, Vec<Citation>>> {
    let mut citations: BTreeMap<i64, BTreeMap<i64, Citation>> = BTreeMap::new();
    let statement = include_str!("sql/citations.sql");
    connection.each(statement, [memories], |row| -> Result<()> {
        let lines = citations.entry(row.get(0)?).or_default();
        let line = lines.entry(row.get(1)?).or_insert(Citation {
            start: row.get(2)?,
            length: row.get(3)?,
            messages: Vec::new(),
            by_program: false,
        });
        if let (Some(channel_id), Some(key)) = (row.get(4)?, row.get(5)?) {
            let is_program: bool = row.get(6)?;
            line.by_program = is_program && (line.messages.is_empty() || line.by_program);
            line.messages.push(MessageRef {
                channel_id,
                ts: rows::ts(key),
            });
        }
        Ok(())
    })?;
    let in_order = |lines: BTreeMap<i64, Citation>| lines.into_values().collect();
    Ok(citations
        .into_iter()
        .map(|(memory, lines)| (memory, in_order(lines)))
        .collect())
}

/// The keys of the messages that a draft refers to, in the same order.
pub(crate) fn messages<'r>(
    connection: &Connection,
    place: &Place,
    references: impl Iterator<Item = &'r MessageRef> + Clone,
) -> Result<Vec<i64>, Fault> {
    let keys = messages::keys_of(connection, place, references.clone())?;
    let keys = references.zip(keys).map(|(of, key)| {
        key.ok_or_else(|| {
            let text = format!(
                "cited message {} of channel `{}` is not stored",
                of.ts, of.channel_id
            );
            StorageError::Invalid(text).into()
        })
    });
    keys.collect()
}
