//! The row of one answer.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::replies::{ReplyKind, ReplyState};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::fault::Fault;
use crate::journal::calls as journal;
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::workspace::SqlWorkspace;

/// A row of `replies`, by its key.
pub(crate) struct Reply<'a> {
    pub(crate) workspace: i64,
    pub(crate) channel_id: &'a str,
    pub(crate) channel: i64,
    pub(crate) ts: i64,
}

impl SqlWorkspace {
    /// Writes to the row of one answer.
    pub(crate) async fn on_reply<T: Send + 'static>(
        &self,
        channel_id: &str,
        answers: TsKey,
        work: impl FnOnce(&Connection, &Reply<'_>) -> Result<T, Fault> + Send + 'static,
    ) -> Result<T, StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let reply = Reply::of(connection, place, &channel_id, answers)?;
            work(connection, &reply)
        })
        .await
    }
}

impl<'a> Reply<'a> {
    pub(crate) fn of(
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

    pub(crate) fn end(
        &self,
        connection: &Connection,
        state: ReplyState,
        error: Option<&str>,
    ) -> Result<(), Fault> {
        let ended: Option<Option<i64>> = connection
            .query_row(
                include_str!("sql/end_reply.sql"),
                params![self.channel, self.ts, state_code(state), error],
                |row| row.get(0),
            )
            .optional()?;
        let thread = ended.ok_or_else(|| self.conflict("does not wait"))?;
        connection.execute(
            "UPDATE reply_parts SET text = '' WHERE channel = ?1 AND ts_key = ?2",
            [self.channel, self.ts],
        )?;
        Ok(self.forget_answers(connection, thread)?)
    }

    pub(crate) fn forget_answers(
        &self,
        connection: &Connection,
        thread: Option<i64>,
    ) -> Result<()> {
        journal::forget_reply_answers(connection, self.workspace, self.channel_id, thread)
    }

    pub(crate) fn conflict(&self, what: &str) -> Fault {
        StorageError::Conflict(format!(
            "the answer to {} in `{}` {what}: read again",
            TsKey::from_database(self.ts),
            self.channel_id
        ))
        .into()
    }
}

pub(crate) fn kind(code: i64) -> ReplyKind {
    match code {
        0 => ReplyKind::Mention,
        _ => ReplyKind::Unasked,
    }
}

/// The column value of a kind.
pub(crate) fn kind_code(kind: ReplyKind) -> i64 {
    match kind {
        ReplyKind::Mention => 0,
        ReplyKind::Unasked => 1,
    }
}

/// A state from its column value.
pub(crate) fn reply_state(code: i64) -> ReplyState {
    match code {
        0 => ReplyState::Waiting,
        1 => ReplyState::Posted,
        2 => ReplyState::GivenUp,
        _ => ReplyState::Deleted,
    }
}

pub(crate) fn state_code(state: ReplyState) -> i64 {
    match state {
        ReplyState::Waiting => 0,
        ReplyState::Posted => 1,
        ReplyState::GivenUp => 2,
        ReplyState::Deleted => 3,
    }
}
