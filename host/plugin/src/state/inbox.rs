//! The inbox: events are stored before the platform is told so, and take effect once.
//!
//! An event's effects and its end are one transaction. Its payload is emptied then, so that message text is not stored
//! twice; the row stays for a while, so that the same event is known when it comes again.

use crate::storage::StorageError;
use crate::storage::effects::Effect;

/// An event is set aside when it failed so many times.
pub const MAX_FAILURES: u32 = 10;

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

/// Whether an event took effect: [`StorageError`] if it could not; `false` if it had done so before.
pub type Applied = Result<bool, StorageError>;

/// Events, from their arrival until they have taken effect.
#[async_trait::async_trait]
pub trait Inbox: Send + Sync {
    /// Keeps events. They are on the disk when this returns, all or none.
    async fn keep_events(&self, events: Vec<IncomingEvent>) -> Result<Vec<Kept>, StorageError>;

    /// Events that wait and may be tried at `now`, in order of arrival. No wait is longer than ten minutes: a later time was
    /// noted while the clock was ahead, and does not count.
    async fn waiting_events(&self, now: i64, limit: u32)
    -> Result<Vec<WaitingEvent>, StorageError>;

    /// Applies the effects of an event, at `now` in Unix seconds, and ends it. False if it has ended before, or is not known:
    /// nothing is changed then. Nor is it if an effect cannot be stored; the event goes on waiting then.
    async fn apply_event(&self, id: i64, effects: Vec<Effect>, now: i64) -> Applied;

    /// Applies the effects of several events, with each its end; all in one transaction, and one by one if that
    /// fails, so that one that cannot be applied blocks no other. The results are in the order of the events.
    ///
    /// # Errors
    /// If nothing could be tried.
    async fn apply_events(
        &self,
        events: Vec<(i64, Vec<Effect>)>,
        now: i64,
    ) -> Result<Vec<Applied>, StorageError>;

    /// Applies effects that no event brought, at `now` in Unix seconds.
    async fn apply_effects(&self, effects: Vec<Effect>, now: i64) -> Result<(), StorageError>;

    /// Notes that an event failed at `now`, in Unix seconds. It is tried again after 2 seconds, then 4, and so on up to ten
    /// minutes, and is set aside when it failed [`MAX_FAILURES`] times.
    ///
    /// # Errors
    /// `StorageError::NotFound` if no such event waits.
    async fn fail_event(&self, id: i64, error: String, now: i64) -> Result<Failed, StorageError>;

    /// Events that failed too often, in order of arrival.
    async fn set_aside_events(&self, limit: u32) -> Result<Vec<SetAsideEvent>, StorageError>;

    /// Forgets the events that were applied before a Unix second, and those that were applied more than a week after it, while
    /// the clock was ahead; returns how many. Their duplicates are new then. An event that waits or is set aside stays.
    async fn forget_applied_events(&self, before: i64) -> Result<usize, StorageError>;
}
