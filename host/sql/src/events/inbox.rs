//! The inbox: events are stored before they are acknowledged to the platform, and take effect once.
//!
//! The effects of an event and its end are one transaction. Its payload is then emptied, so that message text is not
//! stored twice. The row stays for a while, so that a duplicate of the event is recognized.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::inbox::{
    Applied, Failed, Inbox, IncomingEvent, Kept, MAX_FAILURES, SetAsideEvent, WaitingEvent,
};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;

use crate::events::effects::Application;
use crate::fault::Fault;
use crate::place::Place;
use crate::rows::list;
use crate::sight::json_array;
use crate::workspace::SqlWorkspace;

/// The longest wait until an event is retried, in seconds. The wait doubles from 2 seconds on, so ten tries take about
/// a quarter of an hour: longer than a database is locked or the platform restarts. A later time was stored while the
/// clock was ahead, and is ignored.
pub(crate) const MAX_WAIT: i64 = 600;

/// The longest time, in seconds, by which an event can be applied after the time before which events are deleted.
const MAX_AHEAD: i64 = 7 * 24 * 3600;

#[async_trait::async_trait]
impl Inbox for SqlWorkspace {
    async fn keep_events(&self, events: Vec<IncomingEvent>) -> Result<Vec<Kept>, StorageError> {
        self.writing(move |connection, place| keep(connection, place, &events))
            .await
    }

    async fn try_keeping(&self) -> Result<(), StorageError> {
        self.blocking(Self::try_room).await
    }

    async fn waiting_events(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingEvent>, StorageError> {
        self.reading(move |connection, place| {
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
        .await
    }

    async fn apply_event(&self, id: i64, effects: Vec<Effect>, now: i64) -> Applied {
        self.blocking(move |this| this.apply_one(&(id, effects), now))
            .await
    }

    async fn apply_events(
        &self,
        events: Vec<(i64, Vec<Effect>)>,
        now: i64,
    ) -> Result<Vec<Applied>, StorageError> {
        let erases = events.iter().any(|(_, effects)| erases(effects));
        let applied = self.blocking(move |this| {
            let together = this.write(|connection, place| apply(connection, place, &events, now));
            Ok(match together {
                Ok(applied) => applied.into_iter().map(Ok).collect(),
                Err(_) => events
                    .iter()
                    .map(|event| this.apply_one(event, now))
                    .collect(),
            })
        });
        let applied = applied.await?;
        if erases {
            self.discard_soon();
        }
        Ok(applied)
    }

    async fn apply_effects(&self, effects: Vec<Effect>, now: i64) -> Result<(), StorageError> {
        let erases = erases(&effects);
        let applied = self.writing(move |connection, place| {
            let mut application = Application::new(connection, place, now);
            application.apply(&effects)?;
            application.finish()
        });
        applied.await?;
        if erases {
            self.discard_soon();
        }
        Ok(())
    }

    async fn fail_event(&self, id: i64, error: String, now: i64) -> Result<Failed, StorageError> {
        self.writing(move |connection, place| fail(connection, place, id, &error, now))
            .await
    }

    async fn set_aside_events(&self, limit: u32) -> Result<Vec<SetAsideEvent>, StorageError> {
        self.reading(move |connection, place| {
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
        .await
    }

    async fn forget_applied_events(&self, before: i64) -> Result<usize, StorageError> {
        self.writing(move |connection, place| {
            let forget = include_str!("sql/forget_applied_events.sql");
            Ok(connection.execute(
                forget,
                [place.workspace, before, before.saturating_add(MAX_AHEAD)],
            )?)
        })
        .await
    }
}

/// Returns true if a text may go: a message was deleted, or has another text than at first.
fn erases(effects: &[Effect]) -> bool {
    effects.iter().any(|effect| match effect {
        Effect::MessageDeleted { .. } => true,
        Effect::Message { record, changed } => *changed > record.ts,
        _ => false,
    })
}

impl SqlWorkspace {
    fn apply_one(&self, event: &(i64, Vec<Effect>), now: i64) -> Result<bool, StorageError> {
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
    let keep = "INSERT INTO events (workspace, event_id, received_at, payload) \
         VALUES (?1, ?2, ?3, ?4) \
         ON CONFLICT DO NOTHING";
    let kept = events.iter().map(|event| {
        let columns = params![
            place.workspace,
            event.event_id,
            event.received_at_ms,
            event.payload
        ];
        Ok(match connection.execute(keep, columns)? {
            0 => Kept::Duplicate,
            _ => Kept::New,
        })
    });
    kept.collect()
}

/// Ends events and applies their effects. Returns for each whether it had not ended before.
fn apply(
    connection: &Connection,
    place: &Place,
    events: &[(i64, Vec<Effect>)],
    now: i64,
) -> Result<Vec<bool>, Fault> {
    let mut application = Application::new(connection, place, now);
    let mut applied = Vec::with_capacity(events.len());
    for (id, effects) in events {
        let ended = connection.execute(
            include_str!("sql/end_event.sql"),
            [place.workspace, *id, now],
        )?;
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
    let found: Option<(u32, String)> = connection
        .query_row(
            include_str!("sql/event_failures.sql"),
            [place.workspace, id],
            |row| Ok((row.get(0)?, row.get(1)?)),
        )
        .optional()?;
    let (failures, payload) = found.ok_or_else(|| {
        StorageError::NotFound(format!("event {id} does not wait: it has ended already"))
    })?;
    let failures = failures + 1;
    let failed = if failures >= MAX_FAILURES {
        Failed::SetAside
    } else {
        Failed::TriedAgainAt(now.saturating_add(2_i64.saturating_pow(failures).min(MAX_WAIT)))
    };
    let next_try_at = match failed {
        Failed::TriedAgainAt(at) => Some(at),
        Failed::SetAside => None,
    };
    let is_gone = failed == Failed::SetAside
        && holds_what_is_gone(connection, place.workspace, id, &payload)?;
    let columns = params![place.workspace, id, failures, next_try_at, error, is_gone];
    connection.execute(include_str!("sql/fail_event.sql"), columns)?;
    Ok(failed)
}

/// Returns true if an event may hold a text that was edited, deleted or forgotten since it came. Which message it is about nobody can
/// tell: it could not be applied.
fn holds_what_is_gone(
    connection: &Connection,
    workspace: i64,
    id: i64,
    payload: &str,
) -> Result<bool> {
    let numbers = payload.split(|c: char| !c.is_ascii_digit() && c != '.');
    let named = numbers.filter_map(|number| TsKey::parse(number).ok());
    let named = json_array(&named.map(TsKey::to_database).collect());
    connection.query_row(
        include_str!("sql/holds_what_is_gone.sql"),
        params![workspace, id, named],
        |row| row.get(0),
    )
}
