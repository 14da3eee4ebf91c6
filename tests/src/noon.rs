//! A time zone in which no day ends while a test runs.

#![allow(clippy::unwrap_used)]

use std::time::{SystemTime, UNIX_EPOCH};

/// A line of a configuration: the time zone in which it is about noon.
#[must_use]
pub fn timezone() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let hour = i64::try_from(now.as_secs() / 3600 % 24).unwrap();
    // The names of these zones have the sign of the west.
    let zone = match 12 - hour {
        0 => "UTC".to_owned(),
        west @ ..0 => format!("Etc/GMT+{}", -west),
        east => format!("Etc/GMT-{east}"),
    };
    format!("timezone: {zone}\n")
}
