//! Converts columns to values of the contract, and back.

use crate::session::{Connection, Result, Row};
use myao_plugin::state::view::SourceMessage;
use myao_plugin::storage::{Deferral, Memory, StorageError};
use myao_plugin::ts::{InvalidTs, TsKey};
use myao_plugin::{Engine, LocalTime, MemoryType, Scope};

/// The value of the watermark column if there is no watermark.
pub(crate) const NO_WATERMARK: i64 = -1;

/// A message id from a column value.
pub(crate) fn ts(key: i64) -> String {
    TsKey::from_database(key).to_string()
}

/// A message id as a column value.
pub(crate) fn key(ts: &str) -> Result<i64, InvalidTs> {
    TsKey::parse(ts).map(TsKey::to_database)
}

/// A memory id from a column value, which is never negative.
pub(crate) fn memory_id(column: i64) -> u64 {
    column.cast_unsigned()
}

/// A memory id as a column value. An id that is too large becomes negative, and so matches no row.
pub(crate) fn memory_column(id: u64) -> i64 {
    id.cast_signed()
}

/// A memory from the columns that `sql/memories_*.sql` select.
pub(crate) fn memory(row: &Row<'_>, local_time: &LocalTime) -> Result<Memory> {
    Ok(Memory {
        id: memory_id(row.get(0)?),
        scope: scope(row.get(1)?),
        scope_id: row.get(2)?,
        memory_type: memory_type(row.get(3)?),
        version: row.get(4)?,
        content: row.get(5)?,
        engine: engine(row.get(6)?),
        created_at: local_time.at(row.get(7)?),
        updated_at: local_time.at(row.get(8)?),
        source_message_count: row.get(9)?,
        source_latest_message_ts: row.get::<Option<i64>>(10)?.map(ts),
        merged_through: row.get::<Option<i64>>(11)?.map(memory_id),
        citations: Vec::new(),
        records: Vec::new(),
    })
}

/// A deferral from the first columns that `sql/deferrals.sql` and `sql/all_deferrals.sql` select.
pub(crate) fn deferral(row: &Row<'_>, local_time: &LocalTime) -> Result<Deferral> {
    Ok(Deferral {
        memory_type: memory_type(row.get(0)?),
        until: local_time.at(row.get(1)?),
        failures: row.get(2)?,
        reason: row.get(3)?,
    })
}

/// The column value of a scope.
pub(crate) fn scope_code(scope: Scope) -> i64 {
    match scope {
        Scope::Workspace => 0,
        Scope::Channel => 1,
        Scope::Thread => 2,
    }
}

/// A scope from its column value; the schema allows no other codes.
pub(crate) fn scope(code: i64) -> Scope {
    match code {
        0 => Scope::Workspace,
        1 => Scope::Channel,
        _ => Scope::Thread,
    }
}

/// The column value of a memory type.
pub(crate) fn type_code(memory_type: MemoryType) -> i64 {
    match memory_type {
        MemoryType::LongTerm => 0,
        MemoryType::ShortTerm => 1,
    }
}

/// A memory type from its column value.
pub(crate) fn memory_type(code: i64) -> MemoryType {
    if code == 0 {
        MemoryType::LongTerm
    } else {
        MemoryType::ShortTerm
    }
}

/// The column value of an engine.
pub(crate) fn engine_code(engine: Engine) -> i64 {
    match engine {
        Engine::Llm => 0,
        Engine::Extractive => 1,
        Engine::Imported => 2,
    }
}

/// An engine from its column value.
pub(crate) fn engine(code: i64) -> Engine {
    match code {
        0 => Engine::Llm,
        1 => Engine::Extractive,
        _ => Engine::Imported,
    }
}

/// Splits a thread's scope id, `CHANNEL:THREAD_TS`.
pub(crate) fn thread_scope(scope_id: &str) -> Result<(&str, i64), StorageError> {
    let invalid = || {
        StorageError::Invalid(format!(
            "`{scope_id}` is not the scope id of a thread: expected CHANNEL:THREAD_TS, as in C1:1709287200.000001"
        ))
    };
    let (channel, thread) = scope_id.rsplit_once(':').ok_or_else(invalid)?;
    Ok((channel, key(thread).map_err(|_| invalid())?))
}

/// The scope id of a thread.
pub(crate) fn thread_scope_id(channel_id: &str, thread_key: i64) -> String {
    format!("{channel_id}:{}", ts(thread_key))
}

/// A message that something was made from: channel, its name, id, author, text, whether it was deleted.
pub(crate) fn source_message(row: &Row<'_>) -> Result<SourceMessage> {
    Ok(SourceMessage {
        channel_id: row.get(0)?,
        channel_name: row.get(1)?,
        ts: TsKey::from_database(row.get(2)?),
        author: row.get(3)?,
        text: row.get(4)?,
        deleted: row.get(5)?,
    })
}

/// Returns all rows of a statement.
pub(crate) fn list<T>(
    connection: &Connection,
    sql: &str,
    columns: &[&dyn crate::session::ToSql],
    read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    connection.query_map(sql, columns, read)
}
