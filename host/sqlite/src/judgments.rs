//! Conversations that nobody answered, and what was judged of them.

use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use rusqlite::{OptionalExtension, params};

use super::inbox::list;
use super::messages::channel_key;
use super::workspace::SqliteWorkspace;

/// The thread column of a channel's top level.
const TOP_LEVEL: i64 = 0;

/// What was judged of a conversation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StoredJudgment {
    /// The newest message that it knows of. A newer one makes it void.
    pub message_ts: TsKey,
    /// Whether an answer would help.
    pub should_respond: bool,
    /// How sure that is, from 0 to 1.
    pub confidence: f64,
    /// Until when it is not asked again, in Unix seconds.
    pub until: i64,
}

/// A conversation whose newest message a person wrote, and nobody answered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unanswered {
    /// Its channel.
    pub channel_id: String,
    /// The thread; none for the channel's top level.
    pub thread_ts: Option<TsKey>,
    /// That message.
    pub message_ts: TsKey,
    /// Who wrote it.
    pub user_id: String,
}

impl SqliteWorkspace {
    /// The conversations that nobody answered: of each channel that the bot takes part in, its top level (the messages
    /// without replies) and its threads, where the newest message is of a person, has no answer that was posted, is
    /// asked for or was given up, and is neither newer than the Unix second `waited_since` nor older than `not_before`.
    /// Ordered by channel and thread. Costs what is newer than `not_before`.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn unanswered(
        &self,
        waited_since: i64,
        not_before: i64,
    ) -> Result<Vec<Unanswered>, StorageError> {
        self.blocking(move |this| {
            this.read(|connection, place| {
                let unanswered = include_str!("sql/unanswered.sql");
                let columns = params![
                    place.workspace,
                    TsKey::first_of(not_before).to_database(),
                    TsKey::first_of(waited_since).to_database(),
                ];
                Ok(list(connection, unanswered, columns, |row| {
                    let thread: i64 = row.get(1)?;
                    Ok(Unanswered {
                        channel_id: row.get(0)?,
                        thread_ts: (thread != TOP_LEVEL).then(|| TsKey::from_database(thread)),
                        message_ts: TsKey::from_database(row.get(2)?),
                        user_id: row.get(3)?,
                    })
                })?)
            })
        })
        .await
    }

    /// The newest judgment of a conversation; of one that is over, perhaps none. A `thread_ts` of none is the
    /// channel's top level.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<Option<StoredJudgment>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.blocking(move |this| {
            this.read(|connection, place| {
                let channel = channel_key(connection, place, &channel_id)?;
                let thread = thread_ts.map_or(TOP_LEVEL, TsKey::to_database);
                Ok(connection
                    .prepare_cached(include_str!("sql/judgment.sql"))?
                    .query_row([channel, thread], |row| {
                        Ok(StoredJudgment {
                            message_ts: TsKey::from_database(row.get(0)?),
                            should_respond: row.get(1)?,
                            confidence: row.get(2)?,
                            until: row.get(3)?,
                        })
                    })
                    .optional()?)
            })
        })
        .await
    }

    /// Keeps a judgment in place of an earlier one, and forgets all that are over at `now`, in Unix seconds.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn keep_judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        judgment: StoredJudgment,
        now: i64,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.blocking(move |this| {
            this.write(|connection, place| {
                let channel = channel_key(connection, place, &channel_id)?;
                connection
                    .prepare_cached(include_str!("sql/forget_judgments.sql"))?
                    .execute([place.workspace, now])?;
                connection
                    .prepare_cached(include_str!("sql/keep_judgment.sql"))?
                    .execute(params![
                        place.workspace,
                        channel,
                        thread_ts.map_or(TOP_LEVEL, TsKey::to_database),
                        judgment.message_ts.to_database(),
                        judgment.should_respond,
                        judgment.confidence,
                        judgment.until,
                    ])?;
                Ok(())
            })
        })
        .await
    }
}
