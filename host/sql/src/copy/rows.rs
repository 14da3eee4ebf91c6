//! Rows on their way from one database to another.

use std::fmt::Write as _;
use std::ops::ControlFlow;

use serde_json::Value as Json;

use super::plan::{Kind, Table, quoted};
use crate::session::{Column, Connection, Dialect, Error, Result, Row, Value};

/// About how many parameters a statement has. More make it no faster.
const PARAMETERS: usize = 1_000;
/// How many bytes of values are in memory at once, but for one row that has more.
const BATCH_BYTES: usize = 8 << 20;
/// The memory of a value besides its bytes.
const VALUE_BYTES: usize = 32;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Cell {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl Cell {
    fn read(column: Column<'_>, kind: Kind) -> Self {
        match column {
            Column::Null => Self::Null,
            #[allow(clippy::cast_precision_loss, reason = "as SQL converts it")]
            Column::Integer(number) if kind == Kind::Real => Self::Real(number as f64),
            Column::Integer(number) => Self::Integer(number),
            Column::Real(number) => Self::Real(number),
            Column::Text(text) => Self::Text(text.to_owned()),
            Column::Blob(bytes) => Self::Bytes(bytes.to_owned()),
        }
    }

    fn value(&self, kind: Kind) -> Value<'_> {
        match (self, kind) {
            (Self::Integer(number), _) => Value::Integer(Some(*number)),
            (Self::Real(number), _) => Value::Real(Some(*number)),
            (Self::Text(text), _) => Value::Text(Some(text)),
            (Self::Bytes(bytes), _) => Value::Blob(Some(bytes)),
            (Self::Null, Kind::Integer) => Value::Integer(None),
            (Self::Null, Kind::Real) => Value::Real(None),
            (Self::Null, Kind::Text) => Value::Text(None),
            (Self::Null, Kind::Bytes) => Value::Blob(None),
        }
    }

    fn size(&self) -> usize {
        VALUE_BYTES
            + match self {
                Self::Text(text) => text.len(),
                Self::Bytes(bytes) => bytes.len(),
                _ => 0,
            }
    }
}

/// The values of a row, in the order of the table's columns.
pub(super) type Cells = Vec<Cell>;

/// Changes a row to what an engine makes of it: PostgreSQL's texts have no NUL characters.
pub(super) fn adapt(row: &mut Cells, dialect: Dialect) {
    if dialect != Dialect::Postgres {
        return;
    }
    for cell in row {
        if let Cell::Text(text) = cell
            && text.contains('\0')
        {
            *text = text.replace('\0', "\u{FFFD}");
        }
    }
}

/// The primary key of a row as JSON.
pub(super) fn key(table: &Table, row: &Cells) -> Result<String> {
    let cells = table.key.iter().filter_map(|at| row.get(*at));
    let key = cells.map(|cell| match cell {
        Cell::Integer(number) => Ok(Json::from(*number)),
        Cell::Text(text) => Ok(Json::from(text.as_str())),
        _ => Err(no_key(table)),
    });
    Ok(Json::Array(key.collect::<Result<_>>()?).to_string())
}

/// The values of a primary key that [`key`] has written.
fn cells_of_key(table: &Table, key: &str) -> Result<Cells> {
    let values: Vec<Json> =
        serde_json::from_str(key).map_err(|error| Error::Value(error.into()))?;
    let cells = values.into_iter().map(|value| match value {
        Json::String(text) => Ok(Cell::Text(text)),
        value => value
            .as_i64()
            .map(Cell::Integer)
            .ok_or_else(|| no_key(table)),
    });
    cells.collect()
}

fn no_key(table: &Table) -> Error {
    Error::Value(format!("`{}` has a primary key that cannot be noted", table.name).into())
}

/// The next rows of a table in the order of its primary key, after a key.
pub(super) fn next(
    connection: &Connection,
    table: &Table,
    after: Option<&str>,
    most: usize,
) -> Result<Vec<Cells>> {
    let after = after.map(|key| cells_of_key(table, key)).transpose()?;
    let mut values: Vec<Value<'_>> = Vec::new();
    for (cell, at) in after.iter().flatten().zip(&table.key) {
        let kind = table
            .columns
            .get(*at)
            .map_or(Kind::Text, |column| column.kind);
        values.push(cell.value(kind));
    }
    values.push(Value::Integer(i64::try_from(most).ok()));
    let (mut rows, mut size) = (Vec::new(), 0);
    let sql = select(table, after.is_some());
    connection.visit(&sql, &values, &mut |row| {
        let row = read(table, row)?;
        size += row.iter().map(Cell::size).sum::<usize>();
        rows.push(row);
        Ok(if size < BATCH_BYTES {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        })
    })?;
    Ok(rows)
}

fn read(table: &Table, row: &Row<'_>) -> Result<Cells> {
    let columns = table.columns.iter().enumerate();
    columns
        .map(|(index, column)| Ok(Cell::read(row.get_ref(index)?, column.kind)))
        .collect()
}

fn select(table: &Table, has_after: bool) -> String {
    let keys = table.key.iter().filter_map(|at| table.columns.get(*at));
    let keys: Vec<String> = keys.map(|column| quoted(&column.name)).collect();
    let keys = keys.join(", ");
    let mut sql = format!("SELECT {} FROM {}", names(table), quoted(&table.name));
    let mut limit = 1;
    // Writing to a string never fails.
    if has_after {
        limit += table.key.len();
        let after: Vec<String> = (1..limit).map(|number| format!("?{number}")).collect();
        let _ = write!(sql, " WHERE ({keys}) > ({})", after.join(", "));
    }
    let _ = write!(sql, " ORDER BY {keys} LIMIT ?{limit}");
    sql
}

/// Writes rows.
pub(super) fn insert(connection: &Connection, table: &Table, rows: &[Cells]) -> Result<()> {
    let columns = table.columns.len().max(1);
    for rows in rows.chunks((PARAMETERS / columns).max(1)) {
        let mut sql = format!(
            "INSERT INTO {} ({}) VALUES ",
            quoted(&table.name),
            names(table)
        );
        for row in 0..rows.len() {
            let numbers = row * columns + 1..=(row + 1) * columns;
            let numbers: Vec<String> = numbers.map(|number| format!("?{number}")).collect();
            let comma = if row > 0 { ", " } else { "" };
            let _ = write!(sql, "{comma}({})", numbers.join(", "));
        }
        let values: Vec<Value<'_>> = rows
            .iter()
            .flat_map(|row| row.iter().zip(&table.columns))
            .map(|(cell, column)| cell.value(column.kind))
            .collect();
        connection.run(&sql, &values)?;
    }
    Ok(())
}

fn names(table: &Table) -> String {
    let names: Vec<String> = table
        .columns
        .iter()
        .map(|column| quoted(&column.name))
        .collect();
    names.join(", ")
}
