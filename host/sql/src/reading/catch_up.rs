//! The state of catching up across a restart: channels that could not be read, and messages that were missing
//! from a response of the platform.

use crate::params;
use crate::session::{Connection, OptionalExtension as _};
use myao_plugin::state::catch_up::{
    CatchUpState, Gap, MissingMessage, PinnedMessage, Sweep, Swept, UnreadChannel,
};
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::fault::Fault;
use crate::messages::stored::channel_key;
use crate::rows::list;
use crate::workspace::SqlWorkspace;

/// The waits before a channel is read again, in seconds: the first wait, which doubles each time, and the longest.
pub(crate) const CHANNEL_WAITS: (i64, i64) = (60, 3600);
/// The same for a message that is requested again.
pub(crate) const MESSAGE_WAITS: (i64, i64) = (600, 6 * 3600);
/// A channel whose comparison was refused is compared again after so many seconds.
const SWEEP_AGAIN: i64 = 3600;
/// How often a message is requested if it neither arrives nor is known to be deleted. After that it counts as not
/// deleted.
const MAX_ASKS: i64 = 6;

#[async_trait::async_trait]
impl CatchUpState for SqlWorkspace {
    async fn open_gap(&self, gap: Gap) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let open = include_str!("sql/open_gap.sql");
            connection.execute(open, [place.workspace, gap.since, gap.until])?;
            Ok(())
        })
        .await
    }

    async fn gap(&self) -> Result<Option<Gap>, StorageError> {
        self.reading(move |connection, place| {
            let gap = "SELECT since, until FROM delivery_gaps WHERE workspace = ?1";
            let gap = connection.query_row(gap, [place.workspace], |row| {
                Ok(Gap {
                    since: row.get(0)?,
                    until: row.get(1)?,
                })
            });
            Ok(gap.optional()?)
        })
        .await
    }

    async fn close_gap(&self, read: Gap) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let columns = [
                place.workspace,
                read.since,
                read.until,
                Gap::LONGEST_SECONDS,
            ];
            for statement in [
                "DELETE FROM delivery_gaps \
                 WHERE workspace = ?1 AND since >= ?2 AND (until < ?3 OR until > ?3 + ?4)",
                "UPDATE delivery_gaps SET since = ?3 \
                 WHERE workspace = ?1 AND since >= ?2 AND since < ?3 AND ?4 > 0",
            ] {
                connection.execute(statement, columns)?;
            }
            Ok(())
        })
        .await
    }

    async fn owe_channels(
        &self,
        channel_ids: &[String],
        since: Option<i64>,
        now: i64,
    ) -> Result<(), StorageError> {
        let channel_ids = channel_ids.to_vec();
        self.writing(move |connection, place| {
            let owe = include_str!("sql/owe_channel.sql");
            for id in &channel_ids {
                connection.execute(owe, params![place.workspace, id, since, now])?;
            }
            Ok(())
        })
        .await
    }

    async fn put_off_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let put_off = include_str!("sql/put_off_channel.sql");
            let (first, longest) = CHANNEL_WAITS;
            let columns = params![place.workspace, channel, since, now, first, longest];
            connection.execute(put_off, columns)?;
            Ok(())
        })
        .await
    }

    async fn unread_channels(&self, now: i64) -> Result<Vec<UnreadChannel>, StorageError> {
        self.reading(move |connection, place| {
            let unread = include_str!("sql/unread_channels.sql");
            // PostgreSQL refuses to add to the end of all times.
            let now = now.min(i64::MAX - CHANNEL_WAITS.1);
            Ok(list(
                connection,
                unread,
                params![place.workspace, now],
                |row| {
                    Ok(UnreadChannel {
                        channel_id: row.get(0)?,
                        since: row.get(1)?,
                    })
                },
            )?)
        })
        .await
    }

    async fn end_unread(&self, channel_id: &str) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let end = "DELETE FROM unread_channels WHERE channel = ?1";
            connection.execute(end, [channel])?;
            let is_back = "UPDATE channels SET is_behind = 0 WHERE key = ?1 AND present = 1";
            connection.execute(is_back, [channel])?;
            Ok(())
        })
        .await
    }

    async fn note_missing(
        &self,
        channel_id: &str,
        messages: Vec<StoredId>,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let note = "INSERT INTO missing_messages (channel, ts_key, workspace, thread_key) \
                 VALUES (?1, ?2, ?3, ?4) \
                 ON CONFLICT DO NOTHING";
            for StoredId { ts, thread_ts } in &messages {
                let thread = thread_ts.map(TsKey::to_database);
                connection.execute(
                    note,
                    params![channel, ts.to_database(), place.workspace, thread],
                )?;
            }
            Ok(())
        })
        .await
    }

    async fn missing_messages(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<MissingMessage>, StorageError> {
        self.reading(move |connection, place| {
            let missing = include_str!("sql/missing_messages.sql");
            // PostgreSQL refuses to add to the end of all times.
            let now = now.min(i64::MAX - MESSAGE_WAITS.1);
            let columns = params![place.workspace, now, limit];
            Ok(list(connection, missing, columns, |row| {
                Ok(MissingMessage {
                    channel_id: row.get(0)?,
                    id: StoredId {
                        ts: TsKey::from_database(row.get(1)?),
                        thread_ts: row.get::<Option<i64>>(2)?.map(TsKey::from_database),
                    },
                })
            })?)
        })
        .await
    }

    async fn ask_again(&self, missing: &MissingMessage, now: i64) -> Result<(), StorageError> {
        self.on_missing(missing, move |connection, channel, ts| {
            let forget = "DELETE FROM missing_messages WHERE channel = ?1 AND ts_key = ?2 AND tries + 1 >= ?3";
            let forgotten = connection
                .execute(forget, [channel, ts, MAX_ASKS])?;
            if forgotten == 0 {
                let (first, longest) = MESSAGE_WAITS;
                connection
                    .execute(include_str!("sql/ask_again.sql"), [channel, ts, now, first, longest])?;
            }
            Ok(())
        })
        .await
    }

    async fn pinned_messages(
        &self,
        channel_id: &str,
        limit: u32,
    ) -> Result<Vec<PinnedMessage>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let pinned = include_str!("sql/pinned_messages.sql");
            Ok(list(connection, pinned, params![channel, limit], |row| {
                Ok(PinnedMessage {
                    id: StoredId {
                        ts: TsKey::from_database(row.get(0)?),
                        thread_ts: row.get::<Option<i64>>(1)?.map(TsKey::from_database),
                    },
                    emoji_of: row.get(2)?,
                    at: TsKey::from_database(row.get(3)?),
                })
            })?)
        })
        .await
    }

    async fn next_sweep(&self, before: i64, now: i64) -> Result<Option<Sweep>, StorageError> {
        self.reading(move |connection, place| {
            let next = include_str!("sql/next_sweep.sql");
            let columns = [place.workspace, before, now - SWEEP_AGAIN, now];
            let next = connection.query_row(next, columns, |row| {
                Ok(Sweep {
                    channel_id: row.get(0)?,
                    through: row.get::<Option<i64>>(1)?.map(TsKey::from_database),
                    good_through: row.get::<Option<i64>>(2)?.map(TsKey::from_database),
                })
            });
            Ok(next.optional()?)
        })
        .await
    }

    async fn note_sweep(&self, sweep: Sweep, hidden: u64, now: i64) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &sweep.channel_id)?;
            let through = sweep.through.map(TsKey::to_database);
            let hidden = i64::try_from(hidden).unwrap_or(i64::MAX);
            let columns = params![channel, place.workspace, through, hidden, now];
            connection.execute(include_str!("sql/note_sweep.sql"), columns)?;
            Ok(())
        })
        .await
    }

    async fn refuse_sweep(
        &self,
        channel_id: &str,
        why: &str,
        now: i64,
    ) -> Result<(), StorageError> {
        let (channel_id, why) = (channel_id.to_owned(), why.to_owned());
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let columns = params![channel, place.workspace, why, now];
            connection.execute(include_str!("sql/refuse_sweep.sql"), columns)?;
            Ok(())
        })
        .await
    }

    async fn swept(&self) -> Result<Swept, StorageError> {
        self.reading(move |connection, place| {
            let mut swept = Swept::default();
            let refused = include_str!("sql/refused_sweeps.sql");
            swept.refused = list(connection, refused, params![place.workspace], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            let counts = include_str!("sql/swept.sql");
            Ok(connection.query_row(counts, [place.workspace], |row| {
                swept.channels = row.get(0)?;
                swept.done = row.get(1)?;
                swept.hidden = row.get(2)?;
                Ok(swept)
            })?)
        })
        .await
    }

    async fn end_missing(&self, missing: &MissingMessage) -> Result<(), StorageError> {
        self.on_missing(missing, |connection, channel, ts| {
            let end = "DELETE FROM missing_messages WHERE channel = ?1 AND ts_key = ?2";
            connection.execute(end, [channel, ts])?;
            Ok(())
        })
        .await
    }
}

impl SqlWorkspace {
    async fn on_missing(
        &self,
        missing: &MissingMessage,
        work: impl Fn(&Connection, i64, i64) -> Result<(), Fault> + Send + 'static,
    ) -> Result<(), StorageError> {
        let (channel_id, ts) = (missing.channel_id.clone(), missing.id.ts.to_database());
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            work(connection, channel, ts)
        })
        .await
    }
}
