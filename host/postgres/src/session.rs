//! A connection in a transaction.
//!
//! No statement has a name, so consecutive transactions may run on different connections of the server, as PgBouncer has it in
//! transaction mode.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::Object;
use futures::StreamExt as _;
use myao_sql::session::{Dialect, Error, Result, Row, Session, TakeRow, Value};
use tokio::runtime::Handle;
use tokio_postgres::types::ToSql;
use tokio_postgres::{RowStream, SimpleQueryMessage};

use crate::error::{Aborted, Silent};
use crate::texts::Texts;
use crate::turns::Turn;
use crate::values::{Bound, Fields};
use crate::wait::wait;

/// How much longer than the server an answer is waited for. Only a server that has disappeared needs that long.
const GRACE: Duration = Duration::from_secs(20);

/// A failure of the driver.
pub(crate) type Failure = Box<dyn std::error::Error + Send + Sync>;

/// A connection in a transaction, which is undone if it is not committed.
pub(crate) struct InTransaction {
    /// `None` when the transaction has ended.
    client: Option<Object>,
    runtime: Handle,
    texts: Arc<Texts>,
    /// How long a statement may take; `None` without a limit.
    limit: Option<Duration>,
    /// The results that are being visited, the innermost last.
    visited: RefCell<Vec<Rows>>,
    /// `None` if `begin` did not ask for it.
    id: Option<TransactionId>,
    /// How it ends if it is not committed.
    ending: &'static str,
    /// True if a statement has failed. PostgreSQL then takes no other one, and a commit would undo everything in silence.
    has_failed: Cell<bool>,
    /// The turn of a writer, until its transaction has ended.
    turn: Option<Turn>,
}

/// By what the server knows a transaction again.
#[derive(Clone)]
pub(crate) struct TransactionId {
    pub(crate) id: String,
    /// The run of the server that gave the number.
    pub(crate) run: String,
}

/// The rest of a result.
struct Rows {
    /// `None` after its end.
    stream: Option<Pin<Box<RowStream>>>,
    /// Rows that were read early, because the connection was needed for another statement.
    read: VecDeque<tokio_postgres::Row>,
}

impl Rows {
    fn next(&mut self) -> std::result::Result<Option<tokio_postgres::Row>, tokio_postgres::Error> {
        if let Some(row) = self.read.pop_front() {
            return Ok(Some(row));
        }
        let Some(stream) = &mut self.stream else {
            return Ok(None);
        };
        let row = wait(stream.next()).transpose();
        if !matches!(row, Ok(Some(_))) {
            self.stream = None;
        }
        row
    }

    /// Reads everything.
    fn read_all(&mut self) -> std::result::Result<(), tokio_postgres::Error> {
        if let Some(mut stream) = self.stream.take() {
            while let Some(row) = wait(stream.next()).transpose()? {
                self.read.push_back(row);
            }
        }
        Ok(())
    }
}

impl InTransaction {
    /// Begins a transaction. `begin` is several statements in one message; none may take longer than `limit`, and the last one may
    /// return the transaction's number and the server's run.
    pub(crate) fn begin(
        client: Object,
        runtime: Handle,
        texts: Arc<Texts>,
        limit: Option<Duration>,
        begin: &str,
    ) -> std::result::Result<Self, Failure> {
        let mut this = Self {
            client: Some(client),
            runtime,
            texts,
            limit,
            visited: RefCell::default(),
            id: None,
            ending: "ROLLBACK",
            has_failed: Cell::new(false),
            turn: None,
        };
        let answered = this.within_limit(this.client()?.simple_query(begin));
        for answer in this.note(answered)? {
            if let SimpleQueryMessage::Row(row) = answer {
                let column = |at| row.try_get(at).map(|text| text.map(str::to_owned));
                this.id = match (column(0)?, column(1)) {
                    (Some(id), Ok(Some(run))) => Some(TransactionId { id, run }),
                    _ => None,
                };
            }
        }
        Ok(this)
    }

    /// Keeps the turn to write until the transaction has ended.
    pub(crate) fn in_turn(mut self, turn: Turn) -> Self {
        self.turn = Some(turn);
        self
    }

    /// Runs several statements without parameters.
    pub(crate) fn batch(&self, sql: &str) -> std::result::Result<(), Failure> {
        let client = self.client()?;
        let done = self.within_limit(client.batch_execute(sql));
        self.note(done)
    }

    /// Its number, by which the server knows later whether it was committed.
    pub(crate) fn id(&self) -> Option<&TransactionId> {
        self.id.as_ref()
    }

    /// Commits. If the server did not answer, it may have committed or not.
    pub(crate) fn commit(mut self) -> std::result::Result<(), Failure> {
        if self.has_failed.get() {
            return Err(Aborted.into());
        }
        self.batch("COMMIT")?;
        // It goes back to the pool.
        self.client = None;
        Ok(())
    }

    /// Ends a transaction that has only read. Nobody waits for that.
    pub(crate) fn end_reading(mut self) {
        self.ending = "COMMIT";
    }

    fn client(&self) -> std::result::Result<&Object, Failure> {
        self.client.as_ref().ok_or_else(|| Aborted.into())
    }

    fn within_limit<T>(
        &self,
        answer: impl Future<Output = std::result::Result<T, tokio_postgres::Error>>,
    ) -> std::result::Result<T, Failure> {
        let Some(limit) = self.limit else {
            return Ok(wait(answer)?);
        };
        let _timers = self.runtime.enter();
        match wait(async { tokio::time::timeout(limit + GRACE, answer).await }) {
            Ok(answer) => Ok(answer?),
            Err(_) => Err(Silent.into()),
        }
    }

    fn note<T>(&self, result: std::result::Result<T, Failure>) -> std::result::Result<T, Failure> {
        if result.is_err() {
            self.has_failed.set(true);
        }
        result
    }

    /// Frees the connection from the results that are being visited.
    fn read_visited(&self) -> Result<()> {
        for rows in self.visited.borrow_mut().iter_mut() {
            self.note(rows.read_all().map_err(Failure::from))
                .map_err(Error::Engine)?;
        }
        Ok(())
    }

    /// Passes the rows of the innermost result to `take`.
    fn pass(&self, take: &mut TakeRow<'_>) -> Result<()> {
        loop {
            let row = match self.visited.borrow_mut().last_mut() {
                Some(rows) => rows.next(),
                None => Ok(None),
            };
            let row = self
                .note(row.map_err(Failure::from))
                .map_err(Error::Engine)?;
            let Some(row) = row else { return Ok(()) };
            if take(&Row::new(&Fields(&row)))?.is_break() {
                return Ok(());
            }
        }
    }
}

impl Session for InTransaction {
    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn run(&self, sql: &str, values: &[Value<'_>]) -> Result<usize> {
        self.read_visited()?;
        let text = self.texts.rewritten(sql);
        let values = bound(values);
        let typed: Vec<_> = values
            .iter()
            .map(|value| (value as &(dyn ToSql + Sync), value.type_of()))
            .collect();
        let client = self.client().map_err(Error::Engine)?;
        let ran = self.within_limit(client.execute_typed(&text, &typed));
        let rows = self.note(ran).map_err(Error::Engine)?;
        Ok(usize::try_from(rows).unwrap_or(usize::MAX))
    }

    fn visit(&self, sql: &str, values: &[Value<'_>], take: &mut TakeRow<'_>) -> Result<()> {
        self.read_visited()?;
        let text = self.texts.rewritten(sql);
        let typed = bound(values).into_iter().map(|value| {
            let kind = value.type_of();
            (value, kind)
        });
        let client = self.client().map_err(Error::Engine)?;
        let answer = self.within_limit(client.query_typed_raw(&text, typed));
        let stream = self.note(answer).map_err(Error::Engine)?;
        self.visited.borrow_mut().push(Rows {
            stream: Some(Box::pin(stream)),
            read: VecDeque::new(),
        });
        let passed = self.pass(take);
        // The driver drops the rows that nobody wanted.
        self.visited.borrow_mut().pop();
        passed
    }
}

fn bound<'a>(values: &[Value<'a>]) -> Vec<Bound<'a>> {
    values.iter().copied().map(Bound).collect()
}

impl Drop for InTransaction {
    /// Undoes the transaction, for which nobody waits. A connection that cannot do so does not go back to the pool: the server
    /// undoes what is open when it closes.
    fn drop(&mut self) {
        let Some(client) = self.client.take() else {
            return;
        };
        self.visited.borrow_mut().clear();
        let (ending, turn) = (self.ending, self.turn.take());
        self.runtime.spawn(async move {
            let _turn = turn;
            let ended = tokio::time::timeout(GRACE, client.batch_execute(ending)).await;
            if !matches!(ended, Ok(Ok(()))) {
                drop(Object::take(client));
            }
        });
    }
}
