//! Discards what PostgreSQL still keeps of erased rows: in the background, and not too often.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::session::Dialect;

/// The time from one vacuum to the next, whatever is erased meanwhile.
const INTERVAL: Duration = Duration::from_secs(3600);

/// When a workspace discards.
#[derive(Default)]
pub(crate) struct Discarding {
    /// SQLite overwrites what it erases.
    is_needed: AtomicBool,
    times: Mutex<Times>,
}

#[derive(Default)]
struct Times {
    is_planned: bool,
    last: Option<Instant>,
}

impl Times {
    /// How long to wait until the next time; `None` if one is planned already.
    fn plan(&mut self, now: Instant) -> Option<Duration> {
        if self.is_planned {
            return None;
        }
        self.is_planned = true;
        let next = self.last.map(|last| last + INTERVAL);
        Some(next.map_or(Duration::ZERO, |next| next.saturating_duration_since(now)))
    }

    /// It begins: what is erased from now on is for the next time.
    fn begin(&mut self, now: Instant) {
        self.is_planned = false;
        self.last = Some(now);
    }
}

impl Discarding {
    /// Notes which engine writes.
    pub(crate) fn see(&self, dialect: Dialect) {
        let is_needed = dialect == Dialect::Postgres;
        self.is_needed.store(is_needed, Ordering::Relaxed);
    }

    /// Something was erased: how long to wait until it is discarded; `None` if nothing is to be done about it.
    pub(crate) fn plan(&self) -> Option<Duration> {
        if !self.is_needed.load(Ordering::Relaxed) {
            return None;
        }
        self.times().plan(Instant::now())
    }

    /// It begins now.
    pub(crate) fn begin(&self) {
        self.times().begin(Instant::now());
    }

    fn times(&self) -> MutexGuard<'_, Times> {
        self.times.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::{INTERVAL, Times};

    #[test]
    fn what_is_erased_within_an_hour_is_discarded_at_its_end() {
        let (mut times, begun) = (Times::default(), Instant::now());
        assert_eq!(times.plan(begun), Some(Duration::ZERO));
        assert_eq!(times.plan(begun), None);
        times.begin(begun);
        let minute = Duration::from_secs(60);
        assert_eq!(times.plan(begun + minute), Some(INTERVAL - minute));
        assert_eq!(times.plan(begun + 2 * minute), None);
        times.begin(begun + INTERVAL);
        assert_eq!(times.plan(begun + 3 * INTERVAL), Some(Duration::ZERO));
    }
}
