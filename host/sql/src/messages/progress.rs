//! Which messages of a channel wait for a version, and which were news of one.
//!
//! **Invariant**: a message of a channel with a version is news of exactly one version, or waits, or is history.

use crate::params;
use crate::session::{Connection, Result};

/// Returns true if the channel has a version.
pub(crate) fn has_version(connection: &Connection, channel: i64) -> Result<bool> {
    connection.query_row(include_str!("sql/has_version.sql"), [channel], |row| {
        row.get(0)
    })
}

/// A version of the channel was saved: what it was made from does not wait any more. With the first one, everything newer
/// than its oldest message begins to wait, and everything older is history. Goes before the recount.
pub(crate) fn settle(connection: &Connection, channel: i64, memory: i64) -> Result<()> {
    let is_first = !has_version(connection, channel)?;
    if is_first {
        connection.execute(
            include_str!("sql/await_second_version.sql"),
            [channel, memory],
        )?;
    }
    connection.execute(
        include_str!("sql/settle_messages.sql"),
        params![memory, is_first, channel],
    )?;
    connection.execute(
        "UPDATE channels SET lost_lines = 0 WHERE key = ?1 AND lost_lines = 1",
        [channel],
    )?;
    if is_first {
        connection.execute(include_str!("../erasure/sql/end_history.sql"), [channel])?;
    }
    Ok(())
}

/// Versions of a channel are set aside, from this one on: what was their news waits again.
pub(crate) fn give_back(
    connection: &Connection,
    workspace: i64,
    channel_id: &str,
    version: i64,
) -> Result<()> {
    connection.execute(
        include_str!("sql/give_back.sql"),
        params![workspace, channel_id, version],
    )?;
    Ok(())
}
