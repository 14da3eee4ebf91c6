//! Saving a memory. All of it runs in the caller's transaction.

use std::collections::BTreeSet;

use myao_plugin::storage::{Memory, MemoryDraft, STAND_IN_VERSION, SaveMode, StorageError};
use myao_plugin::{Engine, MemoryType, Scope, names};
use rusqlite::{Connection, OptionalExtension, params};

use super::backlog::{recount_channel, recount_thread};
use super::error::Fault;
use super::messages::channel_key;
use super::place::Place;
use super::{deferrals, journal, recordings, rows, writing};

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
    /// The id and version of the newest memory, stand-ins not counted.
    pub(super) fn newest(&self, connection: &Connection) -> rusqlite::Result<Option<(u64, u32)>> {
        connection
            .prepare_cached(include_str!("sql/newest_memory.sql"))?
            .query_row(self.columns(), |row| {
                Ok((rows::memory_id(row.get(0)?), row.get(1)?))
            })
            .optional()
    }

    /// When the first text of a version was made.
    fn first_created(
        &self,
        connection: &Connection,
        version: u32,
    ) -> rusqlite::Result<Option<i64>> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        connection
            .prepare_cached(include_str!("sql/first_created.sql"))?
            .query_row(
                params![workspace, scope, scope_id, memory_type, version],
                |row| row.get(0),
            )
            .optional()
    }

    /// Sets the texts aside that a text saved in this mode replaces.
    pub(super) fn supersede(
        &self,
        connection: &Connection,
        mode: SaveMode,
        now: i64,
    ) -> rusqlite::Result<()> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        let supersede = match mode {
            SaveMode::Overwrite => include_str!("sql/supersede.sql"),
            SaveMode::NewVersion | SaveMode::StandIn => include_str!("sql/supersede_stand_in.sql"),
        };
        connection.prepare_cached(supersede)?.execute(params![
            workspace,
            scope,
            scope_id,
            memory_type,
            now
        ])?;
        Ok(())
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

    /// Workspace, scope, scope id and memory type.
    pub(super) fn columns(&self) -> (i64, i64, &str, i64) {
        let (scope, memory_type) = (
            rows::scope_code(self.scope),
            rows::type_code(self.memory_type),
        );
        (self.workspace, scope, self.scope_id, memory_type)
    }
}

/// A channel, or a thread of it, whose backlog a memory changes.
pub(super) struct Subject {
    channel: i64,
    thread: Option<i64>,
}

/// Saves a memory and returns it as it was saved.
pub(super) fn save(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
) -> Result<Memory, Fault> {
    let (subject, scope_id) = subject(connection, place, draft.scope, &draft.scope_id)?;
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
        SaveMode::Overwrite => (1, series.first_created(connection, 1)?.unwrap_or(now)),
        SaveMode::StandIn => (
            STAND_IN_VERSION,
            series
                .first_created(connection, STAND_IN_VERSION)?
                .unwrap_or(now),
        ),
    };
    series.supersede(connection, draft.mode, now)?;
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
    add_coverage(connection, draft, id)?;
    recordings::link(connection, &series, &draft.content, id)?;
    if draft.mode != SaveMode::StandIn {
        deferrals::end(connection, &series)?;
        journal::end_wait(connection, &series, draft.engine, id)?;
        recount(connection, place.workspace, subject, now)?;
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

/// What a memory is about, and its scope id with the thread written as everywhere.
pub(super) fn subject(
    connection: &Connection,
    place: &Place,
    scope: Scope,
    scope_id: &str,
) -> Result<(Option<Subject>, String), Fault> {
    match scope {
        Scope::Workspace if scope_id == &*place.scope_id => Ok((None, scope_id.to_owned())),
        Scope::Workspace => Err(StorageError::Invalid(format!(
            "`{scope_id}` is not the workspace scope id: expected `{}`",
            place.scope_id
        ))
        .into()),
        Scope::Channel => {
            let channel = channel_key(connection, place, scope_id)?;
            Ok((
                Some(Subject {
                    channel,
                    thread: None,
                }),
                scope_id.to_owned(),
            ))
        }
        Scope::Thread => {
            let (channel_id, thread) = rows::thread_scope(scope_id)?;
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
    let keys = draft.source_messages.iter().map(|ts| rows::key(ts));
    let keys = keys.collect::<Result<BTreeSet<i64>, _>>()?;
    let wanted = json_array(&keys);
    let found = connection
        .prepare_cached(include_str!("sql/insert_source_messages.sql"))?
        .execute(params![memory, channel, wanted])?;
    if found == keys.len() {
        return Ok(());
    }
    let missing = connection
        .prepare_cached(include_str!("sql/missing_message.sql"))?
        .query_row(params![channel, wanted], |row| row.get(0))?;
    Err(StorageError::Invalid(format!(
        "source message {} of channel `{}` is not stored",
        rows::ts(missing),
        draft.source_channel_id
    ))
    .into())
}

/// `[1,2,3]`, for SQLite's `json_each`: a memory has many sources, and one statement is much quicker than one for each.
fn json_array(keys: &BTreeSet<i64>) -> String {
    let keys: Vec<String> = keys.iter().map(i64::to_string).collect();
    format!("[{}]", keys.join(","))
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

fn add_coverage(connection: &Connection, draft: &MemoryDraft, memory: i64) -> rusqlite::Result<()> {
    let coverage = &draft.coverage;
    let left_out = &coverage.left_out;
    connection
        .prepare_cached(include_str!("sql/insert_coverage.sql"))?
        .execute(params![
            memory,
            draft.truncated,
            coverage.messages,
            coverage.covered,
            left_out.other_channels,
            left_out.workspace,
            left_out.messages,
            left_out.channel,
            coverage.chunks,
            coverage.calls,
        ])?;
    Ok(())
}

/// What came before a channel's first version is no longer asked for. (Its long-term memory comes after that, too.)
fn end_history(connection: &Connection, channel: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(include_str!("sql/end_history.sql"))?
        .execute([channel])?;
    Ok(())
}

/// Counts anew what a memory changes. It was made of what was there when its run began, at `now`.
fn recount(
    connection: &Connection,
    workspace: i64,
    subject: Option<Subject>,
    now: i64,
) -> rusqlite::Result<()> {
    let Some(Subject { channel, thread }) = subject else {
        return Ok(());
    };
    let Some(thread) = thread else {
        recount_channel(connection, channel)?;
        return end_history(connection, channel);
    };
    writing::end_changed(connection, workspace, (channel, thread), now)?;
    recount_thread(connection, channel, thread)
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
