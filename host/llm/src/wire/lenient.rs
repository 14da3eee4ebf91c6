//! What stands beside the text of an answer: counts, reasons, names. An answer is paid for, so nothing odd in them throws it away; what
//! cannot be read is unknown.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

/// No call has more tokens. A number like `u32::MAX` means that the server does not know.
const MAX_TOKENS: u32 = 100_000_000;

/// What else an event says; nothing if it cannot be read.
pub(super) fn aside<T: DeserializeOwned + Default>(event: &str) -> T {
    serde_json::from_str(event).unwrap_or_default()
}

/// A number of tokens; `None` unless it is a whole number that a call can have.
pub(super) fn count<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
    Ok(count.filter(|count| *count <= MAX_TOKENS))
}

/// A word, as a reason or a name; of anything else but null, its JSON.
pub(super) fn word<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => None,
        Value::String(word) => Some(word),
        other => Some(other.to_string()),
    })
}

/// Whether something is so; no if it is neither true nor false.
pub(super) fn flag<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value == true || value == "true")
}
