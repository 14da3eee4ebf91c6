//! The configuration file: YAML, with the Python bot's keys (specification, `README.md`) and a few more.
//!
//! `${NAME}` in a text is read from the environment. Unknown keys and unset variables are errors that name the place; keys of
//! the Python bot that nothing reads any more are named, and otherwise ignored.

mod budget;
mod database_url;
mod error;
mod faults;
mod listening;
mod logging;
mod memory;
mod prices;
mod reference;
mod retired;
mod slack;
mod tree;
mod values;
mod workspaces;

use std::path::Path;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;

pub use budget::{BudgetConfig, Money};
pub use database_url::DatabaseUrl;
use database_url::one_database;
pub use error::ConfigError;
pub use listening::{HealthCheck, PageConfig};
pub use logging::{LogFormat, LogLevel, Logging};
pub use memory::{
    LanguageConfig, MemoryConfig, PromptLanguageConfig, ShortTermHistoryConfig,
    ThreadMemoriesConfig,
};
use myao_bot::budget::Terms;
use myao_bot::settings::{BotSettings, Response, RetentionDays};
use myao_llm::Embeddings;
use myao_llm::config::{Agent, Agents};
use myao_llm::expand::optional_expanded;
use myao_plugin::{Engine, Persona, Settings, Template, WORKSPACE_SCOPE_ID};
use myao_slack::blocks::Language;
pub use prices::{PerMillion, Price, Prices};
pub use reference::{keys, schema};
pub use slack::Slack;
use tree::Node;
use values::{named, time_zone};

/// The whole configuration. Every key has a default.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// The workspace whose rows are read and written. Default `default`.
    #[serde(deserialize_with = "named")]
    pub workspace: String,
    /// Several workspaces of the one database, which `myao run` serves side by side; see
    /// [Several workspaces](#several-workspaces). Each entry has a `name`, in the place of `workspace`. Its other keys go before
    /// those of the top level. Default: none.
    #[serde(deserialize_with = "workspaces::read_later")]
    #[schemars(with = "Vec<serde_json::Map<String, serde_json::Value>>")]
    pub workspaces: Vec<Config>,
    /// The IANA name of the time zone in which times are shown, to people and to models. Default `UTC`.
    #[serde(deserialize_with = "time_zone")]
    #[schemars(with = "String")]
    pub timezone: chrono_tz::Tz,
    /// Keys, tokens and passwords in messages are stored as placeholders; see [Credentials](privacy.md#credentials). Default `true`.
    pub redact_secrets: bool,
    /// The connection to Slack.
    pub slack: Slack,
    /// Who the bot is.
    pub persona: PersonaConfig,
    /// The models.
    pub agents: Agents,
    /// What a million tokens cost, by `PROVIDER/MODEL`, and in which `currency`; see [Prices](#prices).
    pub prices: Prices,
    /// The most that models may cost; see [Budget](running.md#budget).
    pub budget: BudgetConfig,
    /// What is remembered, and how.
    pub memory: MemoryConfig,
    /// What the prompts of replies show.
    pub context: ContextConfig,
    /// How messages are found.
    pub recall: RecallConfig,
    /// When the bot answers unasked.
    pub response: Response,
    /// How long messages and memories are kept.
    pub retention: RetentionDays,
    /// What is logged.
    pub logging: Logging,
    /// Where the bot says that it is well.
    pub health_check: HealthCheck,
    /// The web page beside the bot.
    pub page: PageConfig,
    /// Keys of the Python bot in the file that nothing reads any more, each in one line with its place.
    #[serde(skip)]
    pub retired: Vec<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            workspace: "default".to_owned(),
            workspaces: Vec::new(),
            timezone: chrono_tz::UTC,
            redact_secrets: true,
            slack: Slack::default(),
            persona: PersonaConfig::default(),
            agents: Agents::default(),
            prices: Prices::default(),
            budget: BudgetConfig::default(),
            memory: MemoryConfig::default(),
            context: ContextConfig::default(),
            recall: RecallConfig::default(),
            response: Response::default(),
            retention: RetentionDays::default(),
            logging: Logging::default(),
            health_check: HealthCheck::default(),
            page: PageConfig::default(),
            retired: Vec::new(),
        }
    }
}

const SYSTEM_PROMPT_JA: &str = "あなたは「myao」という名前の、チームの会話を覚えておくアシスタントです。\
                                事実に忠実に、会話で使われている言語で書いてください。";
const SYSTEM_PROMPT_EN: &str = "You are an assistant named \"myao\" that remembers what a team talks about. \
                                Keep to the facts, and write in the language of the conversation.";

/// `persona`.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct PersonaConfig {
    /// The bot's name. Default `myao`.
    #[serde(deserialize_with = "named")]
    pub name: String,
    /// The text that opens every prompt. Default: a short one, in the language of the prompts.
    #[serde(deserialize_with = "optional_expanded")]
    pub system_prompt: Option<String>,
}

impl Default for PersonaConfig {
    fn default() -> Self {
        Self {
            name: "myao".to_owned(),
            system_prompt: None,
        }
    }
}

/// `context`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ContextConfig {
    /// At most so many tokens stand in a prompt around the conversation that a reply answers, or the thread of a memory. They show
    /// what the channel remembers, what bears on the question or the thread, other conversations. Default `4000`.
    pub surroundings_max_tokens: u32,
}

impl Default for ContextConfig {
    fn default() -> Self {
        Self {
            surroundings_max_tokens: 4000,
        }
    }
}

/// `recall`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecallConfig {
    /// A model that finds messages by their meaning, also in another language. Texts of messages, and questions, are sent to
    /// its server.
    pub embeddings: Embeddings,
}

impl Config {
    /// Reads a configuration file.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn read(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text).map_err(|faults| ConfigError::Invalid {
            path: path.to_owned(),
            faults: faults.lines().map(str::to_owned).collect(),
        })
    }

    /// Reads the text of a configuration. Each workspace that it lists has a whole configuration of its own.
    ///
    /// # Errors
    /// A line for each fault with line, column, key if there is one, and what is wrong, without the file's text.
    pub fn parse(text: &str) -> Result<Self, String> {
        workspaces::with_workspaces(Self::parse_top(text)?, text)
    }

    /// Reads what is at the top level.
    fn parse_top(text: &str) -> Result<Self, String> {
        let empty = text.lines().all(|line| {
            let line = line.trim();
            line.is_empty() || line.starts_with('#') || line == "---"
        });
        if empty {
            return Ok(Self::default());
        }
        let error = match serde_saphyr::from_str(text) {
            Ok(config) => return one_database(config, text),
            Err(error) => error::describe(&error, text),
        };
        let Some(mut tree) = Node::read(text) else {
            return Err(error);
        };
        let retired = retired::take(&mut tree);
        if !retired.is_empty()
            && let Ok(config) = serde_saphyr::from_str::<Self>(&tree.json().to_string())
        {
            return one_database(Self { retired, ..config }, text);
        }
        let read = |text: &str| serde_saphyr::from_str::<Self>(text).map(drop);
        let faults = [retired, faults::faults(&tree, read)].concat();
        // Of a single fault the first attempt knows the place best.
        Err(match faults.as_slice() {
            [] | [_] => error,
            several => several.join("\n"),
        })
    }

    /// The settings that the component gets.
    ///
    /// # Errors
    /// [`ConfigError::Template`].
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        let memory = &self.memory;
        let history = memory.short_term_history;
        let (response, judgment) = (self.agents.for_replies(), self.agents.for_judgments());
        let templates = memory.templates_path.as_deref();
        let templates = templates.map(read_templates).transpose()?;
        Ok(Settings::default().with(|settings| {
            settings.persona = Persona {
                name: self.persona.name.clone(),
                system_prompt: self.system_prompt().to_owned(),
            };
            settings.memory_system_prompt = self.agents.memory.system_prompt.clone();
            settings.response_system_prompt = response.system_prompt.clone();
            settings.judgment_system_prompt = judgment.system_prompt.clone();
            settings.engine = engine(&self.agents.memory);
            settings.reply_engine = engine(&response);
            settings.reply_max_tokens = response.longest_answer().unwrap_or(REPLY_MAX_TOKENS);
            settings.judgment_max_tokens = judgment.longest_answer().unwrap_or(JUDGMENT_MAX_TOKENS);
            settings.short_term_window_hours = memory.short_term_window_hours;
            settings.long_term_summary_max_tokens = memory.long_term_summary_max_tokens;
            settings.short_term_summary_max_tokens = memory.short_term_summary_max_tokens;
            settings.records_max_tokens = memory.records_max_tokens;
            settings.language = memory.language.into();
            settings.prompt_language = memory.prompt_language.into();
            settings.context_margin_tokens = memory.context_margin_tokens;
            settings.extractive_stand_in = memory.extractive_stand_in;
            let versions = &mut settings.short_term_history;
            versions.enabled = history.enabled;
            versions.max_history_count = history.max_history_count;
            versions.conversation_idle_seconds = history.conversation_idle_seconds;
            versions.message_threshold = history.message_threshold;
            settings.thread_memories = memory.thread_memories.into();
            settings.generation_message_limit = memory.generation_message_limit;
            settings.reply_message_limit = self.response.channel_messages_limit;
            settings.surroundings_max_tokens = self.context.surroundings_max_tokens;
            settings.legacy_workspace_short_term = memory.legacy_workspace_short_term;
            settings.workspace_merge_per_channel = memory.workspace_merge_per_channel;
            settings.redact_secrets = self.redact_secrets;
            settings.workspace_scope_id = WORKSPACE_SCOPE_ID.to_owned();
            settings.templates = templates.unwrap_or_default();
        }))
    }

    /// The budget, with the prices by which money is counted.
    ///
    /// # Errors
    /// [`ConfigError::NoPrice`].
    pub fn budget_terms(&self) -> Result<Terms, ConfigError> {
        let BudgetConfig {
            money_per_day,
            money_per_run,
            ..
        } = self.budget;
        let agents = [
            self.agents.memory.clone(),
            self.agents.for_replies(),
            self.agents.for_judgments(),
        ];
        let embedder = self.recall.embeddings.model_id.as_ref();
        let models = agents.iter().filter_map(|agent| agent.model_id.as_ref());
        let models = models.chain(embedder);
        let mut priceless = models.filter(|model| {
            let (provider, name) = (&model.provider, &model.model);
            self.prices.of(provider, name, name).is_none()
        });
        let key = match (money_per_day, money_per_run) {
            (Some(_), _) => Some("money_per_day"),
            (None, Some(_)) => Some("money_per_run"),
            (None, None) => None,
        };
        if let (Some(key), Some(model)) = (key, priceless.next()) {
            let model = format!("{}/{}", model.provider, model.model);
            return Err(ConfigError::NoPrice { key, model });
        }
        Ok(Terms {
            day: self.budget.of_day(),
            run: self.budget.of_run(),
            prices: Arc::new(self.prices.clone()),
        })
    }

    /// The settings of the bot.
    #[must_use]
    pub fn bot_settings(&self) -> BotSettings {
        BotSettings::default().with(|settings| {
            settings.response = self.response.clone();
            let a_day = self.budget.answers_per_person_per_day;
            settings.answers_per_person_per_day = a_day.map_or(0, std::num::NonZero::get);
            settings.generation_interval_seconds = self.memory.long_term_update_interval_seconds;
            settings.channels_in_flight = self.memory.steps_in_flight();
            settings.language = self.bot_language();
            settings.retention = self.retention;
            settings.pin_emoji.clone_from(&self.slack.pin_emoji);
            settings.digests.clone_from(&self.slack.digests);
            settings.external_channels = self.slack.external_channels;
        })
    }

    /// The text that opens every prompt.
    fn system_prompt(&self) -> &str {
        match (&self.persona.system_prompt, self.memory.prompt_language) {
            (Some(prompt), _) => prompt,
            (None, PromptLanguageConfig::En) => SYSTEM_PROMPT_EN,
            (None, _) => SYSTEM_PROMPT_JA,
        }
    }

    /// The configured language, or else that of the persona.
    fn bot_language(&self) -> Language {
        let is_japanese = |c: char| matches!(c, 'ぁ'..='ヿ' | '一'..='鿿');
        match self.memory.language {
            LanguageConfig::Ja => Language::Japanese,
            LanguageConfig::Auto | LanguageConfig::Any
                if self.system_prompt().contains(is_japanese) =>
            {
                Language::Japanese
            }
            _ => Language::English,
        }
    }
}

fn engine(agent: &Agent) -> Engine {
    match agent.model_id {
        Some(_) => Engine::Llm,
        None => Engine::Extractive,
    }
}

/// The longest reply if `agents.response.params` sets no limit: what fits one post.
const REPLY_MAX_TOKENS: u32 = 1000;
/// The longest judgment if `agents.judgment.params` sets no limit: one sentence, with room to spare.
const JUDGMENT_MAX_TOKENS: u32 = 500;

/// All `*.j2` files of a folder, ordered by name.
fn read_templates(folder: &Path) -> Result<Vec<Template>, ConfigError> {
    let error = |path: &Path, source| ConfigError::Template {
        path: path.to_owned(),
        source,
    };
    let mut templates = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(|source| error(folder, source))? {
        let path = entry.map_err(|source| error(folder, source))?.path();
        let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
            continue;
        };
        if path.extension().is_some_and(|extension| extension == "j2") {
            let source = std::fs::read_to_string(&path).map_err(|source| error(&path, source))?;
            templates.push(Template {
                name: name.to_owned(),
                source,
            });
        }
    }
    templates.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(templates)
}

#[cfg(test)]
mod tests;
