//! The times of the messages, and the progress of a backfill.

use myao_plugin::state::backfill::{BackfillState, Unreached};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use rusqlite::{OptionalExtension, params};

use super::rows::list;
use super::workspace::SqliteWorkspace;

#[async_trait::async_trait]
impl BackfillState for SqliteWorkspace {
    async fn unreached(&self) -> Result<Vec<Unreached>, StorageError> {
        self.reading(|connection, place| {
            let unreached = include_str!("sql/unreached.sql");
            Ok(list(
                connection,
                unreached,
                params![place.workspace],
                |row| {
                    Ok(Unreached {
                        channel_id: row.get(0)?,
                        channel_name: row.get(1)?,
                        messages: row.get::<_, i64>(2)?.unsigned_abs(),
                        oldest: TsKey::from_database(row.get(3)?),
                        newest: TsKey::from_database(row.get(4)?),
                    })
                },
            )?)
        })
        .await
    }

    async fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StorageError> {
        self.reading(move |connection, place| {
            let mut statement = connection.prepare_cached(include_str!("sql/next_message.sql"))?;
            let key = statement
                .query_row([place.workspace, ts.to_database()], |row| row.get(0))
                .optional()?;
            Ok(key.map(TsKey::from_database))
        })
        .await
    }

    async fn oldest_new_message(&self) -> Result<Option<TsKey>, StorageError> {
        self.oldest_new(false).await
    }

    async fn oldest_message_never_summarized(&self) -> Result<Option<TsKey>, StorageError> {
        self.oldest_new(true).await
    }

    async fn backfill_tick(&self) -> Result<Option<i64>, StorageError> {
        self.reading(|connection, place| {
            let mut statement =
                connection.prepare_cached("SELECT next_tick FROM backfill WHERE workspace = ?1")?;
            Ok(statement
                .query_row([place.workspace], |row| row.get(0))
                .optional()?)
        })
        .await
    }

    async fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let set = "INSERT OR REPLACE INTO backfill (workspace, next_tick) VALUES (?1, ?2)";
            connection
                .prepare_cached(set)?
                .execute([place.workspace, unix_seconds])?;
            Ok(())
        })
        .await
    }
}

impl SqliteWorkspace {
    async fn oldest_new(&self, only_never_summarized: bool) -> Result<Option<TsKey>, StorageError> {
        self.reading(move |connection, place| {
            let mut statement = connection.prepare_cached(include_str!("sql/oldest_new.sql"))?;
            let key: Option<i64> =
                statement.query_row((place.workspace, only_never_summarized), |row| row.get(0))?;
            Ok(key.map(TsKey::from_database))
        })
        .await
    }
}
