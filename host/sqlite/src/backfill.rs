//! What a backfill needs: where the messages are in time, and how far it has come.

use myao_plugin::ts::TsKey;
use rusqlite::{OptionalExtension, params};

use super::error::StoreError;
use super::inbox::list;
use super::workspace::SqliteWorkspace;

/// Messages of a channel of which no memory was made, nor will be: they are older than what its newest memory reaches to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreached {
    /// The channel.
    pub channel_id: String,
    /// Its name, or its id.
    pub channel_name: String,
    /// How many they are.
    pub messages: u64,
    /// The oldest of them.
    pub oldest: TsKey,
    /// The newest of them.
    pub newest: TsKey,
}

impl SqliteWorkspace {
    /// The messages that memories have passed by: an import brought them after newer ones were summarised, or a first
    /// memory looked back no further. By channel, in order of names. Looks at every message. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn unreached(&self) -> Result<Vec<Unreached>, StoreError> {
        self.read(|connection, place| {
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
    }

    /// The oldest message of all channels. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn first_message(&self) -> Result<Option<TsKey>, StoreError> {
        self.next_message(-1)
    }

    /// The oldest message of all channels after this one, which need not be stored. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn next_message_after(&self, ts: TsKey) -> Result<Option<TsKey>, StoreError> {
        self.next_message(ts.to_database())
    }

    /// The oldest message that no short-term memory of its channel has taken in. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn oldest_new_message(&self) -> Result<Option<TsKey>, StoreError> {
        self.oldest_new(false)
    }

    /// The oldest message of the channels of which nothing is remembered yet. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn oldest_message_never_summarized(&self) -> Result<Option<TsKey>, StoreError> {
        self.oldest_new(true)
    }

    /// When a stopped backfill goes on, in Unix seconds; none where none was begun. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn backfill_tick(&self) -> Result<Option<i64>, StoreError> {
        self.read(|connection, place| {
            let mut statement = connection.prepare_cached(include_str!("sql/backfill_tick.sql"))?;
            Ok(statement
                .query_row([place.workspace], |row| row.get(0))
                .optional()?)
        })
    }

    /// Notes when the backfill goes on. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn set_backfill_tick(&self, unix_seconds: i64) -> Result<(), StoreError> {
        self.write(|connection, place| {
            let set = include_str!("sql/set_backfill_tick.sql");
            connection
                .prepare_cached(set)?
                .execute([place.workspace, unix_seconds])?;
            Ok(())
        })
    }

    fn oldest_new(&self, only_never_summarized: bool) -> Result<Option<TsKey>, StoreError> {
        self.read(|connection, place| {
            let mut statement = connection.prepare_cached(include_str!("sql/oldest_new.sql"))?;
            let key: Option<i64> =
                statement.query_row((place.workspace, only_never_summarized), |row| row.get(0))?;
            Ok(key.map(TsKey::from_database))
        })
    }

    fn next_message(&self, after: i64) -> Result<Option<TsKey>, StoreError> {
        self.read(|connection, place| {
            let mut statement = connection.prepare_cached(include_str!("sql/next_message.sql"))?;
            let key = statement
                .query_row([place.workspace, after], |row| row.get(0))
                .optional()?;
            Ok(key.map(TsKey::from_database))
        })
    }
}
