//! What people want to know from a store: which memories there are, and what they were made from.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use myao_plugin::Place as SeenFrom;
use myao_plugin::erasure;
use myao_plugin::recording::Recording;
use myao_plugin::state::view::{
    MemoryFilter, SourceLine, SourceMemory, SourceMessage, Sources, StoredMemory, View,
};
use myao_plugin::storage::{Channel, Coverage, LeftOut, StorageError};
use myao_plugin::ts::TsKey;
use rusqlite::{Connection, Row, params};

use super::error::Fault;
use super::messages::channels;
use super::place::Place;
use super::recordings;
use super::rows;
use super::sight::Sight;
use super::workspace::SqliteWorkspace;

/// A workspace that was opened for a place, for people.
pub(super) struct SeenWorkspace(pub(super) SqliteWorkspace);

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

    async fn sources(&self, memory: u64) -> Result<Sources, StorageError> {
        self.0
            .reading(move |connection, place| sources(connection, place, memory))
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

/// The memories that may be seen.
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
        let origins: Option<i64> = row.get(25)?;
        let superseded: Option<i64> = row.get(12)?;
        let stored = StoredMemory {
            memory: rows::memory(row, &place.local_time)?,
            channel_name: row.get(13)?,
            superseded_at: superseded.map(|time| place.local_time.at(time)),
            source_messages: row.get(14)?,
            source_memories: row.get(15)?,
            truncated: row.get(16)?,
            coverage: coverage(row)?,
            is_set_aside: origins.is_none(),
        };
        let channel: Option<i64> = row.get(26)?;
        Ok((stored, origins, channel))
    })?;
    let mut found: Vec<_> = rows.collect::<rusqlite::Result<_>>()?;
    let sight = Sight::of(connection, place)?;
    sight.retain(connection, &mut found, |(_, origins, _)| *origins)?;
    if let Sight::Bound { own, sees_open } = &sight {
        let open = open_channels(connection, place, *sees_open)?;
        let is_seen = |key: i64| own.contains(&key) || open.contains(&key);
        // The workspace's memories have no channel.
        found.retain(|(_, _, channel)| channel.map_or(*sees_open, is_seen));
    }
    Ok(found.into_iter().map(|(stored, ..)| stored).collect())
}

/// The channels, other than the place's own, whose talk may be shown.
fn open_channels(
    connection: &Connection,
    place: &Place,
    sees_open: bool,
) -> rusqlite::Result<HashSet<i64>> {
    let open = "SELECT channel FROM channel_audience WHERE workspace = ?1 AND is_open AND ?2";
    let found = rows::list(
        connection,
        open,
        params![place.workspace, sees_open],
        |row| row.get(0),
    )?;
    Ok(found.into_iter().collect())
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
        unfounded: row.get(29)?,
        doubtful: row.get(31)?,
        refused: row.get(27)?,
        records: row.get(30)?,
        late: row.get(28)?,
    }))
}

pub(super) fn sources(connection: &Connection, place: &Place, id: u64) -> Result<Sources, Fault> {
    let column = rows::memory_column(id);
    let exists: bool = connection
        .prepare_cached(include_str!("sql/memory_exists.sql"))?
        .query_row([place.workspace, column], |row| row.get(0))?;
    let sight = Sight::of(connection, place)?;
    if !exists || !sight.covers(connection, place, &BTreeSet::from([id]))? {
        return Err(StorageError::NotFound(format!("there is no memory with the id {id}")).into());
    }
    let seen = SeenChannels::of(connection, place, &sight)?;
    let sql = include_str!("sql/source_messages.sql");
    let messages = rows::list(connection, sql, params![column], |row| {
        seen.has(row.get(6)?)
            .then(|| source_message(row))
            .transpose()
    })?;
    let mut memories = connection.prepare_cached(include_str!("sql/source_memories.sql"))?;
    let mut memories = memories
        .query_map([column], |row| {
            Ok((source_memory(row, place)?, row.get(7)?))
        })?
        .collect::<rusqlite::Result<Vec<(SourceMemory, Option<i64>)>>>()?;
    sight.retain(connection, &mut memories, |(_, origins)| *origins)?;
    Ok(Sources {
        messages: messages.into_iter().flatten().collect(),
        memories: memories.into_iter().map(|(memory, _)| memory).collect(),
        lines: source_lines(connection, column, &seen)?,
        records: source_records(connection, column, &seen)?,
    })
}

/// The channels whose talk may be shown; `None` if that is all.
struct SeenChannels(Option<HashSet<i64>>);

impl SeenChannels {
    fn of(connection: &Connection, place: &Place, sight: &Sight) -> rusqlite::Result<Self> {
        let Sight::Bound { own, sees_open } = sight else {
            return Ok(Self(None));
        };
        let mut seen = open_channels(connection, place, *sees_open)?;
        seen.extend(own);
        Ok(Self(Some(seen)))
    }

    fn has(&self, channel: i64) -> bool {
        self.0.as_ref().is_none_or(|seen| seen.contains(&channel))
    }
}

fn source_lines(
    connection: &Connection,
    memory: i64,
    seen: &SeenChannels,
) -> rusqlite::Result<Vec<SourceLine>> {
    let content: String = connection
        .prepare_cached("SELECT content FROM memories WHERE id = ?1")?
        .query_row([memory], |row| row.get(0))?;
    let mut lines: BTreeMap<i64, SourceLine> = BTreeMap::new();
    let mut statement = connection.prepare_cached(include_str!("sql/source_lines.sql"))?;
    let mut found = statement.query([memory])?;
    while let Some(row) = found.next()? {
        let (start, length) = (row.get(8)?, row.get(9)?);
        let line = lines.entry(row.get(7)?).or_insert_with(|| SourceLine {
            text: erasure::part(&content, start, length),
            messages: Vec::new(),
        });
        if row
            .get::<_, Option<i64>>(6)?
            .is_some_and(|channel| seen.has(channel))
        {
            line.messages.push(source_message(row)?);
        }
    }
    Ok(lines.into_values().collect())
}

fn source_records(
    connection: &Connection,
    memory: i64,
    seen: &SeenChannels,
) -> rusqlite::Result<Vec<SourceMessage>> {
    let sql = include_str!("sql/source_records.sql");
    let records = rows::list(connection, sql, params![memory], |row| {
        let mut message = source_message(row)?;
        message.text = erasure::part(&message.text, row.get(7)?, row.get(8)?);
        Ok(seen.has(row.get(6)?).then_some(message))
    })?;
    Ok(records.into_iter().flatten().collect())
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
