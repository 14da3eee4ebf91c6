//! Compares what was copied with its source, row by row.

use std::collections::HashMap;

use super::plan::Table;
use super::rows::{self, Cells};
use crate::backend::Backend;
use crate::fault::Fault;
use crate::session::{Connection, Dialect};
use crate::transaction::reading;

/// How many rows may wait for their like. More differ in everything.
const MOST_WAITING: usize = 20_000;

/// Differences of a table, each as `messages [12]: text`, which names the row by its primary key; and how many more there are.
#[derive(Debug, Default)]
pub(super) struct Differences {
    pub(super) listed: Vec<String>,
    pub(super) more: u64,
}

impl Differences {
    /// How many are listed: one says as much as a thousand.
    const LISTED: usize = 20;

    pub(super) fn add(&mut self, difference: String) {
        if self.listed.len() < Self::LISTED {
            self.listed.push(difference);
        } else {
            self.more += 1;
        }
    }
}

/// One side of a comparison.
#[derive(Default)]
struct Side {
    last_key: Option<String>,
    is_at_end: bool,
    /// Rows that the other side does not have so far.
    waiting: HashMap<String, Cells>,
}

impl Side {
    /// Takes rows, and passes those that the other side has, too.
    fn take(
        &mut self,
        table: &Table,
        read: Vec<Cells>,
        other: &mut Self,
        dialect: Dialect,
        pair: &mut dyn FnMut(&str, &Cells, &Cells),
    ) -> Result<(), Fault> {
        match read.last() {
            Some(last) => self.last_key = Some(rows::key(table, last)?),
            None => self.is_at_end = true,
        }
        for mut row in read {
            rows::adapt(&mut row, dialect);
            let key = rows::key(table, &row)?;
            match other.waiting.remove(&key) {
                Some(like) => pair(&key, &row, &like),
                None => {
                    self.waiting.insert(key, row);
                }
            }
        }
        Ok(())
    }
}

/// Compares a table. `step` hears how many rows of the source were read.
///
/// The two sides are read side by side. The order of a text that was changed on the way may differ, so a row that has no like waits
/// for it.
pub(super) fn compare(
    source: &Connection,
    to: &dyn Backend,
    dialect: Dialect,
    table: &Table,
    most: usize,
    found: &mut Differences,
    step: &mut dyn FnMut(u64),
) -> Result<(), Fault> {
    let (mut ours, mut theirs) = (Side::default(), Side::default());
    let mut pair = |key: &str, one: &Cells, other: &Cells| {
        for ((one, other), column) in one.iter().zip(other).zip(&table.columns) {
            if one != other {
                found.add(format!("{} {key}: `{}` differs", table.name, column.name));
            }
        }
    };
    while !(ours.is_at_end && theirs.is_at_end)
        && ours.waiting.len() + theirs.waiting.len() < MOST_WAITING
    {
        if !ours.is_at_end {
            let read = rows::next(source, table, ours.last_key.as_deref(), most)?;
            step(u64::try_from(read.len()).unwrap_or(u64::MAX));
            ours.take(table, read, &mut theirs, dialect, &mut pair)?;
        }
        if !theirs.is_at_end {
            let after = theirs.last_key.clone();
            let read = reading(to, |target| {
                Ok(rows::next(target, table, after.as_deref(), most)?)
            })?;
            theirs.take(table, read, &mut ours, dialect, &mut pair)?;
        }
    }
    for (side, text) in [(ours, "was not copied"), (theirs, "is not in the source")] {
        let mut keys: Vec<String> = side.waiting.into_keys().collect();
        keys.sort();
        for key in keys {
            found.add(format!("{} {key}: {text}", table.name));
        }
    }
    Ok(())
}
