//! Values of the configuration: paths, time zones, and numbers that cannot be 0.

use std::path::PathBuf;

use myao_llm::expand::{expanded, optional_expanded};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A path in which each `${NAME}` is replaced from the environment.
pub(super) fn expanded_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<PathBuf, D::Error> {
    expanded(deserializer).map(PathBuf::from)
}

/// The same, if the path may be left out or null.
pub(super) fn optional_expanded_path<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<PathBuf>, D::Error> {
    Ok(optional_expanded(deserializer)?.map(PathBuf::from))
}

/// A time zone, as [`expanded`].
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

/// A number that must not be 0.
pub(super) fn at_least_one<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u32, D::Error> {
    match u32::deserialize(deserializer)? {
        0 => Err(D::Error::custom("expected a whole number from 1 on")),
        number => Ok(number),
    }
}
