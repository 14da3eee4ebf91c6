//! Message times, which are their ids too, and the clock that gives them.

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

const SECOND: u64 = 1_000_000;

/// Where the clock begins: 2026-01-01 00:00:00 UTC.
const BEGINNING: Ts = Ts(1_767_225_600 * SECOND);

/// A Slack `ts`: seconds since 1970, a point, six digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ts(u64);

impl Ts {
    /// From its microseconds since 1970.
    #[must_use]
    pub fn from_micros(micros: u64) -> Self {
        Self(micros)
    }

    /// Its microseconds since 1970.
    #[must_use]
    pub fn micros(self) -> u64 {
        self.0
    }

    /// Its whole seconds since 1970.
    #[must_use]
    pub fn seconds(self) -> u64 {
        self.0 / SECOND
    }

    /// Reads `1767225600.000100`; the digits after the point may be fewer, or none, as in the `oldest` of a call.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (seconds, fraction) = text.split_once('.').unwrap_or((text, ""));
        if fraction.len() > 6 || !fraction.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let micros: u64 = format!("{fraction:0<6}").parse().ok()?;
        let seconds: u64 = seconds.parse().ok()?;
        Some(Self(seconds.checked_mul(SECOND)?.checked_add(micros)?))
    }
}

impl fmt::Display for Ts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}.{:06}", self.seconds(), self.0 % SECOND)
    }
}

/// Gives every message and event a time of its own, later than all before.
#[derive(Debug)]
pub(crate) struct Clock {
    last: Ts,
    step: u64,
    system: bool,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            last: BEGINNING,
            step: SECOND,
            system: false,
        }
    }
}

impl Clock {
    /// The latest time given.
    pub(crate) fn last(&self) -> Ts {
        self.last
    }

    /// The whole second of the latest time: the same whatever the bot did within it.
    pub(crate) fn second(&self) -> Ts {
        Ts(self.last.0 - self.last.0 % SECOND)
    }

    /// The next time for people: a whole number of steps, so that the bot's actions in between move nothing.
    pub(crate) fn tick(&mut self) -> Ts {
        let next = (self.last.0 / self.step + 1) * self.step;
        self.give(next)
    }

    /// The next time for the bot.
    pub(crate) fn between(&mut self) -> Ts {
        self.give(self.last.0 + 1)
    }

    /// The next time for a reaction.
    pub(crate) fn reacts(&mut self, is_bot: bool) -> Ts {
        if is_bot { self.between() } else { self.tick() }
    }

    /// Moves on to `ts`, never back.
    pub(crate) fn advance_to(&mut self, ts: Ts) {
        self.last = self.last.max(ts);
    }

    /// Sets the clock.
    pub(crate) fn set(&mut self, ts: Ts) {
        self.last = ts;
    }

    /// Sets the clock for something whose time is planned: until [`Clock::coarse`], times follow each other closely.
    pub(crate) fn fine(&mut self, ts: Ts) {
        assert!(
            !self.system,
            "planned times need the counter, not the machine's clock"
        );
        self.last = ts;
        self.step = 1;
    }

    /// Ends that.
    pub(crate) fn coarse(&mut self) {
        self.step = SECOND;
    }

    /// From now on the machine's time is given.
    pub(crate) fn follow_system(&mut self) {
        self.system = true;
    }

    fn give(&mut self, next: u64) -> Ts {
        self.last = if self.system {
            let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
            Ts(u64::try_from(now.as_micros()).unwrap().max(self.last.0 + 1))
        } else {
            Ts(next)
        };
        self.last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ts_is_read_with_and_without_a_fraction() {
        assert_eq!(Ts::parse("12.000345").unwrap().to_string(), "12.000345");
        assert_eq!(Ts::parse("12.5").unwrap().to_string(), "12.500000");
        assert_eq!(Ts::parse("12").unwrap().to_string(), "12.000000");
        assert_eq!(Ts::parse("twelve"), None);
        assert_eq!(Ts::parse("1.+1"), None);
    }

    #[test]
    fn what_the_bot_does_leaves_the_times_of_people_alone() {
        let (mut quiet, mut busy) = (Clock::default(), Clock::default());
        busy.between();
        busy.between();
        assert_eq!(quiet.tick(), busy.tick());
    }
}
