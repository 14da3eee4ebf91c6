//! Which messages of a channel wait for a version, and which were news of one.
//!
//! **Invariant**: a message of a channel with a version is news of exactly one version, or waits, or is history.

use rusqlite::{Connection, params};

/// Whether the channel has a version.
pub(super) fn has_version(connection: &Connection, channel: i64) -> rusqlite::Result<bool> {
    connection
        .prepare_cached(include_str!("sql/has_version.sql"))?
        .query_row([channel], |row| row.get(0))
}

/// A version of the channel was saved: what it was made from does not wait any more. With the first one, everything newer
/// than its oldest message begins to wait, and everything older is history. Goes before the recount.
pub(super) fn settle(connection: &Connection, channel: i64, memory: i64) -> rusqlite::Result<()> {
    let is_first = !has_version(connection, channel)?;
    if is_first {
        connection
            .prepare_cached(include_str!("sql/await_second_version.sql"))?
            .execute([channel, memory])?;
    }
    connection
        .prepare_cached(include_str!("sql/settle_messages.sql"))?
        .execute(params![memory, is_first, channel])?;
    connection
        .prepare_cached("UPDATE channels SET lost_lines = 0 WHERE key = ?1 AND lost_lines = 1")?
        .execute([channel])?;
    if is_first {
        connection
            .prepare_cached(include_str!("sql/end_history.sql"))?
            .execute([channel])?;
    }
    Ok(())
}

/// Versions of a channel are set aside, from this one on: what was their news waits again.
pub(super) fn give_back(
    connection: &Connection,
    workspace: i64,
    channel_id: &str,
    version: i64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(include_str!("sql/give_back.sql"))?
        .execute(params![workspace, channel_id, version])?;
    Ok(())
}
