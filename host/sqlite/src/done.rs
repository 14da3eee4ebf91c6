//! What people mark as done.

use myao_plugin::storage::records::DoneMark;
use myao_plugin::ts::TsKey;
use rusqlite::{Connection, params};

use super::pins::channel_of_reaction;

/// Takes in that somebody marked a message as done, or took that back.
pub(super) fn mark(
    connection: &Connection,
    workspace: i64,
    mark: &DoneMark,
    (is_given, at): (bool, TsKey),
) -> rusqlite::Result<()> {
    let channel = channel_of_reaction(connection, workspace, &mark.channel_id)?;
    let (ts, at) = (mark.ts.to_database(), at.to_database());
    let columns = params![channel, ts, mark.user_id, mark.emoji, is_given, at];
    connection
        .prepare_cached(include_str!("sql/done.sql"))?
        .execute(columns)?;
    Ok(())
}
