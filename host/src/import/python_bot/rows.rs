//! Rows of a database whose columns and types are not quite known.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDateTime, Utc};
use rusqlite::{Connection, Row, types::ValueRef};

use crate::import::ImportError;

/// The tables, and the columns that the import cannot do without.
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

/// Checks that the tables and columns are there.
pub(super) fn check_schema(connection: &Connection) -> Result<(), ImportError> {
    let mut statement = connection.prepare(include_str!("columns.sql"))?;
    for (table, required) in REQUIRED {
        let columns: Vec<String> = statement
            .query_map([table], |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        if columns.is_empty() {
            return Err(ImportError::MissingTable { table });
        }
        for column in required {
            if !columns.iter().any(|name| name.eq_ignore_ascii_case(column)) {
                return Err(ImportError::MissingColumn { table, column });
            }
        }
    }
    Ok(())
}

/// A column as text; none if it is NULL or does not exist.
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

/// A column as text without blanks around it; empty if there is none.
pub(super) fn trimmed(row: &Row<'_>, column: &str) -> Result<String, rusqlite::Error> {
    Ok(text(row, column)?
        .map(|text| text.trim().to_owned())
        .unwrap_or_default())
}

/// A column as a number; 0 if it is none.
pub(super) fn number(row: &Row<'_>, column: &str) -> Result<i64, rusqlite::Error> {
    Ok(text(row, column)?
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or_default())
}

/// A column as yes or no; no if there is nothing.
pub(super) fn flag(row: &Row<'_>, column: &str) -> Result<bool, rusqlite::Error> {
    Ok(text(row, column)?
        .is_some_and(|text| ["1", "true"].contains(&text.trim().to_ascii_lowercase().as_str())))
}

/// A point in time as Python writes it: UTC unless it names an offset.
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
