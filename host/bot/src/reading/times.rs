//! Times, for people and for JSON.

use chrono::{DateTime, FixedOffset};
use myao_plugin::Timestamp;
use serde_json::Value;

/// `2026-03-02 10:05`, in the offset of the time.
#[must_use]
pub fn time(time: Timestamp) -> String {
    local(time).map_or_else(
        || format!("{} s", time.unix_seconds),
        |time| time.format("%Y-%m-%d %H:%M").to_string(),
    )
}

/// RFC 3339, for JSON.
#[must_use]
pub fn rfc3339(time: Timestamp) -> Value {
    local(time).map_or(Value::Null, |time| Value::String(time.to_rfc3339()))
}

fn local(time: Timestamp) -> Option<DateTime<FixedOffset>> {
    let offset = FixedOffset::east_opt(time.utc_offset_seconds)?;
    Some(DateTime::from_timestamp(time.unix_seconds, 0)?.with_timezone(&offset))
}
