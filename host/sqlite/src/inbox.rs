//! The inbox: events are kept before the platform is told so, and take effect once.
//!
//! An event's effects and its end are one transaction. Its payload is emptied then, so that message text is not kept
//! twice; the row stays for a while, so that the same event is known when it comes again.

use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use rusqlite::{Connection, OptionalExtension, Row, params};

use super::effects::Application;
use super::error::{Fault, StoreError};
use super::place::Place;
use super::workspace::SqliteWorkspace;

/// An event is set aside when it failed so many times.
pub const MAX_FAILURES: u32 = 10;

/// The longest wait until an event is tried again, in seconds. It doubles from 2 seconds on, so that ten tries span
/// about a quarter of an hour: longer than a database is locked or the platform restarts. A later time was noted while the
/// clock was ahead, and does not count.
pub(super) const MAX_WAIT: i64 = 600;

/// An event was applied so many seconds after the time before which events are forgotten, at most.
const MAX_AHEAD: i64 = 7 * 24 * 3600;

/// An event as it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingEvent {
    /// The platform's id of it, the same for each delivery.
    pub event_id: String,
    /// When it came, in milliseconds since 1970.
    pub received_at_ms: i64,
    /// The event, as the platform wrote it.
    pub payload: String,
}

/// What became of an event that came.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is kept, and waits.
    New,
    /// It is known.
    Duplicate,
}

/// An event that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingEvent {
    /// Its place in the order of arrival.
    pub id: i64,
    /// The platform's id of it.
    pub event_id: String,
    /// The event, as the platform wrote it.
    pub payload: String,
    /// How many times it failed.
    pub failures: u32,
}

/// An event that failed too often. It is tried no more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAsideEvent {
    /// Its place in the order of arrival.
    pub id: i64,
    /// The platform's id of it.
    pub event_id: String,
    /// When it came, in milliseconds since 1970.
    pub received_at_ms: i64,
    /// The event, as the platform wrote it.
    pub payload: String,
    /// Why it failed the last time.
    pub error: String,
}

/// What becomes of an event that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// It is tried again, from this Unix second on.
    TriedAgainAt(i64),
    /// It is set aside.
    SetAside,
}

/// Whether an event took effect: [`StorageError`] where it could not; false where it had done so before.
pub type Applied = Result<bool, StorageError>;

impl SqliteWorkspace {
    /// Keeps events. They are on the disk when this returns, all or none.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn keep_events(&self, events: Vec<IncomingEvent>) -> Result<Vec<Kept>, StorageError> {
        self.blocking(move |this| this.write(|connection, place| keep(connection, place, &events)))
            .await
    }

    /// Events that wait and may be tried at `now`, in order of arrival.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn waiting_events(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingEvent>, StorageError> {
        self.blocking(move |this| {
            this.read(|connection, place| {
                let waiting = include_str!("sql/waiting_events.sql");
                let latest = now.saturating_add(MAX_WAIT);
                let columns = params![place.workspace, now, limit, latest];
                Ok(list(connection, waiting, columns, |row| {
                    Ok(WaitingEvent {
                        id: row.get(0)?,
                        event_id: row.get(1)?,
                        payload: row.get(2)?,
                        failures: row.get(3)?,
                    })
                })?)
            })
        })
        .await
    }

    /// Applies the effects of an event, at `now` in Unix seconds, and ends it. False where it has ended before:
    /// nothing is changed then.
    ///
    /// # Errors
    /// What the file or the disk refuses; the event then waits as before.
    pub async fn apply_event(&self, id: i64, effects: Vec<Effect>, now: i64) -> Applied {
        self.blocking(move |this| this.apply_one(&(id, effects), now))
            .await
    }

    /// Applies the effects of several events, with each its end; all in one transaction, and one by one where that
    /// fails, so that one that cannot be applied blocks no other. The results stand in their order.
    ///
    /// # Errors
    /// [`StorageError::Other`] where the thread that writes ends.
    pub async fn apply_events(
        &self,
        events: Vec<(i64, Vec<Effect>)>,
        now: i64,
    ) -> Result<Vec<Applied>, StorageError> {
        self.blocking(move |this| {
            let together = this.write(|connection, place| apply(connection, place, &events, now));
            Ok(match together {
                Ok(applied) => applied.into_iter().map(Ok).collect(),
                Err(_) => events
                    .iter()
                    .map(|event| this.apply_one(event, now).map_err(StorageError::from))
                    .collect(),
            })
        })
        .await
    }

    /// Applies effects that no event brought, at `now` in Unix seconds.
    ///
    /// # Errors
    /// What the file or the disk refuses; nothing is changed then.
    pub async fn apply_effects(&self, effects: Vec<Effect>, now: i64) -> Result<(), StorageError> {
        self.blocking(move |this| {
            this.write(|connection, place| {
                let mut application = Application::new(connection, place, now);
                application.apply(&effects)?;
                application.finish()
            })
        })
        .await
    }

    /// Notes that an event failed at `now`, in Unix seconds.
    ///
    /// # Errors
    /// [`StorageError::NotFound`] where no such event waits; what the file or the disk refuses.
    pub async fn fail_event(
        &self,
        id: i64,
        error: String,
        now: i64,
    ) -> Result<Failed, StorageError> {
        self.blocking(move |this| {
            this.write(|connection, place| fail(connection, place, id, &error, now))
        })
        .await
    }

    /// Events that failed too often, in order of arrival.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn set_aside_events(&self, limit: u32) -> Result<Vec<SetAsideEvent>, StorageError> {
        self.blocking(move |this| {
            this.read(|connection, place| {
                let set_aside = include_str!("sql/set_aside_events.sql");
                let columns = params![place.workspace, limit];
                Ok(list(connection, set_aside, columns, |row| {
                    Ok(SetAsideEvent {
                        id: row.get(0)?,
                        event_id: row.get(1)?,
                        received_at_ms: row.get(2)?,
                        payload: row.get(3)?,
                        error: row.get(4)?,
                    })
                })?)
            })
        })
        .await
    }

    /// Forgets the events that were applied before a Unix second, and those that were applied long after it, while the clock
    /// was ahead; returns how many. Their duplicates are new then.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub async fn forget_applied_events(&self, before: i64) -> Result<usize, StorageError> {
        self.blocking(move |this| {
            this.write(|connection, place| {
                let forget = include_str!("sql/forget_applied_events.sql");
                Ok(connection.prepare_cached(forget)?.execute([
                    place.workspace,
                    before,
                    before.saturating_add(MAX_AHEAD),
                ])?)
            })
        })
        .await
    }

    fn apply_one(&self, event: &(i64, Vec<Effect>), now: i64) -> Result<bool, StoreError> {
        let events = std::slice::from_ref(event);
        let applied = self.write(|connection, place| apply(connection, place, events, now))?;
        Ok(applied.first().copied().unwrap_or(false))
    }
}

fn keep(
    connection: &Connection,
    place: &Place,
    events: &[IncomingEvent],
) -> Result<Vec<Kept>, Fault> {
    let mut keep = connection.prepare_cached(include_str!("sql/keep_event.sql"))?;
    let kept = events.iter().map(|event| {
        let columns = params![
            place.workspace,
            event.event_id,
            event.received_at_ms,
            event.payload
        ];
        Ok(match keep.execute(columns)? {
            0 => Kept::Duplicate,
            _ => Kept::New,
        })
    });
    kept.collect()
}

/// Ends events, and applies their effects; whether each had not ended before.
fn apply(
    connection: &Connection,
    place: &Place,
    events: &[(i64, Vec<Effect>)],
    now: i64,
) -> Result<Vec<bool>, Fault> {
    let mut application = Application::new(connection, place, now);
    let mut applied = Vec::with_capacity(events.len());
    for (id, effects) in events {
        let ended = connection
            .prepare_cached(include_str!("sql/end_event.sql"))?
            .execute([place.workspace, *id, now])?;
        if ended == 1 {
            application.apply(effects)?;
        }
        applied.push(ended == 1);
    }
    application.finish()?;
    Ok(applied)
}

fn fail(
    connection: &Connection,
    place: &Place,
    id: i64,
    error: &str,
    now: i64,
) -> Result<Failed, Fault> {
    let failures: Option<u32> = connection
        .prepare_cached(include_str!("sql/event_failures.sql"))?
        .query_row([place.workspace, id], |row| row.get(0))
        .optional()?;
    let failures = failures.ok_or_else(|| {
        StorageError::NotFound(format!("event {id} does not wait: it has ended already"))
    })? + 1;
    let failed = if failures >= MAX_FAILURES {
        Failed::SetAside
    } else {
        Failed::TriedAgainAt(now.saturating_add(2_i64.saturating_pow(failures).min(MAX_WAIT)))
    };
    let next_try_at = match failed {
        Failed::TriedAgainAt(at) => Some(at),
        Failed::SetAside => None,
    };
    connection
        .prepare_cached(include_str!("sql/fail_event.sql"))?
        .execute(params![place.workspace, id, failures, next_try_at, error])?;
    Ok(failed)
}

/// All rows of a statement.
pub(super) fn list<T>(
    connection: &Connection,
    sql: &str,
    columns: &[&dyn rusqlite::ToSql],
    read: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
) -> rusqlite::Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let rows = statement.query_map(columns, read)?;
    rows.collect()
}
