//! The fate of a message's vector in the transaction that changes the message.

use crate::session::{Connection, Result};

/// The text of a row's message has changed.
pub(crate) fn change(connection: &Connection, row: i64) -> Result<()> {
    connection
        .execute("INSERT INTO message_vectors (row, vector) SELECT ?1, NULL WHERE EXISTS (SELECT 1 FROM embedders) \
             ON CONFLICT (row) DO UPDATE SET vector = NULL", [row])?;
    Ok(())
}

/// The text of a row's message is gone.
pub(crate) fn remove(connection: &Connection, row: i64) -> Result<()> {
    connection.execute("DELETE FROM message_vectors WHERE row = ?1", [row])?;
    Ok(())
}
