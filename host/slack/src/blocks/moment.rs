//! Points in time, as people read them.

use std::fmt;

const SECONDS_PER_DAY: i64 = 86_400;

/// A point in time in a time zone, shown as `2026-03-06 09:00`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    /// Seconds since 1970.
    pub unix_seconds: i64,
    /// How far the zone's clocks are before UTC, then.
    pub utc_offset_seconds: i32,
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let local = self
            .unix_seconds
            .saturating_add(self.utc_offset_seconds.into());
        let (year, month, day) = date(local.div_euclid(SECONDS_PER_DAY));
        let minutes = local.rem_euclid(SECONDS_PER_DAY) / 60;
        let (hour, minute) = (minutes / 60, minutes % 60);
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }
}

/// The date of a day since 1970, in the Gregorian calendar. Years are counted from March, so that the leap day is the
/// last, and in eras of 400 years, which all have as many days.
fn date(days: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    let since_era_0 = days.saturating_add(719_468); // from 1 March of year 0
    let (era, day) = (
        since_era_0.div_euclid(DAYS_PER_ERA),
        since_era_0.rem_euclid(DAYS_PER_ERA),
    );
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day_of_year + 2) / 153; // March is 0
    let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
    let in_next_year = month >= 10;
    let month = if in_next_year { month - 9 } else { month + 3 };
    let year = year + era * 400 + i64::from(in_next_year);
    (year, month, day_of_month)
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
            (951_782_400, 0, "2000-02-29 00:00"),
            (1_709_251_140, 19_800, "2024-03-01 05:29"),
            (4_107_542_400, 0, "2100-03-01 00:00"),
            (4_107_456_000, 0, "2100-02-28 00:00"),
            (1_767_225_599, 0, "2025-12-31 23:59"),
        ] {
            let moment = Moment {
                unix_seconds,
                utc_offset_seconds,
            };
            assert_eq!(moment.to_string(), shown);
        }
    }
}
