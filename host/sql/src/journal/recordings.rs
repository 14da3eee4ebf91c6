//! Recordings of calls into the component.

use crate::params;
use crate::session::{Column, Connection, Error, OptionalExtension, Result, Row};
use myao_plugin::digest::sha256_hex;
use myao_plugin::recording::{Head, ImportCall, Part, Recording, Recordings};
use myao_plugin::storage::StorageError;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fault::Fault;
use crate::memories::series::{Series, subject};
use crate::messages::stored::{channel_keys, not_stored};
use crate::place::Place;
use crate::rows;
use crate::sight::{json_ids, json_tuples};
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl Recordings for SqlWorkspace {
    async fn keep(&self, part: Part) -> Result<i64, StorageError> {
        self.writing(move |connection, place| keep(connection, place, &part))
            .await
    }

    async fn discard(&self, recording: i64) -> Result<(), StorageError> {
        self.writing(move |connection, _| Ok(delete(connection, recording)?))
            .await
    }
}

/// Deletes a recording with all its rows.
pub(crate) fn delete(connection: &Connection, recording: i64) -> Result<()> {
    for sql in [
        "DELETE FROM recorded_memories WHERE recording = ?1",
        "DELETE FROM recorded_messages WHERE recording = ?1",
        "DELETE FROM recorded_saves WHERE recording = ?1",
        "DELETE FROM recorded_calls WHERE recording = ?1",
        "DELETE FROM recordings WHERE id = ?1",
    ] {
        connection.execute(sql, [recording])?;
    }
    Ok(())
}

/// The recording of the call that saved a memory, up to that save.
pub(crate) fn of(
    connection: &Connection,
    place: &Place,
    memory: u64,
) -> Result<Option<Recording>, Fault> {
    let found = connection
        .query_row(
            include_str!("sql/recording_of_memory.sql"),
            params![place.workspace, rows::memory_column(memory)],
            |row| {
                let head = Head {
                    export: json(row, 2)?,
                    component: row.get(3)?,
                    started_at: row.get(4)?,
                };
                Ok((row.get(0)?, row.get(1)?, head))
            },
        )
        .optional()?;
    let Some((recording, last, head)) = found else {
        return Ok(None);
    };
    let key: [i64; 2] = [recording, last];
    let calls = connection.query_map(include_str!("sql/recorded_calls.sql"), key, import_call)?;
    Ok(Some(Recording { head, calls }))
}

/// Notes that the newest recorded save with this text has saved a memory, if there is such a save.
pub(crate) fn link(
    connection: &Connection,
    series: &Series<'_>,
    content: &str,
    memory: i64,
) -> Result<()> {
    let (workspace, scope, scope_id, memory_type) = series.columns();
    let digest = sha256_hex(content);
    let save: Option<(i64, i64)> = connection
        .query_row(
            include_str!("sql/recorded_save.sql"),
            params![workspace, scope, scope_id, memory_type, digest],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    if let Some((recording, number)) = save {
        connection.execute(
            "UPDATE recorded_saves SET memory = ?3 WHERE recording = ?1 AND number = ?2",
            [recording, number, memory],
        )?;
        let insert = "INSERT INTO recorded_memories (memory, recording) VALUES (?1, ?2) ON CONFLICT DO NOTHING";
        connection.execute(insert, [memory, recording])?;
    }
    Ok(())
}

fn keep(connection: &Connection, place: &Place, part: &Part) -> Result<i64, Fault> {
    let recording = match part.recording {
        Some(recording) => recording,
        None => insert(connection, place, &part.head)?,
    };
    let insert_call = "INSERT INTO recorded_calls (recording, number, import, arguments, result) VALUES (?1, ?2, ?3, ?4, ?5) \
             ON CONFLICT (recording, number) DO UPDATE SET result = excluded.result";
    let mut number = i64::try_from(part.first).unwrap_or(i64::MAX);
    for call in &part.calls {
        connection.execute(
            insert_call,
            params![
                recording,
                number,
                call.import,
                call.arguments.to_string(),
                call.result.as_ref().map(Value::to_string),
            ],
        )?;
        number += 1;
    }
    let draft = &part.draft;
    let (_, scope_id) = subject(connection, place, draft.scope, &draft.scope_id)?;
    connection
        .execute("INSERT INTO recorded_saves (recording, number, workspace, scope, scope_id, memory_type, text_digest) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)", params![
            recording,
            number - 1,
            place.workspace,
            rows::scope_code(draft.scope),
            scope_id,
            rows::type_code(draft.memory_type),
            sha256_hex(&draft.content),
        ])?;
    insert_sources(connection, place, part, recording)?;
    Ok(recording)
}

fn insert(connection: &Connection, place: &Place, head: &Head) -> Result<i64> {
    let export = serde_json::to_string(&head.export).map_err(|error| Error::Value(error.into()))?;
    connection.query_row(
        "INSERT INTO recordings (workspace, export, component, started_at) \
             VALUES (?1, ?2, ?3, ?4) \
             RETURNING id",
        params![place.workspace, export, head.component, head.started_at],
        |row| row.get(0),
    )
}

fn insert_sources(
    connection: &Connection,
    place: &Place,
    part: &Part,
    recording: i64,
) -> Result<(), Fault> {
    let ids = part.messages.iter().map(|(channel_id, _)| &**channel_id);
    let channels = channel_keys(connection, place, ids)?;
    let mut messages = Vec::new();
    for (channel_id, ts) in &part.messages {
        let channel = channels
            .get(channel_id)
            .ok_or_else(|| not_stored(channel_id))?;
        messages.push([*channel, rows::key(ts)?]);
    }
    let insert = "INSERT INTO recorded_messages (channel, ts_key, recording) \
        SELECT first, second, ?2 FROM tuples(?1) WHERE true ON CONFLICT DO NOTHING";
    connection.execute(insert, params![json_tuples(messages), recording])?;
    let insert = "INSERT INTO recorded_memories (memory, recording) \
        SELECT value, ?2 FROM integers(?1) WHERE true ON CONFLICT DO NOTHING";
    connection.execute(insert, params![json_ids(&part.memories), recording])?;
    Ok(())
}

fn import_call(row: &Row<'_>) -> Result<ImportCall> {
    let has_result = row.get_ref(2)? != Column::Null;
    Ok(ImportCall {
        import: row.get(0)?,
        arguments: json(row, 1)?,
        result: has_result.then(|| json(row, 2)).transpose()?,
    })
}

/// Reads a column that contains JSON.
fn json<T: DeserializeOwned>(row: &Row<'_>, column: usize) -> Result<T> {
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| Error::Value(error.into()))
}
