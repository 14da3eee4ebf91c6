//! `memory`: what is remembered, and how.

use std::path::PathBuf;

use super::database_url::{DatabaseUrl, database_url};
use super::values::{at_least_five, at_least_one, expanded_path, optional_expanded_path};
use myao_plugin::{Language, PromptLanguage, ThreadMemories};
use schemars::JsonSchema;
use serde::Deserialize;

/// `memory`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
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
    /// How many hours back a short-term memory looks, or back to the last one's newest message if that is older. Default
    /// `24`.
    pub short_term_window_hours: u32,
    /// The longest long-term memory. Default `500`.
    pub long_term_summary_max_tokens: u32,
    /// The longest short-term memory. Default `300`.
    pub short_term_summary_max_tokens: u32,
    /// How many tokens of records a channel's prompts show. A record is a part of a message, such as a date or a decision,
    /// that the text of a memory does not have. A reply's prompt shows twice as many. Default `200`.
    pub records_max_tokens: u32,
    /// The language of a model's answers; one in another is asked for again, and then refused. Default `auto`.
    pub language: LanguageConfig,
    /// The language of the built-in prompts. It is one thing in which to ask a model, and another in which it answers
    /// (`memory.language`). Default `ja`.
    pub prompt_language: PromptLanguageConfig,
    /// Tokens kept free in each prompt, beside those of the answer, for what the model's server adds to it and for the
    /// note that follows a bad answer. Default `300`.
    pub context_margin_tokens: u32,
    /// While the model fails, short-term memories are extracted without it. Such a stand-in is version 0, is never
    /// merged, and the model makes the memory anew when it is back. Default `false`.
    pub extractive_stand_in: bool,
    /// When a channel's short-term memory takes a new version.
    pub short_term_history: ShortTermHistoryConfig,
    /// When the memory of a thread is made. `on_demand`: when its channel gets a version that leaves out older replies.
    /// `always`: at every run in which it has a new message; this costs more calls of the model. Default `on_demand`.
    pub thread_memories: ThreadMemoriesConfig,
    /// At most so many messages go into one memory, at least 1; more make several versions. Of a longer thread the first
    /// message and the newest replies are read. Default `1000`.
    #[serde(deserialize_with = "at_least_one")]
    pub generation_message_limit: u32,
    /// Threads or channels worked on at the same time, at least 1; the calls of the model among them are bounded by
    /// `agents.memory.limits.calls_in_flight`. Default `32`.
    #[serde(deserialize_with = "at_least_one")]
    pub channels_in_flight: u32,
    /// Records all that makes a memory, prompts and answers included, so that `myao replay` can make it again; see
    /// [Recordings](#recordings). Default `false`.
    pub recording: bool,
    /// Makes and shows the retired workspace short-term memory. Default `false`.
    pub legacy_workspace_short_term: bool,
    /// Merges the workspace's memory after every channel instead of once per run. Default `false`.
    pub workspace_merge_per_channel: bool,
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
            short_term_window_hours: 24,
            long_term_summary_max_tokens: 500,
            short_term_summary_max_tokens: 300,
            records_max_tokens: 200,
            language: LanguageConfig::Auto,
            prompt_language: PromptLanguageConfig::Ja,
            context_margin_tokens: 300,
            extractive_stand_in: false,
            short_term_history: ShortTermHistoryConfig::default(),
            thread_memories: ThreadMemoriesConfig::OnDemand,
            generation_message_limit: 1000,
            channels_in_flight: 32,
            recording: false,
            legacy_workspace_short_term: false,
            workspace_merge_per_channel: false,
            templates_path: None,
        }
    }
}

/// `memory.language`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LanguageConfig {
    /// A language that much of the input is in.
    Auto,
    /// Any language.
    Any,
    /// Japanese.
    Ja,
    /// English.
    En,
    /// Chinese.
    Zh,
    /// Korean.
    Ko,
    /// Russian.
    Ru,
}

impl From<LanguageConfig> for Language {
    fn from(language: LanguageConfig) -> Self {
        match language {
            LanguageConfig::Auto => Self::AsInput,
            LanguageConfig::Any => Self::Any,
            LanguageConfig::Ja => Self::Japanese,
            LanguageConfig::En => Self::English,
            LanguageConfig::Zh => Self::Chinese,
            LanguageConfig::Ko => Self::Korean,
            LanguageConfig::Ru => Self::Russian,
        }
    }
}

/// `memory.prompt_language`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PromptLanguageConfig {
    /// Japanese.
    Ja,
    /// English, and so is the default persona.
    En,
    /// By what most of a channel's talk is in.
    Auto,
}

impl From<PromptLanguageConfig> for PromptLanguage {
    fn from(language: PromptLanguageConfig) -> Self {
        match language {
            PromptLanguageConfig::Ja => Self::Japanese,
            PromptLanguageConfig::En => Self::English,
            PromptLanguageConfig::Auto => Self::AsConversation,
        }
    }
}

/// `memory.thread_memories`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ThreadMemoriesConfig {
    /// When its channel's version leaves out older replies.
    OnDemand,
    /// At every run in which it has a new message.
    Always,
}

impl From<ThreadMemoriesConfig> for ThreadMemories {
    fn from(when: ThreadMemoriesConfig) -> Self {
        match when {
            ThreadMemoriesConfig::OnDemand => Self::OnDemand,
            ThreadMemoriesConfig::Always => Self::Always,
        }
    }
}

/// `memory.short_term_history`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ShortTermHistoryConfig {
    /// Whether a channel keeps versions. Default `true`.
    pub enabled: bool,
    /// How many versions prompts show. Default `5`.
    pub max_history_count: u32,
    /// A conversation is over after so much silence. Default `7200`.
    pub conversation_idle_seconds: u32,
    /// A version is made with so many new messages. Default `50`.
    pub message_threshold: u32,
}

impl Default for ShortTermHistoryConfig {
    fn default() -> Self {
        Self {
            enabled: true,
            max_history_count: 5,
            conversation_idle_seconds: 7200,
            message_threshold: 50,
        }
    }
}
