//! What becomes of a message's vector in the transaction that changes the message.

use rusqlite::Connection;

/// The text of a row's message has changed.
pub(super) fn change(connection: &Connection, row: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached(
            "INSERT INTO message_vectors (row, vector) SELECT ?1, NULL WHERE EXISTS (SELECT 1 FROM embedders) \
             ON CONFLICT (row) DO UPDATE SET vector = NULL",
        )?
        .execute([row])?;
    Ok(())
}

/// The text of a row's message is gone.
pub(super) fn remove(connection: &Connection, row: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM message_vectors WHERE row = ?1")?
        .execute([row])?;
    Ok(())
}
