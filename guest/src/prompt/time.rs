//! Times as prompts show them.

use std::fmt;

use chrono::{DateTime, Datelike as _, NaiveDateTime, Timelike as _};

use crate::bindings::types::Timestamp;

/// An offset from UTC in seconds, as `+09:00`.
pub(super) struct UtcOffset(pub(super) i32);

impl fmt::Display for UtcOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let minutes = self.0 / 60;
        let sign = if minutes < 0 { '-' } else { '+' };
        let minutes = minutes.unsigned_abs();
        write!(f, "{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }
}

/// What the clock showed there; none outside the calendar.
pub(super) fn local(timestamp: Timestamp) -> Option<NaiveDateTime> {
    let seconds = timestamp
        .unix_seconds
        .checked_add(timestamp.utc_offset_seconds.into())?;
    DateTime::from_timestamp(seconds, 0).map(|time| time.naive_utc())
}

/// Adds a time as chrono writes it, `2024-03-01 10:00:00`, digit by digit: every message has one, and the general way took as
/// long as the rest of its line.
pub(super) fn push(text: &mut String, time: NaiveDateTime) {
    let Ok(year @ 0..=9999) = u32::try_from(time.year()) else {
        text.push_str(&time.to_string());
        return;
    };
    push_two_digits(text, year / 100);
    push_two_digits(text, year % 100);
    for (separator, number) in [
        ('-', time.month()),
        ('-', time.day()),
        (' ', time.hour()),
        (':', time.minute()),
        (':', time.second()),
    ] {
        text.push(separator);
        push_two_digits(text, number);
    }
}

fn push_two_digits(text: &mut String, number: u32) {
    for digit in [number / 10, number % 10] {
        text.push(char::from_digit(digit, 10).unwrap_or_default());
    }
}
