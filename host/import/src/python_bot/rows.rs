//! Rows of a database whose columns and types may differ.

use chrono::{DateTime, NaiveDateTime, Utc};
use myao_sqlite::foreign::{ForeignDatabase, ForeignError, ForeignRow};

use crate::ImportError;
use crate::limits::MAX_TEXT_BYTES;

/// A table of the bot's.
struct Table {
    name: &'static str,
    required: &'static [&'static str],
    /// Columns that are read if they exist.
    optional: &'static [&'static str],
    /// The order in which rows are read, so that every import makes the same ids.
    order: &'static str,
}

const TABLES: [Table; 4] = [
    Table {
        name: "users",
        required: &["user_id", "name"],
        optional: &["is_bot"],
        order: "user_id",
    },
    Table {
        name: "channels",
        required: &["channel_id", "name"],
        optional: &[],
        order: "channel_id",
    },
    Table {
        name: "messages",
        required: &["message_id", "channel_id", "user_id", "text", "timestamp"],
        optional: &["user_name", "user_is_bot", "thread_ts"],
        order: "channel_id, timestamp, message_id",
    },
    Table {
        name: "memories",
        required: &["scope", "scope_id", "memory_type", "content", "updated_at"],
        optional: &[
            "created_at",
            "source_message_count",
            "source_latest_message_ts",
        ],
        order: "scope, scope_id, memory_type",
    },
];

/// Columns that hold texts of people or models.
const LONG: [&str; 2] = ["text", "content"];

/// The longest id, name or time, in bytes.
const MAX_SHORT_BYTES: usize = 4096;

/// The column that says whether a value of the row is too long, and was left out.
const TOO_LONG: &str = "myao_too_long";

/// The tables of the bot's database, with the queries that read them.
pub(super) struct BotTables<'d> {
    database: &'d ForeignDatabase,
    queries: Vec<(&'static str, String)>,
}

impl<'d> BotTables<'d> {
    /// Checks that the tables and columns exist. A view does not count as a table: it may have no end.
    pub(super) fn new(database: &'d ForeignDatabase) -> Result<Self, ImportError> {
        let mut queries = Vec::new();
        for table in TABLES {
            let columns = database.columns(table.name)?;
            if columns.is_empty() {
                return Err(ImportError::MissingTable { table: table.name });
            }
            let exists =
                |column: &str| columns.iter().any(|name| name.eq_ignore_ascii_case(column));
            if let Some(column) = table.required.iter().find(|column| !exists(column)) {
                return Err(ImportError::MissingColumn {
                    table: table.name,
                    column,
                });
            }
            let read = table.required.iter().chain(table.optional).copied();
            let read: Vec<&str> = read.filter(|column| exists(column)).collect();
            queries.push((table.name, query(&table, &read)));
        }
        Ok(Self { database, queries })
    }

    /// Reads the rows of a table, in their order.
    pub(super) fn each(
        &self,
        table: &str,
        take: &mut dyn FnMut(&ForeignRow<'_>) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        for (_, query) in self.queries.iter().filter(|(name, _)| *name == table) {
            self.database.each(query, take)?;
        }
        Ok(())
    }
}

/// A query that never loads a value that is too long.
fn query(table: &Table, columns: &[&str]) -> String {
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
        "SELECT {}, NOT ({}) AS {TOO_LONG} FROM main.{} ORDER BY {}",
        values.join(", "),
        all_short.join(" AND "),
        table.name,
        table.order
    )
}

/// Whether a value of the row is too long.
pub(super) fn is_too_long(row: &ForeignRow<'_>) -> Result<bool, ForeignError> {
    flag(row, TOO_LONG)
}

/// A column as trimmed text; empty if there is none.
pub(super) fn trimmed(row: &ForeignRow<'_>, column: &str) -> Result<String, ForeignError> {
    Ok(row
        .text(column)?
        .map(|text| text.trim().to_owned())
        .unwrap_or_default())
}

/// A column as a number; 0 if it is not one.
pub(super) fn number(row: &ForeignRow<'_>, column: &str) -> Result<i64, ForeignError> {
    Ok(row
        .text(column)?
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or_default())
}

/// A column as a boolean; false if there is none.
pub(super) fn flag(row: &ForeignRow<'_>, column: &str) -> Result<bool, ForeignError> {
    Ok(row
        .text(column)?
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
