//! The configuration file: YAML, with the Python bot's keys (specification, `README.md`) and a few more.
//!
//! `${NAME}` in a text is read from the environment. Unknown keys and unset variables are errors that name the place; keys of
//! the Python bot that nothing reads any more are named, and otherwise ignored.

mod budget;
mod database_url;
mod error;
mod faults;
mod given;
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
use serde::de::IgnoredAny;

pub use budget::{BudgetConfig, Money};
pub use database_url::DatabaseUrl;
use database_url::one_database;
pub use error::ConfigError;
use faults::Fault;
pub use given::{Check, Given, checked};
pub use listening::{HealthCheck, PageConfig};
pub use logging::{LogFormat, LogLevel, Logging};
pub use memory::MemoryConfig;
use myao_bot::budget::Terms;
use myao_bot::settings::{AuditLog, BotSettings, Response, RetentionDays};
use myao_llm::Embeddings;
use myao_llm::config::{Agent, Agents};
use myao_plugin::Settings;
use myao_slack::blocks::Language;
pub use prices::{PerMillion, Price, Prices};
pub use reference::{Key, keys, schema};
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
    /// The surroundings of a conversation in prompts.
    #[schemars(skip)]
    pub context: IgnoredAny,
    /// How messages are found.
    pub recall: RecallConfig,
    /// When the bot answers unasked.
    pub response: Response,
    /// How long messages and memories are kept.
    pub retention: RetentionDays,
    /// The audit log.
    pub audit: AuditLog,
    /// What is logged.
    pub logging: Logging,
    /// Where the bot says that it is well.
    pub health_check: HealthCheck,
    /// The web page beside the bot.
    pub page: PageConfig,
    /// The component's settings in the file.
    #[serde(skip)]
    pub given: Vec<Given>,
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
            context: IgnoredAny,
            recall: RecallConfig::default(),
            response: Response::default(),
            retention: RetentionDays::default(),
            audit: AuditLog::default(),
            logging: Logging::default(),
            health_check: HealthCheck::default(),
            page: PageConfig::default(),
            given: Vec::new(),
            retired: Vec::new(),
        }
    }
}

/// `persona`, without the settings of the component.
#[derive(Debug, Clone, PartialEq, Deserialize, JsonSchema)]
#[serde(default)]
pub struct PersonaConfig {
    /// The bot's name. Default `myao`.
    #[serde(deserialize_with = "named")]
    pub name: String,
}

impl Default for PersonaConfig {
    fn default() -> Self {
        Self {
            name: "myao".to_owned(),
        }
    }
}

/// `recall`.
#[derive(Debug, Clone, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RecallConfig {
    /// A model that finds messages by their meaning, also in another language: in the process, or at a server.
    pub embeddings: Embeddings,
}

impl Config {
    /// Reads a configuration file. `check` asks the component about its settings.
    ///
    /// # Errors
    /// [`ConfigError`].
    pub fn read(path: &Path, check: Check<'_>) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path).map_err(|source| ConfigError::Unreadable {
            path: path.to_owned(),
            source,
        })?;
        Self::parse(&text, check).map_err(|faults| ConfigError::Invalid {
            path: path.to_owned(),
            faults: faults.lines().map(str::to_owned).collect(),
        })
    }

    /// Reads the text of a configuration. Each workspace that it lists has a whole configuration of its own.
    ///
    /// # Errors
    /// A line for each fault with line, column, key if there is one, and what is wrong, without the file's text.
    pub fn parse(text: &str, check: Check<'_>) -> Result<Self, String> {
        workspaces::with_workspaces(Self::parse_top(text, check)?, text, check)
    }

    /// Reads what is at the top level.
    fn parse_top(text: &str, check: Check<'_>) -> Result<Self, String> {
        let empty = text.lines().all(|line| {
            let line = line.trim();
            line.is_empty() || line.starts_with('#') || line == "---"
        });
        if empty {
            return Ok(Self::default());
        }
        let first = serde_saphyr::from_str::<Self>(text);
        let first = first.map_err(|error| error::describe(&error, text));
        let Some(mut tree) = Node::read(text) else {
            return one_database(first?, text);
        };
        let retired = retired::take(&mut tree);
        let (given, refused) = given::read(&tree, check)?;
        let read = serde_saphyr::from_str::<Self>;
        let config = match first {
            Err(error) if retired.is_empty() => Err(error),
            Err(error) => read(&tree.json().to_string()).map_err(|_| error),
            config => config,
        };
        let error = match config {
            Ok(config) if refused.is_empty() => {
                let config = Self {
                    given,
                    retired,
                    ..config
                };
                return one_database(config, text);
            }
            config => config.err(),
        };
        let found = faults::faults(&tree, |text| serde_saphyr::from_str::<Self>(text).map(drop));
        let found = [retired, faults::lines([refused, found].concat())].concat();
        // Of a single fault the first attempt knows the place best.
        Err(match (error, found.as_slice()) {
            (Some(error), [] | [_]) => error,
            _ => found.join("\n"),
        })
    }

    /// The settings that the component gets.
    ///
    /// # Errors
    /// [`ConfigError::Template`].
    pub fn settings(&self) -> Result<Settings, ConfigError> {
        let (response, judgment) = (self.agents.for_replies(), self.agents.for_judgments());
        let agents = [
            ("memory", &self.agents.memory),
            ("response", &response),
            ("judgment", &judgment),
        ];
        let mut settings = Settings::default();
        settings.set("persona.name", &self.persona.name);
        for given in &self.given {
            settings.set(&given.key, &given.value);
        }
        for (name, agent) in agents {
            if let Some(prompt) = &agent.system_prompt {
                settings.set(format!("agents.{name}.system_prompt"), prompt);
            }
        }
        for (name, agent) in [("response", &response), ("judgment", &judgment)] {
            if let Some(most) = agent.longest_answer() {
                settings.set(format!("agents.{name}.params.max_tokens"), most);
            }
        }
        if !self.redact_secrets {
            settings.set("redact_secrets", false);
        }
        settings.set("engines.memory", engine(&self.agents.memory));
        settings.set("engines.response", engine(&response));
        if let Some(folder) = &self.memory.templates_path {
            for (name, source) in read_templates(folder)? {
                settings.set(format!("templates.{name}"), source);
            }
        }
        Ok(settings)
    }

    /// A setting of the component, if the file has it.
    fn setting(&self, key: &str) -> Option<&str> {
        let given = self.given.iter().find(|given| given.key == key)?;
        Some(&given.value)
    }

    /// Returns true if the retired workspace short-term memory is made and shown.
    #[must_use]
    pub fn keeps_retired(&self) -> bool {
        self.setting(RETIRED_MEMORY) == Some("true")
    }

    /// Makes and shows the retired workspace short-term memory, whatever the file says.
    pub fn keep_retired(&mut self) {
        let on = vec![Given::new(RETIRED_MEMORY, "true")];
        self.given = given::over(&self.given, on);
        for workspace in &mut self.workspaces {
            workspace.keep_retired();
        }
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
            settings.audit = self.audit;
            settings.pin_emoji.clone_from(&self.slack.pin_emoji);
            settings.digests.clone_from(&self.slack.digests);
            settings.external_channels = self.slack.external_channels;
            settings.follow_retention = self.slack.follow_retention;
        })
    }

    /// The language in which the bot itself speaks: the configured one, or that of the persona or of the prompts. If both
    /// are left to the talk, the time zone tells.
    fn bot_language(&self) -> Language {
        let is_japanese = |c: char| matches!(c, 'ぁ'..='ヿ' | '一'..='鿿');
        let persona = self.setting("persona.system_prompt");
        let is_japanese = match self.setting("memory.language").unwrap_or("auto") {
            "auto" | "any" => match (persona, self.setting("memory.prompt_language")) {
                (Some(persona), _) => persona.contains(is_japanese),
                (None, Some("ja")) => true,
                (None, Some("en")) => false,
                (None, _) => self.timezone == chrono_tz::Asia::Tokyo,
            },
            language => language == "ja",
        };
        match is_japanese {
            true => Language::Japanese,
            false => Language::English,
        }
    }
}

/// The setting that brings a retired memory back.
const RETIRED_MEMORY: &str = "memory.legacy_workspace_short_term";

fn engine(agent: &Agent) -> &'static str {
    match agent.model_id {
        Some(_) => "llm",
        None => "extractive",
    }
}

/// The names and texts of all `*.j2` files of a folder.
fn read_templates(folder: &Path) -> Result<Vec<(String, String)>, ConfigError> {
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
            templates.push((name.to_owned(), source));
        }
    }
    Ok(templates)
}

#[cfg(test)]
mod tests;
