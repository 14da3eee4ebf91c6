//! The model's server, from the environment.

use std::env::{VarError, var};

use crate::bindings::exports::myao::memory::llm::LlmError;

/// How the model is reached.
pub(crate) struct Config {
    /// `LLM_BASE_URL`, such as `https://api.openai.com/v1`.
    pub(crate) base_url: String,
    /// `LLM_MODEL`: its name there.
    pub(crate) model: String,
    /// `LLM_API_KEY`; a server on the same machine often needs none.
    pub(crate) key: Option<String>,
    /// `LLM_CONTEXT_WINDOW`: how many tokens prompt and answer may have together.
    pub(crate) context_window: Option<u32>,
}

impl Config {
    pub(crate) fn read() -> Result<Self, LlmError> {
        let needed = |name: &str| optional(name)?.ok_or_else(|| wrong(name, "is not set"));
        let tokens = |text: String| {
            text.parse()
                .map_err(|_| wrong("LLM_CONTEXT_WINDOW", "is not a number of tokens"))
        };
        Ok(Self {
            base_url: needed("LLM_BASE_URL")?,
            model: needed("LLM_MODEL")?,
            key: optional("LLM_API_KEY")?,
            context_window: optional("LLM_CONTEXT_WINDOW")?.map(tokens).transpose()?,
        })
    }
}

fn optional(name: &str) -> Result<Option<String>, LlmError> {
    match var(name) {
        Ok(value) if value.is_empty() => Ok(None),
        Ok(value) => Ok(Some(value)),
        Err(VarError::NotPresent) => Ok(None),
        Err(VarError::NotUnicode(_)) => Err(wrong(name, "is not UTF-8")),
    }
}

fn wrong(name: &str, what: &str) -> LlmError {
    LlmError::InvalidRequest(format!("{name} {what}"))
}
