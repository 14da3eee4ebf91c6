//! The replies of a scripted model.

use std::time::Duration;

use myao_plugin::llm::{Completion, FinishReason, LlmError};

use super::NAME;

/// What the model returns, and when. Made from a text, a [`Completion`], an [`LlmError`] or a `Result` of both.
#[derive(Debug, Clone, PartialEq)]
pub struct Reply {
    pub(super) delay: Duration,
    /// `None` if no answer ever comes.
    pub(super) result: Option<Result<Completion, LlmError>>,
}

impl Reply {
    /// Never answers.
    #[must_use]
    pub fn never() -> Self {
        Self {
            delay: Duration::ZERO,
            result: None,
        }
    }

    /// A text that was cut off at the maximum length of an answer.
    #[must_use]
    pub fn cut_off(text: &str) -> Self {
        Self::from(Completion {
            finish_reason: FinishReason::Length,
            ..answer(text)
        })
    }

    /// An answer that a filter held back.
    #[must_use]
    pub fn filtered() -> Self {
        Self::from(Completion {
            finish_reason: FinishReason::ContentFilter,
            ..answer("")
        })
    }

    /// The same reply after a delay, by tokio's clock.
    #[must_use]
    pub fn after(mut self, delay: Duration) -> Self {
        self.delay = delay;
        self
    }

    /// The same reply with the token counts of prompt and answer; without this call, the model does not report them.
    #[must_use]
    pub fn with_tokens(mut self, input: u32, output: u32) -> Self {
        if let Some(Ok(completion)) = &mut self.result {
            completion.input_tokens = Some(input);
            completion.output_tokens = Some(output);
        }
        self
    }
}

/// A complete answer of the model `scripted`.
pub(super) fn answer(text: impl Into<String>) -> Completion {
    Completion {
        text: text.into(),
        finish_reason: FinishReason::Stop,
        model: NAME.to_owned(),
        input_tokens: None,
        output_tokens: None,
    }
}

impl From<Result<Completion, LlmError>> for Reply {
    fn from(result: Result<Completion, LlmError>) -> Self {
        Self {
            delay: Duration::ZERO,
            result: Some(result),
        }
    }
}

impl From<Completion> for Reply {
    fn from(completion: Completion) -> Self {
        Self::from(Ok(completion))
    }
}

impl From<LlmError> for Reply {
    fn from(error: LlmError) -> Self {
        Self::from(Err(error))
    }
}

impl From<String> for Reply {
    fn from(text: String) -> Self {
        Self::from(answer(text))
    }
}

impl From<&str> for Reply {
    fn from(text: &str) -> Self {
        Self::from(answer(text))
    }
}
