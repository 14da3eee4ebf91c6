//! The built-in templates: the specification's, in Japanese, and a set in English with the same names.

use super::selection::{conversation_messages, memory_texts};
use crate::bindings::types::Context;
use crate::settings::PromptLanguage;
use crate::text::language::{Language, main_language_of};

macro_rules! templates {
    ($folder:literal: $($name:literal),+ $(,)?) => {
        &[$(($name, include_str!(concat!("../../../templates/", $folder, $name)))),+]
    };
    ($($name:literal),+ $(,)?) => {
        /// The Japanese templates by name.
        const JAPANESE: &[(&str, &str)] = templates!("": $($name),+);
        /// The English ones.
        const ENGLISH: &[(&str, &str)] = templates!("en/": $($name),+);
    };
}

templates!(
    "memory_prompt.j2",
    "chunks_prompt.j2",
    "reply_prompt.j2",
    "judgment_prompt.j2",
    "_channel_long_term.j2",
    "_channel_memories.j2",
    "_channel_short_term.j2",
    "_dates.j2",
    "_items.j2",
    "_marks.j2",
    "_records.j2",
    "_conversation.j2",
    "_messages.j2",
    "_programs.j2",
    "_recent_events.j2",
    "_reply_context.j2",
    "_sources.j2",
    "_thread_short_term.j2",
    "_workspace_long_term.j2",
    "_workspace_memories.j2",
    "_workspace_overview.j2",
    "_workspace_short_term.j2",
);

/// The language of the instruction of a prompt from this context.
pub(crate) fn instruction_language(language: PromptLanguage, context: &Context) -> Language {
    match Set::of(language, context) {
        Set::Japanese => Language::Japanese,
        Set::English => Language::English,
    }
}

/// One of the two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Set {
    Japanese,
    English,
}

impl Set {
    /// The sets that prompts are made from with this setting.
    pub(super) fn all(language: PromptLanguage) -> &'static [Self] {
        match language {
            PromptLanguage::Japanese => &[Self::Japanese],
            PromptLanguage::English => &[Self::English],
            PromptLanguage::AsConversation => &[Self::Japanese, Self::English],
        }
    }

    /// The set for a prompt from this context. What is said in the channel decides, or else what is remembered.
    pub(super) fn of(language: PromptLanguage, context: &Context) -> Self {
        match language {
            PromptLanguage::Japanese => Self::Japanese,
            PromptLanguage::English => Self::English,
            PromptLanguage::AsConversation => {
                let said = conversation_messages(context).map(|message| message.text.as_str());
                let main = main_language_of(said);
                match main.or_else(|| main_language_of(memory_texts(context))) {
                    Some(Language::Japanese) => Self::Japanese,
                    _ => Self::English,
                }
            }
        }
    }

    /// The names and texts of its templates.
    pub(super) fn templates(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Japanese => JAPANESE,
            Self::English => ENGLISH,
        }
    }

    /// The text of a template.
    pub(super) fn source(self, name: &str) -> Option<&'static str> {
        let mut templates = self.templates().iter();
        let found = templates.find(|(built_in, _)| *built_in == name);
        found.map(|(_, source)| *source)
    }
}
