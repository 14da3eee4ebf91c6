//! Sets memories aside, so that they are made anew from the messages.

use crate::params;
use crate::session::Connection;

use crate::fault::Fault;
use crate::ledger;
use crate::memories::backlog::{recount_channel, recount_thread};
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::rows::list;

/// Sets the current memories of a channel and its threads aside, or all, at a time in Unix seconds. All their messages
/// wait again. Returns how many memories there were.
pub(crate) fn begin_again(
    connection: &Connection,
    place: &Place,
    channel_id: Option<&str>,
    now: i64,
) -> Result<usize, Fault> {
    let channels: Vec<i64> = match channel_id {
        Some(id) => vec![channel_key(connection, place, id)?],
        None => {
            let all = "SELECT key FROM channels WHERE workspace = ?1";
            list(connection, all, params![place.workspace], |row| row.get(0))?
        }
    };
    let set_aside = connection.execute(
        include_str!("sql/set_aside_memories.sql"),
        params![place.workspace, channel_id, now],
    )?;
    connection.execute(
        include_str!("../journal/sql/clear_deferrals.sql"),
        params![place.workspace, channel_id],
    )?;
    for channel in channels {
        ledger::begin_again(connection, channel)?;
        let forget_changes = "DELETE FROM changed_threads WHERE workspace = ?1 AND channel = ?2";
        connection.execute(forget_changes, [place.workspace, channel])?;
        let threads = "SELECT thread_key FROM backlog WHERE channel = ?1 AND thread_key <> 0";
        let threads: Vec<i64> = list(connection, threads, params![channel], |row| row.get(0))?;
        for thread in threads {
            recount_thread(connection, channel, thread)?;
        }
        recount_channel(connection, channel)?;
        connection.execute(
            "UPDATE messages SET news_of = 0 WHERE channel = ?1 AND news_of IS DISTINCT FROM 0",
            [channel],
        )?;
        connection.execute(include_str!("sql/expect_all_messages.sql"), [channel])?;
    }
    if channel_id.is_none() {
        connection.execute(
            "DELETE FROM backfill WHERE workspace = ?1",
            [place.workspace],
        )?;
    }
    Ok(set_aside)
}
