//! Messages that wait to be summarised, and the counts by which they are found.

use crate::params;
use crate::session::{Connection, Result, Row};
use myao_plugin::MemoryType;
use myao_plugin::storage::{Backlog, Channel, Due, DueQuery};

use crate::fault::Fault;
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::rows::{self, NO_WATERMARK};
use crate::sight::json_texts;

/// A backlog at a point in time, with the values that decide whether it is due.
struct Waiting {
    latest: Option<i64>,
    summarized_through: Option<i64>,
    backlog: Backlog,
}

/// The bounds of a [`DueQuery`] as column values.
struct Bounds {
    until: i64,
    window_start: i64,
    idle_since: i64,
    message_threshold: u32,
    always: bool,
}

impl Bounds {
    fn of(query: &DueQuery) -> Result<Self, Fault> {
        Ok(Self {
            until: rows::key(&query.until)?,
            window_start: rows::key(&query.window_start)?,
            idle_since: rows::key(&query.idle_since)?,
            message_threshold: query.message_threshold,
            always: query.always,
        })
    }

    /// Returns true if a channel is due. The answer does not depend on anything after `until`, so a backfill gets the same
    /// answer that a bot got at that time.
    fn admit_channel(&self, waiting: &Waiting) -> bool {
        let backlog = &waiting.backlog;
        if backlog.unmerged_count > 0 {
            return true;
        }
        if backlog.new_message_count == 0 {
            return false;
        }
        if backlog.short_term_version.is_none() {
            let history = waiting.summarized_through;
            return waiting.latest >= Some(self.window_start)
                || (history.is_some() && waiting.latest > history);
        }
        self.always
            || backlog.lost_lines
            || waiting
                .latest
                .is_some_and(|latest| latest <= self.idle_since)
            || backlog.new_message_count >= self.message_threshold
    }

    /// Returns true if a thread is due.
    fn admit_thread(&self, waiting: &Waiting) -> bool {
        if waiting.backlog.short_term_version.is_some() {
            return waiting.backlog.new_message_count > 0;
        }
        waiting.latest >= Some(self.window_start)
    }
}

/// The channels and threads that may be due.
pub(crate) fn due(connection: &Connection, place: &Place, query: &DueQuery) -> Result<Due, Fault> {
    let bounds = Bounds::of(query)?;
    Ok(Due {
        channels: due_channels(connection, place, &bounds)?,
        threads: due_threads(connection, place, &bounds)?,
        workspace_long_term: due_workspace(connection, place, MemoryType::LongTerm)?,
        workspace_short_term: due_workspace(connection, place, MemoryType::ShortTerm)?,
    })
}

/// The backlog of one channel or thread.
pub(crate) fn backlog(
    connection: &Connection,
    place: &Place,
    channel_id: &str,
    thread_ts: Option<&str>,
    until: &str,
) -> Result<Backlog, Fault> {
    let until = rows::key(until)?;
    let thread = thread_ts.map(rows::key).transpose()?;
    let channel = channel_key(connection, place, channel_id)?;
    let waiting = match thread {
        None => channel_waiting(connection, channel, until)?,
        Some(thread) => thread_waiting(connection, channel, thread, until)?,
    };
    Ok(waiting.backlog)
}

/// Makes the first version of these channels include everything from `since` on. A channel that has a version is not
/// changed.
pub(crate) fn expect_first_version(
    connection: &Connection,
    place: &Place,
    channel_ids: Vec<String>,
    since: &str,
) -> Result<(), Fault> {
    let ids = json_texts(channel_ids);
    let history_through = rows::key(since)? - 1;
    connection.execute(
        include_str!("../schedule/sql/expect_first_version.sql"),
        params![place.workspace, ids, history_through],
    )?;
    Ok(())
}

/// Recounts what waits in a channel.
pub fn recount_channel(connection: &Connection, channel: i64) -> Result<()> {
    connection.execute(
        include_str!("../schedule/sql/recount_channel.sql"),
        [channel],
    )?;
    Ok(())
}

/// Recounts what waits in a thread.
pub fn recount_thread(connection: &Connection, channel: i64, thread: i64) -> Result<()> {
    let recount = include_str!("../schedule/sql/recount_thread.sql");
    let written = connection.execute(recount, [channel, thread])?;
    if written == 0 {
        let drop = "DELETE FROM backlog WHERE channel = ?1 AND thread_key = ?2";
        connection.execute(drop, [channel, thread])?;
    }
    Ok(())
}

fn due_channels(
    connection: &Connection,
    place: &Place,
    bounds: &Bounds,
) -> Result<Vec<Backlog>, Fault> {
    let statement = include_str!("../schedule/sql/due_channels.sql");
    let columns = params![
        place.workspace,
        bounds.until,
        bounds.window_start,
        bounds.idle_since,
        bounds.message_threshold,
        bounds.always,
    ];
    let mut due = Vec::new();
    connection.each(statement, columns, |row| -> Result<()> {
        let waiting = channel_waiting(connection, row.get(0)?, bounds.until)?;
        if bounds.admit_channel(&waiting) {
            due.push(waiting.backlog);
        }
        Ok(())
    })?;
    due.sort_by(|a, b| a.channel.id.cmp(&b.channel.id));
    Ok(due)
}

fn due_threads(
    connection: &Connection,
    place: &Place,
    bounds: &Bounds,
) -> Result<Vec<Backlog>, Fault> {
    let statement = include_str!("../schedule/sql/due_threads.sql");
    let columns = [place.workspace, bounds.until, bounds.window_start];
    let mut due = Vec::new();
    connection.each(statement, columns, |row| -> Result<()> {
        let thread: i64 = row.get(1)?;
        let waiting = thread_waiting(connection, row.get(0)?, thread, bounds.until)?;
        if bounds.admit_thread(&waiting) {
            due.push((thread, waiting.backlog));
        }
        Ok(())
    })?;
    due.sort_by(|(a_thread, a), (b_thread, b)| {
        (&a.channel.id, a_thread).cmp(&(&b.channel.id, b_thread))
    });
    Ok(due.into_iter().map(|(_, backlog)| backlog).collect())
}

fn due_workspace(
    connection: &Connection,
    place: &Place,
    memory_type: MemoryType,
) -> Result<bool, Fault> {
    let statement = include_str!("../schedule/sql/due_workspace.sql");
    let params = params![
        place.workspace,
        place.scope_id,
        rows::type_code(memory_type)
    ];
    Ok(connection.query_row(statement, params, |row| row.get(0))?)
}

fn channel_waiting(connection: &Connection, channel: i64, until: i64) -> Result<Waiting> {
    let statement = include_str!("../schedule/sql/backlog_of_channel.sql");
    connection.query_row(statement, [channel, until], |row| waiting(row, None))
}

fn thread_waiting(
    connection: &Connection,
    channel: i64,
    thread: i64,
    until: i64,
) -> Result<Waiting> {
    let statement = include_str!("../schedule/sql/backlog_of_thread.sql");
    connection.query_row(statement, [channel, thread, until], |row| {
        waiting(row, Some(rows::ts(thread)))
    })
}

fn waiting(row: &Row<'_>, thread_ts: Option<String>) -> Result<Waiting> {
    let latest: Option<i64> = row.get(3)?;
    let watermark = row.get::<Option<i64>>(5)?;
    let summarized_through = watermark.filter(|key| *key != NO_WATERMARK);
    let backlog = Backlog {
        channel: Channel {
            id: row.get(0)?,
            name: row.get(1)?,
            is_private: row.get(2)?,
        },
        thread_ts,
        latest_message_ts: latest.map(rows::ts),
        new_message_count: row.get(4)?,
        short_term_version: row.get(6)?,
        summarized_through: summarized_through.map(rows::ts),
        unmerged_count: row.get(7)?,
        late_message_count: row.get(8)?,
        lost_lines: row.get(9)?,
    };
    Ok(Waiting {
        latest,
        summarized_through,
        backlog,
    })
}
