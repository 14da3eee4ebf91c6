//! The times of the messages, and the progress of a backfill.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::backfill::BackfillState;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::memories::backlog::recount_channel;
use crate::rows::list;
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl BackfillState for SqlWorkspace {
    async fn take_in_history(&self) -> Result<(), StorageError> {
        self.writing(|connection, place| Ok(take_in_history(connection, place.workspace)?))
            .await
    }

    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError> {
        self.reading(move |connection, place| {
            let statement = include_str!("sql/next_message.sql");
            let key = connection
                .query_row(statement, [place.workspace, ts.to_database()], |row| {
                    row.get(0)
                })
                .optional()?;
            Ok(key.map(TsKey::from_database))
        })
        .await
    }

    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError> {
        self.oldest_new(include_str!("sql/oldest_new.sql")).await
    }

    async fn oldest_history_message(&self) -> Result<Option<TsKey>, StorageError> {
        self.oldest_new(include_str!("sql/oldest_history.sql"))
            .await
    }

    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError> {
        self.reading(|connection, place| {
            let statement = "SELECT next_tick FROM backfill WHERE workspace = ?1";
            Ok(connection
                .query_row(statement, [place.workspace], |row| row.get(0))
                .optional()?)
        })
        .await
    }

    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let set = "INSERT INTO backfill (workspace, next_tick) VALUES (?1, ?2) \
                ON CONFLICT (workspace) DO UPDATE SET next_tick = excluded.next_tick";
            connection.execute(set, [place.workspace, unix_seconds])?;
            Ok(())
        })
        .await
    }
}

impl SqlWorkspace {
    async fn oldest_new(&self, sql: &'static str) -> Result<Option<TsKey>, StorageError> {
        self.reading(move |connection, place| {
            let key: Option<i64> =
                connection.query_row(sql, [place.workspace], |row| row.get(0))?;
            Ok(key.map(TsKey::from_database))
        })
        .await
    }
}

/// The history of all channels with a version begins to wait.
fn take_in_history(connection: &Connection, workspace: i64) -> Result<()> {
    let with_history = "SELECT key FROM channels WHERE workspace = ?1 AND has_history = 1";
    let channels: Vec<i64> = list(connection, with_history, params![workspace], |row| {
        row.get(0)
    })?;
    for channel in channels {
        connection.execute(include_str!("sql/take_in_history.sql"), [channel])?;
        connection.execute(
            "UPDATE channels SET has_history = 0 WHERE key = ?1",
            [channel],
        )?;
        recount_channel(connection, channel)?;
    }
    Ok(())
}
