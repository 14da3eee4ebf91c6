//! Threads whose messages changed.

use crate::session::{Connection, OptionalExtension, Result};

/// Notes that a thread changed at a time, if there is one.
pub(super) fn mark_changed(
    connection: &Connection,
    workspace: i64,
    (channel, thread): (i64, i64),
    now: i64,
) -> Result<()> {
    if ThreadState::read(connection, channel, thread)?.is_some() {
        connection.execute(
            include_str!("../sql/mark_changed_thread.sql"),
            [workspace, channel, thread, now],
        )?;
    }
    Ok(())
}

/// Removes the note that a thread changed before a time: its memory was made since.
pub(crate) fn end_changed(
    connection: &Connection,
    workspace: i64,
    (channel, thread): (i64, i64),
    before: i64,
) -> Result<()> {
    connection.execute(
        include_str!("../sql/end_changed_thread.sql"),
        [workspace, channel, thread, before],
    )?;
    Ok(())
}

/// The counts of a thread.
pub(super) struct ThreadState {
    pub(super) newest: Option<i64>,
    pub(super) has_reply: bool,
}

impl ThreadState {
    /// Returns `None` if there is no thread.
    pub(super) fn read(connection: &Connection, channel: i64, thread: i64) -> Result<Option<Self>> {
        connection
            .query_row(
                include_str!("../sql/thread_state.sql"),
                [channel, thread],
                |row| {
                    Ok(Self {
                        newest: row.get(0)?,
                        has_reply: row.get(1)?,
                    })
                },
            )
            .optional()
    }
}
