//! Answers that are asked for, and what became of them. A message is answered once, ever: its row is the key.
//! [`posts`](super::posts) posts them.

use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use rusqlite::{Connection, OptionalExtension, params};

use super::error::Fault;
use super::inbox::list;
use super::journal;
use super::messages::channel_key;
use super::place::Place;
use super::workspace::SqliteWorkspace;

/// The longest wait until an answer is tried again, in seconds: as long as a model or Slack can ask for. A later time was
/// noted while the clock was ahead, and does not count.
pub const MAX_REPLY_WAIT: i64 = 3600;

/// Why there is an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyKind {
    /// The bot was mentioned.
    Mention,
    /// It judged that an answer would help.
    OwnAccord,
}

/// How far an answer has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyState {
    /// It is to be made, or not wholly posted.
    Waiting,
    /// It is posted.
    Posted,
    /// It could not be made or posted.
    GivenUp,
    /// Its message was deleted first.
    Deleted,
}

/// An answer that waits: a mention, or one of its own accord whose posting was interrupted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingReply {
    /// The channel.
    pub channel_id: String,
    /// The message to answer.
    pub ts: TsKey,
    /// The thread to answer in; none for the top level.
    pub thread_ts: Option<TsKey>,
    /// Why.
    pub kind: ReplyKind,
    /// When it was asked for, in Unix seconds.
    pub asked_at: i64,
    /// How many times it failed.
    pub failures: u32,
    /// Whether its text is written down already.
    pub is_begun: bool,
}

/// An answer, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredReply {
    /// The channel's id.
    pub channel_id: String,
    /// The channel's name, or its id.
    pub channel_name: String,
    /// The message that is answered.
    pub ts: TsKey,
    /// Why.
    pub kind: ReplyKind,
    /// How far it has come.
    pub state: ReplyState,
    /// When it was asked for, in Unix seconds.
    pub asked_at: i64,
    /// When it is tried next, in Unix seconds; 0 for at once.
    pub next_try_at: i64,
    /// How many times it failed.
    pub failures: u32,
    /// Why it failed the last time.
    pub error: Option<String>,
}

/// A row of `replies`, as statements name it.
pub(super) struct Reply<'a> {
    pub(super) workspace: i64,
    pub(super) channel_id: &'a str,
    pub(super) channel: i64,
    pub(super) ts: i64,
}

impl SqliteWorkspace {
    /// Answers that wait and may be tried at `now`, the oldest first.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn waiting_replies(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingReply>, StorageError> {
        self.blocking(move |this| {
            this.read(|connection, place| {
                let waiting = include_str!("sql/waiting_replies.sql");
                let latest = now.saturating_add(MAX_REPLY_WAIT);
                let columns = params![place.workspace, now, limit, latest];
                Ok(list(connection, waiting, columns, |row| {
                    Ok(WaitingReply {
                        channel_id: row.get(0)?,
                        ts: TsKey::from_database(row.get(1)?),
                        thread_ts: row.get::<_, Option<i64>>(2)?.map(TsKey::from_database),
                        kind: kind(row.get(3)?),
                        asked_at: row.get(4)?,
                        failures: row.get(5)?,
                        is_begun: row.get(6)?,
                    })
                })?)
            })
        })
        .await
    }

    /// Answers, those asked for last first; of one state, or of all.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn list_replies(
        &self,
        state: Option<ReplyState>,
        limit: u32,
    ) -> Result<Vec<StoredReply>, StorageError> {
        self.blocking(move |this| {
            this.read(|connection, place| {
                let replies = include_str!("sql/replies.sql");
                let columns = params![place.workspace, state.map(state_code), limit];
                Ok(list(connection, replies, columns, |row| {
                    Ok(StoredReply {
                        channel_id: row.get(0)?,
                        channel_name: row.get(1)?,
                        ts: TsKey::from_database(row.get(2)?),
                        kind: kind(row.get(3)?),
                        state: reply_state(row.get(4)?),
                        asked_at: row.get(5)?,
                        next_try_at: row.get(6)?,
                        failures: row.get(7)?,
                        error: row.get(8)?,
                    })
                })?)
            })
        })
        .await
    }

    /// Notes that an answer could not be made or posted, and from which Unix second on it is tried again. Where nothing
    /// is written down of it, the model's answers for it were bad: they are forgotten.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] where no such answer waits; what the file or the disk refuses.
    pub async fn fail_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
        next_try_at: i64,
    ) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, move |connection, reply| {
            let failed: Option<(Option<i64>, bool)> = connection
                .prepare_cached(include_str!("sql/fail_reply.sql"))?
                .query_row(
                    params![reply.channel, reply.ts, error, next_try_at],
                    |row| Ok((row.get(0)?, row.get(1)?)),
                )
                .optional()?;
            let (thread, is_begun) = failed.ok_or_else(|| reply.conflict("does not wait"))?;
            if is_begun {
                return Ok(());
            }
            Ok(reply.forget_answers(connection, thread)?)
        })
        .await
    }

    /// Ends an answer that cannot be made or posted; its text, and the model's answers for it, are forgotten.
    ///
    /// # Errors
    /// [`StorageError::Conflict`] where no such answer waits; what the file or the disk refuses.
    pub async fn give_up_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
    ) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, move |connection, reply| {
            reply.end(connection, ReplyState::GivenUp, Some(&error))
        })
        .await
    }

    /// Forgets the model's answers for replies in a thread, or at the top level of a channel.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn forget_reply_answers(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        let thread = thread_ts.map(TsKey::to_database);
        self.blocking(move |this| {
            this.write(|connection, place| {
                let workspace = place.workspace;
                Ok(journal::forget_reply_answers(
                    connection,
                    workspace,
                    &channel_id,
                    thread,
                )?)
            })
        })
        .await
    }

    pub(super) async fn on_reply<T: Send + 'static>(
        &self,
        channel_id: &str,
        answers: TsKey,
        work: impl FnOnce(&Connection, &Reply<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        let channel_id = channel_id.to_owned();
        self.blocking(move |this| {
            this.write(|connection, place| {
                let reply = Reply::of(connection, place, &channel_id, answers)?;
                work(connection, &reply)
            })
        })
        .await
    }
}

/// Drops the answer to a message that was deleted before anything of it was sent.
pub(super) fn drop_of_deleted(
    connection: &Connection,
    workspace: i64,
    (channel_id, channel): (&str, i64),
    ts: i64,
) -> Result<(), Fault> {
    let reply = Reply {
        workspace,
        channel_id,
        channel,
        ts,
    };
    let dropped: Option<Option<i64>> = connection
        .prepare_cached(include_str!("sql/drop_reply.sql"))?
        .query_row([channel, ts], |row| row.get(0))
        .optional()?;
    let Some(thread) = dropped else {
        return Ok(());
    };
    connection
        .prepare_cached(include_str!("sql/delete_parts.sql"))?
        .execute([channel, ts])?;
    Ok(reply.forget_answers(connection, thread)?)
}

impl<'a> Reply<'a> {
    pub(super) fn of(
        connection: &Connection,
        place: &Place,
        channel_id: &'a str,
        answers: TsKey,
    ) -> Result<Self, Fault> {
        Ok(Self {
            workspace: place.workspace,
            channel_id,
            channel: channel_key(connection, place, channel_id)?,
            ts: answers.to_database(),
        })
    }

    pub(super) fn end(
        &self,
        connection: &Connection,
        state: ReplyState,
        error: Option<&str>,
    ) -> Result<(), Fault> {
        let ended: Option<Option<i64>> = connection
            .prepare_cached(include_str!("sql/end_reply.sql"))?
            .query_row(
                params![self.channel, self.ts, state_code(state), error],
                |row| row.get(0),
            )
            .optional()?;
        let thread = ended.ok_or_else(|| self.conflict("does not wait"))?;
        connection
            .prepare_cached(include_str!("sql/empty_parts.sql"))?
            .execute([self.channel, self.ts])?;
        Ok(self.forget_answers(connection, thread)?)
    }

    fn forget_answers(&self, connection: &Connection, thread: Option<i64>) -> rusqlite::Result<()> {
        journal::forget_reply_answers(connection, self.workspace, self.channel_id, thread)
    }

    pub(super) fn conflict(&self, what: &str) -> Fault {
        StorageError::Conflict(format!(
            "the answer to {} in `{}` {what}: read again",
            TsKey::from_database(self.ts),
            self.channel_id
        ))
        .into()
    }
}

pub(super) fn kind(code: i64) -> ReplyKind {
    match code {
        0 => ReplyKind::Mention,
        _ => ReplyKind::OwnAccord,
    }
}

/// The column of a kind.
pub(super) fn kind_code(kind: ReplyKind) -> i64 {
    match kind {
        ReplyKind::Mention => 0,
        ReplyKind::OwnAccord => 1,
    }
}

/// A state from its column.
pub(super) fn reply_state(code: i64) -> ReplyState {
    match code {
        0 => ReplyState::Waiting,
        1 => ReplyState::Posted,
        2 => ReplyState::GivenUp,
        _ => ReplyState::Deleted,
    }
}

fn state_code(state: ReplyState) -> i64 {
    match state {
        ReplyState::Waiting => 0,
        ReplyState::Posted => 1,
        ReplyState::GivenUp => 2,
        ReplyState::Deleted => 3,
    }
}
