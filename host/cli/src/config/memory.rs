//! `memory`: what is remembered, and how.

use std::path::PathBuf;

use super::database_url::{DatabaseUrl, database_url};
use super::values::{at_least_five, at_least_one, expanded_path, optional_expanded_path};
use schemars::JsonSchema;
use serde::Deserialize;

/// `memory`, without the settings of the component ([`Given`](super::Given)).
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct MemoryConfig {
    /// The SQLite file; `~` at the beginning is the home folder. Default `./myao.db`.
    #[serde(deserialize_with = "expanded_path")]
    pub database_path: PathBuf,
    /// A PostgreSQL database, in the place of `memory.database_path`: `postgres://USER:PASSWORD@HOST/DATABASE`; see
    /// [PostgreSQL](#postgresql).
    #[serde(deserialize_with = "database_url")]
    #[schemars(with = "Option<String>")]
    pub database_url: Option<DatabaseUrl>,
    /// With `memory.database_url`: after how many seconds without a sign of life of a host the others go on with what it was doing.
    /// At least 5. Default `25`.
    #[serde(deserialize_with = "at_least_five")]
    pub lease_seconds: u32,
    /// Seconds from the end of one generation run to the start of the next, and between the ticks of a backfill; at
    /// least 1. Default `3600`.
    #[serde(deserialize_with = "at_least_one")]
    pub long_term_update_interval_seconds: u32,
    /// Threads or channels worked on at the same time, at least 1; the calls of the model among them are bounded by
    /// `agents.memory.limits.calls_in_flight`. Default `32`.
    #[serde(deserialize_with = "at_least_one")]
    pub channels_in_flight: u32,
    /// Records all that makes a memory, prompts and answers included, so that `myao replay` can make it again; see
    /// [Recordings](#recordings). Default `false`.
    pub recording: bool,
    /// A folder of templates (`*.j2`) that take the place of the built-in ones of the same name.
    #[serde(deserialize_with = "optional_expanded_path")]
    pub templates_path: Option<PathBuf>,
}

impl MemoryConfig {
    /// [`Self::channels_in_flight`], as the steps of a run are counted.
    #[must_use]
    pub fn steps_in_flight(&self) -> usize {
        usize::try_from(self.channels_in_flight).unwrap_or(usize::MAX)
    }
}

impl Default for MemoryConfig {
    fn default() -> Self {
        Self {
            database_path: "./myao.db".into(),
            database_url: None,
            lease_seconds: 25,
            long_term_update_interval_seconds: 3600,
            channels_in_flight: 32,
            recording: false,
            templates_path: None,
        }
    }
}
