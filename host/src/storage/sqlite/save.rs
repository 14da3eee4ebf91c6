//! Saving a memory. All of it runs in the caller's transaction.

use rusqlite::{Connection, OptionalExtension, params};

use super::backlog::{recount_channel, recount_thread};
use super::error::Fault;
use super::messages::channel_key;
use super::place::Place;
use super::rows;
use crate::bindings::types::{Engine, MemoryType, Scope};
use crate::names;
use crate::storage::{Memory, MemoryDraft, SaveMode, StorageError};

/// What a memory is about, as columns.
pub(super) struct Series<'a> {
    pub(super) workspace: i64,
    pub(super) scope: Scope,
    pub(super) scope_id: &'a str,
    pub(super) memory_type: MemoryType,
}

/// A text to insert, as columns.
pub(super) struct Text<'a> {
    pub(super) version: u32,
    pub(super) content: &'a str,
    pub(super) engine: Engine,
    pub(super) created_at: i64,
    pub(super) updated_at: i64,
    pub(super) source_message_count: u32,
    pub(super) source_latest: Option<i64>,
    pub(super) merged_through: Option<u64>,
}

impl Series<'_> {
    /// The id and version of the newest memory.
    pub(super) fn newest(&self, connection: &Connection) -> rusqlite::Result<Option<(u64, u32)>> {
        connection
            .prepare_cached(include_str!("sql/newest_memory.sql"))?
            .query_row(self.columns(), |row| {
                Ok((rows::memory_id(row.get(0)?), row.get(1)?))
            })
            .optional()
    }

    /// When the first text of version 1 was made.
    fn first_created(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        connection
            .prepare_cached(include_str!("sql/first_created.sql"))?
            .query_row(self.columns(), |row| row.get(0))
            .optional()
    }

    /// Sets all current texts aside.
    fn supersede(&self, connection: &Connection, now: i64) -> rusqlite::Result<usize> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        connection
            .prepare_cached(include_str!("sql/supersede.sql"))?
            .execute(params![workspace, scope, scope_id, memory_type, now])
    }

    /// Inserts a text and returns its id, greater than all before it.
    pub(super) fn insert(&self, connection: &Connection, text: &Text<'_>) -> rusqlite::Result<i64> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        connection
            .prepare_cached(include_str!("sql/insert_memory.sql"))?
            .query_row(
                params![
                    workspace,
                    scope,
                    scope_id,
                    memory_type,
                    text.version,
                    text.content,
                    rows::engine_code(text.engine),
                    text.created_at,
                    text.updated_at,
                    text.source_message_count,
                    text.source_latest,
                    text.merged_through.map(rows::memory_column),
                ],
                |row| row.get(0),
            )
    }

    fn columns(&self) -> (i64, i64, &str, i64) {
        let (scope, memory_type) = (
            rows::scope_code(self.scope),
            rows::type_code(self.memory_type),
        );
        (self.workspace, scope, self.scope_id, memory_type)
    }
}

/// A channel, or a thread of it, whose backlog a memory changes.
struct Subject {
    channel: i64,
    thread: Option<i64>,
}

/// Saves a memory and returns it as it was saved.
pub(super) fn save(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
) -> Result<Memory, Fault> {
    let (subject, scope_id) = subject(connection, place, draft)?;
    check(connection, place, draft)?;
    let series = Series {
        workspace: place.workspace,
        scope: draft.scope,
        scope_id: &scope_id,
        memory_type: draft.memory_type,
    };
    let source_latest = draft
        .source_latest_message_ts
        .as_deref()
        .map(rows::key)
        .transpose()?;
    let newest = series.newest(connection)?;
    expect(draft, newest.map(|(id, _)| id))?;
    let now = draft.now.unix_seconds;
    let (version, created_at) = match draft.mode {
        SaveMode::NewVersion => (
            newest.map_or(1, |(_, version)| version.saturating_add(1)),
            now,
        ),
        SaveMode::Overwrite => (1, series.first_created(connection)?.unwrap_or(now)),
    };
    if draft.mode == SaveMode::Overwrite {
        series.supersede(connection, now)?;
    }
    let id = series.insert(
        connection,
        &Text {
            version,
            content: &draft.content,
            engine: draft.engine,
            created_at,
            updated_at: now,
            source_message_count: draft.source_message_count,
            source_latest,
            merged_through: draft.merged_through,
        },
    )?;
    add_source_messages(connection, place, draft, id)?;
    add_source_memories(connection, place, draft, id)?;
    match subject {
        None => {}
        Some(Subject {
            channel,
            thread: None,
        }) => recount_channel(connection, channel)?,
        Some(Subject {
            channel,
            thread: Some(thread),
        }) => {
            recount_thread(connection, channel, thread)?;
        }
    }
    Ok(Memory {
        id: rows::memory_id(id),
        scope: draft.scope,
        scope_id,
        memory_type: draft.memory_type,
        version,
        content: draft.content.clone(),
        engine: draft.engine,
        created_at: rows::timestamp(place.timezone, created_at),
        updated_at: rows::timestamp(place.timezone, now),
        source_message_count: draft.source_message_count,
        source_latest_message_ts: source_latest.map(rows::ts),
        merged_through: draft.merged_through,
    })
}

/// What the memory is about, and its scope id with the thread written as everywhere.
fn subject(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
) -> Result<(Option<Subject>, String), Fault> {
    match draft.scope {
        Scope::Workspace if draft.scope_id == *place.scope_id => Ok((None, draft.scope_id.clone())),
        Scope::Workspace => Err(StorageError::Invalid(format!(
            "`{}` is not the workspace scope id: expected `{}`",
            draft.scope_id, place.scope_id
        ))
        .into()),
        Scope::Channel => {
            let channel = channel_key(connection, place, &draft.scope_id)?;
            Ok((
                Some(Subject {
                    channel,
                    thread: None,
                }),
                draft.scope_id.clone(),
            ))
        }
        Scope::Thread => {
            let (channel_id, thread) = rows::thread_scope(&draft.scope_id)?;
            let channel = channel_key(connection, place, channel_id)?;
            let scope_id = rows::thread_scope_id(channel_id, thread);
            Ok((
                Some(Subject {
                    channel,
                    thread: Some(thread),
                }),
                scope_id,
            ))
        }
    }
}

/// Refuses a draft that makes no sense.
fn check(connection: &Connection, place: &Place, draft: &MemoryDraft) -> Result<(), Fault> {
    if draft.content.trim().is_empty() {
        return Err(StorageError::Invalid(format!(
            "the text of the memory of `{}` is empty: save nothing instead",
            draft.scope_id
        ))
        .into());
    }
    if let Some(merged) = draft.merged_through {
        require_memory(connection, place, merged)?;
    }
    Ok(())
}

fn expect(draft: &MemoryDraft, newest: Option<u64>) -> Result<(), Fault> {
    if draft.expected == newest {
        return Ok(());
    }
    let text = |id: Option<u64>| id.map_or("none".to_owned(), |id| id.to_string());
    Err(StorageError::Conflict(format!(
        "the newest {} {} memory of `{}` is {}, not {}: read again",
        names::scope(draft.scope),
        names::memory_type(draft.memory_type),
        draft.scope_id,
        text(newest),
        text(draft.expected)
    ))
    .into())
}

fn add_source_messages(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    if draft.source_messages.is_empty() {
        return Ok(());
    }
    let channel = channel_key(connection, place, &draft.source_channel_id)?;
    let mut find = connection.prepare_cached(include_str!("sql/source_message.sql"))?;
    let mut insert = connection.prepare_cached(include_str!("sql/insert_source_message.sql"))?;
    for ts in &draft.source_messages {
        let key: Option<i64> = find
            .query_row([channel, rows::key(ts)?], |row| row.get(0))
            .optional()?;
        let key = key.ok_or_else(|| {
            let id = &draft.source_channel_id;
            StorageError::Invalid(format!(
                "source message {ts} of channel `{id}` is not stored"
            ))
        })?;
        insert.execute([memory, key])?;
    }
    Ok(())
}

fn add_source_memories(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    let mut insert = connection.prepare_cached(include_str!("sql/insert_source_memory.sql"))?;
    for source in &draft.source_memories {
        require_memory(connection, place, *source)?;
        insert.execute([memory, rows::memory_column(*source)])?;
    }
    Ok(())
}

fn require_memory(connection: &Connection, place: &Place, id: u64) -> Result<(), Fault> {
    let mut statement = connection.prepare_cached(include_str!("sql/memory_exists.sql"))?;
    let exists: bool =
        statement.query_row([place.workspace, rows::memory_column(id)], |row| row.get(0))?;
    if exists {
        return Ok(());
    }
    Err(StorageError::Invalid(format!("memory {id} does not exist in this workspace")).into())
}
