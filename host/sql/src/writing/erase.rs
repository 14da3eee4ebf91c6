//! Erases what edited and deleted messages said from everything that was made from them.
//!
//! **Invariant**: this happens in the transaction that changes the messages. The rest of what the erased lines said comes
//! back with the next version: everything that was news of the same version waits again.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::state::forgetting::Erased;
use myao_plugin::{Citation, erasure};

use crate::fault::Fault;
use crate::journal::recordings;
use crate::ledger;
use crate::memories::lines::{self, StoredLine};
use crate::memories::records;
use crate::rows::list;
use crate::sight::json_array;

/// The content of a text whose lines are all erased.
pub(crate) const NOTHING_LEFT: &str = erasure::NOTHING_LEFT;

/// The memories to be made anew after an erasure.
#[derive(Default)]
pub(crate) struct Anew {
    /// Channels with messages that wait again.
    pub(crate) channels: BTreeSet<i64>,
    /// Scopes and scope ids of the memories that lost lines.
    pub(crate) memories: BTreeSet<(i64, String)>,
}

/// Erases what messages said, by their keys. Does not count the messages. Adds what is to be remembered anew to `anew`.
pub(crate) fn erase(
    connection: &Connection,
    workspace: i64,
    messages: &BTreeSet<i64>,
    anew: &mut Anew,
) -> Result<Erased, Fault> {
    if messages.is_empty() {
        return Ok(Erased::default());
    }
    let revision = next_revision(connection, workspace)?;
    let keys = json_array(messages);
    connection.execute(
        "UPDATE messages SET revised = ?2 WHERE key IN (SELECT value FROM integers(?1))",
        params![keys, revision],
    )?;
    records::erase(connection, &keys, revision)?;
    ledger::erase(connection, &keys)?;
    let mut gone: BTreeMap<i64, BTreeSet<usize>> = BTreeMap::new();
    for (memory, number) in lines_to_erase(connection, workspace, &keys)? {
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        gone.entry(memory).or_default().insert(number);
    }
    let mut speakers = BTreeSet::new();
    for (memory, numbers) in &gone {
        let cited = erase_lines(connection, *memory, numbers, revision)?;
        let (scope, is_current_long_term) = scope_of(connection, *memory)?;
        anew.memories.insert(scope);
        if is_current_long_term {
            speakers.extend(cited.difference(messages));
        }
    }
    let mut erased = Erased {
        lines: gone.values().map(BTreeSet::len).sum(),
        memories: gone.len(),
        ..Erased::default()
    };
    let memories: BTreeSet<i64> = gone.into_keys().collect();
    let sql = include_str!("../erasure/sql/wait_again.sql");
    let columns = params![keys, json_array(&memories)];
    let mut waiting: Vec<i64> = list(connection, sql, columns, |row| row.get(0))?;
    // The other messages of an erased long-term line wait again.
    let again = "UPDATE messages SET news_of = NULL \
        WHERE key IN (SELECT value FROM integers(?1)) AND deleted_at IS NULL AND news_of IS NOT NULL \
        RETURNING channel";
    let speakers = json_array(&speakers);
    waiting.extend(list(connection, again, params![speakers], |row| {
        row.get::<i64>(0)
    })?);
    waiting.extend(wait_for_imported(connection, &memories)?);
    erased.remembered_anew = waiting.len();
    mark_lost_lines(connection, &waiting)?;
    anew.channels.extend(waiting);
    erased.events = drop_events(connection, workspace, &keys)?;
    erased += drop_copies(connection, workspace, &keys, &memories)?;
    Ok(erased)
}

/// Lets wait again what memories of another program counted for that lost lines. Returns the channel of each message.
fn wait_for_imported(connection: &Connection, memories: &BTreeSet<i64>) -> Result<Vec<i64>> {
    let memories = json_array(memories);
    let wait = include_str!("../erasure/sql/wait_for_imported.sql");
    let waiting = list(connection, wait, params![memories], |row| row.get(0))?;
    // Of a memory that was never accepted, everything up to its newest message becomes history that a backfill takes in.
    let with_version = "SELECT DISTINCT c.key FROM integers(?1) AS k \
        CROSS JOIN memories AS m ON m.id = k.value AND m.engine = 2 AND m.scope = 1 \
        CROSS JOIN channels AS c ON c.workspace = m.workspace AND c.id = m.scope_id \
        CROSS JOIN backlog AS b ON b.channel = c.key AND b.thread_key = 0 AND b.short_term_id > 0";
    let channels: Vec<i64> = list(connection, with_version, params![memories], |row| {
        row.get(0)
    })?;
    for channel in channels {
        connection.execute(include_str!("../erasure/sql/end_history.sql"), [channel])?;
    }
    Ok(waiting)
}

/// Makes these channels due at once.
fn mark_lost_lines(connection: &Connection, channels: &[i64]) -> Result<()> {
    let channels = json_array(&channels.iter().copied().collect());
    connection
        .execute("UPDATE channels SET lost_lines = 1 WHERE lost_lines = 0 AND key IN (SELECT value FROM integers(?1))", [channels])?;
    Ok(())
}

/// The number of a new erasure.
pub(crate) fn next_revision(connection: &Connection, workspace: i64) -> Result<i64> {
    connection.query_row(
        "UPDATE workspaces SET revision = revision + 1 WHERE key = ?1 RETURNING revision",
        [workspace],
        |row| row.get(0),
    )
}

fn lines_to_erase(connection: &Connection, workspace: i64, keys: &str) -> Result<Vec<(i64, i64)>> {
    let channels = json_array(&channels_of(connection, keys)?.into_iter().collect());
    let oldest: i64 = connection.query_row(
        "SELECT MIN(ts_key) FROM messages WHERE key IN (SELECT value FROM integers(?1))",
        [keys],
        |row| row.get(0),
    )?;
    let sql = include_str!("../erasure/sql/lines_to_erase.sql");
    list(
        connection,
        sql,
        params![workspace, keys, channels, oldest],
        |row| Ok((row.get(0)?, row.get(1)?)),
    )
}

fn channels_of(connection: &Connection, keys: &str) -> Result<Vec<i64>> {
    let sql = "SELECT DISTINCT channel FROM messages WHERE key IN (SELECT value FROM integers(?1))";
    list(connection, sql, params![keys], |row| row.get(0))
}

/// The scope of a memory and its id, and whether it is the current long-term memory there.
fn scope_of(connection: &Connection, memory: i64) -> Result<((i64, String), bool)> {
    let sql = "SELECT scope, scope_id, memory_type = 0 AND superseded_at IS NULL FROM memories WHERE id = ?1";
    connection.query_row(sql, [memory], |row| {
        Ok(((row.get(0)?, row.get(1)?), row.get(2)?))
    })
}

/// Drops events that could not be applied and that name one of the messages: they may hold its text.
pub(crate) fn drop_events(
    connection: &Connection,
    workspace: i64,
    messages: &str,
) -> Result<usize> {
    connection.execute(
        include_str!("../erasure/sql/drop_events_of_messages.sql"),
        params![workspace, messages],
    )
}

/// Takes lines out of a text. Returns the messages that they cited.
fn erase_lines(
    connection: &Connection,
    memory: i64,
    gone: &BTreeSet<usize>,
    revision: i64,
) -> Result<BTreeSet<i64>> {
    let content: String = connection.query_row(
        "SELECT content FROM memories WHERE id = ?1",
        [memory],
        |row| row.get(0),
    )?;
    let stored = lines::of(connection, memory)?;
    let spans: Vec<Citation> = stored
        .iter()
        .map(|line| Citation {
            start: line.start,
            length: line.length,
            messages: Vec::new(),
            by_program: false,
        })
        .collect();
    let cited = stored.iter().enumerate();
    let cited = cited.filter(|(number, _)| gone.contains(number));
    let cited = cited
        .flat_map(|(_, line)| line.messages.iter().copied())
        .collect();
    let (content, spans) = erasure::without(&content, &spans, |line| gone.contains(&line));
    let kept = stored.into_iter().enumerate();
    let kept = kept.filter(|(number, _)| !gone.contains(number));
    let lines: Vec<StoredLine> = kept
        .zip(&spans)
        .map(|((_, line), span)| StoredLine {
            start: span.start,
            length: span.length,
            messages: line.messages,
        })
        .collect();
    lines::replace(connection, memory, &lines)?;
    let is_empty = content.is_empty();
    let content = if is_empty { NOTHING_LEFT } else { &content };
    // Nothing is made from an empty text, and what was made from it before has lost its lines now.
    let set = "UPDATE memories SET content = ?2, revised = ?3, handed_known = MAX(handed_known, ?4) WHERE id = ?1";
    connection.execute(set, params![memory, content, revision, is_empty])?;
    Ok(cited)
}

/// Drops what holds the texts besides: recordings, answers of the model that wait for their memory, and answers to people
/// that are not sent yet. It is not stored what those were made from: all go that may have been made from the messages, and
/// are made anew.
pub(crate) fn drop_copies(
    connection: &Connection,
    workspace: i64,
    messages: &str,
    memories: &BTreeSet<i64>,
) -> Result<Erased> {
    let mut erased = Erased::default();
    for channel in channels_of(connection, messages)? {
        let is_public: bool = connection.query_row(
            "SELECT is_public FROM channel_audience WHERE channel = ?1",
            [channel],
            |row| row.get(0),
        )?;
        erased.model_answers += connection.execute(
            include_str!("../erasure/sql/drop_waiting_answers.sql"),
            params![workspace, channel, is_public],
        )?;
        let elsewhere: &[bool] = if is_public { &[false, true] } else { &[false] };
        for is_elsewhere in elsewhere {
            for sql in [
                include_str!("../erasure/sql/withdraw_parts.sql"),
                include_str!("../erasure/sql/blank_parts.sql"),
            ] {
                erased.unsent_parts +=
                    connection.execute(sql, params![workspace, channel, is_elsewhere])?;
            }
        }
    }
    let sql = include_str!("../erasure/sql/erase_recordings.sql");
    let memories = json_array(memories);
    let found: Vec<i64> = list(connection, sql, params![messages, memories], |row| {
        row.get(0)
    })?;
    erased.recordings = found.len();
    for recording in found {
        recordings::delete(connection, recording)?;
    }
    Ok(erased)
}
