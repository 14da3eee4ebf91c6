//! Rows of a database whose columns and types may differ.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDateTime, Utc};
use rusqlite::{Connection, Row, types::ValueRef};

use crate::ImportError;
use crate::limits::MAX_TEXT_BYTES;

/// The tables, and their required columns.
const REQUIRED: [(&str, &[&str]); 4] = [
    ("users", &["user_id", "name"]),
    ("channels", &["channel_id", "name"]),
    (
        "messages",
        &["message_id", "channel_id", "user_id", "text", "timestamp"],
    ),
    (
        "memories",
        &["scope", "scope_id", "memory_type", "content", "updated_at"],
    ),
];

/// Columns that are read if they exist.
const OPTIONAL: [(&str, &[&str]); 4] = [
    ("users", &["is_bot"]),
    ("channels", &[]),
    ("messages", &["user_name", "user_is_bot", "thread_ts"]),
    (
        "memories",
        &[
            "created_at",
            "source_message_count",
            "source_latest_message_ts",
        ],
    ),
];

/// The order in which rows are read, so that every import makes the same ids.
const ORDER: [(&str, &str); 4] = [
    ("users", "user_id"),
    ("channels", "channel_id"),
    ("messages", "channel_id, timestamp, message_id"),
    ("memories", "scope, scope_id, memory_type"),
];

/// Columns that hold texts of people or models.
const LONG: [&str; 2] = ["text", "content"];

/// The longest id, name or time, in bytes.
const MAX_SHORT_BYTES: usize = 4096;

/// The column that says whether a value of the row is too long, and was left out.
const TOO_LONG: &str = "myao_too_long";

/// The tables of the bot's database, with the queries that read them.
pub(super) struct BotTables<'c> {
    connection: &'c Connection,
    queries: Vec<(&'static str, String)>,
}

impl<'c> BotTables<'c> {
    /// Checks that the tables and columns exist. A view does not count as a table: it may have no end.
    pub(super) fn new(connection: &'c Connection) -> Result<Self, ImportError> {
        let mut statement = connection.prepare(include_str!("columns.sql"))?;
        let mut queries = Vec::new();
        for (((table, required), (_, optional)), (_, order)) in
            REQUIRED.into_iter().zip(OPTIONAL).zip(ORDER)
        {
            let columns: Vec<String> = statement
                .query_map([table], |row| row.get(0))?
                .collect::<Result<_, _>>()?;
            if columns.is_empty() {
                return Err(ImportError::MissingTable { table });
            }
            let exists =
                |column: &str| columns.iter().any(|name| name.eq_ignore_ascii_case(column));
            if let Some(column) = required.iter().find(|column| !exists(column)) {
                return Err(ImportError::MissingColumn { table, column });
            }
            let read: Vec<&str> = required.iter().chain(optional).copied().collect();
            let read: Vec<&str> = read.into_iter().filter(|column| exists(column)).collect();
            queries.push((table, query(table, &read, order)));
        }
        Ok(Self {
            connection,
            queries,
        })
    }

    /// Reads the rows of a table, in their order.
    pub(super) fn each(
        &self,
        table: &str,
        take: &mut dyn FnMut(&Row<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        for (_, query) in self.queries.iter().filter(|(name, _)| *name == table) {
            let mut statement = self.connection.prepare(query)?;
            let mut rows = statement.query([])?;
            while let Some(row) = rows.next()? {
                take(row)?;
            }
        }
        Ok(())
    }
}

/// A query that never loads a value that is too long.
fn query(table: &str, columns: &[&str], order: &str) -> String {
    let is_short = |column: &&str| {
        let most = if LONG.contains(column) {
            MAX_TEXT_BYTES
        } else {
            MAX_SHORT_BYTES
        };
        format!("COALESCE(OCTET_LENGTH({column}), 0) <= {most}")
    };
    let values: Vec<String> = columns
        .iter()
        .map(|column| {
            format!(
                "CASE WHEN {} THEN {column} END AS {column}",
                is_short(column)
            )
        })
        .collect();
    let all_short: Vec<String> = columns.iter().map(is_short).collect();
    format!(
        "SELECT {}, NOT ({}) AS {TOO_LONG} FROM main.{table} ORDER BY {order}",
        values.join(", "),
        all_short.join(" AND ")
    )
}

/// Whether a value of the row is too long.
pub(super) fn is_too_long(row: &Row<'_>) -> Result<bool, rusqlite::Error> {
    row.get(TOO_LONG)
}

/// A column as text; `None` if it is NULL or does not exist.
pub(super) fn text<'r>(
    row: &'r Row<'_>,
    column: &str,
) -> Result<Option<Cow<'r, str>>, rusqlite::Error> {
    Ok(match value(row, column)? {
        ValueRef::Null => None,
        ValueRef::Text(bytes) | ValueRef::Blob(bytes) => Some(String::from_utf8_lossy(bytes)),
        ValueRef::Integer(number) => Some(number.to_string().into()),
        ValueRef::Real(number) => Some(number.to_string().into()),
    })
}

/// A column as trimmed text; empty if there is none.
pub(super) fn trimmed(row: &Row<'_>, column: &str) -> Result<String, rusqlite::Error> {
    Ok(text(row, column)?
        .map(|text| text.trim().to_owned())
        .unwrap_or_default())
}

/// A column as a number; 0 if it is not one.
pub(super) fn number(row: &Row<'_>, column: &str) -> Result<i64, rusqlite::Error> {
    Ok(text(row, column)?
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or_default())
}

/// A column as a boolean; false if there is none.
pub(super) fn flag(row: &Row<'_>, column: &str) -> Result<bool, rusqlite::Error> {
    Ok(text(row, column)?
        .is_some_and(|text| ["1", "true"].contains(&text.trim().to_ascii_lowercase().as_str())))
}

/// A point in time as Python writes it: in UTC unless it has an offset.
pub(super) fn time(text: &str) -> Option<DateTime<Utc>> {
    let text = text.trim().replacen('T', " ", 1);
    if let Ok(time) = DateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f%#z") {
        return Some(time.to_utc());
    }
    NaiveDateTime::parse_from_str(&text, "%Y-%m-%d %H:%M:%S%.f")
        .ok()
        .map(|time| time.and_utc())
}

fn value<'r>(row: &'r Row<'_>, column: &str) -> Result<ValueRef<'r>, rusqlite::Error> {
    match row.get_ref(column) {
        Err(rusqlite::Error::InvalidColumnName(_)) => Ok(ValueRef::Null),
        other => other,
    }
}
