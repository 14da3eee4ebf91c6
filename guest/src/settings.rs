//! The settings: their keys, their defaults and their ranges (`wit/settings.wit`).

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use crate::bindings::errors::SettingFault;
use crate::bindings::types::{Engine, Persona};

/// The text at the start of every prompt.
const SYSTEM_PROMPT: &str = "あなたは「myao」という名前の、チームの会話を覚えておくアシスタントです。\
    事実に忠実に、会話で使われている言語で書いてください。";
/// The limit of a number of tokens or messages.
const MANY: u32 = 1_000_000;
/// The longest value that is quoted in an error.
const MAX_QUOTED_CHARS: usize = 40;

/// All settings.
#[derive(Debug, Clone, PartialEq)]
pub struct Settings {
    /// Who the bot is, for memories.
    pub persona: Persona,
    /// What makes the texts of memories.
    pub engine: Engine,
    /// What makes replies.
    pub reply_engine: Engine,
    /// Who replies.
    pub response_persona: Persona,
    /// Who judges.
    pub judgment_persona: Persona,
    /// The length limit of a reply, in tokens.
    pub reply_max_tokens: u32,
    /// The length limit of a judgment, in tokens.
    pub judgment_max_tokens: u32,
    /// How many hours back a short-term memory looks.
    pub short_term_window_hours: u32,
    /// The length limit of a long-term memory, in tokens.
    pub long_term_summary_max_tokens: u32,
    /// The length limit of a short-term memory, in tokens.
    pub short_term_summary_max_tokens: u32,
    /// How many tokens of records a channel's prompts show; a reply's show twice as many.
    pub records_max_tokens: u32,
    /// The language of a model's answers.
    pub language: Language,
    /// The language of the built-in prompts.
    pub prompt_language: PromptLanguage,
    /// Tokens kept free in each prompt.
    pub context_margin_tokens: u32,
    /// Whether short-term memories are extracted while the model fails.
    pub extractive_stand_in: bool,
    /// When a channel's short-term memory gets a new version.
    pub short_term_history: ShortTermHistory,
    /// When threads' memories are made.
    pub thread_memories: ThreadMemories,
    /// The largest number of messages in one memory.
    pub generation_message_limit: u32,
    /// The largest number of messages in a reply's context.
    pub reply_message_limit: u32,
    /// How many tokens prompts of replies and of threads' memories show around their conversation.
    pub surroundings_max_tokens: u32,
    /// Whether the retired workspace short-term memory is made and shown.
    pub legacy_workspace_short_term: bool,
    /// Whether the workspace's long-term memory is merged after every channel.
    pub workspace_merge_per_channel: bool,
    /// Whether credentials in what the host hands over are masked.
    pub redact_secrets: bool,
    /// The scope id of workspace memories.
    pub workspace_scope_id: String,
    /// Templates that replace built-in ones.
    pub templates: Vec<Template>,
}

/// When a channel's short-term memory gets a new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortTermHistory {
    /// Whether versions are kept.
    pub enabled: bool,
    /// How many versions prompts show.
    pub max_history_count: u32,
    /// Seconds of silence after which a conversation is over.
    pub conversation_idle_seconds: u32,
    /// The number of new messages with which a version is due.
    pub message_threshold: u32,
}

/// When a thread's memory is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ThreadMemories {
    /// When its channel's version leaves out older replies, and when a host asks for it.
    OnDemand,
    /// At every run in which the thread has a new message, as the documents say.
    Always,
}

/// The language of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// A language in which much of the input is written.
    AsInput,
    /// Any language.
    Any,
    /// Japanese.
    Japanese,
    /// English.
    English,
    /// Chinese.
    Chinese,
    /// Korean.
    Korean,
    /// Russian.
    Russian,
}

/// The language of the built-in prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PromptLanguage {
    /// The specification's prompts.
    Japanese,
    /// The English ones.
    English,
    /// Japanese if most of the conversation is, English otherwise.
    AsConversation,
}

/// A template that replaces a built-in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its name.
    pub name: String,
    /// Its text, in Jinja2.
    pub source: String,
}

/// Memories and replies without a model, with the limits of the specification.
impl Default for Settings {
    fn default() -> Self {
        let persona = Persona {
            name: "myao".to_owned(),
            system_prompt: SYSTEM_PROMPT.to_owned(),
        };
        Self {
            persona: persona.clone(),
            engine: Engine::Extractive,
            reply_engine: Engine::Extractive,
            response_persona: persona.clone(),
            judgment_persona: persona,
            // As much as fits in one post.
            reply_max_tokens: 1000,
            // One sentence, with some reserve.
            judgment_max_tokens: 500,
            short_term_window_hours: 24,
            long_term_summary_max_tokens: 500,
            short_term_summary_max_tokens: 300,
            records_max_tokens: 200,
            language: Language::AsInput,
            prompt_language: PromptLanguage::Japanese,
            context_margin_tokens: 300,
            extractive_stand_in: false,
            short_term_history: ShortTermHistory {
                enabled: true,
                max_history_count: 5,
                conversation_idle_seconds: 7200,
                message_threshold: 50,
            },
            thread_memories: ThreadMemories::OnDemand,
            generation_message_limit: 1000,
            reply_message_limit: 50,
            surroundings_max_tokens: 4000,
            legacy_workspace_short_term: false,
            workspace_merge_per_channel: false,
            redact_secrets: true,
            workspace_scope_id: "default".to_owned(),
            templates: Vec::new(),
        }
    }
}

impl Settings {
    /// Reads the pairs of the host; what they leave out has its default.
    ///
    /// # Errors
    /// Every setting that is not accepted.
    pub fn read(pairs: Vec<(String, String)>) -> Result<Self, Vec<SettingFault>> {
        let mut reader = Reader::default();
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for (key, value) in pairs {
            let read = match seen.insert(key.clone()) {
                true => reader.set(&key, value),
                false => Err(Refused::Twice),
            };
            faults.extend(read.err().map(|refused| refused.fault(key)));
        }
        if faults.is_empty() {
            Ok(reader.finish())
        } else {
            Err(faults)
        }
    }
}

/// Every setting that is not accepted.
#[must_use]
pub fn check(pairs: Vec<(String, String)>) -> Vec<SettingFault> {
    Settings::read(pairs).err().unwrap_or_default()
}

/// Why a setting is not accepted.
enum Refused {
    Unknown,
    Twice,
    OutOfRange { value: String, range: String },
}

impl Refused {
    fn fault(self, key: String) -> SettingFault {
        let (detail, range) = match self {
            Self::Unknown => ("there is no such setting".to_owned(), None),
            Self::Twice => ("it is given twice".to_owned(), Some("one value".to_owned())),
            Self::OutOfRange { value, range } => {
                let quoted: String = value.chars().take(MAX_QUOTED_CHARS).collect();
                (format!("`{quoted}` is not {range}"), Some(range))
            }
        };
        SettingFault { key, detail, range }
    }
}

/// What was read so far. The agents' own system prompts are added to the persona's at the end.
#[derive(Default)]
struct Reader {
    settings: Settings,
    memory_prompt: String,
    response_prompt: String,
    judgment_prompt: String,
}

impl Reader {
    fn set(&mut self, key: &str, value: String) -> Result<(), Refused> {
        let settings = &mut self.settings;
        match key {
            "persona.name" => settings.persona.name = value,
            "persona.system_prompt" => settings.persona.system_prompt = value,
            "agents.memory.system_prompt" => self.memory_prompt = value,
            "agents.response.system_prompt" => self.response_prompt = value,
            "agents.judgment.system_prompt" => self.judgment_prompt = value,
            "agents.response.params.max_tokens" => {
                settings.reply_max_tokens = number(value, 1..=MANY)?;
            }
            "agents.judgment.params.max_tokens" => {
                settings.judgment_max_tokens = number(value, 1..=MANY)?;
            }
            "engines.memory" => settings.engine = one_of(value, &ENGINES)?,
            "engines.response" => settings.reply_engine = one_of(value, &ENGINES)?,
            "redact_secrets" => settings.redact_secrets = one_of(value, &SWITCH)?,
            "workspace_scope_id" => settings.workspace_scope_id = value,
            "response.channel_messages_limit" => {
                settings.reply_message_limit = number(value, 0..=MANY)?;
            }
            "context.surroundings_max_tokens" => {
                settings.surroundings_max_tokens = number(value, 0..=MANY)?;
            }
            _ => match (key.strip_prefix("memory."), key.strip_prefix("templates.")) {
                (Some(key), _) => self.set_memory(key, value)?,
                (_, Some(name)) if !name.is_empty() => settings.templates.push(Template {
                    name: name.to_owned(),
                    source: value,
                }),
                _ => return Err(Refused::Unknown),
            },
        }
        Ok(())
    }

    /// A key that begins with `memory.`.
    fn set_memory(&mut self, key: &str, value: String) -> Result<(), Refused> {
        let settings = &mut self.settings;
        let history = &mut settings.short_term_history;
        match key {
            "short_term_window_hours" => {
                settings.short_term_window_hours = number(value, 1..=87_600)?;
            }
            "long_term_summary_max_tokens" => {
                settings.long_term_summary_max_tokens = number(value, 1..=MANY)?;
            }
            "short_term_summary_max_tokens" => {
                settings.short_term_summary_max_tokens = number(value, 1..=MANY)?;
            }
            "records_max_tokens" => settings.records_max_tokens = number(value, 0..=MANY)?,
            "language" => settings.language = one_of(value, &LANGUAGES)?,
            "prompt_language" => {
                settings.prompt_language = one_of(value, &PROMPT_LANGUAGES)?;
            }
            "context_margin_tokens" => settings.context_margin_tokens = number(value, 0..=MANY)?,
            "extractive_stand_in" => settings.extractive_stand_in = one_of(value, &SWITCH)?,
            "short_term_history.enabled" => history.enabled = one_of(value, &SWITCH)?,
            "short_term_history.max_history_count" => {
                history.max_history_count = number(value, 0..=1000)?;
            }
            "short_term_history.conversation_idle_seconds" => {
                history.conversation_idle_seconds = number(value, 0..=31_536_000)?;
            }
            "short_term_history.message_threshold" => {
                history.message_threshold = number(value, 1..=MANY)?;
            }
            "thread_memories" => {
                settings.thread_memories = one_of(value, &THREAD_MEMORIES)?;
            }
            "generation_message_limit" => {
                settings.generation_message_limit = number(value, 1..=MANY)?;
            }
            "legacy_workspace_short_term" => {
                settings.legacy_workspace_short_term = one_of(value, &SWITCH)?;
            }
            "workspace_merge_per_channel" => {
                settings.workspace_merge_per_channel = one_of(value, &SWITCH)?;
            }
            _ => return Err(Refused::Unknown),
        }
        Ok(())
    }

    fn finish(self) -> Settings {
        let persona = &self.settings.persona;
        let with = |own: &str| Persona {
            name: persona.name.clone(),
            system_prompt: match own {
                "" => persona.system_prompt.clone(),
                own => format!("{}\n\n{own}", persona.system_prompt),
            },
        };
        Settings {
            response_persona: with(&self.response_prompt),
            judgment_persona: with(&self.judgment_prompt),
            persona: with(&self.memory_prompt),
            ..self.settings
        }
    }
}

const ENGINES: [(&str, Engine); 2] = [("llm", Engine::Llm), ("extractive", Engine::Extractive)];
const SWITCH: [(&str, bool); 2] = [("true", true), ("false", false)];
const THREAD_MEMORIES: [(&str, ThreadMemories); 2] = [
    ("on_demand", ThreadMemories::OnDemand),
    ("always", ThreadMemories::Always),
];
const PROMPT_LANGUAGES: [(&str, PromptLanguage); 3] = [
    ("ja", PromptLanguage::Japanese),
    ("en", PromptLanguage::English),
    ("auto", PromptLanguage::AsConversation),
];
const LANGUAGES: [(&str, Language); 7] = [
    ("auto", Language::AsInput),
    ("any", Language::Any),
    ("ja", Language::Japanese),
    ("en", Language::English),
    ("zh", Language::Chinese),
    ("ko", Language::Korean),
    ("ru", Language::Russian),
];

/// A whole number, in digits alone.
fn number(value: String, range: RangeInclusive<u32>) -> Result<u32, Refused> {
    let is_digits = value.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.parse().ok().filter(|_| is_digits);
    number
        .filter(|number| range.contains(number))
        .ok_or_else(|| Refused::OutOfRange {
            value,
            range: format!("a whole number from {} to {}", range.start(), range.end()),
        })
}

/// One of a few names.
fn one_of<T: Copy>(value: String, names: &[(&str, T)]) -> Result<T, Refused> {
    let found = names.iter().find(|(name, _)| *name == value);
    found.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<String> = names.iter().map(|(name, _)| format!("`{name}`")).collect();
        Refused::OutOfRange {
            value,
            range: format!("one of {}", names.join(", ")),
        }
    })
}
