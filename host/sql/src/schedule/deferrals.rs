//! Memories that could not be made and are deferred.

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::Scope;
use myao_plugin::state::upkeep::StoredDeferral;
use myao_plugin::storage::Deferral;

use crate::fault::Fault;
use crate::journal::calls as journal;
use crate::memories::series::{Series, subject};
use crate::place::Place;
use crate::rows;

/// The deferred memories of one workspace, channel or thread.
pub(crate) fn of(
    connection: &Connection,
    place: &Place,
    scope: Scope,
    scope_id: &str,
) -> Result<Vec<Deferral>, Fault> {
    let (_, scope_id) = subject(connection, place, scope, scope_id)?;
    let statement = include_str!("sql/deferrals.sql");
    let rows = connection.query_map(
        statement,
        params![place.workspace, rows::scope_code(scope), scope_id],
        |row| rows::deferral(row, &place.local_time),
    )?;
    Ok(rows)
}

/// Defers a memory.
pub(crate) fn set(
    connection: &Connection,
    place: &Place,
    scope: Scope,
    scope_id: &str,
    deferral: &Deferral,
) -> Result<(), Fault> {
    let (_, scope_id) = subject(connection, place, scope, scope_id)?;
    connection.execute(
        include_str!("sql/set_deferral.sql"),
        params![
            place.workspace,
            rows::scope_code(scope),
            scope_id,
            rows::type_code(deferral.memory_type),
            deferral.until.unix_seconds,
            deferral.failures,
            deferral.reason,
        ],
    )?;
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
pub(crate) fn end(connection: &Connection, series: &Series<'_>) -> Result<()> {
    connection.execute(include_str!("sql/end_deferral.sql"), series.columns())?;
    Ok(())
}

pub(crate) fn all(connection: &Connection, place: &Place) -> Result<Vec<StoredDeferral>, Fault> {
    let statement = include_str!("sql/all_deferrals.sql");
    let rows = connection.query_map(statement, [place.workspace], |row| {
        Ok(StoredDeferral {
            scope: rows::scope(row.get(4)?),
            scope_id: row.get(5)?,
            channel_name: row.get(6)?,
            deferral: rows::deferral(row, &place.local_time)?,
        })
    })?;
    Ok(rows)
}
