//! The clock: where the bot and the commands read the time.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use myao_plugin::{LocalTime, Timestamp, system_clock};
use myao_slack::client::SlackClient;

/// Returns the time in the configured time zone. Tests can set it.
#[derive(Clone)]
pub struct Clock {
    since_1970: Arc<dyn Fn() -> Duration + Send + Sync>,
    local_time: LocalTime,
}

impl Clock {
    /// The system's clock.
    #[must_use]
    pub fn system(local_time: impl Into<LocalTime>) -> Self {
        let since_1970 = || system_clock::now().duration_since(UNIX_EPOCH);
        Self::new(local_time, move || since_1970().unwrap_or_default())
    }

    /// Slack's clock, as far as its answers show it: what is read there is compared with the times of events.
    #[must_use]
    pub fn at_slack(local_time: impl Into<LocalTime>, slack: SlackClient) -> Self {
        Self::new(local_time, move || slack.now())
    }

    /// A clock that returns the time that `since_1970` returns.
    pub fn new(
        local_time: impl Into<LocalTime>,
        since_1970: impl Fn() -> Duration + Send + Sync + 'static,
    ) -> Self {
        Self {
            since_1970: Arc::new(since_1970),
            local_time: local_time.into(),
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

    /// The time in the form of the standard library.
    #[must_use]
    pub fn system_time(&self) -> SystemTime {
        UNIX_EPOCH + (self.since_1970)()
    }

    /// The time in the form that the component gets.
    #[must_use]
    pub fn now(&self) -> Timestamp {
        self.local(self.seconds())
    }

    /// A point in time with the offset of the time zone.
    #[must_use]
    pub fn local(&self, unix_seconds: i64) -> Timestamp {
        self.local_time.at(unix_seconds)
    }
}
