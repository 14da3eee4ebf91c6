//! Slack's clock, which every answer shows. Times of events are Slack's, so what is read from Slack needs its clock, too: this
//! machine's may be hours off.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::DateTime;
use reqwest::Response;
use reqwest::header::DATE;
use tokio::time::Instant;

/// An answer shows full seconds, and takes a while: with a difference of less, this machine's clock is right.
const TOLERANCE: Duration = Duration::from_secs(2);
/// An answer that is older shows that Slack's clock was set.
const LATE: Duration = Duration::from_secs(60);

/// Slack's clock, as the answers show it.
pub(super) struct ServerTime {
    noted: Mutex<Option<Noted>>,
    /// The time by this machine's clock.
    pub(super) machine: Box<dyn Fn() -> Duration + Send + Sync>,
}

#[derive(Clone, Copy)]
struct Noted {
    /// The time at Slack, as all here since 1970.
    date: Duration,
    at: Instant,
    /// The time by this machine's clock.
    by_machine: Duration,
}

impl Noted {
    /// The time at Slack; `None` if this machine was asleep, or its clock was set, since the answer.
    fn now(self, machine: Duration) -> Option<Duration> {
        let elapsed = self.at.elapsed();
        let is_sure = machine.abs_diff(self.by_machine + elapsed).lt(&TOLERANCE);
        is_sure.then(|| self.date + elapsed)
    }
}

impl ServerTime {
    pub(super) fn by(machine: impl Fn() -> Duration + Send + Sync + 'static) -> Self {
        Self {
            noted: Mutex::default(),
            machine: Box::new(machine),
        }
    }

    pub(super) fn note(&self, response: &Response) {
        let date = response.headers().get(DATE);
        let date = date.and_then(|date| DateTime::parse_from_rfc2822(date.to_str().ok()?).ok());
        let Some(Ok(seconds)) = date.map(|date| u64::try_from(date.timestamp())) else {
            return;
        };
        let date = Duration::from_secs(seconds);
        let machine = (self.machine)();
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        // Answers show too early a time, never too late a one.
        let known = noted.and_then(|noted| noted.now(machine));
        if !known.is_some_and(|known| date <= known && known - date < LATE) {
            *noted = Some(Noted {
                date,
                at: Instant::now(),
                by_machine: machine,
            });
        }
    }

    pub(super) fn now(&self) -> Option<Duration> {
        let machine = (self.machine)();
        let noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        let at_slack = noted.and_then(|noted| noted.now(machine))?;
        let is_right = at_slack <= machine && machine - at_slack < TOLERANCE;
        Some(if is_right { machine } else { at_slack })
    }

    /// By how many seconds this machine's clock is ahead of Slack's, if that is known.
    pub(super) fn machine_ahead(&self) -> Option<i64> {
        let seconds = |time: Duration| i64::try_from(time.as_secs()).unwrap_or(i64::MAX);
        Some(seconds((self.machine)()) - seconds(self.now()?))
    }
}
