//! Judges a model's answer before it becomes a memory, or a reply ([`judge_reply`]): bad answers are never saved or
//! posted.
//!
//! [`judge`] removes what is around the summary, cuts a truncated answer back to its last whole bullet, removes a
//! heading of the prompt, and refuses an answer that is not a memory. Each rule is a file, with its thresholds at the
//! top.
//!
//! | refused | when |
//! |---|---|
//! | [`BadAnswer::Empty`] | no line but headings, fences and rules has a letter or digit, or all it says is "none" |
//! | [`BadAnswer::Question`] | it asks for the conversation, and no bullet says something from it |
//! | [`BadAnswer::Refusal`] | it declines, and no bullet says something from the conversation |
//! | [`BadAnswer::PromptRepeated`] | it has a line of the instruction, two headings of the prompt, half of its letters from sentences of the prompt or parts of the instruction, or is four fifths copied messages |
//! | [`BadAnswer::WrongLanguage`] | three quarters of it are in a language that is not expected, and hardly anything in one that is |
//! | [`BadAnswer::Other`] | it is in the language of the conversation, and has no word of the prompt and none that any text has |
//! | [`BadAnswer::TooLong`] | more than 1.5 times the limit, and 100 tokens over it |
//! | [`BadAnswer::Shrunk`] | it has less than half of the existing memory's tokens (or of the limit) and of its facts; or, with 40 % of the limit free, less than a fifth of its facts |
//!
//! When in doubt an answer is accepted: losing a summary costs more than keeping a mediocre one. The time grows
//! linearly with the length of answer and prompt.

mod copies;
mod cut;
mod feedback;
mod lines;
mod own_words;
mod refusals;
mod repetition;
mod reply;
mod report;
mod shrinkage;
mod unrelated;
mod wording;
mod wrapping;

pub use feedback::{AnswerKind, Complaint, feedback, last_answer};
pub(crate) use lines::is_empty as says_nothing;
pub use reply::{ReplyExpectation, judge_reply};
pub use report::Report;
pub(crate) use report::{Named, without_reports};

use crate::bindings::errors::{BadAnswer, LanguageMismatch, OtherReason, TokenExcess};
use crate::prompt::harmless;
use crate::text::language::{Language, wrong_language};

/// The expectations of an answer.
#[derive(Clone, Copy, Debug)]
pub struct Expectation<'a> {
    /// The prompt that was sent, including any feedback.
    pub prompt: &'a str,
    /// The texts to summarise.
    pub sources: Sources<'a>,
    /// The languages that the answer may be in, the preferred one first: the configured one, or those of the sources
    /// ([`languages_of`](crate::text::language::languages_of)). Empty for any.
    pub languages: &'a [Language],
    /// The requested maximum length, in tokens.
    pub max_tokens: u32,
    /// True if the model stopped because it reached that length.
    pub cut_off: bool,
    /// The length of the answer as its provider counted it. `count_tokens` may count too many, and never too few.
    pub counted: Option<u32>,
}

/// The texts to summarise, as in the prompt.
#[derive(Clone, Copy, Debug)]
pub enum Sources<'a> {
    /// The texts of messages. An answer that copies them is no summary.
    Messages(&'a [&'a str]),
    /// Memories to merge. Copying them is right; losing them is not.
    Memories {
        /// The memory that is merged into.
        existing: Option<&'a str>,
        /// The memories to merge into it.
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

/// A text that may be remembered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// The text, without wrapping and surrounding white space.
    pub text: String,
    /// True if the answer was cut off; `text` then ends at the last whole bullet, unless there is only one.
    pub truncated: bool,
    /// How many lines do not follow from the input. They were dropped, unless nothing would be left.
    pub unfounded: u32,
    /// How many lines that are kept have a name that the input does not show.
    pub doubtful: u32,
    /// The reports of items beside the text.
    pub reports: Vec<Option<Report>>,
}

/// Counts the tokens of texts.
pub type CountTokens<'c> = dyn Fn(&[String]) -> Vec<u32> + 'c;

/// Judges an answer. `count_tokens` is called at most once, with one text or two.
///
/// # Errors
/// The first fault that applies, in the order of the table above.
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
    if let Some((expected, found)) = wrong_language(&text, expectation.languages) {
        return Err(BadAnswer::WrongLanguage(LanguageMismatch {
            expected: expected.to_string(),
            found: found.to_string(),
        }));
    }
    if unrelated::is_unrelated(&text, expectation.prompt, expectation.sources) {
        return Err(BadAnswer::Other(OtherReason {
            code: "unrelated".to_owned(),
            text: "it has no word of the conversation".to_owned(),
        }));
    }
    check_length(&text, expectation, count_tokens)?;
    Ok(Accepted {
        text,
        truncated: expectation.cut_off,
        unfounded: 0,
        doubtful: 0,
        reports: Vec::new(),
    })
}

/// An estimate, corrected by how far another one was from what was counted.
fn scaled(estimate: u32, counted: u32, counted_estimate: u32) -> u32 {
    let scaled = u64::from(estimate) * u64::from(counted) / u64::from(counted_estimate.max(1));
    u32::try_from(scaled).unwrap_or(u32::MAX)
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
    let estimate = counts.next().unwrap_or(0);
    // A provider may count thoughts, too.
    let tokens = expectation
        .counted
        .map_or(estimate, |counted| counted.min(estimate));
    let limit = expectation.max_tokens;
    if shrinkage::is_far_over(tokens, limit) {
        return Err(BadAnswer::TooLong(TokenExcess { tokens, limit }));
    }
    let (Some(existing), Some(before)) = (existing, counts.next()) else {
        return Ok(());
    };
    let tokens_before = scaled(before, tokens, estimate);
    match shrinkage::unjustified(existing, tokens_before, text, tokens, limit) {
        Some(shrinkage) => Err(BadAnswer::Shrunk(shrinkage)),
        None => Ok(()),
    }
}
