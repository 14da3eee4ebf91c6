//! The rows of a context.

use anyhow::Result;
use rusqlite::{Connection, Params, Row, params};

/// A row of `channels`.
#[derive(Debug)]
pub struct Channel {
    /// The platform's id.
    pub id: String,
    /// Its name.
    pub name: String,
    /// True if only invited members see it.
    pub is_private: bool,
}

/// A row of `memories`.
#[derive(Debug)]
#[allow(missing_docs, reason = "the columns of the table")]
pub struct Memory {
    pub id: i64,
    pub scope_id: String,
    pub memory_type: i64,
    pub version: i64,
    pub content: String,
    pub engine: i64,
    pub created_at: i64,
    pub updated_at: i64,
    pub source_message_count: i64,
    pub source_latest: Option<i64>,
    pub merged_through: Option<i64>,
}

/// A row of `messages`, with its author's name.
#[derive(Debug)]
#[allow(missing_docs, reason = "the columns of the table")]
pub struct Message {
    pub key: i64,
    pub ts: i64,
    pub user_id: String,
    pub user_name: String,
    pub is_bot: bool,
    pub text: String,
    pub edited_at: Option<i64>,
}

/// All that a context is made of.
#[derive(Debug)]
pub struct Rows {
    /// All channels.
    pub channels: Vec<Channel>,
    /// Their memories, and the workspace's.
    pub memories: Vec<Memory>,
    /// One channel's messages.
    pub messages: Vec<Message>,
}

/// Reads the rows of a context, in one transaction.
///
/// # Errors
/// The error of the file or the disk.
pub fn read(
    connection: &mut Connection,
    channel_id: &str,
    until: i64,
    limit: usize,
) -> Result<Rows> {
    let transaction = connection.transaction()?;
    let channels = select(&transaction, include_str!("sql/channels.sql"), [1], |row| {
        Ok(Channel {
            id: row.get(0)?,
            name: row.get(1)?,
            is_private: row.get(2)?,
        })
    })?;
    let sql = include_str!("sql/memories.sql");
    let mut memories = select(&transaction, sql, [1, 0], memory)?;
    memories.extend(select(&transaction, sql, [1, 1], memory)?);
    let key: i64 = transaction
        .prepare_cached(include_str!("sql/channel_key.sql"))?
        .query_row(params![1, channel_id], |row| row.get(0))?;
    let messages = messages(&transaction, key, 0, until, limit)?;
    Ok(Rows {
        channels,
        memories,
        messages,
    })
}

/// A channel's newest messages, oldest first.
///
/// # Errors
/// The error of the file or the disk.
pub fn messages(
    connection: &Connection,
    channel: i64,
    since: i64,
    until: i64,
    limit: usize,
) -> Result<Vec<Message>> {
    let sql = include_str!("sql/messages.sql");
    let limit = i64::try_from(limit)?;
    select(connection, sql, [channel, since, until, limit], |row| {
        Ok(Message {
            key: row.get(0)?,
            ts: row.get(1)?,
            user_id: row.get(2)?,
            user_name: row.get(3)?,
            is_bot: row.get(4)?,
            text: row.get(5)?,
            edited_at: row.get(6)?,
        })
    })
}

/// The rows of a statement.
///
/// # Errors
/// The error of the file or the disk.
pub fn select<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    row: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(params, row)?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// A memory from the columns of `sql/memories.sql`.
///
/// # Errors
/// Where a column is not as expected.
pub fn memory(row: &Row<'_>) -> rusqlite::Result<Memory> {
    Ok(Memory {
        id: row.get(0)?,
        scope_id: row.get(1)?,
        memory_type: row.get(2)?,
        version: row.get(3)?,
        content: row.get(4)?,
        engine: row.get(5)?,
        created_at: row.get(6)?,
        updated_at: row.get(7)?,
        source_message_count: row.get(8)?,
        source_latest: row.get(9)?,
        merged_through: row.get(10)?,
    })
}
