//! Points in time, as people read them.

use std::fmt;

use chrono::DateTime;

/// A point in time in a time zone, shown as `2026-03-06 09:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970.
    pub unix_seconds: i64,
    /// The zone's offset from UTC at that time; positive to the east.
    pub utc_offset_seconds: i32,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let offset = i64::from(self.utc_offset_seconds);
        let local = DateTime::from_timestamp(self.unix_seconds.saturating_add(offset), 0);
        // No message is so far from today that it has no date.
        write!(f, "{}", local.unwrap_or_default().format("%Y-%m-%d %H:%M"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (unix_seconds, utc_offset_seconds, shown) in [
            (0, 0, "1970-01-01 00:00"),
            (-1, 0, "1969-12-31 23:59"),
            (1_772_755_200, 9 * 3600, "2026-03-06 09:00"),
            (1_772_755_200, -5 * 3600, "2026-03-05 19:00"),
            (1_709_251_140, 19_800, "2024-03-01 05:29"),
        ] {
            let moment = Moment {
                unix_seconds,
                utc_offset_seconds,
            };
            assert_eq!(moment.to_string(), shown);
        }
    }
}
