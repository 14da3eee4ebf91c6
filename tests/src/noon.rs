//! A time zone in which no day ends while a test runs.

#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use std::time::{SystemTime, UNIX_EPOCH};

/// A line of a configuration: the time zone in which it is about noon.
#[must_use]
pub fn timezone() -> String {
    // The names of these zones have the sign of the west.
    let zone = match hours_to_noon() {
        0 => "UTC".to_owned(),
        west @ ..0 => format!("Etc/GMT+{}", -west),
        east => format!("Etc/GMT-{east}"),
    };
    format!("timezone: {zone}\n")
}

/// The day of the week there, as a configuration names it.
#[must_use]
pub fn weekday() -> &'static str {
    // 1970 began on a Thursday.
    let days = ["thu", "fri", "sat", "sun", "mon", "tue", "wed"];
    let local = seconds() + hours_to_noon() * 3600;
    days[usize::try_from(local / 86_400 % 7).unwrap()]
}

fn hours_to_noon() -> i64 {
    12 - seconds() / 3600 % 24
}

fn seconds() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    i64::try_from(now.as_secs()).unwrap()
}
