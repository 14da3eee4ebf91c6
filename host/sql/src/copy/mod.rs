//! Copies a whole database to another one, of the same engine or of another.
//!
//! Tables are copied one after the other, each after those whose keys it has, in batches in the order of their primary keys. A batch
//! is one transaction of the target, which also notes how far the copy is (`mark.rs`). So a copy that was stopped, whenever that
//! was, goes on from there. Rows keep their keys. The index of terms, which engines have in different forms, is made anew with the
//! rows that it belongs to.
//!
//! The source is read in one transaction, so each run sees one state of it. What a stopped run saw is known by the number of rows of
//! every table, and at the end every row is compared.

mod compare;
mod ids;
mod mark;
mod plan;
mod rows;

use myao_plugin::storage::StorageError;

use crate::backend::Backend;
use crate::fault::Fault;
use crate::search::index;
use crate::session::{Connection, Dialect, Result as SqlResult};
use crate::transaction::{reading, writing};
use compare::Differences;
use mark::Mark;
use plan::{Source, Table};
use rows::{Cell, Cells};

/// No workspace has this key: a writing transaction of the copy excludes others of its kind.
const NO_WORKSPACE: i64 = 0;

/// The steps of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// It writes rows.
    Copying,
    /// It compares rows.
    Comparing,
}

/// How far a copy is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyProgress {
    /// Its work.
    pub stage: Stage,
    /// How many rows are done in this stage.
    pub done: u64,
    /// How many rows there are.
    pub total: u64,
}

/// Hears how far a copy is.
pub type ShowCopying<'a> = &'a mut dyn FnMut(CopyProgress);

/// How a database is copied.
#[derive(Debug, Clone)]
pub struct CopyOptions {
    /// How many rows are copied in one transaction.
    batch: usize,
}

impl Default for CopyOptions {
    fn default() -> Self {
        Self { batch: 2_000 }
    }
}

impl CopyOptions {
    /// How many rows at most are copied in one transaction. Default 2,000.
    #[must_use]
    pub fn batch(mut self, rows: usize) -> Self {
        self.batch = rows.max(1);
        self
    }
}

/// The copied rows.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Copied {
    /// The tables, and how many rows each has.
    pub tables: Vec<(String, u64)>,
    /// The ids of the workspaces.
    pub workspaces: Vec<String>,
    /// How many rows an earlier run had copied.
    pub before: u64,
    /// The differences, if there are any: at most twenty lines, which quote nobody. Then the copy is not complete.
    pub differences: Vec<String>,
    /// How many more differences there are.
    pub more_differences: u64,
}

impl Copied {
    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, rows)| rows).sum()
    }

    /// Returns true if the copy is complete, and every row is as in the source.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.differences.is_empty()
    }
}

/// Copies all workspaces of a database to one that is empty, or goes on with a copy that was stopped, and compares every row at the
/// end. Both have the newest schema. Blocks.
///
/// Nobody may work with either of them meanwhile: what is written to the source later is not copied.
///
/// # Errors
/// [`StorageError::Invalid`] if the target holds something else, or the source has changed since a stopped copy was begun; those of
/// the databases. Then the next call goes on.
pub fn copy(
    from: &dyn Backend,
    to: &dyn Backend,
    options: &CopyOptions,
    progress: ShowCopying<'_>,
) -> Result<Copied, StorageError> {
    if std::ptr::addr_eq(from, to) {
        let text = "a database cannot be copied to itself".to_owned();
        return Err(StorageError::Invalid(text));
    }
    reading(from, |source| {
        let copying = Copying::of(source, to, options)?;
        copying.run(progress)
    })
}

/// Returns true if a database is a copy that is not complete.
pub(crate) fn is_unfinished(connection: &Connection) -> SqlResult<bool> {
    mark::is_marked(connection)
}

/// A copy under way.
struct Copying<'a> {
    source: &'a Connection,
    to: &'a dyn Backend,
    tables: Vec<Table>,
    described: Source,
    begun: Mark,
    /// The target's.
    dialect: Dialect,
    batch: usize,
}

impl<'a> Copying<'a> {
    fn of(
        source: &'a Connection,
        to: &'a dyn Backend,
        options: &CopyOptions,
    ) -> Result<Self, Fault> {
        let (tables, dialect) = reading(to, |target| {
            let tables = plan::tables(target)?;
            Ok((tables, target.dialect()))
        })?;
        plan::check_same(&plan::tables(source)?, &tables)?;
        let described = Source::of(source, &tables)?;
        let begun = writing(to, NO_WORKSPACE, |target| {
            mark::begin(target, &described, &tables)
        })?;
        Ok(Self {
            source,
            to,
            tables,
            described,
            begun,
            dialect,
            batch: options.batch,
        })
    }

    fn run(self, progress: ShowCopying<'_>) -> Result<Copied, Fault> {
        let total = self.described.total();
        let mut mark = self.begun.clone();
        while let Some(table) = self.tables.get(mark.tables) {
            progress(CopyProgress {
                stage: Stage::Copying,
                done: mark.rows,
                total,
            });
            mark = self.copy_batch(table, &mark)?;
        }
        let last = ids::last(self.source)?;
        writing(self.to, NO_WORKSPACE, |target| {
            Ok(ids::raise(target, &last)?)
        })?;
        let found = self.compare(progress)?;
        if found.listed.is_empty() {
            writing(self.to, NO_WORKSPACE, |target| Ok(mark::end(target)?))?;
        }
        let workspaces = self.described.workspaces.into_iter();
        Ok(Copied {
            tables: self.described.rows.into_iter().collect(),
            workspaces: workspaces.map(|(_, id)| id).collect(),
            before: self.begun.rows,
            differences: found.listed,
            more_differences: found.more,
        })
    }

    /// Copies the next rows of a table. Returns how far the copy is then.
    fn copy_batch(&self, table: &Table, mark: &Mark) -> Result<Mark, Fault> {
        let mut read = rows::next(self.source, table, mark.last_key.as_deref(), self.batch)?;
        let next = match read.last() {
            Some(last) => Mark {
                tables: mark.tables,
                last_key: Some(rows::key(table, last)?),
                rows: mark.rows + u64::try_from(read.len()).unwrap_or(0),
            },
            None => Mark {
                tables: mark.tables + 1,
                last_key: None,
                rows: mark.rows,
            },
        };
        for row in &mut read {
            rows::adapt(row, self.dialect);
        }
        writing(self.to, NO_WORKSPACE, |target| {
            mark::advance(target, mark, &next)?;
            rows::insert(target, table, &read)?;
            Ok(add_to_index(target, table, &read)?)
        })?;
        Ok(next)
    }

    /// Compares all rows, and looks for what the index lacks or has too much.
    fn compare(&self, progress: ShowCopying<'_>) -> Result<Differences, Fault> {
        let mut found = Differences::default();
        let (mut done, total) = (0, self.described.total());
        let mut step = |rows: u64| {
            done += rows;
            progress(CopyProgress {
                stage: Stage::Comparing,
                done,
                total,
            });
        };
        for table in &self.tables {
            compare::compare(
                self.source,
                self.to,
                self.dialect,
                table,
                self.batch,
                &mut found,
                &mut step,
            )?;
        }
        let (missing, leftovers) = reading(self.to, |target| {
            Ok((index::missing(target)?, index::leftovers(target, None)?))
        })?;
        if missing > 0 {
            found.add(format!("message_index: {missing} texts are not in it"));
        }
        for (place, rows) in leftovers {
            found.add(format!("{place}: {rows} rows that belong to no text"));
        }
        Ok(found)
    }
}

/// Indexes the texts of rows that were copied.
fn add_to_index(target: &Connection, table: &Table, rows: &[Cells]) -> SqlResult<()> {
    if table.name != "messages" {
        return Ok(());
    }
    let cell =
        |row: &Cells, column: &str| table.position(column).and_then(|at| row.get(at).cloned());
    let mut texts = Vec::new();
    for row in rows {
        if let (
            Some(Cell::Integer(channel)),
            Some(Cell::Integer(key)),
            Some(Cell::Text(text)),
            Some(Cell::Null),
        ) = (
            cell(row, "channel"),
            cell(row, "key"),
            cell(row, "text"),
            cell(row, "deleted_at"),
        ) {
            texts.push((index::row_of(channel, key), text));
        }
    }
    // SQLite takes rows fastest in this order.
    texts.sort();
    index::insert_all(target, &texts)
}
