//! Copies of a whole database from SQLite and back, and from one PostgreSQL database to another.

use std::path::Path;
use std::sync::Arc;

use myao_plugin::storage::StorageError;
use myao_sql::backend::Backend;
use myao_sql::copy::{Copied, CopyOptions, copy};
use myao_sql::parts::index_all;
use myao_sql::session::{Column, Connection};
use myao_sqlite::SqliteStore;
use tempfile::TempDir;

use super::TestDatabase;

/// Rows in every table of an SQLite database. The file is in another package.
fn every_table() -> String {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../sqlite/src/tests/every_table.sql"
    );
    std::fs::read_to_string(file).unwrap()
}

fn sqlite(path: &Path) -> Arc<dyn Backend> {
    SqliteStore::open(path).unwrap().backend()
}

/// Statements of a script, whose texts contain no `;`.
fn statements(script: &str) -> Vec<&str> {
    let statements = script.split(";\n");
    statements.filter(|sql| !sql.trim().is_empty()).collect()
}

fn filled(path: &Path) -> Arc<dyn Backend> {
    let backend = sqlite(path);
    backend
        .write(0, &mut |connection| {
            for statement in statements(&every_table()) {
                connection.execute(statement, ())?;
            }
            Ok(index_all(connection, &|_, _| {})?)
        })
        .unwrap();
    backend
}

fn copied(from: &dyn Backend, to: &dyn Backend) -> Result<Copied, StorageError> {
    copy(from, to, &CopyOptions::default().batch(7), &mut |_| {})
}

/// All rows of all tables of an SQLite database, with the characters that a PostgreSQL database has.
fn rows(backend: &dyn Backend) -> Vec<String> {
    let mut found = Vec::new();
    backend
        .read(&mut |connection| {
            let tables: Vec<String> = connection.query_map(
                "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'virtual') \
                AND name <> 'sqlite_schema' ORDER BY name",
                (),
                |row| row.get(0),
            )?;
            for table in tables {
                let columns = match table.as_str() {
                    "message_index" => "rowid, terms",
                    _ => "*",
                };
                found.extend(table_rows(connection, &table, columns)?);
            }
            Ok(())
        })
        .unwrap();
    found
}

fn table_rows(
    connection: &Connection,
    table: &str,
    columns: &str,
) -> myao_sql::session::Result<Vec<String>> {
    let select = format!("SELECT {columns} FROM {table}");
    let mut rows = connection.query_map(&select, (), |row| {
        let mut text = table.to_owned();
        for column in 0..row.names().len() {
            text.push_str(&match row.get_ref(column)? {
                Column::Text(text) => format!(" {:?}", text.replace('\0', "\u{FFFD}")),
                other => format!(" {other:?}"),
            });
        }
        Ok(text)
    })?;
    rows.sort();
    Ok(rows)
}

#[test]
fn copy_to_postgres_and_back_equals_its_source() {
    let folder = TempDir::new().unwrap();
    let from = filled(&folder.path().join("from.db"));
    let (first, second) = (TestDatabase::empty(), TestDatabase::empty());
    let (one, other) = (first.store().backend(), second.store().backend());
    let result = copied(&*from, &*one).unwrap();
    assert_eq!(result.differences, [""; 0]);
    let result = copied(&*one, &*other).unwrap();
    assert_eq!(result.differences, [""; 0]);
    let back = sqlite(&folder.path().join("back.db"));
    let result = copied(&*other, &*back).unwrap();
    assert_eq!(result.differences, [""; 0]);
    assert_eq!(rows(&*back), rows(&*from));
    // New rows get new ids, also where the newest rows are gone.
    let added = "INSERT INTO workspaces (id) VALUES ('W9') RETURNING key";
    assert_eq!(second.run(added), "6");
    let added = "INSERT INTO events (workspace, event_id, received_at, payload) VALUES (2, 'E9', 1, '') RETURNING id";
    assert_eq!(second.run(added), "41");
}

#[test]
fn copy_to_postgres_goes_on_after_a_stop_and_finds_what_was_damaged() {
    let folder = TempDir::new().unwrap();
    let from = filled(&folder.path().join("from.db"));
    let database = TestDatabase::empty();
    let store = database.store();
    let to = store.backend();
    database.run(
        "CREATE FUNCTION stop() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;
        CREATE TRIGGER stop BEFORE INSERT ON replies EXECUTE FUNCTION stop()",
    );
    assert!(copied(&*from, &*to).is_err());
    let Err(refused) = store.workspace("W1", chrono_tz::UTC, "default") else {
        panic!("it was opened");
    };
    assert!(refused.to_string().contains("not complete"), "{refused}");
    database.run("DROP TRIGGER stop ON replies; UPDATE messages SET text = 'other' WHERE key = 12");
    let result = copied(&*from, &*to).unwrap();
    assert!(result.before > 0);
    assert_eq!(result.differences, ["messages [12]: `text` differs"]);
    database.run("UPDATE messages SET text = 'release 4 of the crane 出荷' WHERE key = 12");
    assert!(copied(&*from, &*to).unwrap().is_complete());
    store.workspace("W1", chrono_tz::UTC, "default").unwrap();
}
