//! Judges a model's answer before it becomes a memory, or ([`judge_reply`]) a reply: nothing bad is saved or posted.
//!
//! [`judge`] takes the wrapping off an answer, cuts it back to its last whole bullet where it was
//! cut off, leaves of a sentence that is said again and again the first, takes out a heading of the prompt, and refuses what is no memory. Each rule is a file; its thresholds stand at its head.
//!
//! | refused | when |
//! |---|---|
//! | [`BadAnswer::Empty`] | no line but headings, fences and rules has a letter or digit, or all it says is "none" |
//! | [`BadAnswer::Question`] | it asks for the conversation, and no bullet says something from it |
//! | [`BadAnswer::Refusal`] | it declines, and no bullet says something from the conversation |
//! | [`BadAnswer::PromptRepeated`] | it has a line of the instruction, two headings of the prompt, half of its letters from sentences of the prompt, or is four fifths copied messages |
//! | [`BadAnswer::WrongLanguage`] | three quarters of it are in a language that is not expected, and hardly anything in one that is |
//! | [`BadAnswer::TooLong`] | more than 1.5 times the limit, and 100 tokens over it |
//! | [`BadAnswer::Shrunk`] | it has less than half of the existing memory's tokens (or of the limit) and of its facts; or, with 40 % of the limit free, less than a fifth of its facts |
//!
//! Every rule gives the benefit of the doubt: a summary that is lost costs more than one that could
//! be better. The time a judgement takes grows with the length of answer and prompt, no faster.

mod copies;
mod cut;
mod feedback;
mod language;
mod lines;
mod own_words;
mod refusals;
mod repetition;
mod reply;
mod shrinkage;
mod wording;
mod wrapping;

pub use feedback::{Wanted, feedback};
pub use language::{Language, languages_of};
pub use reply::{ReplyExpectation, judge_reply};

use crate::bindings::errors::{BadAnswer, LanguageMismatch, TokenExcess};
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
    pub(crate) fn texts(self) -> impl Iterator<Item = &'a str> {
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

/// Counts the tokens of texts.
pub type CountTokens<'c> = dyn Fn(&[String]) -> Vec<u32> + 'c;

/// Judges an answer. `count_tokens` is called at most once, with one text or two.
///
/// # Errors
/// The first reason that applies, in the order of [`BadAnswer`]'s table in the module's documentation.
pub fn judge(
    answer: &str,
    expectation: &Expectation<'_>,
    count_tokens: &CountTokens<'_>,
) -> Result<Accepted, BadAnswer> {
    let mut text = wrapping::unwrap(answer, expectation.cut_off);
    text = harmless::restore(&text).into_owned();
    if expectation.cut_off {
        text = cut::to_last_whole(&text, answer.ends_with('\n'));
    }
    if lines::is_empty(&text) {
        return Err(BadAnswer::Empty);
    }
    let text = refusals::without_address(text, expectation.sources)?;
    if repetition::repeats(&text, expectation.prompt, expectation.sources) {
        return Err(BadAnswer::PromptRepeated);
    }
    let rest = repetition::without_headings(&text, expectation.prompt, expectation.sources);
    if rest.len() < text.len() && lines::is_empty(&rest) {
        return Err(BadAnswer::Empty);
    }
    let text = rest;
    if let Some((expected, found)) = language::wrong(&text, expectation.languages) {
        return Err(BadAnswer::WrongLanguage(LanguageMismatch {
            expected: expected.to_string(),
            found: found.to_string(),
        }));
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
) -> Result<(), BadAnswer> {
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
        return Err(BadAnswer::TooLong(TokenExcess { tokens, limit }));
    }
    let (Some(existing), Some(tokens_before)) = (existing, counts.next()) else {
        return Ok(());
    };
    match shrinkage::without_cause(existing, tokens_before, text, tokens, limit) {
        Some(shrinkage) => Err(BadAnswer::Shrunk(shrinkage)),
        None => Ok(()),
    }
}
