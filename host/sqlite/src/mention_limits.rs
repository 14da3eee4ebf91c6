//! How many mentions are answered: a number for each person and a number for each channel, within a period before each
//! mention. The count comes from the stored answers, so it is the same after a restart and does not depend on who asks
//! first.

use myao_plugin::state::replies::{Admission, MentionLimits, ReplyState, TOO_MANY};
use rusqlite::{Connection, OptionalExtension, params};

use super::error::Fault;
use super::reply::Reply;

/// The mention to decide about.
struct Mention {
    asked_at: i64,
    is_notified: bool,
    user_id: String,
    text: String,
}

/// The earlier mentions that were to be answered.
struct Answered {
    count: u32,
    /// When the first of them was written, in Unix seconds.
    first: i64,
}

pub(super) fn admit(
    connection: &Connection,
    reply: &Reply<'_>,
    limits: MentionLimits,
) -> Result<Admission, Fault> {
    let mention: Option<Mention> = connection
        .prepare_cached(include_str!("sql/mention.sql"))?
        .query_row([reply.channel, reply.ts], |row| {
            Ok(Mention {
                asked_at: row.get(0)?,
                is_notified: row.get(1)?,
                user_id: row.get(2)?,
                text: row.get(3)?,
            })
        })
        .optional()?;
    let mention = mention.ok_or_else(|| reply.conflict("does not wait"))?;
    let begin = mention.asked_at - i64::from(limits.window_seconds);
    let count = |sql: &str, of: &dyn rusqlite::ToSql| {
        let columns = params![reply.workspace, begin, mention.asked_at, reply.ts, of];
        connection.prepare_cached(sql)?.query_row(columns, |row| {
            Ok(Answered {
                count: row.get(0)?,
                first: row.get::<_, Option<i64>>(1)?.unwrap_or_default(),
            })
        })
    };
    let is_known = !mention.user_id.is_empty();
    let of_person = (limits.per_person > 0 && is_known)
        .then(|| count(include_str!("sql/answered_of_person.sql"), &mention.user_id))
        .transpose()?
        .filter(|answered| answered.count >= limits.per_person);
    let in_channel = (limits.per_channel > 0)
        .then(|| count(include_str!("sql/answered_in_channel.sql"), &reply.channel))
        .transpose()?
        .filter(|answered| answered.count >= limits.per_channel);
    let is_of_person = of_person.is_some();
    let Some(answered) = of_person.or(in_channel) else {
        return Ok(Admission::Answer);
    };
    let user = is_of_person.then_some(&mention.user_id);
    let columns = params![reply.workspace, begin, reply.channel, user, reply.ts];
    let was_notified: bool = connection
        .prepare_cached(include_str!("sql/was_notified.sql"))?
        .query_row(columns, |row| row.get(0))?;
    let notify = mention.is_notified || !was_notified;
    connection
        .prepare_cached("UPDATE replies SET over_limit = ?3 WHERE channel = ?1 AND ts_key = ?2")?
        .execute(params![reply.channel, reply.ts, if notify { 1 } else { 2 }])?;
    if !notify {
        reply.end(connection, ReplyState::GivenUp, Some(TOO_MANY))?;
        return Ok(Admission::Silent);
    }
    // Mentions that wait may be above the limit themselves, so their number is not reported.
    let limit = if is_of_person {
        limits.per_person
    } else {
        limits.per_channel
    };
    Ok(Admission::Notify {
        answered: limit,
        until: answered.first + i64::from(limits.window_seconds),
        text: mention.text,
    })
}
