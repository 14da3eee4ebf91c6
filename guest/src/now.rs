//! The times that a host gives.

use chrono::{DateTime, NaiveDateTime};

use crate::bindings::errors::Error;
use crate::bindings::types::Timestamp;

/// 9999-12-31T23:59:59Z. In milliseconds every time since April 1978 is later than this.
const LAST_SECOND: i64 = 253_402_300_799;
/// Offsets from UTC are less than a day.
const DAY_SECONDS: u32 = 86_400;

/// A time from 1970 to 9999, in seconds.
///
/// # Errors
/// [`Error::InvalidTime`].
pub fn checked(time: Timestamp) -> Result<Timestamp, Error> {
    let is_valid = (0..=LAST_SECOND).contains(&time.unix_seconds)
        && time.utc_offset_seconds.unsigned_abs() < DAY_SECONDS;
    if is_valid {
        Ok(time)
    } else {
        Err(Error::InvalidTime(time))
    }
}

/// The local time; `None` if it is outside the calendar.
pub(crate) fn local(timestamp: Timestamp) -> Option<NaiveDateTime> {
    let seconds = timestamp
        .unix_seconds
        .checked_add(timestamp.utc_offset_seconds.into())?;
    DateTime::from_timestamp(seconds, 0).map(|time| time.naive_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_valid(unix_seconds: i64, utc_offset_seconds: i32) -> bool {
        let time = Timestamp {
            unix_seconds,
            utc_offset_seconds,
        };
        let checked = checked(time);
        assert!(
            checked == Ok(time) || checked == Err(Error::InvalidTime(time)),
            "{checked:?}"
        );
        checked.is_ok()
    }

    #[test]
    fn a_time_is_in_seconds_and_before_the_year_10000() {
        for good in [0, 1_709_287_200, LAST_SECOND] {
            assert!(is_valid(good, 32_400), "{good}");
        }
        for bad in [-1, LAST_SECOND + 1, 1_709_287_200_000, i64::MIN, i64::MAX] {
            assert!(!is_valid(bad, 32_400), "{bad}");
        }
    }

    #[test]
    fn an_offset_is_less_than_a_day() {
        for good in [0, 86_399, -86_399] {
            assert!(is_valid(0, good), "{good}");
        }
        for bad in [86_400, -86_400, i32::MIN, i32::MAX] {
            assert!(!is_valid(0, bad), "{bad}");
        }
    }
}
