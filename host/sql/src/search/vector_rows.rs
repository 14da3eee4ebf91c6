//! The vectors of messages, and their fate in the transaction that changes a message.
//!
//! A workspace has the vectors of two embedders while one takes the place of the other: of two generations, 0 and 1. A vector's row
//! has the id of its message's row in the index, with one bit more for the second.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::search::{KEY_BITS, SECOND, codes};
use crate::session::{Connection, Result};

/// The text of a row's message has changed.
pub(crate) fn change(connection: &Connection, row: i64) -> Result<()> {
    let sql = "INSERT INTO message_vectors (row, vector) \
        SELECT ?1 + e.generation * ?3, NULL FROM channels AS c JOIN embedders AS e ON e.workspace = c.workspace WHERE c.key = ?2 \
        ON CONFLICT (row) DO UPDATE SET vector = NULL";
    connection.execute(sql, params![row, row >> KEY_BITS, SECOND])?;
    Ok(())
}

/// The text of a row's message is gone.
pub(crate) fn remove(connection: &Connection, row: i64) -> Result<()> {
    let sql = "DELETE FROM message_vectors WHERE row IN (?1, ?2)";
    connection.execute(sql, [row, row | SECOND])?;
    Ok(())
}

/// The codes of these rows' messages say nothing any more.
pub(crate) fn remove_codes(connection: &Connection, rows: &BTreeSet<i64>) -> Result<()> {
    let both = rows.iter().flat_map(|row| [*row, row | SECOND]);
    codes::change(connection, &BTreeMap::new(), &both.collect())
}

/// Removes all vectors of a channel that are of a generation.
pub(crate) fn clear(connection: &Connection, channel: i64, generation: i64) -> Result<()> {
    let first = (channel << KEY_BITS) | (generation * SECOND);
    let rows = params![first, first + SECOND - 1];
    connection.execute(
        "DELETE FROM message_vectors WHERE row BETWEEN ?1 AND ?2",
        rows,
    )?;
    codes::clear(connection, channel, generation)
}
