//! Judges a model's answer before it becomes a memory, or ([`judge_reply`]) a reply: nothing bad is saved or posted.
//!
//! [`judge`] takes the wrapping off an answer, cuts it back to its last whole bullet where it was
//! cut off, leaves of a sentence that is said again and again the first, takes out a heading of the prompt, and refuses what is no memory. Each rule is a file; its thresholds stand at its head.
//!
//! | refused | when |
//! |---|---|
//! | [`Rejection::Empty`] | no line but headings, fences and rules has a letter or digit, or all it says is "none" |
//! | [`Rejection::Question`] | it asks for the conversation, and no bullet says something from it |
//! | [`Rejection::Refusal`] | it declines, and no bullet says something from the conversation |
//! | [`Rejection::PromptRepeated`] | it has a line of the instruction, two headings of the prompt, half of its letters from sentences of the prompt, or is four fifths copied messages |
//! | [`Rejection::WrongLanguage`] | three quarters of it are in a language that is not expected, and hardly anything in one that is |
//! | [`Rejection::TooLong`] | more than 1.5 times the limit, and 100 tokens over it |
//! | [`Rejection::Shrunk`] | it has less than half of the existing memory's tokens (or of the limit) and of its facts; or, with 40 % of the limit free, less than a fifth of its facts |
//!
//! Every rule gives the benefit of the doubt: a summary that is lost costs more than one that could
//! be better. The time a judgement takes grows with the length of answer and prompt, no faster.

mod addressed;
mod copies;
mod cut;
mod feedback;
mod language;
mod lines;
mod loops;
mod phrases;
mod repetition;
mod reply;
mod shrinkage;
mod spoken;
mod wrapping;

pub use feedback::feedback;
pub use language::{Language, languages_of};
pub use reply::{ReplyExpectation, judge_reply, reply_feedback};

use crate::bindings::errors::{self, BadAnswer, LanguageMismatch, TokenExcess};
use crate::prompt::harmless;

/// What an answer must live up to.
#[derive(Clone, Copy, Debug)]
pub struct Expectation<'a> {
    /// The prompt that was sent, with any feedback in it.
    pub prompt: &'a str,
    /// What was to be summarised.
    pub sources: Sources<'a>,
    /// The languages that the answer may be in, the first one preferred: the configured one, or
    /// [`languages_of`] the sources. None for any.
    pub languages: &'a [Language],
    /// The longest answer that was asked for, in tokens.
    pub max_tokens: u32,
    /// Whether the model stopped because it reached that length.
    pub cut_off: bool,
}

/// What was to be summarised, as it stands in the prompt.
#[derive(Clone, Copy, Debug)]
pub enum Sources<'a> {
    /// The texts of messages. An answer that copies them is no summary.
    Messages(&'a [&'a str]),
    /// Memories to merge. Copying them is right, losing them is not.
    Memories {
        /// The memory that is merged into.
        existing: Option<&'a str>,
        /// What comes to it.
        new: &'a [&'a str],
    },
}

impl<'a> Sources<'a> {
    /// Every text.
    fn texts(self) -> impl Iterator<Item = &'a str> {
        let (existing, new) = match self {
            Self::Messages(messages) => (None, messages),
            Self::Memories { existing, new } => (existing, new),
        };
        existing.into_iter().chain(new.iter().copied())
    }
}

/// A text that is good enough to be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The text, without wrapping and surrounding white space.
    pub text: String,
    /// Whether the answer was cut off; `text` then ends at the last whole bullet, unless there is but one.
    pub truncated: bool,
}

/// Why an answer is not saved. As an error it speaks to people; [`feedback`] speaks to the model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no text, or only the frame of one.
    #[error("the answer is empty")]
    Empty,
    /// The model declines.
    #[error("the model declined to answer")]
    Refusal,
    /// The model asks for what the prompt holds.
    #[error("the model asked a question instead of answering")]
    Question,
    /// The prompt's own words, or the messages.
    #[error("the answer repeats the prompt")]
    PromptRepeated,
    /// Another language.
    #[error("the answer is in {found}, not in {expected}")]
    WrongLanguage {
        /// The language that was preferred.
        expected: Language,
        /// The language of the answer.
        found: Language,
    },
    /// Far over the limit.
    #[error("the answer has {tokens} tokens, far more than {limit}")]
    TooLong {
        /// Tokens of the answer.
        tokens: u32,
        /// The limit.
        limit: u32,
    },
    /// The existing memory was lost, not merged.
    #[error("the answer keeps {} of the existing memory's {} facts and shrinks it from {} to {} tokens without cause",
        .0.facts_kept, .0.facts_before, .0.tokens_before, .0.tokens)]
    Shrunk(Shrinkage),
}

/// What became of an existing memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shrinkage {
    /// Tokens of the existing memory.
    pub tokens_before: u32,
    /// Tokens of the answer.
    pub tokens: u32,
    /// Things that the existing memory lists.
    pub items_before: u32,
    /// Things that the answer lists.
    pub items: u32,
    /// Facts (dates, amounts, ids, names …) of the existing memory.
    pub facts_before: u32,
    /// How many of them the answer holds.
    pub facts_kept: u32,
}

impl From<Rejection> for BadAnswer {
    fn from(rejection: Rejection) -> Self {
        match rejection {
            Rejection::Empty => Self::Empty,
            Rejection::Refusal => Self::Refusal,
            Rejection::Question => Self::Question,
            Rejection::PromptRepeated => Self::PromptRepeated,
            Rejection::WrongLanguage { expected, found } => Self::WrongLanguage(LanguageMismatch {
                expected: expected.to_string(),
                found: found.to_string(),
            }),
            Rejection::TooLong { tokens, limit } => Self::TooLong(TokenExcess { tokens, limit }),
            Rejection::Shrunk(shrinkage) => Self::Shrunk(errors::Shrinkage {
                tokens_before: shrinkage.tokens_before,
                tokens: shrinkage.tokens,
                facts_before: shrinkage.facts_before,
                facts_kept: shrinkage.facts_kept,
            }),
        }
    }
}

/// Counts the tokens of texts.
pub type CountTokens<'c> = dyn Fn(&[String]) -> Vec<u32> + 'c;

/// Judges an answer; [`judge`] does.
pub type Judge = fn(&str, &Expectation<'_>, &CountTokens<'_>) -> Result<Accepted, Rejection>;

/// Judges an answer. `count_tokens` is called at most once, with one text or two.
///
/// # Errors
/// The first reason that applies, in the order of [`Rejection`]'s table in the module's documentation.
pub fn judge(
    answer: &str,
    expectation: &Expectation<'_>,
    count_tokens: &CountTokens<'_>,
) -> Result<Accepted, Rejection> {
    let mut text = wrapping::unwrap(answer, expectation.cut_off);
    text = harmless::restore(&text).into_owned();
    if expectation.cut_off {
        text = cut::to_last_whole(&text, answer.ends_with('\n'));
    }
    if lines::is_empty(&text) {
        return Err(Rejection::Empty);
    }
    let text = addressed::without_address(text, expectation.sources)?;
    let text = loops::without_loops(text);
    if repetition::repeats(&text, expectation.prompt, expectation.sources) {
        return Err(Rejection::PromptRepeated);
    }
    let rest = repetition::without_headings(&text, expectation.prompt, expectation.sources);
    if rest.len() < text.len() && lines::is_empty(&rest) {
        return Err(Rejection::Empty);
    }
    let text = rest;
    if let Some((expected, found)) = language::wrong(&text, expectation.languages) {
        return Err(Rejection::WrongLanguage { expected, found });
    }
    check_length(&text, expectation, count_tokens)?;
    Ok(Accepted {
        text,
        truncated: expectation.cut_off,
    })
}

fn check_length(
    text: &str,
    expectation: &Expectation<'_>,
    count_tokens: &CountTokens<'_>,
) -> Result<(), Rejection> {
    let existing = match expectation.sources {
        Sources::Memories { existing, .. } => existing.filter(|memory| !memory.trim().is_empty()),
        Sources::Messages(_) => None,
    };
    let texts: Vec<String> = [Some(text), existing]
        .into_iter()
        .flatten()
        .map(str::to_owned)
        .collect();
    let mut counts = count_tokens(&texts).into_iter();
    let tokens = counts.next().unwrap_or(0);
    let limit = expectation.max_tokens;
    if shrinkage::is_far_over(tokens, limit) {
        return Err(Rejection::TooLong { tokens, limit });
    }
    let (Some(existing), Some(tokens_before)) = (existing, counts.next()) else {
        return Ok(());
    };
    match shrinkage::without_cause(existing, tokens_before, text, tokens, limit) {
        Some(shrinkage) => Err(Rejection::Shrunk(shrinkage)),
        None => Ok(()),
    }
}
