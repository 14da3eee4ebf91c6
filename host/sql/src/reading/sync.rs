//! The state of reading Slack's history: how far it was read, what is stored, and which users and channels are known.

use crate::params;
use crate::session::OptionalExtension;
use myao_plugin::state::sync::{KnownChannel, Member, StoredId, SyncState};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::records::{Directory, PRIVATE_CHANNEL, UserRecord};
use myao_plugin::ts::TsKey;

use crate::messages::stored::channel_key;
use crate::rows::list;
use crate::sight::json_texts;
use crate::visibility::audience;
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl SyncState for SqlWorkspace {
    async fn address(&self) -> Result<Option<String>, StorageError> {
        self.reading(move |connection, place| {
            Ok(connection.query_row(
                "SELECT address FROM workspaces WHERE key = ?1",
                [place.workspace],
                |row| row.get(0),
            )?)
        })
        .await
    }

    async fn set_address(&self, address: &str) -> Result<(), StorageError> {
        let address = address.to_owned();
        self.writing(move |connection, place| {
            connection.execute(
                "UPDATE workspaces SET address = ?2 WHERE key = ?1",
                params![place.workspace, address],
            )?;
            Ok(())
        })
        .await
    }

    async fn connected_through(&self) -> Result<Option<i64>, StorageError> {
        self.reading(move |connection, place| {
            Ok(connection
                .query_row(
                    "SELECT connected_through FROM sync_state WHERE workspace = ?1",
                    [place.workspace],
                    |row| row.get(0),
                )
                .optional()?)
        })
        .await
    }

    async fn set_connected_through(&self, unix_seconds: i64) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            connection.execute(
                include_str!("sql/set_connected_through.sql"),
                [place.workspace, unix_seconds],
            )?;
            Ok(())
        })
        .await
    }

    async fn bring_back_connected_through(
        &self,
        now: i64,
        latest: i64,
    ) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            connection.execute(
                include_str!("sql/bring_back_connected_through.sql"),
                [place.workspace, now, latest],
            )?;
            Ok(())
        })
        .await
    }

    async fn newest_message(&self, until: TsKey) -> Result<Option<TsKey>, StorageError> {
        self.reading(move |connection, place| {
            let newest: Option<i64> = connection
                .query_row(
                    include_str!("sql/newest_message.sql"),
                    [place.workspace, until.to_database()],
                    |row| row.get(0),
                )
                .optional()?;
            Ok(newest.map(TsKey::from_database))
        })
        .await
    }

    async fn bring_back_times(&self, now: i64) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            for statement in [
                include_str!("sql/bring_back_changed_threads.sql"),
                include_str!("sql/bring_back_memories.sql"),
            ] {
                connection.execute(statement, [place.workspace, now])?;
            }
            Ok(())
        })
        .await
    }

    async fn history_read_through(&self, channel_id: &str) -> Result<Option<TsKey>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let read: Option<i64> = connection.query_row(
                "SELECT read_through FROM channels WHERE key = ?1",
                [channel],
                |row| row.get(0),
            )?;
            Ok(read.map(TsKey::from_database))
        })
        .await
    }

    async fn set_history_read_through(
        &self,
        channel_id: &str,
        ts: TsKey,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            // Replies to older messages may be missing: the first comparison looks for them from the first reading on.
            for statement in [
                "INSERT INTO sweeps (channel, workspace, hidden, good_through) \
                 SELECT key, workspace, 0, COALESCE(read_through, ?2) FROM channels WHERE key = ?1 \
                 ON CONFLICT (channel) DO NOTHING",
                "UPDATE channels SET read_through = MAX(COALESCE(read_through, ?2), ?2) WHERE key = ?1",
            ] {
                connection.execute(statement, [channel, ts.to_database()])?;
            }
            Ok(())
        })
        .await
    }

    async fn recent_threads(
        &self,
        channel_id: &str,
        since: TsKey,
    ) -> Result<Vec<TsKey>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let threads = include_str!("sql/recent_threads.sql");
            let columns = params![channel, since.to_database()];
            Ok(list(connection, threads, columns, |row| {
                Ok(TsKey::from_database(row.get(0)?))
            })?)
        })
        .await
    }

    async fn messages_between(
        &self,
        channel_id: &str,
        from: TsKey,
        to: TsKey,
    ) -> Result<Vec<StoredId>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let between = include_str!("sql/messages_between.sql");
            let columns = params![channel, from.to_database(), to.to_database()];
            Ok(list(connection, between, columns, |row| {
                Ok(StoredId {
                    ts: TsKey::from_database(row.get(0)?),
                    thread_ts: row.get::<Option<i64>>(1)?.map(TsKey::from_database),
                })
            })?)
        })
        .await
    }

    async fn known_user(&self, id: &str) -> Result<Option<UserRecord>, StorageError> {
        let id = id.to_owned();
        self.reading(move |connection, place| {
            Ok(connection
                .query_row(
                    "SELECT name, is_bot FROM users WHERE workspace = ?1 AND id = ?2",
                    params![place.workspace, id],
                    |row| {
                        Ok(UserRecord {
                            id: id.clone(),
                            name: row.get(0)?,
                            is_bot: row.get(1)?,
                        })
                    },
                )
                .optional()?)
        })
        .await
    }

    async fn closed_at(&self, user_id: &str) -> Result<Option<TsKey>, StorageError> {
        let user_id = user_id.to_owned();
        self.reading(move |connection, place| {
            let sql =
                "SELECT closed_at FROM users WHERE workspace = ?1 AND id = ?2 AND closed_at > 0";
            let closed_at = connection
                .query_row(sql, params![place.workspace, user_id], |row| row.get(0))
                .optional()?;
            Ok(closed_at.map(TsKey::from_database))
        })
        .await
    }

    async fn known_channel(&self, id: &str) -> Result<Option<KnownChannel>, StorageError> {
        let id = id.to_owned();
        self.reading(move |connection, place| {
            Ok(connection
                .query_row("SELECT name, is_private, present, audience FROM channels WHERE workspace = ?1 AND id = ?2", params![place.workspace, id], |row| {
                    Ok(KnownChannel {
                        name: row.get(0)?,
                        is_private: row.get(1)?,
                        is_present: row.get(2)?,
                        audience: audience::of_code(row.get(3)?),
                    })
                })
                .optional()?)
        })
        .await
    }

    async fn members(&self, channel_id: &str) -> Result<Vec<Member>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            Ok(audience::members(connection, place.workspace, &channel_id)?)
        })
        .await
    }

    async fn is_member(
        &self,
        user_id: &str,
        channel_id: &str,
        since: TsKey,
    ) -> Result<bool, StorageError> {
        let (user_id, channel_id) = (user_id.to_owned(), channel_id.to_owned());
        self.reading(move |connection, place| {
            let member = (user_id.as_str(), channel_id.as_str());
            Ok(audience::is_member(
                connection,
                place.workspace,
                member,
                since,
            )?)
        })
        .await
    }

    async fn channels_of_unknown_audience(&self) -> Result<Vec<String>, StorageError> {
        self.reading(move |connection, place| {
            let unknown = include_str!("sql/unknown_audiences.sql");
            Ok(list(
                connection,
                unknown,
                params![place.workspace],
                |row| row.get(0),
            )?)
        })
        .await
    }

    async fn members_of_unknown_standing(&self, limit: u32) -> Result<Vec<String>, StorageError> {
        self.reading(move |connection, place| {
            let unknown = include_str!("sql/unknown_standing.sql");
            let columns = params![place.workspace, limit];
            Ok(list(connection, unknown, columns, |row| row.get(0))?)
        })
        .await
    }

    async fn directory(
        &self,
        users: Vec<String>,
        channels: Vec<String>,
    ) -> Result<Directory, StorageError> {
        self.reading(move |connection, place| {
            let wanted = |ids: Vec<String>| json_texts(ids);
            let users = list(
                connection,
                include_str!("sql/users_of.sql"),
                params![place.workspace, wanted(users)],
                |row| {
                    let (id, name, is_bot): (String, _, _) =
                        (row.get(0)?, row.get(1)?, row.get(2)?);
                    Ok((id.clone(), UserRecord { id, name, is_bot }))
                },
            )?;
            let channels = list(
                connection,
                include_str!("sql/channel_names.sql"),
                params![place.workspace, wanted(channels), PRIVATE_CHANNEL],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            Ok(Directory {
                users: users.into_iter().collect(),
                channels: channels.into_iter().collect(),
            })
        })
        .await
    }
}
