//! Redacts credentials that were stored before they were recognised.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, Result, Row};
use myao_plugin::state::forgetting::Erased;

use crate::fault::Fault;
use crate::place::Place;
use crate::search::query::Forgotten;
use crate::writing::erase;
use crate::writing::{Source, Writing};

/// Puts placeholders in the place of credentials. What was made from their messages is made anew.
pub(crate) fn redact(
    connection: &Connection,
    place: &Place,
    now: i64,
) -> Result<(Erased, Forgotten), Fault> {
    let mut forgotten = Forgotten::default();
    let messages = "SELECT text, channel, ts_key FROM messages \
        WHERE workspace = ?1 AND deleted_at IS NULL ORDER BY channel, ts_key";
    let of_message = |row: &Row<'_>| Ok((row.get(1)?, row.get(2)?));
    let mut writing = Writing::new(place.workspace, Source::Events(now));
    for message in with_credentials(connection, (messages, place), &mut forgotten, of_message)? {
        writing.redact(connection, message)?;
    }
    let mut erased = writing.finish(connection)?;
    // What is left is from messages that are not stored any more, or from another program.
    let memories = "SELECT content, id FROM memories WHERE workspace = ?1 ORDER BY id";
    let of_memory = |row: &Row<'_>| Ok((row.get(1)?, row.get(0)?));
    let memories = with_credentials(connection, (memories, place), &mut forgotten, of_memory)?;
    erased.memories += memories.len();
    erased += mask(connection, place, memories)?;
    // Nobody can tell what else an event says that could not be applied.
    let events = "SELECT payload, id FROM events WHERE workspace = ?1 AND state = 2";
    for id in with_credentials(connection, (events, place), &mut forgotten, |row| {
        row.get(1)
    })? {
        let id: i64 = id;
        erased.events += connection.execute("DELETE FROM events WHERE id = ?1", [id])?;
    }
    Ok((erased, forgotten))
}

/// The rows whose first column holds credentials, which are added to `forgotten`.
fn with_credentials<T>(
    connection: &Connection,
    (sql, place): (&str, &Place),
    forgotten: &mut Forgotten,
    read: impl Fn(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut found = Vec::new();
    connection.each(sql, [place.workspace], |row| -> Result<()> {
        let text: String = row.get(0)?;
        let mut credentials = myao_secrets::find(&text).peekable();
        if credentials.peek().is_some() {
            found.push(read(row)?);
        }
        for credential in credentials {
            forgotten.add(text.get(credential.span).unwrap_or_default().to_owned());
        }
        Ok(())
    })?;
    Ok(found)
}

/// Masks credentials in memories: their lines and citations stay where they are.
fn mask(connection: &Connection, place: &Place, memories: Vec<(i64, String)>) -> Result<Erased> {
    if memories.is_empty() {
        return Ok(Erased::default());
    }
    let revision = erase::next_revision(connection, place.workspace)?;
    let mut masked = BTreeSet::new();
    for (memory, content) in memories {
        let content = myao_secrets::mask(&content);
        let set = "UPDATE memories SET content = ?2, revised = ?3 WHERE id = ?1";
        connection.execute(set, params![memory, content.as_ref(), revision])?;
        masked.insert(memory);
    }
    erase::drop_copies(connection, place.workspace, "[]", &masked)
}
