//! The component's settings as a type, with the component's own defaults.

use crate::bindings::types::{Engine, Persona};

/// The scope id of workspace memories (specification, `README.md`).
pub const WORKSPACE_SCOPE_ID: &str = "default";
/// The text at the start of every prompt.
const SYSTEM_PROMPT: &str = "あなたは「myao」という名前の、チームの会話を覚えておくアシスタントです。\
    事実に忠実に、会話で使われている言語で書いてください。";

/// All settings of the component. `wit/settings.wit` says what each does, and its range: the component refuses a value out
/// of it ([`MemoryPlugin::check_settings`](crate::MemoryPlugin::check_settings)).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Settings {
    /// `persona`: who the bot is.
    pub persona: Persona,
    /// `agents.memory.system_prompt`: follows the persona's in prompts of memories.
    pub memory_system_prompt: Option<String>,
    /// `agents.response.system_prompt`: follows the persona's in prompts of replies.
    pub response_system_prompt: Option<String>,
    /// `agents.judgment.system_prompt`: follows the persona's in prompts of judgments.
    pub judgment_system_prompt: Option<String>,
    /// `engines.memory`: what makes the texts of memories, a model or the extractive engine.
    pub engine: Engine,
    /// `engines.response`: what makes replies, a model or quotes of what is remembered.
    pub reply_engine: Engine,
    /// `agents.response.params.max_tokens`: the length limit of a reply, in tokens.
    pub reply_max_tokens: u32,
    /// `agents.judgment.params.max_tokens`: the length limit of a judgment, in tokens.
    pub judgment_max_tokens: u32,
    /// `memory.short_term_window_hours`: how many hours back a short-term memory looks.
    pub short_term_window_hours: u32,
    /// `memory.long_term_summary_max_tokens`: the length limit of a long-term memory, in tokens.
    pub long_term_summary_max_tokens: u32,
    /// `memory.short_term_summary_max_tokens`: the length limit of a short-term memory, in tokens.
    pub short_term_summary_max_tokens: u32,
    /// `memory.records_max_tokens`: how many tokens of records a channel's prompts show; a reply's show twice as many.
    pub records_max_tokens: u32,
    /// `memory.language`: the language of a model's answers.
    pub language: Language,
    /// `memory.prompt_language`: the language of the built-in prompts.
    pub prompt_language: PromptLanguage,
    /// `memory.context_margin_tokens`: tokens kept free in each prompt.
    pub context_margin_tokens: u32,
    /// `memory.extractive_stand_in`: whether short-term memories are extracted while the model fails.
    pub extractive_stand_in: bool,
    /// `memory.short_term_history`: when a channel's short-term memory gets a new version.
    pub short_term_history: ShortTermHistory,
    /// `memory.thread_memories`: when threads' memories are made.
    pub thread_memories: ThreadMemories,
    /// `memory.generation_message_limit`: the largest number of messages in one memory.
    pub generation_message_limit: u32,
    /// `response.channel_messages_limit`: the largest number of messages in a reply's context.
    pub reply_message_limit: u32,
    /// `context.surroundings_max_tokens`: how many tokens prompts of replies and of threads' memories show
    /// around their conversation.
    pub surroundings_max_tokens: u32,
    /// `memory.legacy_workspace_short_term`: whether the retired workspace short-term memory is made and shown.
    pub legacy_workspace_short_term: bool,
    /// `memory.workspace_merge_per_channel`: whether the workspace's memory is merged after every channel.
    pub workspace_merge_per_channel: bool,
    /// `redact_secrets`: whether credentials in messages and memories are masked before the component makes anything from them.
    pub redact_secrets: bool,
    /// `workspace_scope_id`: the scope id of workspace memories.
    pub workspace_scope_id: String,
    /// `templates.NAME`: templates that replace built-in ones.
    pub templates: Vec<Template>,
}

/// When a channel's short-term memory gets a new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

impl Default for ShortTermHistory {
    fn default() -> Self {
        Self {
            enabled: true,
            max_history_count: 5,
            conversation_idle_seconds: 7200,
            message_threshold: 50,
        }
    }
}

/// When a thread's memory is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum ThreadMemories {
    /// When its channel gets a version that leaves out older replies, and by
    /// [`MemoryPlugin::generate_thread`](crate::MemoryPlugin::generate_thread).
    OnDemand,
    /// At every run in which the thread has a new message.
    Always,
}

impl ThreadMemories {
    fn code(self) -> &'static str {
        match self {
            Self::OnDemand => "on_demand",
            Self::Always => "always",
        }
    }
}

/// The language of memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

impl Language {
    fn code(self) -> &'static str {
        match self {
            Self::AsInput => "auto",
            Self::Any => "any",
            Self::Japanese => "ja",
            Self::English => "en",
            Self::Chinese => "zh",
            Self::Korean => "ko",
            Self::Russian => "ru",
        }
    }
}

/// The language of the built-in prompts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum PromptLanguage {
    /// The specification's prompts.
    Japanese,
    /// English prompts.
    English,
    /// Japanese where most of the conversation is, English elsewhere.
    AsConversation,
}

impl PromptLanguage {
    fn code(self) -> &'static str {
        match self {
            Self::Japanese => "ja",
            Self::English => "en",
            Self::AsConversation => "auto",
        }
    }
}

/// A template that replaces a built-in one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Template {
    /// Its name: `memory_prompt.j2` or one of its partials.
    pub name: String,
    /// Its text, in Jinja2.
    pub source: String,
}

/// Memories and replies without a model, with the limits of the specification.
impl Default for Settings {
    fn default() -> Self {
        Self {
            persona: Persona {
                name: "myao".to_owned(),
                system_prompt: SYSTEM_PROMPT.to_owned(),
            },
            memory_system_prompt: None,
            response_system_prompt: None,
            judgment_system_prompt: None,
            engine: Engine::Extractive,
            reply_engine: Engine::Extractive,
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
            short_term_history: ShortTermHistory::default(),
            thread_memories: ThreadMemories::OnDemand,
            generation_message_limit: 1000,
            reply_message_limit: 50,
            surroundings_max_tokens: 4000,
            legacy_workspace_short_term: false,
            workspace_merge_per_channel: false,
            redact_secrets: true,
            workspace_scope_id: WORKSPACE_SCOPE_ID.to_owned(),
            templates: Vec::new(),
        }
    }
}

impl Settings {
    /// Returns these settings with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// The pairs of `wit/settings.wit`: what the component gets.
    #[must_use]
    pub fn pairs(&self) -> Vec<(String, String)> {
        let numbers = self.numbers().map(|(key, value)| (key, value.to_string()));
        let flags = self.flags().map(|(key, value)| (key, value.to_string()));
        let fixed = self.texts().into_iter().chain(numbers).chain(flags);
        let prompts = [
            ("agents.memory.system_prompt", &self.memory_system_prompt),
            (
                "agents.response.system_prompt",
                &self.response_system_prompt,
            ),
            (
                "agents.judgment.system_prompt",
                &self.judgment_system_prompt,
            ),
        ];
        let prompts = prompts.into_iter();
        let prompts = prompts.filter_map(|(key, prompt)| Some((key, prompt.clone()?)));
        let pairs = fixed.chain(prompts);
        let pairs = pairs.map(|(key, value)| (key.to_owned(), value));
        let templates = self.templates.iter().map(|template| {
            let key = format!("templates.{}", template.name);
            (key, template.source.clone())
        });
        pairs.chain(templates).collect()
    }

    fn texts(&self) -> [(&'static str, String); 8] {
        [
            ("persona.name", self.persona.name.clone()),
            ("persona.system_prompt", self.persona.system_prompt.clone()),
            ("engines.memory", engine(self.engine)),
            ("engines.response", engine(self.reply_engine)),
            ("memory.language", self.language.code().to_owned()),
            (
                "memory.prompt_language",
                self.prompt_language.code().to_owned(),
            ),
            (
                "memory.thread_memories",
                self.thread_memories.code().to_owned(),
            ),
            ("workspace_scope_id", self.workspace_scope_id.clone()),
        ]
    }

    fn numbers(&self) -> [(&'static str, u32); 13] {
        let history = &self.short_term_history;
        [
            ("agents.response.params.max_tokens", self.reply_max_tokens),
            (
                "agents.judgment.params.max_tokens",
                self.judgment_max_tokens,
            ),
            (
                "memory.short_term_window_hours",
                self.short_term_window_hours,
            ),
            (
                "memory.long_term_summary_max_tokens",
                self.long_term_summary_max_tokens,
            ),
            (
                "memory.short_term_summary_max_tokens",
                self.short_term_summary_max_tokens,
            ),
            ("memory.records_max_tokens", self.records_max_tokens),
            ("memory.context_margin_tokens", self.context_margin_tokens),
            (
                "memory.short_term_history.max_history_count",
                history.max_history_count,
            ),
            (
                "memory.short_term_history.conversation_idle_seconds",
                history.conversation_idle_seconds,
            ),
            (
                "memory.short_term_history.message_threshold",
                history.message_threshold,
            ),
            (
                "memory.generation_message_limit",
                self.generation_message_limit,
            ),
            ("response.channel_messages_limit", self.reply_message_limit),
            (
                "context.surroundings_max_tokens",
                self.surroundings_max_tokens,
            ),
        ]
    }

    fn flags(&self) -> [(&'static str, bool); 5] {
        [
            ("redact_secrets", self.redact_secrets),
            ("memory.extractive_stand_in", self.extractive_stand_in),
            (
                "memory.short_term_history.enabled",
                self.short_term_history.enabled,
            ),
            (
                "memory.legacy_workspace_short_term",
                self.legacy_workspace_short_term,
            ),
            (
                "memory.workspace_merge_per_channel",
                self.workspace_merge_per_channel,
            ),
        ]
    }
}

fn engine(engine: Engine) -> String {
    crate::names::engine(engine).to_owned()
}
