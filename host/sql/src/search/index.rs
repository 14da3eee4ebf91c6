//! The index of terms, by which messages are found.
//!
//! **Invariant**: it changes in the transaction of the message. Every message that is not deleted has one row.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::params;
use crate::session::{Connection, Dialect, Error, OptionalExtension, Result};
use myao_terms::terms;

use crate::search::{KEY_BITS, SECOND, codes, vector_rows};

/// The bits of a message's key in a row's id.
pub(crate) const KEY_MASK: i64 = (1 << KEY_BITS) - 1;
/// How many messages are indexed between two reports of the progress.
const REPORTED: u64 = 1_000;

/// How many messages one statement indexes.
const AT_ONCE: usize = 100;

/// The id of a message's row.
pub(crate) fn row_of(channel: i64, key: i64) -> i64 {
    (channel << KEY_BITS) | (key & KEY_MASK)
}

/// The channel of a row.
pub(crate) fn channel_of(row: i64) -> i64 {
    row >> KEY_BITS
}

/// The message of a row.
pub(crate) fn key_of(row: i64) -> i64 {
    row & KEY_MASK
}

/// The first and the last id that a row of a channel can have.
pub(crate) fn rows_of(channel: i64) -> (i64, i64) {
    (row_of(channel, 0), row_of(channel, KEY_MASK))
}

/// Messages that are to be indexed.
#[derive(Default)]
pub(crate) struct Unindexed {
    /// By row. FTS5 takes rows fastest in this order.
    rows: BTreeSet<i64>,
    /// Those that are not in the index yet.
    new: BTreeSet<i64>,
}

impl Unindexed {
    /// A message was inserted.
    pub(crate) fn add(&mut self, channel: i64, key: i64) {
        self.new.insert(row_of(channel, key));
        self.change(channel, key);
    }

    /// A message reads differently.
    pub(crate) fn change(&mut self, channel: i64, key: i64) {
        self.rows.insert(row_of(channel, key));
    }

    /// Indexes them.
    pub(crate) fn work_off(&mut self, connection: &Connection) -> Result<()> {
        let mut added: BTreeMap<i64, i64> = BTreeMap::new();
        let mut gone = BTreeSet::new();
        let mut changed = BTreeSet::new();
        for row in std::mem::take(&mut self.rows) {
            let added = added.entry(channel_of(row)).or_default();
            if !self.new.contains(&row) {
                let terms = terms_of(connection, row)?;
                gone.extend(terms.split_terminator(' ').map(str::to_owned));
                *added -= remove(connection, row)?;
            }
            let text: Option<String> = connection
                .query_row(
                    "SELECT text FROM messages WHERE key = ?1 AND deleted_at IS NULL",
                    [key_of(row)],
                    |row| row.get(0),
                )
                .optional()?;
            let is_new = self.new.contains(&row);
            if !is_new {
                changed.insert(row);
            }
            if let Some(text) = text {
                insert(connection, row, &text)?;
                *added += 1;
                if !is_new {
                    vector_rows::change(connection, row)?;
                }
            } else if !is_new {
                vector_rows::remove(connection, row)?;
            }
        }
        self.new.clear();
        vector_rows::remove_codes(connection, &changed)?;
        leave_no_key(connection, &gone)?;
        for (channel, added) in added {
            count(connection, channel, added)?;
        }
        Ok(())
    }
}

/// The terms of a row, joined by spaces; empty if the row does not exist.
fn terms_of(connection: &Connection, row: i64) -> Result<String> {
    let sql = "SELECT terms FROM message_index WHERE rowid = ?1";
    let terms = connection.query_row(sql, [row], |row| row.get(0));
    Ok(terms.optional()?.unwrap_or_default())
}

/// Rebuilds the index if it still holds one of these terms, which no row has any more. `secure-delete` removes terms from the
/// pages of the index, but not from the keys by which a page is found: such a key is the beginning of its first term.
fn leave_no_key(connection: &Connection, gone: &BTreeSet<String>) -> Result<()> {
    if gone.is_empty() || connection.dialect() != Dialect::Sqlite {
        return Ok(());
    }
    let keys: HashSet<Vec<u8>> = connection
        .query_map(
            "SELECT term FROM message_index_idx WHERE length(term) > 1",
            (),
            |row| row.get(0),
        )?
        .into_iter()
        .collect();
    // FTS5 writes a term of the only column as `0` and its bytes.
    let is_key = |term: &str| {
        let key = format!("0{term}");
        (2..=key.len()).any(|end| {
            key.as_bytes()
                .get(..end)
                .is_some_and(|key| keys.contains(key))
        })
    };
    let is_held = "SELECT EXISTS (SELECT 1 FROM message_index WHERE message_index MATCH ?1)";
    for term in gone.iter().filter(|term| is_key(term)) {
        let is_held: bool =
            connection.query_row(is_held, [format!("\"{term}\"")], |row| row.get(0))?;
        if !is_held {
            // An index of one part would be left as it is, so a row makes a second part and goes.
            for statement in [
                "INSERT INTO message_index (rowid, terms) VALUES (0, '-')",
                "INSERT INTO message_index (message_index) VALUES ('optimize')",
                "DELETE FROM message_index WHERE rowid = 0",
            ] {
                connection.execute(statement, ())?;
            }
            return Ok(());
        }
    }
    Ok(())
}

/// Indexes new messages, in the order of their rows, whose channels have counted them.
pub(crate) fn insert_all(connection: &Connection, texts: &[(i64, String)]) -> Result<()> {
    if connection.dialect() == Dialect::Sqlite {
        return texts
            .iter()
            .try_for_each(|(row, text)| insert(connection, *row, text));
    }
    // An answer of the server takes longer than what it does for a message.
    for texts in texts.chunks(AT_ONCE) {
        let rows: Vec<i64> = texts.iter().map(|(row, _)| *row).collect();
        let texts: Vec<String> = texts
            .iter()
            .map(|(_, text)| terms(text).join(" "))
            .collect();
        let json = |error: serde_json::Error| Error::Value(error.into());
        let rows = serde_json::to_string(&rows).map_err(json)?;
        let texts = serde_json::to_string(&texts).map_err(json)?;
        let insert = include_str!("../sql/postgres/index_messages.sql");
        connection.execute(insert, params![rows, texts, KEY_MASK + 1])?;
    }
    Ok(())
}

fn insert(connection: &Connection, row: i64, text: &str) -> Result<()> {
    let terms = terms(text).join(" ");
    match connection.dialect() {
        Dialect::Sqlite => {
            let insert = "INSERT INTO message_index (rowid, terms) VALUES (?1, ?2)";
            connection.execute(insert, params![row, terms])?;
        }
        Dialect::Postgres => {
            let insert = include_str!("../sql/postgres/index_message.sql");
            connection.execute(insert, params![row, terms, channel_of(row)])?;
        }
    }
    Ok(())
}

/// Returns how many rows were removed: one, or none.
fn remove(connection: &Connection, row: i64) -> Result<i64> {
    let removed = connection.execute("DELETE FROM message_index WHERE rowid = ?1", [row])?;
    Ok(i64::try_from(removed).unwrap_or(i64::MAX))
}

fn count(connection: &Connection, channel: i64, added: i64) -> Result<()> {
    connection.execute(
        "UPDATE channels SET indexed = indexed + ?2 WHERE key = ?1",
        [channel, added],
    )?;
    Ok(())
}

/// Indexes everything that is stored, in an index that is empty. `progress` hears how much is done, and of how much.
pub fn index_all(connection: &Connection, progress: &dyn Fn(u64, u64)) -> Result<()> {
    let total: i64 = connection.query_row(
        "SELECT COUNT(*) FROM messages WHERE deleted_at IS NULL",
        (),
        |row| row.get(0),
    )?;
    let total = u64::try_from(total).unwrap_or(0);
    let mut done = 0_u64;
    let mut step = || {
        done += 1;
        if done.is_multiple_of(REPORTED) || done == total {
            progress(done, total);
        }
    };
    let statement =
        "SELECT channel, key, text FROM messages WHERE deleted_at IS NULL ORDER BY channel, key";
    connection.each(statement, (), |row| -> Result<()> {
        let (channel, key) = (row.get(0)?, row.get(1)?);
        insert(connection, row_of(channel, key), &row.get::<String>(2)?)?;
        step();
        Ok(())
    })?;
    connection.execute(
        "UPDATE channels SET indexed = (SELECT COUNT(*) FROM messages WHERE channel = channels.key AND deleted_at IS NULL)",
        (),
    )?;
    Ok(())
}

/// How many messages are missing in the index. There is none, unless something is broken.
pub(crate) fn missing(connection: &Connection) -> Result<usize> {
    let messages = "SELECT COUNT(*) FROM messages AS m LEFT JOIN message_index AS i ON i.rowid = m.channel * ?1 + m.key \
        WHERE m.deleted_at IS NULL AND i.rowid IS NULL";
    connection.query_row(messages, [KEY_MASK + 1], |row| row.get(0))
}

/// Where the index holds something of a text that is not there any more, and in how many rows. There is none, unless
/// something is broken.
///
/// Looks at all workspaces, or at one, and what belongs to none.
pub fn leftovers(
    connection: &Connection,
    workspace: Option<i64>,
) -> Result<Vec<(&'static str, usize)>> {
    let gone = |table: &str, row: &str| {
        format!(
            "SELECT COUNT(*) FROM {table} AS i \
            LEFT JOIN messages AS m ON m.key = i.{row} & ?1 AND m.deleted_at IS NULL \
            WHERE m.key IS NULL AND (?2 IS NULL OR i.{row} / ?3 NOT IN (SELECT key FROM channels WHERE workspace <> ?2))"
        )
    };
    let count = |table, row| {
        let columns = params![KEY_MASK & !SECOND, workspace, KEY_MASK + 1];
        connection.query_row(&gone(table, row), columns, |row| row.get(0))
    };
    let messages: u32 = count("message_index", "rowid")?;
    let vectors: u32 = count("message_vectors", "row")?;
    let codes = codes::leftovers(connection, workspace)?;
    let counted = [
        ("message_index.terms", messages),
        ("message_vectors.vector", vectors),
        ("message_codes.codes", codes),
    ];
    let rows = |(place, rows): (_, u32)| (place, usize::try_from(rows).unwrap_or(usize::MAX));
    let mut found: Vec<(&'static str, usize)> = counted.map(rows).to_vec();
    found.retain(|(_, rows)| *rows > 0);
    if connection.dialect() != Dialect::Sqlite {
        return Ok(found);
    }
    // True if the terms are those of the rows.
    let check = "PRAGMA integrity_check(message_index)";
    let sound: String = connection.query_row(check, (), |row| row.get(0))?;
    if sound != "ok" {
        found.push(("message_index", 1));
    }
    Ok(found)
}
