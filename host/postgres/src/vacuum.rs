//! The remains that PostgreSQL keeps of erased rows.
//!
//! A deleted row stays in its table until a vacuum, which cannot remove it while an older transaction may still see it. The
//! vacuum says neither that nor which tables it may not touch except in messages in the server's language, so its effect is read
//! from the server's statistics.

use std::thread::sleep;
use std::time::{Duration, Instant};

use myao_sql::session::Connection;

use crate::database::Database;
use crate::error::PostgresError;

/// The tables that hold what people or models wrote.
pub(crate) const TABLES: &[&str] = &[
    "channels",
    "done_marks",
    "events",
    "feedback",
    "item_changes",
    "items",
    "llm_calls",
    "memories",
    "memory_lines",
    "memory_records",
    "message_codes",
    "message_index",
    "message_pins",
    "message_vectors",
    "messages",
    "recorded_calls",
    "recordings",
    "replies",
    "reply_parts",
    "users",
];

/// How long the statistics may lag behind: before PostgreSQL 15 a process of their own gathers them.
const STATISTICS: Duration = Duration::from_secs(2);

/// How long to wait before reading them again.
const AGAIN: Duration = Duration::from_millis(50);

/// The remains that no vacuum removes.
const KEPT: &str = "PostgreSQL keeps the bytes of erased rows in its files until it writes something else there, in its log (WAL) until \
    that is recycled, and in replicas, archives and backups";

/// The remains of a table after a vacuum.
struct Left {
    table: String,
    is_vacuumed: bool,
    /// How many they are is not known: a session may report the rows that it erased after the vacuum did, and they count twice.
    has_rows: bool,
}

/// Vacuums the tables that hold what people or models wrote. Returns what is still kept.
pub(crate) fn discard(database: &Database) -> Result<Option<String>, PostgresError> {
    let before = read(database, |connection| {
        connection.query_row(
            "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)",
            (),
            |row| row.get(0),
        )
    })?;
    // Without a cleanup of the indexes their entries would stay when there are few.
    database.outside(&format!("VACUUM (INDEX_CLEANUP ON) {}", TABLES.join(", ")))?;
    let begun = Instant::now();
    let mut left = tables(database, before)?;
    while left.iter().any(|table| !table.is_vacuumed) && begun.elapsed() < STATISTICS {
        sleep(AGAIN);
        left = tables(database, before)?;
    }
    Ok(Some(said(&left)))
}

/// The remains in words.
fn said(left: &[Left]) -> String {
    let untouched: Vec<&str> = left
        .iter()
        .filter(|table| !table.is_vacuumed)
        .map(|table| table.table.as_str())
        .collect();
    let mut text = String::new();
    if !untouched.is_empty() {
        text.push_str(&format!(
            "whether erased rows left the tables {} is not known, which only their owner may vacuum; ",
            untouched.join(", ")
        ));
    }
    if left.iter().any(|table| table.is_vacuumed && table.has_rows) {
        text.push_str(
            "erased rows stay in their tables, because an older transaction may still read them, until a vacuum after its end; ",
        );
    }
    text + KEPT
}

/// The server's statistics of the tables since a time in microseconds.
fn tables(database: &Database, since: i64) -> Result<Vec<Left>, PostgresError> {
    let names: Vec<String> = TABLES.iter().map(|table| format!("'{table}'")).collect();
    let sql = format!(
        "SELECT CAST(c.relname AS TEXT), COALESCE(EXTRACT(EPOCH FROM s.last_vacuum) * 1000000 >= ?1, false), COALESCE(s.n_dead_tup > 0, false)
        FROM pg_class AS c LEFT JOIN pg_stat_all_tables AS s ON s.relid = c.oid
        WHERE c.relnamespace = CAST(current_schema() AS regnamespace) AND c.relname IN ({})
        ORDER BY c.relname",
        names.join(", ")
    );
    read(database, |connection| {
        connection.query_map(&sql, [since], |row| {
            Ok(Left {
                table: row.get(0)?,
                is_vacuumed: row.get(1)?,
                has_rows: row.get(2)?,
            })
        })
    })
}

fn read<T>(
    database: &Database,
    work: impl FnOnce(&Connection) -> myao_sql::session::Result<T>,
) -> Result<T, PostgresError> {
    let reading = database.begin_read()?;
    let value = work(&reading).map_err(|error| database.fault(error.into()))?;
    reading.end_reading();
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::{KEPT, Left, said};

    #[test]
    fn what_is_kept_is_said() {
        let table = |table: &str, is_vacuumed, has_rows| Left {
            table: table.to_owned(),
            is_vacuumed,
            has_rows,
        };
        assert_eq!(said(&[table("messages", true, false)]), KEPT);
        let left = [
            table("messages", true, true),
            table("memories", true, false),
            table("replies", false, true),
        ];
        let text = said(&left);
        assert!(text.contains("the tables replies is not known"), "{text}");
        assert!(text.contains("; erased rows stay"), "{text}");
        assert!(text.ends_with(KEPT));
    }
}
