//! Values: texts with `${NAME}` in them, and numbers that cannot be 0.

use std::path::PathBuf;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// A text whose `${NAME}`s are replaced from the environment.
pub(super) fn expanded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    expand(&String::deserialize(deserializer)?).map_err(D::Error::custom)
}

/// The same where the key may be left out or null.
pub(super) fn optional_expanded<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(deserializer)?
        .map(|text| expand(&text).map_err(D::Error::custom))
        .transpose()
}

/// The same for a path.
pub(super) fn expanded_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PathBuf, D::Error> {
    expanded(deserializer).map(PathBuf::from)
}

/// The same where the path may be left out or null.
pub(super) fn optional_expanded_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    Ok(optional_expanded(deserializer)?.map(PathBuf::from))
}

/// The same for a time zone.
pub(super) fn time_zone<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<chrono_tz::Tz, D::Error> {
    let name = expanded(deserializer)?;
    name.parse().map_err(|_| {
        D::Error::custom(format!(
            "`{name}` is not a time zone; give an IANA name such as Asia/Tokyo, or UTC"
        ))
    })
}

/// A number for which 0 makes no sense.
pub(super) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom("expected a whole number from 1 on")),
        number => Ok(number),
    }
}

/// [`expanded`] for all texts of a map.
pub(super) fn expanded_map<'de, D: Deserializer<'de>>(
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

/// Replaces every `${NAME}`; what a variable holds is not looked at again.
fn expand(text: &str) -> Result<String, String> {
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
