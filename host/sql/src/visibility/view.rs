//! The view of people: memories and their sources.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::session::{Connection, Result, Row};
use myao_plugin::Place as SeenFrom;
use myao_plugin::erasure;
use myao_plugin::recording::Recording;
use myao_plugin::state::items::{ItemFilter, StoredItem};
use myao_plugin::state::view::{
    ChannelTally, MemoryFilter, SourceLine, SourceMemory, SourceMessage, Sources, StoredAnswer,
    StoredMemory, View,
};
use myao_plugin::storage::{Channel, StorageError};

use crate::fault::Fault;
use crate::journal::recordings;
use crate::ledger;
use crate::memories::stored::{stored_memories, tallies};
use crate::messages::stored::channels;
use crate::place::Place;
use crate::rows;
use crate::sight::{SeenChannels, Sight};
use crate::visibility::answers::answers;
use crate::workspace::SqlWorkspace;

/// A workspace that was opened for a place, for people.
pub(crate) struct SeenWorkspace(pub(crate) SqlWorkspace);

#[async_trait::async_trait]
impl View for SeenWorkspace {
    async fn channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.0.reading(channels).await
    }

    async fn memories(&self, filter: MemoryFilter) -> Result<Vec<StoredMemory>, StorageError> {
        self.0
            .reading(move |connection, place| stored_memories(connection, place, &filter))
            .await
    }

    async fn tallies(&self, channel_ids: Vec<String>) -> Result<Vec<ChannelTally>, StorageError> {
        self.0
            .reading(move |connection, place| tallies(connection, place, &channel_ids))
            .await
    }

    async fn sources(&self, memory: u64) -> Result<Sources, StorageError> {
        self.0
            .reading(move |connection, place| sources(connection, place, memory))
            .await
    }

    async fn items(&self, filter: ItemFilter) -> Result<Vec<StoredItem>, StorageError> {
        self.0
            .reading(move |connection, place| ledger::items(connection, place, &filter))
            .await
    }

    async fn answers(
        &self,
        judged: Option<bool>,
        limit: u32,
    ) -> Result<Vec<StoredAnswer>, StorageError> {
        self.0
            .reading(move |connection, place| answers(connection, place, judged, limit))
            .await
    }

    async fn recording_of(&self, memory: u64) -> Result<Option<Recording>, StorageError> {
        if self.0.place.seen_from != SeenFrom::Operator {
            return Ok(None);
        }
        self.0
            .reading(move |connection, place| recordings::of(connection, place, memory))
            .await
    }
}

pub(crate) fn sources(connection: &Connection, place: &Place, id: u64) -> Result<Sources, Fault> {
    let column = rows::memory_column(id);
    let exists: bool = connection.query_row(
        include_str!("../memories/sql/memory_exists.sql"),
        [place.workspace, column],
        |row| row.get(0),
    )?;
    let sight = Sight::of(connection, place)?;
    if !exists || !sight.covers(connection, place, &BTreeSet::from([id]))? {
        return Err(StorageError::NotFound(format!("there is no memory with the id {id}")).into());
    }
    let seen = SeenChannels::of(connection, place, &sight)?;
    let sql = include_str!("sql/source_messages.sql");
    let messages = rows::list(connection, sql, params![column], |row| {
        seen.has(row.get(6)?)
            .then(|| rows::source_message(row))
            .transpose()
    })?;
    let sql = include_str!("sql/source_memories.sql");
    let mut memories: Vec<(SourceMemory, Option<i64>)> =
        connection.query_map(sql, [column], |row| {
            Ok((source_memory(row, place)?, row.get(7)?))
        })?;
    sight.retain(connection, &mut memories, |(_, origins)| *origins)?;
    Ok(Sources {
        messages: messages.into_iter().flatten().collect(),
        memories: memories.into_iter().map(|(memory, _)| memory).collect(),
        lines: source_lines(connection, column, &seen)?,
        records: source_records(connection, column, &seen)?,
    })
}

fn source_lines(
    connection: &Connection,
    memory: i64,
    seen: &SeenChannels,
) -> Result<Vec<SourceLine>> {
    let content: String = connection.query_row(
        "SELECT content FROM memories WHERE id = ?1",
        [memory],
        |row| row.get(0),
    )?;
    let mut lines: BTreeMap<i64, SourceLine> = BTreeMap::new();
    let statement = include_str!("sql/source_lines.sql");
    connection.each(statement, [memory], |row| -> Result<()> {
        let (start, length) = (row.get(8)?, row.get(9)?);
        let line = lines.entry(row.get(7)?).or_insert_with(|| SourceLine {
            text: erasure::part(&content, start, length),
            messages: Vec::new(),
        });
        if row
            .get::<Option<i64>>(6)?
            .is_some_and(|channel| seen.has(channel))
        {
            line.messages.push(rows::source_message(row)?);
        }
        Ok(())
    })?;
    Ok(lines.into_values().collect())
}

fn source_records(
    connection: &Connection,
    memory: i64,
    seen: &SeenChannels,
) -> Result<Vec<SourceMessage>> {
    let sql = include_str!("sql/source_records.sql");
    let records = rows::list(connection, sql, params![memory], |row| {
        let mut message = rows::source_message(row)?;
        message.text = erasure::part(&message.text, row.get(7)?, row.get(8)?);
        Ok(seen.has(row.get(6)?).then_some(message))
    })?;
    Ok(records.into_iter().flatten().collect())
}

fn source_memory(row: &Row<'_>, place: &Place) -> Result<SourceMemory> {
    Ok(SourceMemory {
        id: rows::memory_id(row.get(0)?),
        scope: rows::scope(row.get(1)?),
        scope_id: row.get(2)?,
        memory_type: rows::memory_type(row.get(3)?),
        version: row.get(4)?,
        updated_at: place.local_time.at(row.get(5)?),
        superseded: row.get(6)?,
    })
}
