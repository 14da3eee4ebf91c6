//! Environment variables in texts of the configuration: `${NAME}` is replaced.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Deserializes a text, and replaces every `${NAME}` in it.
///
/// # Errors
/// If the value is not a text, or names a variable that is not set.
pub fn expanded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    expand(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// [`expanded`] for a key that may be missing or null.
///
/// # Errors
/// As [`expanded`].
pub fn optional_expanded<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(deserializer)?
        .map(|text| expand(&text).map_err(D::Error::custom))
        .transpose()
}

/// [`expanded`] for all texts in a map, at any depth.
///
/// # Errors
/// As [`expanded`].
pub(crate) fn expanded_map<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Map<String, Value>, D::Error> {
    let map = Map::deserialize(deserializer)?;
    map.into_iter()
        .map(|(key, value)| Ok((key, expand_value(value).map_err(D::Error::custom)?)))
        .collect()
}

fn expand_value(value: Value) -> Result<Value, String> {
    Ok(match value {
        Value::String(text) => Value::String(expand(&text)?),
        Value::Array(values) => Value::Array(
            values
                .into_iter()
                .map(expand_value)
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(map) => Value::Object(
            map.into_iter()
                .map(|(key, value)| Ok((key, expand_value(value)?)))
                .collect::<Result<_, String>>()?,
        ),
        other => other,
    })
}

/// Replaces every `${NAME}` once: a `${…}` in the value of a variable stays.
///
/// # Errors
/// If a variable is not set.
pub fn expand(text: &str) -> Result<String, String> {
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let (name, after) = after.split_once('}').ok_or("`${` without a closing `}`")?;
        let value = std::env::var(name).map_err(|_| {
            format!("the environment variable {name} is not set; set it, or take ${{{name}}} out")
        })?;
        result.push_str(before);
        result.push_str(&value);
        rest = after;
    }
    result.push_str(rest);
    Ok(result)
}
