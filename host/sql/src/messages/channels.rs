//! Channels that something names.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};

/// The key of a channel. A new channel is added: its name may come later, and it is not known yet who may read it.
/// `takes_part` says whether the bot is known to be in it.
pub(crate) fn known_or_added(
    connection: &Connection,
    workspace: i64,
    id: &str,
    takes_part: bool,
) -> Result<i64> {
    let key = || {
        connection.query_row(
            include_str!("sql/channel_key.sql"),
            params![workspace, id],
            |row| row.get(0),
        )
    };
    // PostgreSQL gives a key away even if it then inserts nothing, and there are not too many of them.
    if let Some(key) = key().optional()? {
        return Ok(key);
    }
    connection.execute(
        include_str!("sql/insert_channel.sql"),
        params![workspace, id, "", true, takes_part],
    )?;
    key()
}
