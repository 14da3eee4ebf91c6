//! Waits, deferrals and costs.

use std::time::Duration;

use crate::params;
use crate::session::{OptionalExtension, Result, Row};
use myao_plugin::journal::{CallsOfMemory, ModelUse, StoredCall};
use myao_plugin::state::upkeep::{Backlog, DatabaseUse, Pile, StoredDeferral, Upkeep};
use myao_plugin::storage::StorageError;
use myao_plugin::waits::Wait;

use crate::journal::calls::{agent, finish_reason};
use crate::rows;
use crate::rows::list;
use crate::schedule::begin_again;
use crate::schedule::deferrals;
use crate::schedule::waits;
use crate::visibility::lineage;
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl Upkeep for SqlWorkspace {
    async fn waits(&self, now: i64) -> Result<Vec<Wait>, StorageError> {
        self.reading(move |connection, place| waits::all(connection, place, now))
            .await
    }

    async fn backlog(&self) -> Result<Backlog, StorageError> {
        self.reading(|connection, place| {
            let piles = include_str!("sql/backlog.sql");
            let mut backlog = Backlog::default();
            for (kind, pile) in list(connection, piles, params![place.workspace], |row| {
                let (count, since) = (row.get(1)?, row.get(2)?);
                Ok((row.get::<i64>(0)?, Pile { count, since }))
            })? {
                match kind {
                    0 => backlog.events = pile,
                    1 => backlog.mentions = pile,
                    _ => backlog.parked.count += pile.count,
                }
            }
            Ok(backlog)
        })
        .await
    }

    fn database_use(&self) -> DatabaseUse {
        self.use_of_database()
    }

    async fn deferrals(&self) -> Result<Vec<StoredDeferral>, StorageError> {
        self.reading(deferrals::all).await
    }

    async fn clear_deferrals(&self) -> Result<usize, StorageError> {
        self.writing(|connection, place| {
            let clear = include_str!("../journal/sql/clear_deferrals.sql");
            Ok(connection.execute(clear, params![place.workspace, None::<String>])?)
        })
        .await
    }

    async fn accept_memories(
        &self,
        channel_id: Option<String>,
        now: i64,
    ) -> Result<usize, StorageError> {
        self.writing(move |connection, place| {
            lineage::accept(connection, place, channel_id.as_deref(), now)
        })
        .await
    }

    async fn begin_again(
        &self,
        channel_id: Option<String>,
        now: i64,
    ) -> Result<usize, StorageError> {
        self.writing(move |connection, place| {
            begin_again::begin_again(connection, place, channel_id.as_deref(), now)
        })
        .await
    }

    async fn calls(&self, since: i64, before: i64) -> Result<Vec<StoredCall>, StorageError> {
        self.reading(move |connection, place| {
            let statement = include_str!("sql/calls.sql");
            let rows =
                connection.query_map(statement, params![place.workspace, since, before], call)?;
            Ok(rows)
        })
        .await
    }

    async fn use_of_models(&self, since: i64, before: i64) -> Result<Vec<ModelUse>, StorageError> {
        self.reading(move |connection, place| {
            let sql = include_str!("sql/use_of_models.sql");
            let columns = params![place.workspace, since, before];
            let sum = |sum: i64| u64::try_from(sum).unwrap_or(0);
            Ok(rows::list(connection, sql, columns, |row| {
                Ok(ModelUse {
                    provider: row.get(0)?,
                    model: row.get(1)?,
                    answered_by: row.get(2)?,
                    input_tokens: sum(row.get(3)?),
                    cached_tokens: sum(row.get(4)?),
                    output_tokens: sum(row.get(5)?),
                    unreported: sum(row.get(6)?),
                })
            })?)
        })
        .await
    }

    async fn calls_of_memory(&self, memory: u64) -> Result<CallsOfMemory, StorageError> {
        self.reading(move |connection, place| {
            let key = (place.workspace, rows::memory_column(memory));
            let calls = include_str!("sql/calls_of_memory.sql");
            let input_digest = connection
                .query_row(include_str!("sql/input_digest.sql"), key, |row| row.get(0))
                .optional()?;
            Ok(CallsOfMemory {
                calls: connection.query_map(calls, key, call)?,
                input_digest: input_digest.flatten(),
            })
        })
        .await
    }
}

fn call(row: &Row<'_>) -> Result<StoredCall> {
    let milliseconds: i64 = row.get(9)?;
    Ok(StoredCall {
        agent: agent(row.get(0)?),
        scope: rows::scope(row.get(1)?),
        scope_id: row.get(2)?,
        memory_type: row.get::<Option<i64>>(3)?.map(rows::memory_type),
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
        finish_reason: row.get::<Option<i64>>(14)?.map(finish_reason),
        error: row.get(15)?,
        digest: row.get(16)?,
    })
}
