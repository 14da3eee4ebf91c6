//! Answers that were requested, and their outcomes. A message is answered at most once: its row is the key. The
//! [`outbox`](crate::outbox) posts the answers.

use crate::params;
use crate::session::{Connection, OptionalExtension};
use myao_plugin::state::replies::{
    Admission, MAX_REPLY_WAIT, MentionLimits, Replies, ReplyState, StoredReply, WaitingReply,
};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::answers::mention_limits;
use crate::answers::reply::{Reply, kind, reply_state, state_code};
use crate::fault::Fault;
use crate::journal::calls as journal;
use crate::rows::list;
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl Replies for SqlWorkspace {
    async fn waiting_replies(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingReply>, StorageError> {
        self.reading(move |connection, place| {
            let waiting = include_str!("sql/waiting_replies.sql");
            let latest = now.saturating_add(MAX_REPLY_WAIT);
            let columns = params![place.workspace, now, limit, latest];
            Ok(list(connection, waiting, columns, |row| {
                Ok(WaitingReply {
                    channel_id: row.get(0)?,
                    ts: TsKey::from_database(row.get(1)?),
                    thread_ts: row.get::<Option<i64>>(2)?.map(TsKey::from_database),
                    kind: kind(row.get(3)?),
                    asked_at: row.get(4)?,
                    failures: row.get(5)?,
                    is_begun: row.get(6)?,
                })
            })?)
        })
        .await
    }

    async fn list_replies(
        &self,
        state: Option<ReplyState>,
        limit: u32,
    ) -> Result<Vec<StoredReply>, StorageError> {
        self.reading(move |connection, place| {
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
        .await
    }

    async fn fail_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
        next_try_at: i64,
    ) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, move |connection, reply| {
            let failed = connection.execute(
                include_str!("sql/fail_reply.sql"),
                params![reply.channel, reply.ts, error, next_try_at],
            )?;
            if failed == 0 {
                return Err(reply.conflict("does not wait"));
            }
            Ok(())
        })
        .await
    }

    async fn give_up_reply(
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

    async fn forget_reply_answers(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        let thread = thread_ts.map(TsKey::to_database);
        self.writing(move |connection, place| {
            let workspace = place.workspace;
            Ok(journal::forget_reply_answers(
                connection,
                workspace,
                &channel_id,
                thread,
            )?)
        })
        .await
    }

    async fn admit_mention(
        &self,
        channel_id: &str,
        ts: TsKey,
        limits: MentionLimits,
    ) -> Result<Admission, StorageError> {
        self.on_reply(channel_id, ts, move |connection, reply| {
            mention_limits::admit(connection, reply, limits)
        })
        .await
    }
}

/// Drops the answer to a message that was deleted before any part of the answer was sent.
pub(crate) fn drop_of_deleted(
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
        .query_row(include_str!("sql/drop_reply.sql"), [channel, ts], |row| {
            row.get(0)
        })
        .optional()?;
    let Some(thread) = dropped else {
        return Ok(());
    };
    connection.execute(
        "DELETE FROM reply_parts WHERE channel = ?1 AND ts_key = ?2",
        [channel, ts],
    )?;
    Ok(reply.forget_answers(connection, thread)?)
}
