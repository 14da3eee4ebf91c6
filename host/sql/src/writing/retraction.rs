//! Retracts posts of the bot: what they were made from was edited, deleted, forgotten or hidden from their channel.
//!
//! A retracted post is deleted here like a message, so that nothing shows it or is made from it; the bot asks Slack to
//! show a note in its place.

use crate::params;
use crate::session::{Connection, Result, ToSql};

use crate::rows::list;

/// A post: its channel and its key.
pub(crate) type Post = (i64, i64);

/// Retracts what was made from a message.
pub(crate) fn made_from(connection: &Connection, (channel, ts): (i64, i64)) -> Result<Vec<Post>> {
    let made =
        "SELECT channel, ts_key FROM reply_sources WHERE source_channel = ?1 AND source_key = ?2";
    retract(connection, made, params![channel, ts])
}

/// Retracts what other channels were told of a channel.
pub(crate) fn told_elsewhere(connection: &Connection, channel: i64) -> Result<Vec<Post>> {
    let made =
        "SELECT channel, ts_key FROM reply_sources WHERE source_channel = ?1 AND channel <> ?1";
    retract(connection, made, params![channel])
}

/// Retracts what a channel was told of others.
pub(crate) fn told_of_others(connection: &Connection, channel: i64) -> Result<Vec<Post>> {
    let made =
        "SELECT channel, ts_key FROM reply_sources WHERE channel = ?1 AND source_channel <> ?1";
    retract(connection, made, params![channel])
}

/// Retracts the answer to a message.
pub(crate) fn answer(connection: &Connection, channel: i64, ts: i64) -> Result<Vec<Post>> {
    retract(connection, "VALUES (?1, ?2)", params![channel, ts])
}

/// Marks the posts of answers that were not retracted before, and returns them.
fn retract(connection: &Connection, answers: &str, columns: &[&dyn ToSql]) -> Result<Vec<Post>> {
    let sql = format!(
        "UPDATE reply_parts SET retracted = 1 \
         WHERE (channel, ts_key) IN ({answers}) AND posted_key IS NOT NULL AND retracted = 0 \
         RETURNING channel, posted_key"
    );
    list(connection, &sql, columns, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}
