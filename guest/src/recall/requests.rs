//! The words of questions: those that ask for an overview, and those that say what it is about.

use crate::phrases::{Phrases, contains_words, phrases};
use crate::text::is_hiragana;
use crate::text::terms::is_stop_word;

/// A longer question is cut: it is a text that was pasted.
const MOST_TERMS: usize = 40;

/// Words that ask for what was decided; the longer ones first.
const DECISION_REQUESTS: Phrases = phrases!(
    "japanese/decision-requests.txt",
    "english/decision-requests.txt"
);

/// Words that ask for what is still open; the longer ones first.
const OPEN_REQUESTS: Phrases = phrases!("japanese/open-requests.txt", "english/open-requests.txt");

/// Words that ask for what was done.
const DONE_REQUESTS: Phrases = phrases!("japanese/done-requests.txt", "english/done-requests.txt");

/// Asks for what was said, whatever it is.
const RECAP_REQUESTS: Phrases = phrases!(
    "japanese/recap-requests.txt",
    "english/recap-requests.txt",
    "japanese/asking-words.txt",
    "english/asking-words.txt"
);

/// A question without the words that ask for what was said, whatever it is.
pub(super) fn without_request(question: &str) -> String {
    let mut rest = question.to_lowercase();
    for phrase in RECAP_REQUESTS.iter() {
        if contains_words(&rest, phrase) {
            rest = rest.replace(phrase, " ");
        }
    }
    rest
}

/// A question without the words that ask for what was decided, and whether it has any.
pub(super) fn without_decision_request(question: &str) -> (String, bool) {
    without(question, DECISION_REQUESTS)
}

/// A question without the words that ask for what is still open, and whether it has any.
pub(super) fn without_open_request(question: &str) -> (String, bool) {
    without(question, OPEN_REQUESTS)
}

/// A question without the words that ask for what was done, and whether it has any.
pub(super) fn without_done_request(question: &str) -> (String, bool) {
    without(question, DONE_REQUESTS)
}

fn without(question: &str, requests: Phrases) -> (String, bool) {
    let mut rest = question.to_lowercase();
    let mut asks = false;
    for phrase in requests.iter() {
        if contains_words(&rest, phrase) {
            rest = rest.replace(phrase, " ");
            asks = true;
        }
    }
    (rest, asks)
}

/// The terms of a question that say something about its subject, each once; all of them if none does.
pub(super) fn subject_terms(all: Vec<String>) -> Vec<String> {
    let mut terms: Vec<String> = Vec::new();
    for term in all {
        if !terms.contains(&term) && terms.len() < MOST_TERMS {
            terms.push(term);
        }
    }
    match say_nothing(&terms) {
        true => terms,
        false => terms
            .into_iter()
            .filter(|term| !says_nothing(term))
            .collect(),
    }
}

/// Returns true if no term says something about a subject.
pub(super) fn say_nothing(terms: &[String]) -> bool {
    terms.iter().all(|term| says_nothing(term))
}

fn says_nothing(term: &str) -> bool {
    is_stop_word(term) || term.chars().all(is_hiragana)
}
