//! The inbox: events are stored before they are acknowledged to the platform, and take effect once.
//!
//! The effects of an event and its end are one transaction. Its payload is then emptied, so that message text is not
//! stored twice. The row stays for a while, so that a duplicate of the event is recognized.

use crate::storage::StorageError;
use crate::storage::effects::Effect;

/// An event is set aside after this many failures.
pub const MAX_FAILURES: u32 = 10;

/// An event as it arrived.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncomingEvent {
    /// The platform's id of the event, the same for each delivery.
    pub event_id: String,
    /// When it arrived, in milliseconds since 1970.
    pub received_at_ms: i64,
    /// The event, as the platform wrote it.
    pub payload: String,
}

/// The result of an event's arrival.
///
/// Exhaustive on purpose: a delivery is new or not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kept {
    /// It is stored and waits.
    New,
    /// It was already stored.
    Duplicate,
}

/// An event that waits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitingEvent {
    /// Its place in the order of arrival.
    pub id: i64,
    /// The platform's id of the event.
    pub event_id: String,
    /// The event, as the platform wrote it.
    pub payload: String,
    /// How many times it failed.
    pub failures: u32,
}

/// An event that failed too often. It is not retried any more.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetAsideEvent {
    /// Its place in the order of arrival.
    pub id: i64,
    /// The platform's id of the event.
    pub event_id: String,
    /// When it arrived, in milliseconds since 1970.
    pub received_at_ms: i64,
    /// The event, as the platform wrote it.
    pub payload: String,
    /// Why it failed the last time.
    pub error: String,
}

/// The next step of an event that failed.
///
/// Exhaustive on purpose: a store derives the next try from it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failed {
    /// It is retried from this Unix second on.
    TriedAgainAt(i64),
    /// It is set aside.
    SetAside,
}

/// True if an event took effect: `false` if it had already taken effect; [`StorageError`] if it could not.
pub type Applied = Result<bool, StorageError>;

/// Events, from their arrival until they have taken effect.
#[async_trait::async_trait]
pub trait Inbox: Send + Sync {
    /// Stores events. They are on disk when this returns, all or none.
    async fn keep_events(&self, events: Vec<IncomingEvent>) -> Result<Vec<Kept>, StorageError>;

    /// Tries whether an event could be stored now. Nothing stays of it.
    ///
    /// # Errors
    /// The reason why it could not.
    async fn try_keeping(&self) -> Result<(), StorageError>;

    /// Events that wait and may be tried at `now`, in order of arrival. No wait is longer than ten minutes: a later
    /// time was stored while the clock was ahead, and is ignored.
    async fn waiting_events(&self, now: i64, limit: u32)
    -> Result<Vec<WaitingEvent>, StorageError>;

    /// Applies the effects of an event, at `now` in Unix seconds, and ends it. Returns false and changes nothing if the
    /// event has already ended or is not known. If an effect cannot be stored, nothing is changed either, and the event
    /// continues to wait.
    async fn apply_event(&self, id: i64, effects: Vec<Effect>, now: i64) -> Applied;

    /// Applies the effects of several events and ends each of them, all in one transaction. If that fails, the events
    /// are applied one by one, so that a bad event does not block the others. The results are in the order of the
    /// events.
    ///
    /// # Errors
    /// If nothing could be tried.
    async fn apply_events(
        &self,
        events: Vec<(i64, Vec<Effect>)>,
        now: i64,
    ) -> Result<Vec<Applied>, StorageError>;

    /// Applies effects that do not come from an event, at `now` in Unix seconds.
    async fn apply_effects(&self, effects: Vec<Effect>, now: i64) -> Result<(), StorageError>;

    /// Notes that an event failed at `now`, in Unix seconds. It is retried after 2 seconds, then after 4, and so on up
    /// to ten minutes. After [`MAX_FAILURES`] failures it is set aside.
    ///
    /// # Errors
    /// `StorageError::NotFound` if no such event waits.
    async fn fail_event(&self, id: i64, error: String, now: i64) -> Result<Failed, StorageError>;

    /// Events that failed too often, in order of arrival.
    async fn set_aside_events(&self, limit: u32) -> Result<Vec<SetAsideEvent>, StorageError>;

    /// Deletes the events that were applied before a Unix second, and those that were applied more than a week after
    /// it, while the clock was ahead. Returns how many. A duplicate of such an event then counts as new. Events that
    /// wait or are set aside stay.
    async fn forget_applied_events(&self, before: i64) -> Result<usize, StorageError>;
}
