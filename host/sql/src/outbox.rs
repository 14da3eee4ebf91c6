//! The outbox: the text of an answer is stored before it is posted, and the id of each part after it is posted.
//!
//! A part that was being sent when the process ended, or when the platform's response was lost, is
//! [`PartState::MaybeSent`]. Only the platform knows whether it arrived, and must be asked before the part is sent
//! again.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::MessageRef;
use myao_plugin::state::outbox::{FailedRetraction, NewPost, Outbox, Part, PartState, PostState};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::answers::reply::{Reply, kind_code, reply_state};
use crate::fault::Fault;
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::rows::list;
use crate::workspace::SqlWorkspace;
use crate::writing::retraction::{self, Post};
use crate::writing::{Source, Writing};
use myao_plugin::state::replies::ReplyState;

/// The longest wait until a post is replaced again, in seconds. A later time was stored while the clock was ahead.
const LONGEST_WAIT: i64 = 3600;
/// ?1 channel, ?2 message id
const STATE_OF_REPLY: &str = "SELECT state FROM replies WHERE channel = ?1 AND ts_key = ?2";

#[async_trait::async_trait]
impl Outbox for SqlWorkspace {
    async fn begin_post(&self, post: NewPost, now: i64) -> Result<PostState, StorageError> {
        self.writing(move |connection, place| begin(connection, place, &post, now))
            .await
    }

    async fn begun_post(
        &self,
        channel_id: &str,
        answers: TsKey,
    ) -> Result<Vec<Part>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let reply = Reply::of(connection, place, &channel_id, answers)?;
            let state: Option<i64> = connection
                .query_row(STATE_OF_REPLY, [reply.channel, reply.ts], |row| row.get(0))
                .optional()?;
            match state.map(reply_state) {
                Some(ReplyState::Waiting) => Ok(reply.parts(connection)?),
                _ => Ok(Vec::new()),
            }
        })
        .await
    }

    async fn mark_sending(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError> {
        self.mark(channel_id, answers, number, |connection, part| {
            let mark = include_str!("answers/sql/mark_sending.sql");
            connection.execute(mark, part)
        })
        .await
    }

    async fn mark_not_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError> {
        self.mark(channel_id, answers, number, |connection, part| {
            let mark = "UPDATE reply_parts \
                 SET sending = 0 \
                 WHERE channel = ?1 AND ts_key = ?2 AND number = ?3 AND posted_key IS NULL";
            let marked = connection.execute(mark, part)?;
            drop_withdrawn(connection, part)?;
            Ok(marked)
        })
        .await
    }

    async fn mark_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
        posted: TsKey,
    ) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, move |connection, reply| {
            let columns = (reply.channel, reply.ts, number, posted.to_database());
            let is_retracted: Option<bool> = connection
                .query_row(include_str!("answers/sql/mark_sent.sql"), columns, |row| {
                    row.get(0)
                })
                .optional()?;
            match is_retracted {
                None => Err(reply.no_part(number)),
                Some(false) => Ok(()),
                Some(true) => {
                    let post = (reply.channel, posted.to_database());
                    delete_posts(connection, reply.workspace, &[post], posted.unix_seconds())
                }
            }
        })
        .await
    }

    async fn finish_post(&self, channel_id: &str, answers: TsKey) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, |connection, reply| {
            let unsent: i64 = connection.query_row(
                include_str!("answers/sql/unsent_parts.sql"),
                [reply.channel, reply.ts],
                |row| row.get(0),
            )?;
            if unsent > 0 {
                return Err(reply.conflict("is not wholly posted"));
            }
            reply.end(connection, ReplyState::Posted, None)
        })
        .await
    }

    async fn retract(
        &self,
        channel_id: &str,
        answers: TsKey,
        now: i64,
    ) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, move |connection, reply| {
            let columns = [reply.channel, reply.ts];
            for unsent in [
                "DELETE FROM reply_parts \
                 WHERE channel = ?1 AND ts_key = ?2 AND posted_key IS NULL AND sending = 0",
                "UPDATE reply_parts SET text = '' \
                 WHERE channel = ?1 AND ts_key = ?2 AND posted_key IS NULL",
            ] {
                connection.execute(unsent, columns)?;
            }
            let posts = retraction::answer(connection, reply.channel, reply.ts)?;
            delete_posts(connection, reply.workspace, &posts, now)
        })
        .await
    }

    async fn retracted(&self, now: i64, limit: u32) -> Result<Vec<(String, TsKey)>, StorageError> {
        self.reading(move |connection, place| {
            let sql = include_str!("answers/sql/retracted.sql");
            Ok(list(
                connection,
                sql,
                params![
                    place.workspace,
                    limit,
                    now,
                    now.saturating_add(LONGEST_WAIT)
                ],
                |row| Ok((row.get(0)?, TsKey::from_database(row.get(1)?))),
            )?)
        })
        .await
    }

    async fn fail_retraction(
        &self,
        failed: FailedRetraction,
        now: i64,
    ) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &failed.channel_id)?;
            let post = failed.posted.to_database();
            let columns = params![channel, post, now, failed.may_pass, failed.error];
            connection.execute(include_str!("answers/sql/fail_retraction.sql"), columns)?;
            Ok(())
        })
        .await
    }

    async fn end_retraction(&self, channel_id: &str, posted: TsKey) -> Result<(), StorageError> {
        let channel_id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let channel = channel_key(connection, place, &channel_id)?;
            let end = "UPDATE reply_parts SET retracted = 2 \
                WHERE channel = ?1 AND posted_key = ?2 AND retracted = 1";
            connection.execute(end, [channel, posted.to_database()])?;
            Ok(())
        })
        .await
    }
}

fn delete_posts(
    connection: &Connection,
    workspace: i64,
    posts: &[Post],
    now: i64,
) -> Result<(), Fault> {
    let mut writing = Writing::new(workspace, Source::Events(now));
    writing.delete_posts(connection, posts)?;
    writing.finish(connection)?;
    Ok(())
}

impl SqlWorkspace {
    /// Writes to a part; `work` gets its columns.
    async fn mark(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
        work: impl FnOnce(&Connection, (i64, i64, u32)) -> Result<usize> + Send + 'static,
    ) -> Result<(), StorageError> {
        self.on_reply(channel_id, answers, move |connection, reply| {
            match work(connection, (reply.channel, reply.ts, number))? {
                0 => Err(reply.no_part(number)),
                _ => Ok(()),
            }
        })
        .await
    }
}

/// Drops a part that was withdrawn and did not arrive, and an unasked answer of which nothing is left.
fn drop_withdrawn(connection: &Connection, (channel, ts, number): (i64, i64, u32)) -> Result<()> {
    let part = "DELETE FROM reply_parts \
         WHERE channel = ?1 AND ts_key = ?2 AND number = ?3 AND posted_key IS NULL AND text = ''";
    connection.execute(part, params![channel, ts, number])?;
    let unasked = "DELETE FROM replies \
         WHERE channel = ?1 AND ts_key = ?2 AND state = 0 AND kind = 1 \
            AND NOT EXISTS (SELECT 1 FROM reply_parts WHERE channel = ?1 AND ts_key = ?2)";
    connection.execute(unasked, params![channel, ts])?;
    Ok(())
}

fn begin(
    connection: &Connection,
    place: &Place,
    post: &NewPost,
    now: i64,
) -> Result<PostState, Fault> {
    let reply = Reply::of(connection, place, &post.channel_id, post.answers)?;
    if post.parts.is_empty() {
        return Err(StorageError::Invalid(format!(
            "the answer to {} in `{}` has no text",
            post.answers, post.channel_id
        ))
        .into());
    }
    let thread = post.thread_ts.map(TsKey::to_database);
    connection.execute(
        include_str!("answers/sql/begin_reply.sql"),
        params![
            reply.workspace,
            reply.channel,
            reply.ts,
            thread,
            kind_code(post.kind),
            now
        ],
    )?;
    let state: i64 =
        connection.query_row(STATE_OF_REPLY, [reply.channel, reply.ts], |row| row.get(0))?;
    match reply_state(state) {
        ReplyState::Waiting => {}
        ReplyState::Posted => {
            let parts = reply.parts(connection)?;
            let posted = parts.iter().filter_map(|part| match part.state {
                PartState::Sent(ts) => Some(ts),
                PartState::NotSent | PartState::MaybeSent => None,
            });
            return Ok(PostState::AlreadyPosted(posted.collect()));
        }
        state => return Ok(PostState::NotWanted(state)),
    }
    let parts = reply.parts(connection)?;
    if !parts.is_empty() {
        return Ok(PostState::Post(parts));
    }
    connection.execute(
        "UPDATE replies SET thread_key = ?3 WHERE channel = ?1 AND ts_key = ?2",
        params![reply.channel, reply.ts, thread],
    )?;
    reply.set_sources(connection, place, &post.sources)?;
    let insert = "INSERT INTO reply_parts (channel, ts_key, number, text) VALUES (?1, ?2, ?3, ?4)";
    for (number, text) in (0_u32..).zip(&post.parts) {
        connection.execute(insert, params![reply.channel, reply.ts, number, text])?;
    }
    Ok(PostState::Post(reply.parts(connection)?))
}

impl Reply<'_> {
    fn no_part(&self, number: u32) -> Fault {
        self.conflict(&format!("has no part {number} to send"))
    }

    /// Stores what the answer is made from; refuses it if some of that was deleted meanwhile.
    fn set_sources(
        &self,
        connection: &Connection,
        place: &Place,
        sources: &[MessageRef],
    ) -> Result<(), Fault> {
        let key = params![self.channel, self.ts];
        connection.execute(
            "DELETE FROM reply_sources WHERE channel = ?1 AND ts_key = ?2",
            key,
        )?;
        let insert = "INSERT INTO reply_sources (channel, ts_key, source_channel, source_key) VALUES (?1, ?2, ?3, ?4) \
             ON CONFLICT DO NOTHING";
        for source in sources {
            let channel = channel_key(connection, place, &source.channel_id)?;
            let ts = TsKey::parse(&source.ts)
                .map_err(|error| StorageError::Invalid(error.to_string()))?;
            connection.execute(
                insert,
                params![self.channel, self.ts, channel, ts.to_database()],
            )?;
        }
        let is_gone: bool = connection.query_row(
            include_str!("answers/sql/has_gone_source.sql"),
            key,
            |row| row.get(0),
        )?;
        if is_gone {
            return Err(self.conflict("was made from a message that is deleted now"));
        }
        Ok(())
    }

    fn parts(&self, connection: &Connection) -> Result<Vec<Part>> {
        let columns = params![self.channel, self.ts];
        list(
            connection,
            include_str!("answers/sql/parts.sql"),
            columns,
            |row| {
                let (sending, posted): (bool, Option<i64>) = (row.get(2)?, row.get(3)?);
                Ok(Part {
                    number: row.get(0)?,
                    text: row.get(1)?,
                    state: match (posted, sending) {
                        (Some(posted), _) => PartState::Sent(TsKey::from_database(posted)),
                        (None, true) => PartState::MaybeSent,
                        (None, false) => PartState::NotSent,
                    },
                })
            },
        )
    }
}
