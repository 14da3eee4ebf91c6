//! Everything that events write, in a text form, to compare two databases.

use myao_plugin::storage::StorageError;
use std::fmt::Write as _;

use crate::session::Connection;
use crate::session::{Column, Result};

use crate::fault::Fault;
use crate::place::Place;
use crate::workspace::SqlWorkspace;

/// Each query lists rows of one kind in a fixed order.
const KINDS: [(&str, &str); 6] = [
    (
        "user",
        "SELECT id, name, is_bot, changed_at, is_guest, guest_at FROM users WHERE workspace = ?1 ORDER BY id",
    ),
    (
        "channel",
        "SELECT id, name, is_private, present, name_at, private_at, present_at, is_shared, shared_at, members_at, \
         members_known, audience, participation \
         FROM channels \
         WHERE workspace = ?1 \
         ORDER BY id",
    ),
    (
        "member",
        "SELECT c.id, m.user_id, m.is_member, m.known_at \
         FROM channel_members AS m \
         JOIN channels AS c ON c.key = m.channel \
         WHERE c.workspace = ?1 \
         ORDER BY c.id, m.user_id",
    ),
    ("message", include_str!("sql/dump_messages.sql")),
    ("backlog", include_str!("sql/dump_backlog.sql")),
    ("reply", include_str!("sql/dump_replies.sql")),
];

impl SqlWorkspace {
    /// All users, channels and messages of the workspace as text, with what waits and what was answered. Two dumps are
    /// equal if the same effects were applied, in any order: rows are named by their ids, and no time of the machine's
    /// clock is included. Blocks.
    ///
    /// # Errors
    /// If the file or the disk cannot be read.
    pub fn dump_conversations(&self) -> Result<String, StorageError> {
        self.read(dump)
    }
}

fn dump(connection: &Connection, place: &Place) -> Result<String, Fault> {
    let mut out = String::new();
    for (kind, sql) in KINDS {
        connection.each(sql, [place.workspace], |row| -> Result<()> {
            out.push_str(kind);
            for (column, name) in row.names().iter().enumerate() {
                // Writing to a string never fails.
                let _ = match row.get_ref(column)? {
                    Column::Null => Ok(()),
                    Column::Text(text) => write!(out, " {name}={text:?}"),
                    Column::Integer(number) => write!(out, " {name}={number}"),
                    other => write!(out, " {name}={other:?}"),
                };
            }
            out.push('\n');
            Ok(())
        })?;
    }
    Ok(out)
}
