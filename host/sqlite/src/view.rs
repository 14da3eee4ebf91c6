//! What people want to know from a store: which memories there are, and what they were made from.

use myao_plugin::recording::Recording;
use myao_plugin::state::view::{
    MemoryFilter, SourceMemory, SourceMessage, Sources, StoredMemory, View,
};
use myao_plugin::storage::{Channel, Coverage, LeftOut, StorageError};
use myao_plugin::ts::TsKey;
use rusqlite::{Connection, Row, params};

use super::error::Fault;
use super::messages::channels;
use super::place::Place;
use super::recordings;
use super::rows;
use super::workspace::SqliteWorkspace;

#[async_trait::async_trait]
impl View for SqliteWorkspace {
    async fn channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.reading(channels).await
    }

    async fn memories(&self, filter: MemoryFilter) -> Result<Vec<StoredMemory>, StorageError> {
        self.reading(move |connection, place| stored_memories(connection, place, &filter))
            .await
    }

    async fn sources(&self, memory: u64) -> Result<Sources, StorageError> {
        self.reading(move |connection, place| sources(connection, place, memory))
            .await
    }

    async fn recording_of(&self, memory: u64) -> Result<Option<Recording>, StorageError> {
        self.reading(move |connection, place| recordings::of(connection, place, memory))
            .await
    }
}

pub(super) fn stored_memories(
    connection: &Connection,
    place: &Place,
    filter: &MemoryFilter,
) -> Result<Vec<StoredMemory>, Fault> {
    let mut statement = connection.prepare_cached(include_str!("sql/stored_memories.sql"))?;
    let params = params![
        place.workspace,
        filter.scope.map(rows::scope_code),
        filter.scope_id,
        filter.memory_type.map(rows::type_code),
        filter.superseded,
        filter.with_text,
    ];
    let rows = statement.query_map(params, |row| {
        let superseded: Option<i64> = row.get(12)?;
        Ok(StoredMemory {
            memory: rows::memory(row, &place.local_time)?,
            channel_name: row.get(13)?,
            superseded_at: superseded.map(|time| place.local_time.at(time)),
            source_messages: row.get(14)?,
            source_memories: row.get(15)?,
            truncated: row.get(16)?,
            coverage: coverage(row)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn coverage(row: &Row<'_>) -> rusqlite::Result<Option<Coverage>> {
    let Some(messages) = row.get(17)? else {
        return Ok(None);
    };
    Ok(Some(Coverage {
        messages,
        covered: row.get(18)?,
        left_out: LeftOut {
            other_channels: row.get(19)?,
            workspace: row.get(20)?,
            messages: row.get(21)?,
            channel: row.get(22)?,
        },
        chunks: row.get(23)?,
        calls: row.get(24)?,
    }))
}

pub(super) fn sources(connection: &Connection, place: &Place, id: u64) -> Result<Sources, Fault> {
    let column = rows::memory_column(id);
    let exists: bool = connection
        .prepare_cached(include_str!("sql/memory_exists.sql"))?
        .query_row([place.workspace, column], |row| row.get(0))?;
    if !exists {
        return Err(StorageError::NotFound(format!("there is no memory with the id {id}")).into());
    }
    let mut messages = connection.prepare_cached(include_str!("sql/source_messages.sql"))?;
    let mut memories = connection.prepare_cached(include_str!("sql/source_memories.sql"))?;
    Ok(Sources {
        messages: messages
            .query_map([column], source_message)?
            .collect::<rusqlite::Result<_>>()?,
        memories: memories
            .query_map([column], |row| source_memory(row, place))?
            .collect::<rusqlite::Result<_>>()?,
    })
}

fn source_message(row: &Row<'_>) -> rusqlite::Result<SourceMessage> {
    Ok(SourceMessage {
        channel_id: row.get(0)?,
        channel_name: row.get(1)?,
        ts: TsKey::from_database(row.get(2)?),
        author: row.get(3)?,
        text: row.get(4)?,
        deleted: row.get(5)?,
    })
}

fn source_memory(row: &Row<'_>, place: &Place) -> rusqlite::Result<SourceMemory> {
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
