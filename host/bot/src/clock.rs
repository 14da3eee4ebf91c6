//! The clock: the only place where the program reads the time and applies the UTC offset.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use chrono::{DateTime, Offset as _, TimeZone as _};
use chrono_tz::Tz;
use myao_plugin::Timestamp;

/// Returns the time in the configured time zone. Tests can set it.
#[derive(Clone)]
pub struct Clock {
    since_1970: Arc<dyn Fn() -> Duration + Send + Sync>,
    timezone: Tz,
}

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system(timezone: Tz) -> Self {
        let since_1970 = || SystemTime::now().duration_since(UNIX_EPOCH);
        Self::new(timezone, move || since_1970().unwrap_or_default())
    }

    /// A clock that returns the time that `since_1970` returns.
    pub fn new(timezone: Tz, since_1970: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self {
            since_1970: Arc::new(since_1970),
            timezone,
        }
    }

    /// Seconds since 1970.
    #[must_use]
    pub fn seconds(&self) -> i64 {
        i64::try_from((self.since_1970)().as_secs()).unwrap_or(i64::MAX)
    }

    /// Seconds since 1970, as HTTP libraries count them.
    #[must_use]
    pub fn unsigned_seconds(&self) -> u64 {
        (self.since_1970)().as_secs()
    }

    /// Milliseconds since 1970.
    #[must_use]
    pub fn milliseconds(&self) -> i64 {
        i64::try_from((self.since_1970)().as_millis()).unwrap_or(i64::MAX)
    }

    /// Microseconds since 1970.
    #[must_use]
    pub fn microseconds(&self) -> i64 {
        i64::try_from((self.since_1970)().as_micros()).unwrap_or(i64::MAX)
    }

    /// The time in the form that the component gets.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.local(self.seconds())
    }

    /// A point in time with the offset of the time zone.
    #[must_use]
    pub fn local(&self, unix_seconds: i64) -> Timestamp {
        let offset = DateTime::from_timestamp(unix_seconds, 0).map_or(0, |time| {
            let offset = self.timezone.offset_from_utc_datetime(&time.naive_utc());
            offset.fix().local_minus_utc()
        });
        Timestamp {
            unix_seconds,
            utc_offset_seconds: offset,
        }
    }
}
