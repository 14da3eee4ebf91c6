//! Days and times.

use chrono::{
    DateTime, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone as _,
};
use chrono_tz::Tz;

/// A day or a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum MomentArg {
    /// A day of the configured time zone.
    Day(NaiveDate),
    /// A time of the configured time zone.
    Local(NaiveDateTime),
    /// A time with its UTC offset.
    Time(DateTime<FixedOffset>),
}

impl MomentArg {
    /// When it begins, in milliseconds since 1970.
    pub(crate) fn beginning(self, zone: Tz) -> i64 {
        match self {
            Self::Time(time) => time.timestamp_millis(),
            Self::Local(time) => in_zone(zone, time),
            Self::Day(day) => in_zone(zone, day.and_time(NaiveTime::MIN)),
        }
    }

    /// Where it ends as the end of a range, in milliseconds since 1970: a day is part of the range, a time is not.
    pub(crate) fn end(self, zone: Tz) -> i64 {
        match self {
            Self::Day(day) => day
                .checked_add_days(Days::new(1))
                .map_or(i64::MAX, |next| Self::Day(next).beginning(zone)),
            time => time.beginning(zone),
        }
    }

    /// The second of a time, or the last one of a day.
    pub(crate) fn last_second(self, zone: Tz) -> i64 {
        match self {
            day @ Self::Day(_) => day.end(zone).saturating_sub(1).div_euclid(1000),
            time => time.beginning(zone).div_euclid(1000),
        }
    }
}

/// A time of a zone. If the clocks leave it out as summer time begins, the next one that they show.
fn in_zone(zone: Tz, time: NaiveDateTime) -> i64 {
    let later = |hours| {
        let time = time.checked_add_signed(TimeDelta::hours(hours))?;
        zone.from_local_datetime(&time).earliest()
    };
    let first = (0..24).find_map(later);
    first.map_or(time.and_utc().timestamp_millis(), |time| {
        time.timestamp_millis()
    })
}

/// How a time without an offset may be written.
const LOCAL_FORMATS: [&str; 4] = [
    "%Y-%m-%dT%H:%M",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
];

/// Reads a day or a time.
pub(crate) fn moment(text: &str) -> Result<MomentArg, &'static str> {
    if let Ok(day) = text.parse() {
        return Ok(MomentArg::Day(day));
    }
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Ok(MomentArg::Time(time));
    }
    LOCAL_FORMATS
        .iter()
        .find_map(|format| NaiveDateTime::parse_from_str(text, format).ok())
        .map(MomentArg::Local)
        .ok_or(
            "expected a day, as in 2026-03-06, or a time, as in 2026-03-06T09:00 (of the configured time zone) or \
             2026-03-06T09:00:00+09:00",
        )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{MomentArg, moment};

    #[test]
    fn days_and_times_with_and_without_an_offset_are_read() {
        let day = moment("2026-03-06");
        assert!(matches!(day, Ok(MomentArg::Day(_))));
        let time = moment("2026-03-06T09:00:00+09:00");
        assert!(matches!(time, Ok(MomentArg::Time(_))));
        let local = moment("2026-03-06T09:00").unwrap();
        assert!(matches!(local, MomentArg::Local(_)));
        for same in [
            "2026-03-06 09:00",
            "2026-03-06 09:00:00",
            "2026-03-06T09:00:00",
        ] {
            assert_eq!(moment(same), Ok(local));
        }
        for wrong in ["friday", "2026-03", "2026-02-30", "2026-03-06T25:00"] {
            assert!(moment(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn day_and_time_without_an_offset_are_those_of_the_zone() {
        let tokyo = chrono_tz::Asia::Tokyo;
        let seconds = |text: &str| moment(text).unwrap().last_second(tokyo);
        let nine = seconds("2026-03-06T09:00:00+09:00");
        assert_eq!(seconds("2026-03-06T09:00"), nine);
        assert_eq!(seconds("2026-03-06"), seconds("2026-03-06T23:59:59"));
        let day = moment("2026-03-06").unwrap();
        assert_eq!(day.end(tokyo) - day.beginning(tokyo), 24 * 3600 * 1000);
        // On that night in Berlin there is no half past two.
        let left_out = moment("2026-03-29T02:30").unwrap();
        let next = moment("2026-03-29T03:30:00+02:00").unwrap();
        let berlin = chrono_tz::Europe::Berlin;
        assert_eq!(left_out.beginning(berlin), next.beginning(berlin));
    }
}
