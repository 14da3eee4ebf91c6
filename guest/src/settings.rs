//! The settings, in one table. Documents, hosts and packages have it from the export `about`.

#[cfg(test)]
mod tests;
mod values;

use std::collections::BTreeSet;

use crate::bindings::errors::SettingFault;
use crate::bindings::exports::myao::memory::about::{Setting, SettingValues};
use crate::bindings::types::Engine;
use values::{Value, fault, read};

/// The default text at the start of every prompt.
pub const SYSTEM_PROMPT: &str = "あなたは「myao」という名前の、チームの会話を覚えておくアシスタントです。\
    事実に忠実に、会話で使われている言語で書いてください。";
/// The same for prompts in English.
pub const ENGLISH_SYSTEM_PROMPT: &str = "You are an assistant named \"myao\" that remembers what a team talks about. \
    Keep to the facts, and write in the language of the conversation.";
/// The limit of a number of tokens or messages.
const MANY: u32 = 1_000_000;
/// How the keys of templates begin.
const TEMPLATES: &str = "templates.";

/// Makes the settings from their table. A row has the meaning, the key, the field, the default, and for a number its range.
macro_rules! settings {
    ($($(#[doc = $meaning:literal])+ $key:literal $field:ident: $type:ty = $default:expr $(, $range:expr)?;)+) => {
        /// All settings.
        #[derive(Debug, Clone, PartialEq)]
        pub struct Settings {
            $($(#[doc = $meaning])+ pub $field: $type,)+
            /// Templates that replace built-in ones.
            pub templates: Vec<Template>,
        }

        /// Memories and replies without a model, with the limits of the specification.
        impl Default for Settings {
            fn default() -> Self {
                Self { $($field: $default,)+ templates: Vec::new() }
            }
        }

        impl Settings {
            fn set(&mut self, key: &str, value: String) -> Result<(), SettingFault> {
                match key {
                    $($key => self.$field = read(key, value, ($($range)?))?,)+
                    _ => self.templates.push(Template::new(key, value)?),
                }
                Ok(())
            }
        }

        /// The table for the export `about`.
        #[must_use]
        pub fn settings() -> Vec<Setting> {
            let defaults = Settings::default();
            let templates = Setting {
                key: format!("{TEMPLATES}NAME"),
                accepts: SettingValues::Text,
                default: None,
                meaning: "A template in Jinja2 that replaces the built-in one of that name, `memory_prompt.j2` or one of its \
                    partials."
                    .to_owned(),
            };
            vec![
                $(Setting {
                    key: $key.to_owned(),
                    accepts: <$type>::accepts(($($range)?)),
                    default: Some(defaults.$field.show()).filter(|text| !text.is_empty()),
                    meaning: concat!($($meaning),+).trim_start().to_owned(),
                },)+
                templates,
            ]
        }
    };
}

settings! {
    /// The bot's name.
    "persona.name" bot_name: String = String::from("myao");
    /// The text that opens every prompt. Left out or empty: a short one, in the language of the prompt.
    "persona.system_prompt" system_prompt: String = String::new();
    /// Follows the persona's in prompts of memories.
    "agents.memory.system_prompt" memory_prompt: String = String::new();
    /// Follows the persona's in prompts of replies.
    "agents.response.system_prompt" response_prompt: String = String::new();
    /// Follows the persona's in prompts of judgments.
    "agents.judgment.system_prompt" judgment_prompt: String = String::new();
    /// The length limit of a reply, in tokens.
    "agents.response.params.max_tokens" reply_max_tokens: u32 = 1000, 1..=MANY;
    /// The length limit of a judgment, in tokens.
    "agents.judgment.params.max_tokens" judgment_max_tokens: u32 = 500, 1..=MANY;
    /// Makes the texts of memories: a model (`llm`), or sentences taken out of the messages (`extractive`).
    "engines.memory" engine: Engine = Engine::Extractive;
    /// Makes replies: a model (`llm`), or quotes of what is remembered (`extractive`).
    "engines.response" reply_engine: Engine = Engine::Extractive;
    /// How many hours back a short-term memory looks, or back to the last one's newest message if that is older.
    "memory.short_term_window_hours" short_term_window_hours: u32 = 24, 1..=87_600;
    /// The longest long-term memory, in tokens.
    "memory.long_term_summary_max_tokens" long_term_summary_max_tokens: u32 = 500, 1..=MANY;
    /// The longest short-term memory, in tokens.
    "memory.short_term_summary_max_tokens" short_term_summary_max_tokens: u32 = 300, 1..=MANY;
    /// How many tokens of records a channel's prompts show. A record is a part of a message, such as a date or a
    /// decision, that the text of a memory does not have. A reply's prompt shows twice as many.
    "memory.records_max_tokens" records_max_tokens: u32 = 200, 0..=MANY;
    /// How many tokens a model may add to a channel's short-term memory to report items: decisions, tasks, questions and
    /// facts. The prompt shows half as many tokens of open items at most. 0 asks for none.
    "memory.ledger_max_tokens" ledger_max_tokens: u32 = 200, 0..=MANY;
    /// The language of a model's answers; one in another is asked for again, and then refused. `auto` is a language
    /// in which much of the input is written.
    "memory.language" language: Language = Language::AsInput;
    /// The language of the built-in prompts. It is one thing in which to ask a model, and another in which it
    /// answers (`memory.language`). `auto` is that of the talk: Japanese where it is mostly Japanese, else English.
    "memory.prompt_language" prompt_language: PromptLanguage = PromptLanguage::AsConversation;
    /// Tokens kept free in each prompt, beside those of the answer, for what the model's server adds to it and for
    /// the note that follows a bad answer.
    "memory.context_margin_tokens" context_margin_tokens: u32 = 300, 0..=MANY;
    /// While the model fails, short-term memories are extracted without it. Such an excerpt for now is version 0, is never
    /// merged, and the model makes the memory anew when it is back.
    "memory.extractive_stand_in" extractive_stand_in: bool = false;
    /// Keeps versions of a channel's short-term memory. If not, version 1 is overwritten at every run with new
    /// messages.
    "memory.short_term_history.enabled" history_enabled: bool = true;
    /// How many versions prompts show.
    "memory.short_term_history.max_history_count" max_history_count: u32 = 5, 0..=1000;
    /// A conversation is over after so many seconds of silence.
    "memory.short_term_history.conversation_idle_seconds" conversation_idle_seconds: u32 = 7200, 0..=31_536_000;
    /// A version is made with so many new messages.
    "memory.short_term_history.message_threshold" message_threshold: u32 = 50, 1..=MANY;
    /// When the memory of a thread is made. `on_demand`: when its channel gets a version that leaves out older
    /// replies, and when the host asks for it. `always`: at every run in which it has a new message; this costs
    /// more calls of the model.
    "memory.thread_memories" thread_memories: ThreadMemories = ThreadMemories::OnDemand;
    /// At most so many messages go into one memory; more make several versions. Of a longer thread the first
    /// message and the newest replies are read.
    "memory.generation_message_limit" generation_message_limit: u32 = 1000, 1..=MANY;
    /// Makes and shows the retired workspace short-term memory.
    "memory.legacy_workspace_short_term" legacy_workspace_short_term: bool = false;
    /// Merges the workspace's memory after every channel instead of once per run.
    "memory.workspace_merge_per_channel" workspace_merge_per_channel: bool = false;
    /// At most so many tokens stand in a prompt around the conversation that a reply answers, or the thread of a
    /// memory. They show what the channel remembers, what bears on the question or the thread, other conversations.
    "context.surroundings_max_tokens" surroundings_max_tokens: u32 = 4000, 0..=MANY;
    /// At most so many messages stand in the prompt of a reply.
    "response.channel_messages_limit" reply_message_limit: u32 = 50, 0..=MANY;
    /// Masks credentials in messages, memories and questions before anything is made from them: tokens with a provider's
    /// form, private keys, `Authorization` headers, passwords in URLs. A mask has the length of what it hides.
    "redact_secrets" redact_secrets: bool = true;
    /// The scope id of workspace memories.
    "workspace_scope_id" workspace_scope_id: String = String::from("default");
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
    /// Japanese where most of the talk is, English elsewhere.
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

impl Template {
    fn new(key: &str, source: String) -> Result<Self, SettingFault> {
        match key.strip_prefix(TEMPLATES) {
            None | Some("") => Err(fault(key, "there is no such setting", None)),
            Some(name) => Ok(Self {
                name: name.to_owned(),
                source,
            }),
        }
    }
}

impl Settings {
    /// Reads the pairs of the host; what they leave out has its default.
    ///
    /// # Errors
    /// Every setting that is not accepted.
    pub fn read(pairs: Vec<(String, String)>) -> Result<Self, Vec<SettingFault>> {
        let mut settings = Self::default();
        let mut faults = Vec::new();
        let mut seen = BTreeSet::new();
        for (key, value) in pairs {
            if seen.contains(&key) {
                faults.push(fault(
                    &key,
                    "it is given twice",
                    Some("one value".to_owned()),
                ));
            } else {
                faults.extend(settings.set(&key, value).err());
            }
            seen.insert(key);
        }
        if faults.is_empty() {
            Ok(settings)
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
