//! The inbox.

use std::collections::BTreeSet;

use myao_plugin::state::inbox::{
    Applied, Failed, Inbox, IncomingEvent, Kept, MAX_FAILURES, SetAsideEvent, WaitingEvent,
};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;

use super::effects::{self, Application};
use super::{MemoryStorage, State, most};

/// The longest back-off of an event, in seconds.
pub(super) const MAX_WAIT: i64 = 600;
/// An applied event is remembered only if it was applied at most so many seconds after the time before which events are
/// forgotten.
const MAX_AHEAD: i64 = 7 * 24 * 3600;

/// An event as it is stored.
#[derive(Debug, Clone)]
pub(super) struct StoredEvent {
    pub(super) id: i64,
    pub(super) event: IncomingEvent,
    pub(super) progress: Progress,
    pub(super) failures: u32,
    /// In Unix seconds; 0 means at once.
    pub(super) next_try_at: i64,
    error: String,
}

/// The state of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Progress {
    Waiting,
    /// Since this Unix second.
    Applied(i64),
    SetAside,
}

#[async_trait::async_trait]
impl Inbox for MemoryStorage {
    async fn keep_events(&self, events: Vec<IncomingEvent>) -> Result<Vec<Kept>, StorageError> {
        let mut state = self.state();
        Ok(events
            .into_iter()
            .map(|event| state.keep_event(event))
            .collect())
    }

    async fn waiting_events(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingEvent>, StorageError> {
        let state = self.state();
        // A later time was noted while the clock was ahead.
        let latest = now.saturating_add(MAX_WAIT);
        let may_be_tried = |stored: &&StoredEvent| {
            stored.progress == Progress::Waiting
                && (stored.next_try_at <= now || stored.next_try_at > latest)
        };
        let waiting = state.events.iter().filter(may_be_tried).take(most(limit));
        let waiting = waiting.map(|stored| WaitingEvent {
            id: stored.id,
            event_id: stored.event.event_id.clone(),
            payload: stored.event.payload.clone(),
            failures: stored.failures,
        });
        Ok(waiting.collect())
    }

    async fn apply_event(&self, id: i64, effects: Vec<Effect>, now: i64) -> Applied {
        effects::check(&effects)?;
        let mut state = self.state();
        let is_new = state.end_event(id, now);
        if is_new {
            state.apply(effects, now);
        }
        Ok(is_new)
    }

    async fn apply_events(
        &self,
        events: Vec<(i64, Vec<Effect>)>,
        now: i64,
    ) -> Result<Vec<Applied>, StorageError> {
        let mut state = self.state();
        let (mut applied, mut all) = (Vec::new(), Vec::new());
        for (id, effects) in events {
            let checked = effects::check(&effects);
            applied.push(checked.map(|()| {
                let is_new = state.end_event(id, now);
                if is_new {
                    all.extend(effects);
                }
                is_new
            }));
        }
        state.apply(all, now);
        Ok(applied)
    }

    async fn apply_effects(&self, effects: Vec<Effect>, now: i64) -> Result<(), StorageError> {
        effects::check(&effects)?;
        self.state().apply(effects, now);
        Ok(())
    }

    async fn fail_event(&self, id: i64, error: String, now: i64) -> Result<Failed, StorageError> {
        let mut state = self.state();
        let is_gone = state.holds_what_is_gone(id);
        let stored = state.waiting_event(id).ok_or_else(|| {
            StorageError::NotFound(format!("event {id} does not wait: it has ended already"))
        })?;
        stored.error = error;
        stored.failures += 1;
        if stored.failures >= MAX_FAILURES {
            stored.progress = Progress::SetAside;
            if is_gone {
                stored.event.payload.clear();
            }
            return Ok(Failed::SetAside);
        }
        let wait = 2_i64.saturating_pow(stored.failures).min(MAX_WAIT);
        stored.next_try_at = now.saturating_add(wait);
        Ok(Failed::TriedAgainAt(stored.next_try_at))
    }

    async fn set_aside_events(&self, limit: u32) -> Result<Vec<SetAsideEvent>, StorageError> {
        let state = self.state();
        let events = state.events.iter();
        let set_aside = events.filter(|stored| stored.progress == Progress::SetAside);
        let set_aside = set_aside.take(most(limit)).map(|stored| SetAsideEvent {
            id: stored.id,
            event_id: stored.event.event_id.clone(),
            received_at_ms: stored.event.received_at_ms,
            payload: stored.event.payload.clone(),
            error: stored.error.clone(),
        });
        Ok(set_aside.collect())
    }

    async fn forget_applied_events(&self, before: i64) -> Result<usize, StorageError> {
        let mut state = self.state();
        let stored = state.events.len();
        let latest = before.saturating_add(MAX_AHEAD);
        state.events.retain(|stored| match stored.progress {
            Progress::Applied(at) => (before..=latest).contains(&at),
            Progress::Waiting | Progress::SetAside => true,
        });
        Ok(stored - state.events.len())
    }
}

impl State {
    fn keep_event(&mut self, event: IncomingEvent) -> Kept {
        let is_known = |stored: &StoredEvent| stored.event.event_id == event.event_id;
        if self.events.iter().any(is_known) {
            return Kept::Duplicate;
        }
        self.last_event += 1;
        self.events.push(StoredEvent {
            id: self.last_event,
            event,
            progress: Progress::Waiting,
            failures: 0,
            next_try_at: 0,
            error: String::new(),
        });
        Kept::New
    }

    /// Drops events that were set aside and name one of these messages. Returns how many.
    pub(super) fn drop_events_of(&mut self, messages: &BTreeSet<(String, TsKey)>) -> usize {
        let ids: Vec<String> = messages.iter().map(|(_, ts)| ts.to_string()).collect();
        let before = self.events.len();
        self.events.retain(|stored| {
            stored.progress != Progress::SetAside
                || !ids.iter().any(|id| stored.event.payload.contains(id))
        });
        before - self.events.len()
    }

    /// Drops events that were set aside and came before a Unix second.
    pub(super) fn drop_events_before(&mut self, unix_seconds: i64) {
        let is_old = |stored: &StoredEvent| stored.event.received_at_ms < unix_seconds * 1000;
        self.events
            .retain(|stored| stored.progress != Progress::SetAside || !is_old(stored));
    }

    /// Whether an event may hold a text that was edited, deleted or forgotten since it came, or was said off the record.
    fn holds_what_is_gone(&self, id: i64) -> bool {
        let Some(stored) = self.events.iter().find(|stored| stored.id == id) else {
            return false;
        };
        let (payload, received_at_ms) = (&stored.event.payload, stored.event.received_at_ms);
        let messages = self.channels.values().flat_map(|c| &c.messages);
        let mut changed =
            messages.filter(|(_, message)| !message.is_shown() || message.edited_at.is_some());
        changed.any(|(ts, _)| payload.contains(&ts.to_string()))
            || self.forgot_since(received_at_ms)
            || self.off_record.may_be_in_event(received_at_ms)
    }

    pub(super) fn drop_events_set_aside(&mut self) -> usize {
        let before = self.events.len();
        self.events
            .retain(|stored| stored.progress != Progress::SetAside);
        before - self.events.len()
    }

    fn waiting_event(&mut self, id: i64) -> Option<&mut StoredEvent> {
        let mut events = self.events.iter_mut();
        events.find(|stored| stored.id == id && stored.progress == Progress::Waiting)
    }

    /// Ends an event; returns false if it has already ended.
    fn end_event(&mut self, id: i64, now: i64) -> bool {
        let Some(stored) = self.waiting_event(id) else {
            return false;
        };
        stored.progress = Progress::Applied(now);
        stored.event.payload.clear();
        true
    }

    fn apply(&mut self, effects: Vec<Effect>, now: i64) {
        let mut application = Application::new(self, now);
        application.apply(effects);
        application.finish();
    }
}
