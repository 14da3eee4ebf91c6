//! Judges if an answer is right, by the rules of `tests/eval/README.md`, as `check.py` has them.

use std::sync::LazyLock;

use serde::{Deserialize, Serialize};

use crate::data::{Expected, Question};
use crate::pattern::{Pattern, any_in, plain};

/// Phrases of people and models that found nothing.
static NOTHING_FOUND: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let file: NothingFound =
        serde_json::from_str(include_str!("../nothing-found.json")).unwrap_or_default();
    let patterns = file.patterns.iter();
    patterns
        .filter_map(|regex| Pattern::expression(regex).ok())
        .collect()
});

#[derive(Default, Deserialize)]
struct NothingFound {
    patterns: Vec<String>,
}

/// An answer to judge.
#[derive(Debug, Clone, Default)]
pub(crate) struct Answer {
    /// The answer's own text.
    pub(crate) text: String,
    /// True if the program reports that it found nothing; `None` if the text has to say so.
    pub(crate) found_nothing: Option<bool>,
}

/// Why an answer is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Fault {
    /// It has something of `leak_targets`.
    Leak,
    /// It has something of `forbidden`.
    Forbidden,
    /// It lacks a group of `required`.
    Incomplete,
    /// Something of `outranked` comes first.
    Outdated,
    /// It does not say that nothing was found.
    Invented,
}

impl Fault {
    /// The word for it in tables.
    pub(crate) fn words(self) -> &'static str {
        match self {
            Self::Leak => "it shows what may not be shown",
            Self::Forbidden => "it holds what is wrong",
            Self::Incomplete => "it lacks what was asked for",
            Self::Outdated => "an outdated value comes first",
            Self::Invented => "it answers although there is no answer",
        }
    }
}

/// Returns true if a question can be judged by its answer; for others only the evidence is measured.
pub(crate) fn is_judged(question: &Question) -> bool {
    question.expected == Expected::Nothing || !question.required.is_empty()
}

/// The fault of an answer; `None` if it is right.
pub(crate) fn fault(question: &Question, answer: &Answer) -> Option<Fault> {
    let text = answer.text.as_str();
    if any_in(&question.forbidden, text) {
        return Some(Fault::Forbidden);
    }
    if any_in(question.leaks(), text) {
        return Some(Fault::Leak);
    }
    if question.expected == Expected::Nothing {
        let says_so = || {
            let first = text.lines().next().unwrap_or_default();
            any_in(&*NOTHING_FOUND, first)
        };
        let is_nothing = answer.found_nothing.unwrap_or_else(says_so);
        return (!is_nothing).then_some(Fault::Invented);
    }
    if held(question, text) < question.required.len() {
        return Some(Fault::Incomplete);
    }
    is_outdated(question, text).then_some(Fault::Outdated)
}

/// How many groups of what is required a text holds.
pub(crate) fn held(question: &Question, text: &str) -> usize {
    let plain = plain(text);
    let groups = question.required.iter();
    groups
        .filter(|group| group.iter().any(|pattern| pattern.is_in_plain(&plain)))
        .count()
}

/// Returns true if a line contains an outdated value, and neither it nor a line before has the right one.
fn is_outdated(question: &Question, text: &str) -> bool {
    let Some(asked) = question.required.first() else {
        return false;
    };
    text.lines()
        .take_while(|line| !any_in(asked, line))
        .any(|line| any_in(&question.outranked, line))
}

#[cfg(test)]
#[path = "judge_tests.rs"]
mod tests;
