//! All that events write, in a form that two databases can be compared by.

use std::fmt::Write as _;

use rusqlite::Connection;
use rusqlite::types::ValueRef;

use super::error::{Fault, StoreError};
use super::place::Place;
use super::workspace::SqliteWorkspace;

/// Each lists rows of a kind, in an order of their own.
const KINDS: [(&str, &str); 5] = [
    (
        "user",
        "SELECT id, name, is_bot, changed_at FROM users WHERE workspace = ?1 ORDER BY id",
    ),
    (
        "channel",
        "SELECT id, name, is_private, present, name_at, private_at, present_at \
         FROM channels \
         WHERE workspace = ?1 \
         ORDER BY id",
    ),
    ("message", include_str!("sql/dump_messages.sql")),
    ("backlog", include_str!("sql/dump_backlog.sql")),
    ("reply", include_str!("sql/dump_replies.sql")),
];

impl SqliteWorkspace {
    /// All users, channels and messages of the workspace, with what waits and what was answered, as text. Equal where the
    /// same effects were applied, whatever their order; it names rows by their ids, and tells no time of the machine's
    /// clock. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn dump_conversations(&self) -> Result<String, StoreError> {
        self.read(dump)
    }
}

fn dump(connection: &Connection, place: &Place) -> Result<String, Fault> {
    let mut out = String::new();
    for (kind, sql) in KINDS {
        let mut statement = connection.prepare_cached(sql)?;
        let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
        let mut rows = statement.query([place.workspace])?;
        while let Some(row) = rows.next()? {
            out.push_str(kind);
            for (column, name) in columns.iter().enumerate() {
                // Writing to a string cannot fail.
                let _ = match row.get_ref(column)? {
                    ValueRef::Null => Ok(()),
                    ValueRef::Text(text) => {
                        write!(out, " {name}={:?}", String::from_utf8_lossy(text))
                    }
                    ValueRef::Integer(number) => write!(out, " {name}={number}"),
                    other => write!(out, " {name}={other:?}"),
                };
            }
            out.push('\n');
        }
    }
    Ok(out)
}
