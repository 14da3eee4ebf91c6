//! Marks of people that something is done.

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::storage::records::DoneMark;
use myao_plugin::ts::TsKey;

use crate::messages::pins::channel_of_reaction;
use crate::messages::tombstones::Kind;

/// Takes in that somebody marked a message as done, or took that back. What a person is forgotten for does not come back.
pub(crate) fn mark(
    connection: &Connection,
    workspace: i64,
    mark: &DoneMark,
    (is_given, at): (bool, TsKey),
) -> Result<()> {
    let is_forgotten = "SELECT EXISTS (SELECT 1 FROM tombstones \
        WHERE workspace = ?1 AND kind = ?2 AND subject = ?3 AND through >= ?4)";
    let columns = params![workspace, Kind::User as i64, mark.user_id, at.to_database()];
    if connection.query_row(is_forgotten, columns, |row| row.get(0))? {
        return Ok(());
    }
    let channel = channel_of_reaction(connection, workspace, &mark.channel_id)?;
    let (ts, at) = (mark.ts.to_database(), at.to_database());
    let columns = params![channel, ts, mark.user_id, mark.emoji, is_given, at];
    connection.execute(include_str!("sql/done.sql"), columns)?;
    Ok(())
}
