//! Times as prompts show them.

use std::fmt;

use chrono::{Datelike as _, NaiveDateTime, Timelike as _, Weekday};

use crate::bindings::types::Timestamp;
pub(super) use crate::now::local;

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

/// A day with its weekday, in a form that is understood in every language of the prompts: `2024-03-01 (金, Fri)`.
pub(super) fn day(timestamp: Timestamp) -> Option<String> {
    let time = local(timestamp)?;
    let weekday = match time.weekday() {
        Weekday::Mon => "月, Mon",
        Weekday::Tue => "火, Tue",
        Weekday::Wed => "水, Wed",
        Weekday::Thu => "木, Thu",
        Weekday::Fri => "金, Fri",
        Weekday::Sat => "土, Sat",
        Weekday::Sun => "日, Sun",
    };
    Some(format!("{} ({weekday})", time.date()))
}

/// Appends a time as chrono writes it, `2024-03-01 10:00:00`. Every message has one, and chrono's own formatting took
/// as long as the rest of its line.
pub(super) fn push(text: &mut String, time: NaiveDateTime) {
    let Ok(year @ 0..=9999) = u32::try_from(time.year()) else {
        text.push_str(&time.to_string());
        return;
    };
    let [y0, y1] = digits(year / 100);
    let [y2, y3] = digits(year % 100);
    let [month0, month1] = digits(time.month());
    let [day0, day1] = digits(time.day());
    let [hour0, hour1] = digits(time.hour());
    let [minute0, minute1] = digits(time.minute());
    let [second0, second1] = digits(time.second());
    let ascii = [
        y0, y1, y2, y3, b'-', month0, month1, b'-', day0, day1, b' ', hour0, hour1, b':', minute0,
        minute1, b':', second0, second1,
    ];
    text.push_str(str::from_utf8(&ascii).unwrap_or_default());
}

/// The two digits of a number below 100.
fn digits(number: u32) -> [u8; 2] {
    let digit = |number: u32| b'0' + (number % 10) as u8;
    [digit(number / 10), digit(number)]
}
