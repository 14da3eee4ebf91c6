//! The ids that rows get after the copy: greater than all that were given in the source, also to rows that are gone.

use std::collections::BTreeMap;

use super::plan::quoted;
use crate::params;
use crate::session::{Connection, Dialect, Result};

/// The newest id that was given to a row of each table, as far as it is known.
pub(super) fn last(source: &Connection) -> Result<BTreeMap<String, i64>> {
    let mut ids = BTreeMap::new();
    for (table, _, id) in numbered(source)? {
        ids.extend(id.map(|id| (table, id)));
    }
    Ok(ids)
}

/// Makes the target give greater ids than these, and than those of its rows.
pub(super) fn raise(target: &Connection, last: &BTreeMap<String, i64>) -> Result<()> {
    match target.dialect() {
        Dialect::Sqlite => {
            for (table, id) in last {
                let greater = "UPDATE sqlite_sequence SET seq = ?2 WHERE name = ?1 AND seq < ?2";
                target.execute(greater, params![table, id])?;
                let first = include_str!("../sql/sqlite/raise_last_id.sql");
                target.execute(first, params![table, id])?;
            }
        }
        Dialect::Postgres => {
            for (table, column, _) in numbered(target)? {
                let stored = format!(
                    "SELECT COALESCE(MAX({}), 0) FROM {}",
                    quoted(&column),
                    quoted(&table)
                );
                let stored: i64 = target.query_row(&stored, (), |row| row.get(0))?;
                let id = last.get(&table).copied().unwrap_or(0).max(stored);
                if id > 0 {
                    let set = "SELECT setval(CAST(pg_get_serial_sequence(?1, ?2) AS regclass), ?3)";
                    target.query_row(set, params![quoted(&table), column, id], |row| {
                        row.get::<i64>(0)
                    })?;
                }
            }
        }
    }
    Ok(())
}

/// Tables whose rows get ids, the columns, and the newest ids.
fn numbered(connection: &Connection) -> Result<Vec<(String, String, Option<i64>)>> {
    let sql = match connection.dialect() {
        Dialect::Sqlite => include_str!("../sql/sqlite/last_ids.sql"),
        Dialect::Postgres => include_str!("../sql/postgres/last_ids.sql"),
    };
    connection.query_map(sql, (), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
}
