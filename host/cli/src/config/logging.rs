//! `logging`: what is logged, and how.

use myao_llm::expand::expanded;
use schemars::JsonSchema;
use serde::de::{Error as _, IntoDeserializer as _, value};
use serde::{Deserialize, Deserializer};

/// `logging`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Logging {
    /// The least important lines that are written; `RUST_LOG` overrides it. At `INFO`, `myao run` logs what it does;
    /// other commands log only warnings. Small letters do, too. Default `INFO`.
    #[serde(deserialize_with = "log_level")]
    pub level: LogLevel,
    /// How lines are written. Default `text`.
    pub format: LogFormat,
}

/// `logging.format`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object for each line.
    Json,
}

impl Default for Logging {
    fn default() -> Self {
        Self {
            level: LogLevel::Info,
            format: LogFormat::Text,
        }
    }
}

/// A level of `logging.level`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
#[allow(missing_docs)]
pub enum LogLevel {
    Debug,
    Info,
    #[serde(alias = "WARN")]
    Warning,
    #[serde(alias = "CRITICAL")]
    Error,
}

/// A level of the log, in capital or small letters.
fn log_level<'de, D: Deserializer<'de>>(deserializer: D) -> Result<LogLevel, D::Error> {
    let name = expanded(deserializer)?.to_uppercase();
    let level: Result<_, value::Error> = LogLevel::deserialize(name.as_str().into_deserializer());
    // This way the error has the place of the value.
    level.map_err(D::Error::custom)
}
