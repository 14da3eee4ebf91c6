//! What people ask of the journal: which calls there were, and which of them made a memory. All blocks.

use std::time::Duration;

use myao_plugin::journal::{StoredCall, Taken};
use rusqlite::{OptionalExtension, Row, params};

use super::error::StoreError;
use super::journal::{agent, finish_reason};
use super::rows;
use super::workspace::SqliteWorkspace;

impl SqliteWorkspace {
    /// The calls that began from one time on and before another, in milliseconds since 1970, in order.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn calls(&self, since: i64, before: i64) -> Result<Vec<StoredCall>, StoreError> {
        self.read(|connection, place| {
            let mut statement = connection.prepare_cached(include_str!("sql/calls.sql"))?;
            let rows = statement.query_map(params![place.workspace, since, before], call)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The calls that a memory took, with the digest of its input. What is about another workspace took none.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn taken(&self, memory: u64) -> Result<Taken, StoreError> {
        self.read(|connection, place| {
            let key = (place.workspace, rows::memory_column(memory));
            let calls = include_str!("sql/calls_of_memory.sql");
            let input_digest = connection
                .prepare_cached(include_str!("sql/input_digest.sql"))?
                .query_row(key, |row| row.get(0))
                .optional()?;
            Ok(Taken {
                calls: connection
                    .prepare_cached(calls)?
                    .query_map(key, call)?
                    .collect::<rusqlite::Result<_>>()?,
                input_digest: input_digest.flatten(),
            })
        })
    }
}

fn call(row: &Row<'_>) -> rusqlite::Result<StoredCall> {
    let milliseconds: i64 = row.get(9)?;
    Ok(StoredCall {
        agent: agent(row.get(0)?),
        scope: rows::scope(row.get(1)?),
        scope_id: row.get(2)?,
        memory_type: row.get::<_, Option<i64>>(3)?.map(rows::memory_type),
        channel_name: row.get(4)?,
        provider: row.get(5)?,
        model: row.get(6)?,
        answered_by: row.get(7)?,
        started_at: row.get(8)?,
        duration: Duration::from_millis(u64::try_from(milliseconds).unwrap_or(0)),
        attempts: row.get(10)?,
        input_tokens: row.get(11)?,
        cached_tokens: row.get(12)?,
        output_tokens: row.get(13)?,
        finish_reason: row.get::<_, Option<i64>>(14)?.map(finish_reason),
        error: row.get(15)?,
        digest: row.get(16)?,
    })
}
