//! Memories that could not be made, and rest.

use myao_plugin::Scope;
use myao_plugin::storage::Deferral;
use rusqlite::{Connection, params};

use super::error::{Fault, StoreError};
use super::place::Place;
use super::save::{Series, subject};
use super::workspace::SqliteWorkspace;
use super::{journal, rows};

/// A memory that rests, with what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDeferral {
    /// What it is about.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// The name of its channel, or of its thread's channel; none for the workspace.
    pub channel_name: Option<String>,
    /// Until when it rests, and why.
    pub deferral: Deferral,
}

impl SqliteWorkspace {
    /// All that rests, ordered by scope, scope id and type. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn deferrals(&self) -> Result<Vec<StoredDeferral>, StoreError> {
        self.read(all)
    }

    /// Ends all rests, so that the next run tries everything again; returns how many there were. Blocks.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn clear_deferrals(&self) -> Result<usize, StoreError> {
        self.write(|connection, place| {
            let clear = include_str!("sql/clear_deferrals.sql");
            Ok(connection
                .prepare_cached(clear)?
                .execute([place.workspace])?)
        })
    }
}

/// What rests of one workspace, channel or thread.
pub(super) fn of(
    connection: &Connection,
    place: &Place,
    scope: Scope,
    scope_id: &str,
) -> Result<Vec<Deferral>, Fault> {
    let (_, scope_id) = subject(connection, place, scope, scope_id)?;
    let mut statement = connection.prepare_cached(include_str!("sql/deferrals.sql"))?;
    let rows = statement.query_map(
        params![place.workspace, rows::scope_code(scope), scope_id],
        |row| rows::deferral(row, place.timezone),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Lets a memory rest.
pub(super) fn set(
    connection: &Connection,
    place: &Place,
    scope: Scope,
    scope_id: &str,
    deferral: &Deferral,
) -> Result<(), Fault> {
    let (_, scope_id) = subject(connection, place, scope, scope_id)?;
    connection
        .prepare_cached(include_str!("sql/set_deferral.sql"))?
        .execute(params![
            place.workspace,
            rows::scope_code(scope),
            scope_id,
            rows::type_code(deferral.memory_type),
            deferral.until.unix_seconds,
            deferral.failures,
            deferral.reason,
        ])?;
    journal::forget_answers(
        connection,
        &Series {
            workspace: place.workspace,
            scope,
            scope_id: &scope_id,
            memory_type: deferral.memory_type,
        },
    )?;
    Ok(())
}

/// Ends the rest of a memory that was made.
pub(super) fn end(connection: &Connection, series: &Series<'_>) -> rusqlite::Result<()> {
    connection
        .prepare_cached(include_str!("sql/end_deferral.sql"))?
        .execute(series.columns())?;
    Ok(())
}

pub(super) fn all(connection: &Connection, place: &Place) -> Result<Vec<StoredDeferral>, Fault> {
    let mut statement = connection.prepare_cached(include_str!("sql/all_deferrals.sql"))?;
    let rows = statement.query_map([place.workspace], |row| {
        Ok(StoredDeferral {
            scope: rows::scope(row.get(4)?),
            scope_id: row.get(5)?,
            channel_name: row.get(6)?,
            deferral: rows::deferral(row, place.timezone)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
