//! Decides whether a later sentence says that a task is done, overruled or withdrawn.

use std::collections::BTreeSet;

use super::items::speaker;
use super::score::Candidate;
use crate::phrases::{Phrases, phrases, word_matches};
use crate::text::facts;
use crate::text::fold;
use crate::text::terms::terms;

/// Words for what is done, overruled or withdrawn.
const SETTLED: Phrases = phrases!("japanese/settled.txt", "english/settled.txt");
/// Words for what takes the place of something else, or is taken back or put off.
const CHANGES: Phrases = phrases!("japanese/changes.txt", "english/changes.txt");
/// Words before a noun: `the signed contract` does not say that somebody signed it.
const DETERMINERS: Phrases = phrases!("english/determiners.txt");
/// Words that make a sentence with one of those a plan, a condition or a denial.
const UNSETTLED: Phrases = phrases!("japanese/unsettled.txt", "english/unsettled.txt");

/// Two sentences are about the same thing if they share so many words, and half of the words of the shorter one.
const LEAST_SHARED: usize = 2;

/// A sentence, as far as it can settle or be settled.
struct Said {
    words: BTreeSet<String>,
    /// Ids, versions and addresses, which tell things of one kind apart.
    codes: BTreeSet<String>,
    /// True if it is a statement that can be settled.
    is_open: bool,
}

impl Said {
    fn read(candidate: &Candidate) -> Self {
        let said = match &*candidate.speaker {
            // A line of a memory begins with its speaker.
            "" => speaker(&candidate.text).1,
            _ => &candidate.text,
        };
        let lower = fold(said).to_lowercase();
        let is_statement = !candidate.content.question;
        let is_over = is_over(&lower);
        let says_something =
            candidate.content.decision > 0.0 || !candidate.content.facts.is_empty();
        let mut codes = BTreeSet::new();
        facts::values(&lower, &mut |_, value| {
            if value.starts_with(|c: char| c == '#' || c.is_ascii_alphabetic()) {
                codes.insert(value.to_owned());
            }
        });
        Self {
            words: terms(said)
                .into_iter()
                .filter(|term| names_something(term))
                .collect(),
            codes,
            is_open: is_statement && !is_over && says_something,
        }
    }

    fn is_settled_by(&self, settling: &Self) -> bool {
        let shared = self.words.intersection(&settling.words).count();
        let shorter = self.words.len().min(settling.words.len());
        let both_have = !self.codes.is_empty() && !settling.codes.is_empty();
        let is_another = both_have && self.codes.is_disjoint(&settling.codes);
        self.is_open && shared >= LEAST_SHARED && shared * 2 >= shorter && !is_another
    }
}

/// Returns true if a later sentence settles a task, in whatever words the task was given.
pub(super) fn is_task_settled_by(task: &Candidate, later: &Candidate) -> bool {
    let task = Said {
        is_open: true,
        ..Said::read(task)
    };
    task.is_settled_by(&Said::read(later))
}

/// Returns true if a statement says that something is done, overruled or withdrawn.
pub(super) fn settles(statement: &str) -> bool {
    states(statement, SETTLED)
}

/// Returns true if a statement says that something takes the place of something else, or is taken back or put off.
pub(crate) fn changes(statement: &str) -> bool {
    states(statement, CHANGES)
}

/// Returns true if a text has a word for that, although perhaps for a plan, a condition or a denial.
pub(crate) fn mentions_change(text: &str) -> bool {
    has_one(&fold(text).to_lowercase(), CHANGES)
}

/// Returns true if it has one of these words, and not for a plan, a condition or a denial.
fn states(statement: &str, words: Phrases) -> bool {
    let lower = fold(statement).to_lowercase();
    has_one(&lower, words) && UNSETTLED.words_in(&lower).next().is_none()
}

/// Returns true if it has a word for what is over, although perhaps for a plan, a condition or a denial.
fn is_over(lower: &str) -> bool {
    has_one(lower, SETTLED)
}

fn has_one(lower: &str, words: Phrases) -> bool {
    let mut words = words.words_in(lower);
    words.any(|phrase| word_matches(lower, phrase).any(|at| !describes(lower, at)))
}

/// Returns true if the word at a place belongs to a noun after it.
fn describes(lower: &str, at: usize) -> bool {
    let before = lower.get(..at).unwrap_or_default().trim_end();
    let word = before.rsplit(|c: char| !c.is_alphanumeric()).next();
    word.is_some_and(|word| DETERMINERS.has(word))
}

/// Returns true if a word tells what is spoken of: not a number or a lone kanji.
pub(crate) fn names_something(term: &str) -> bool {
    term.chars().count() > 1 && !term.contains(|c: char| c.is_ascii_digit())
}
