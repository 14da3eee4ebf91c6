//! Looks terms up in the index.

use std::collections::HashMap;

use crate::params;
use crate::session::{Connection, Params, Result};

use crate::rows::list;
use crate::sight::{json_array, json_texts};

/// The terms of the rows of messages, joined by spaces.
pub(crate) fn terms_of_messages(
    connection: &Connection,
    rows: impl IntoIterator<Item = i64>,
) -> Result<HashMap<i64, String>> {
    let sql = "SELECT i.rowid, i.terms FROM integers(?1) AS wanted CROSS JOIN message_index AS i ON i.rowid = wanted.value";
    let rows = json_array(&rows.into_iter().collect());
    let found = list(connection, sql, params![rows], |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    Ok(found.into_iter().collect())
}

/// The rows that a statement finds for each of these terms: it returns the term's position, and a row.
pub(crate) fn by_term(
    connection: &Connection,
    terms: &[&str],
    sql: &str,
    columns: impl Params,
) -> Result<Vec<Vec<i64>>> {
    let mut found = vec![Vec::new(); terms.len()];
    if terms.is_empty() {
        return Ok(found);
    }
    connection.each(sql, columns, |row| -> Result<()> {
        if let Some(of_term) = found.get_mut(row.get::<usize>(0)?) {
            of_term.push(row.get(1)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// Terms as PostgreSQL's index has them, a JSON array.
pub(crate) fn tokens(workspace: i64, terms: &[&str]) -> String {
    json_texts(terms.iter().map(|term| format!("{workspace} {term}")))
}
