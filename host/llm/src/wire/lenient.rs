//! Reads the fields of an answer besides its text: counts, reasons, names. An answer is paid for, so it is kept even if
//! they have an unexpected shape; a field that cannot be read counts as missing.

use serde::de::{Deserialize, DeserializeOwned, Deserializer};
use serde_json::Value;

/// More than any call has. A number like `u32::MAX` means that the server does not know.
const MAX_TOKENS: u32 = 100_000_000;

/// Reads some fields of an event; the default if they cannot be read.
pub(super) fn lenient<T: DeserializeOwned + Default>(event: &str) -> T {
    serde_json::from_str(event).unwrap_or_default()
}

/// A number of tokens; `None` unless it is a whole number that a call can have.
pub(super) fn token_count<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<u32>, D::Error> {
    let value = Value::deserialize(deserializer)?;
    let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
    Ok(count.filter(|count| *count <= MAX_TOKENS))
}

/// A text, such as a reason or a name; for any other value but null, its JSON.
pub(super) fn any_text<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Ok(match Value::deserialize(deserializer)? {
        Value::Null => None,
        Value::String(text) => Some(text),
        other => Some(other.to_string()),
    })
}

/// A boolean; false if it is neither true nor false.
pub(super) fn lenient_bool<'de, D: Deserializer<'de>>(deserializer: D) -> Result<bool, D::Error> {
    let value = Value::deserialize(deserializer)?;
    Ok(value == true || value == "true")
}
