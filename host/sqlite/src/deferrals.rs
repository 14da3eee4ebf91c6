//! Memories that could not be made and are deferred.

use myao_plugin::Scope;
use myao_plugin::state::upkeep::StoredDeferral;
use myao_plugin::storage::Deferral;
use rusqlite::{Connection, params};

use super::error::Fault;
use super::place::Place;
use super::series::{Series, subject};
use super::{journal, rows};

/// The deferred memories of one workspace, channel or thread.
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
        |row| rows::deferral(row, &place.local_time),
    )?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Defers a memory.
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

/// Ends the deferral of a memory that was made.
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
            deferral: rows::deferral(row, &place.local_time)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}
