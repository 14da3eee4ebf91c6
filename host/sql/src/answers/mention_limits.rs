//! How many mentions are answered: a number for each person and a number for each channel, within a period before each
//! mention, and a number for each person within a day. The count comes from the stored answers, so it is the same after a restart and does not depend on who asks
//! first.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result, ToSql};
use myao_plugin::state::replies::{Admission, DAY_SECONDS, MentionLimits, ReplyState, TOO_MANY};

use crate::answers::reply::Reply;
use crate::fault::Fault;

/// The mention to decide about.
struct Mention {
    asked_at: i64,
    is_notified: bool,
    user_id: String,
    text: String,
}

/// A limit that the earlier mentions have reached.
struct Reached {
    limit: u32,
    /// Its period in seconds.
    window: u32,
    is_of_person: bool,
    /// The Unix second from which on another mention is answered.
    until: i64,
    /// Who got a notice after this Unix second gets no other.
    notified_after: i64,
}

pub(crate) fn admit(
    connection: &Connection,
    reply: &Reply<'_>,
    limits: MentionLimits,
) -> Result<Admission, Fault> {
    let mention: Option<Mention> = connection
        .query_row(
            include_str!("sql/mention.sql"),
            [reply.channel, reply.ts],
            |row| {
                Ok(Mention {
                    asked_at: row.get(0)?,
                    is_notified: row.get(1)?,
                    user_id: row.get(2)?,
                    text: row.get(3)?,
                })
            },
        )
        .optional()?;
    let mention = mention.ok_or_else(|| reply.conflict("does not wait"))?;
    let Some(reached) = reached(connection, reply, &mention, limits)? else {
        return Ok(Admission::Answer);
    };
    let user = reached.is_of_person.then_some(&mention.user_id);
    let after = reached.notified_after;
    let columns = params![reply.workspace, after, reply.channel, user, reply.ts];
    let was_notified: bool =
        connection.query_row(include_str!("sql/was_notified.sql"), columns, |row| {
            row.get(0)
        })?;
    let notify = mention.is_notified || !was_notified;
    connection.execute(
        "UPDATE replies SET over_limit = ?3 WHERE channel = ?1 AND ts_key = ?2",
        params![reply.channel, reply.ts, if notify { 1 } else { 2 }],
    )?;
    if !notify {
        reply.end(connection, ReplyState::GivenUp, Some(TOO_MANY))?;
        return Ok(Admission::Silent);
    }
    // Mentions that wait may be above the limit themselves, so their number is not reported.
    Ok(Admission::Notify {
        answered: reached.limit,
        window_seconds: reached.window,
        until: reached.until,
        text: mention.text,
    })
}

/// The limit that a mention is over: of its author's the one that ends last, or else that of its channel.
fn reached(
    connection: &Connection,
    reply: &Reply<'_>,
    mention: &Mention,
    limits: MentionLimits,
) -> Result<Option<Reached>> {
    let look = |sql: &str, of: &dyn ToSql, limit: u32, window: u32, is_of_person: bool| {
        if limit == 0 {
            return Ok(None);
        }
        let begin = mention.asked_at - i64::from(window);
        let columns = params![reply.workspace, begin, mention.asked_at, reply.ts, of];
        connection.query_row(sql, columns, |row| {
            let count: u32 = row.get(0)?;
            let first: i64 = row.get::<Option<i64>>(1)?.unwrap_or_default();
            let last: i64 = row.get::<Option<i64>>(2)?.unwrap_or_default();
            Ok((count >= limit).then_some(Reached {
                limit,
                window,
                is_of_person,
                until: first + i64::from(window),
                notified_after: if window == DAY_SECONDS { last } else { begin },
            }))
        })
    };
    let of_person = include_str!("sql/answered_of_person.sql");
    let person = &mention.user_id;
    if !person.is_empty() {
        let window = look(
            of_person,
            person,
            limits.per_person,
            limits.window_seconds,
            true,
        )?;
        let day = look(
            of_person,
            person,
            limits.per_person_per_day,
            DAY_SECONDS,
            true,
        )?;
        let both = window.into_iter().chain(day);
        if let Some(reached) = both.max_by_key(|reached| reached.until) {
            return Ok(Some(reached));
        }
    }
    let in_channel = include_str!("sql/answered_in_channel.sql");
    let (limit, window) = (limits.per_channel, limits.window_seconds);
    look(in_channel, &reply.channel, limit, window, false)
}
