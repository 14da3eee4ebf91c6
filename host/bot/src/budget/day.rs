//! The days of a budget: from midnight to midnight in the configured time zone.

use crate::clock::Clock;

const DAY_SECONDS: i64 = 24 * 3600;

/// A day, in Unix seconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Day {
    /// Its first second.
    pub begin: i64,
    /// The first second of the next day.
    pub end: i64,
}

impl Day {
    /// Today.
    #[must_use]
    pub fn today(clock: &Clock) -> Self {
        let now = clock.now();
        let offset = i64::from(now.utc_offset_seconds);
        let local = now.unix_seconds.saturating_add(offset);
        let midnight = local - local.rem_euclid(DAY_SECONDS);
        let begin = at(midnight, offset, clock).min(now.unix_seconds);
        let end = at(midnight + DAY_SECONDS, offset, clock);
        Self {
            begin,
            end: end.max(now.unix_seconds + 1),
        }
    }
}

/// The first moment at which clocks show this local time or a later one; it is given as seconds since 1970. `offset` is
/// that of another moment of the day.
fn at(local: i64, offset: i64, clock: &Clock) -> i64 {
    let offset_at = |moment| i64::from(clock.local(moment).utc_offset_seconds);
    let moment = local - offset_at(local - offset);
    if moment + offset_at(moment) < local {
        // Clocks are put forward there: they never show this time.
        return local - offset_at(moment);
    }
    moment
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use chrono::DateTime;
    use chrono_tz::Tz;

    use super::{Clock, Day};

    fn day(zone: Tz, now: &str) -> [String; 2] {
        let now = DateTime::parse_from_rfc3339(now).unwrap().timestamp();
        let now = Duration::from_secs(now.try_into().unwrap());
        let day = Day::today(&Clock::new(zone, move || now));
        [day.begin, day.end].map(|time| {
            let time = DateTime::from_timestamp(time, 0).unwrap();
            time.with_timezone(&zone).to_rfc3339()
        })
    }

    #[test]
    fn a_day_begins_and_ends_at_local_midnight() {
        let tokyo = ["2026-11-25T00:00:00+09:00", "2026-11-26T00:00:00+09:00"];
        for now in [
            tokyo[0],
            "2026-11-24T15:00:01Z",
            "2026-11-25T23:59:59+09:00",
        ] {
            assert_eq!(day(Tz::Asia__Tokyo, now), tokyo, "{now}");
        }
        assert_ne!(day(Tz::Asia__Tokyo, tokyo[1]), tokyo);
    }

    #[test]
    fn a_day_that_begins_at_one_ends_the_day_before() {
        // In Beirut clocks are put forward at midnight.
        let before = ["2026-03-28T00:00:00+02:00", "2026-03-29T01:00:00+03:00"];
        let after = ["2026-03-29T01:00:00+03:00", "2026-03-30T00:00:00+03:00"];
        for (now, expected) in [
            ("2026-03-28T21:59:59Z", before),
            ("2026-03-28T22:00:00Z", after),
            ("2026-03-29T20:59:59Z", after),
        ] {
            assert_eq!(day(Tz::Asia__Beirut, now), expected, "{now}");
        }
    }

    #[test]
    fn days_of_23_and_25_hours_are_whole_days() {
        let spring = ["2026-03-29T00:00:00+01:00", "2026-03-30T00:00:00+02:00"];
        let autumn = ["2026-10-25T00:00:00+02:00", "2026-10-26T00:00:00+01:00"];
        for expected in [spring, autumn] {
            for hour in ["00:30", "12:00", "21:30"] {
                let date = expected[0].get(..10).unwrap();
                let now = format!("{date}T{hour}:00Z");
                assert_eq!(day(Tz::Europe__Berlin, &now), expected, "{now}");
            }
        }
    }
}
