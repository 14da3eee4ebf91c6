//! The Python bot's database: as a file, and as rows.

use std::fs;
use std::path::Path;

use myao_import::{ImportReport, python_bot};
use myao_sqlite::foreign::ForeignDatabase;
use rusqlite::types::Value;
use rusqlite::{Connection, params_from_iter};

use super::exports::{Kept, read};

/// How an SQLite file begins.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// The bot's tables, without its rules for their values.
const TABLES: [(&str, &str); 4] = [
    (
        "messages",
        "message_id, channel_id, user_id, user_name, user_is_bot, text, timestamp, thread_ts, mentions, created_at",
    ),
    ("users", "user_id, name, is_bot, updated_at"),
    ("channels", "channel_id, name, updated_at"),
    (
        "memories",
        "scope, scope_id, memory_type, content, created_at, updated_at, source_message_count, source_latest_message_ts",
    ),
];

/// Bytes that begin as SQLite's files do are read as a file, or refused with its name; others are rows, one a line:
/// `TABLE|VALUE|VALUE…`. Rows are read alike twice, or refused.
pub fn python_bot(data: &[u8]) {
    if data.starts_with(SQLITE) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bot.db");
        fs::write(&path, data).unwrap();
        drop(read(&path));
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("bot.db");
    write_database(&path, &super::text(data));
    let database = ForeignDatabase::open(&path).unwrap();
    let first = rows_of(&database);
    assert_eq!(
        rows_of(&database).map(|read| read.0),
        first.map(|read| read.0)
    );
}

fn rows_of(database: &ForeignDatabase) -> Option<(Kept, ImportReport)> {
    let mut kept = Kept::default();
    match python_bot::read(database, &mut kept) {
        Ok(report) => {
            kept.assert_reported(&report);
            Some((kept, report))
        }
        Err(error) => {
            assert!(!error.to_string().is_empty());
            None
        }
    }
}

fn write_database(path: &Path, text: &str) {
    let database = Connection::open(path).unwrap();
    database
        .execute_batch("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN")
        .unwrap();
    for (table, columns) in TABLES {
        let create = format!("CREATE TABLE {table} ({columns})");
        database.execute(&create, []).unwrap();
    }
    for line in text.lines() {
        let mut cells = line.split('|');
        let named = cells.next().unwrap_or_default();
        let Some((table, columns)) = TABLES.iter().find(|(name, _)| *name == named) else {
            continue;
        };
        let count = columns.split(',').count();
        let missing = std::iter::repeat_n(Value::Null, count);
        let values: Vec<Value> = cells.map(value).chain(missing).take(count).collect();
        let places = vec!["?"; count].join(", ");
        let insert = format!("INSERT INTO {table} VALUES ({places})");
        database.execute(&insert, params_from_iter(values)).unwrap();
    }
    database.execute_batch("COMMIT").unwrap();
}

/// A number, a blob (`x'…`), nothing, or a text.
fn value(cell: &str) -> Value {
    if cell.is_empty() {
        return Value::Null;
    }
    if let Some(bytes) = cell.strip_prefix("x'") {
        return Value::Blob(bytes.as_bytes().to_vec());
    }
    let integer = cell.parse().map(Value::Integer);
    let number = integer.or_else(|_| cell.parse().map(Value::Real));
    number.unwrap_or_else(|_| Value::Text(cell.to_owned()))
}
