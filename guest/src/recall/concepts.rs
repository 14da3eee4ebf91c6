//! The words of a question, each with the forms in which messages may have it.

use std::collections::{BTreeMap, BTreeSet};

use super::forms::{self, is_english};
use crate::bindings::recall::TermCount;
use crate::phrases::{Phrases, contains_words, phrases};
use crate::text::terms::is_stop_word;
use crate::text::{is_hiragana, is_katakana};

/// A longer question is cut: it is a text that was pasted.
const MOST_CONCEPTS: usize = 40;
/// How many words without a hit are taken for misspelt.
const MOST_CORRECTED: usize = 3;
/// A shorter word has too many others beside it.
const MIN_CORRECTED_LETTERS: usize = 6;
/// How much a word counts that is related to one of the question.
const RELATED_WEIGHT: f64 = 0.7;
/// Pairs of hiragana are mostly endings and particles, and pairs of other letters with those are the end of one word and
/// the beginning of another.
const BESIDE_WORDS_WEIGHT: f64 = 0.3;
/// Particles behind a word.
const PARTICLES: &str = "はがをにのとでもへや";

/// Words that ask for what was decided; the longer ones first.
const DECISION_REQUESTS: Phrases = phrases!(
    "japanese/decision-requests.txt",
    "english/decision-requests.txt"
);

/// Words that ask for what is still open; the longer ones first.
const OPEN_REQUESTS: Phrases = phrases!("japanese/open-requests.txt", "english/open-requests.txt");

/// Words beside the subject of such a question.
const SUBJECT_WORDS: Phrases = phrases!("japanese/subject-words.txt", "english/subject-words.txt");

/// Words that ask for what was done.
const DONE_REQUESTS: Phrases = phrases!("japanese/done-requests.txt", "english/done-requests.txt");

/// Asks for what was said, whatever it is.
const RECAP_REQUESTS: Phrases = phrases!(
    "japanese/recap-requests.txt",
    "english/recap-requests.txt",
    "japanese/asking-words.txt",
    "english/asking-words.txt"
);

/// Returns true if a term says nothing about the subject.
fn says_nothing(term: &str) -> bool {
    is_stop_word(term) || (term.chars().count() == 1 && term.chars().all(is_hiragana))
}

/// Returns true if a term is a pair of letters that is no part of a word, or says as little.
fn is_beside_words(term: &str) -> bool {
    let mut chars = term.chars();
    let (Some(first), Some(second), None) = (chars.next(), chars.next(), chars.next()) else {
        return term.chars().all(is_hiragana);
    };
    // Kanji and hiragana together is a verb or an adjective; katakana and hiragana are two words.
    is_hiragana(first) || is_hiragana(second) && (is_katakana(first) || PARTICLES.contains(second))
}

/// Returns true if a name in lower case has the term as a word, or as a part if it is written without spaces.
pub(super) fn is_named(name: &str, term: &str) -> bool {
    if term.is_ascii() {
        let mut words = name.split(|c: char| !c.is_alphanumeric());
        return words.any(|word| word == term);
    }
    name.contains(term)
}

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

/// A question without the words that stand beside its subject, and whether it has any.
pub(super) fn without_subject_words(question: &str) -> (String, bool) {
    without(question, SUBJECT_WORDS)
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

/// One word of a question.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Concept {
    /// As the question has it.
    pub(super) term: String,
    /// How much it counts, beside how rare it is.
    pub(super) weight: f64,
    /// In how many messages it stands, in all its forms.
    pub(super) messages: u32,
}

/// The meanings of a term.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Meaning {
    /// The number of the concept.
    pub(super) concept: usize,
    /// How much it counts, beside the word itself.
    pub(super) weight: f64,
}

/// The words of a question, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Concepts {
    concepts: Vec<Concept>,
    by_term: BTreeMap<String, Meaning>,
    /// Concepts of English words that stand side by side.
    adjacent: BTreeSet<(usize, usize)>,
}

impl Concepts {
    /// Of the terms of a question. Words that say nothing about the subject count only if there is nothing else.
    pub(super) fn of(terms: Vec<String>) -> Self {
        let mut seen = BTreeSet::new();
        let mut words = terms.clone();
        words.retain(|term| seen.insert(term.clone()));
        if words.iter().any(|term| !says_nothing(term)) {
            words.retain(|term| !says_nothing(term));
        }
        words.truncate(MOST_CONCEPTS);
        let mut found = Self::default();
        for (number, word) in words.iter().enumerate() {
            found.mean([word.clone()], number, 1.0);
        }
        for (number, word) in words.iter().enumerate() {
            found.mean(forms::forms(word), number, 1.0);
        }
        for (number, word) in words.iter().enumerate() {
            found.mean(forms::related(word), number, RELATED_WEIGHT);
        }
        let concept = |term: String| Concept {
            weight: if is_beside_words(&term) {
                BESIDE_WORDS_WEIGHT
            } else {
                1.0
            },
            term,
            messages: 0,
        };
        found.concepts = words.into_iter().map(concept).collect();
        found.adjacent = found.pairs(&terms).collect();
        found
    }

    /// Terms stand for a concept, unless they stand for one already.
    fn mean(&mut self, terms: impl IntoIterator<Item = String>, concept: usize, weight: f64) {
        for term in terms {
            let meaning = Meaning { concept, weight };
            self.by_term.entry(term).or_insert(meaning);
        }
    }

    /// The concepts of English words that stand side by side in a text with these terms.
    fn pairs(&self, terms: &[String]) -> impl Iterator<Item = (usize, usize)> {
        terms.windows(2).filter_map(|pair| match pair {
            [first, second] if is_english(first) && is_english(second) => {
                let pair = (self.number(first)?, self.number(second)?);
                (pair.0 != pair.1).then_some(pair)
            }
            _ => None,
        })
    }

    /// The concepts that stand side by side in the question, and in a text with these terms.
    pub(super) fn adjacent_in(&self, terms: &[String]) -> BTreeSet<(usize, usize)> {
        let pairs = self.pairs(terms);
        pairs.filter(|pair| self.adjacent.contains(pair)).collect()
    }

    /// Returns true if no word says what the question is about.
    pub(super) fn say_nothing(&self) -> bool {
        let mut concepts = self.concepts.iter();
        concepts.all(|concept| concept.term.chars().all(is_hiragana) || says_nothing(&concept.term))
    }

    /// Returns true if a message has each word, in any form. What stands between words says nothing.
    pub(super) fn are_in(&self, terms: &[String], author: &str) -> bool {
        let found: BTreeSet<usize> = terms.iter().filter_map(|term| self.number(term)).collect();
        let mut concepts = self.concepts.iter().enumerate();
        concepts.all(|(number, concept)| {
            is_beside_words(&concept.term)
                || found.contains(&number)
                || is_named(author, &concept.term)
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.concepts.is_empty()
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Concept> {
        self.concepts.iter()
    }

    pub(super) fn len(&self) -> usize {
        self.concepts.len()
    }

    /// Every form of every word.
    pub(super) fn terms(&self) -> Vec<String> {
        self.by_term.keys().cloned().collect()
    }

    /// The meanings of a term.
    pub(super) fn meaning(&self, term: &str) -> Option<Meaning> {
        self.by_term.get(term).copied()
    }

    /// The number of the concept that a term stands for.
    pub(super) fn number(&self, term: &str) -> Option<usize> {
        self.meaning(term).map(|meaning| meaning.concept)
    }

    /// Takes in how common the forms are.
    pub(super) fn count(&mut self, counts: &[TermCount]) {
        for count in counts {
            let number = self.number(&count.term);
            if let Some(concept) = number.and_then(|number| self.concepts.get_mut(number)) {
                concept.messages = concept.messages.saturating_add(count.messages);
            }
        }
    }

    /// The words that differ by one letter from those that no message has.
    pub(super) fn corrections(&self) -> Vec<String> {
        let near = self
            .missing()
            .flat_map(|(_, term)| forms::one_letter_off(term));
        let near: BTreeSet<String> = near.collect();
        near.into_iter().collect()
    }

    /// Takes in the words that messages have in place of those.
    pub(super) fn correct(&mut self, counts: &[TermCount]) {
        let missing: Vec<(usize, BTreeSet<String>)> = self
            .missing()
            .map(|(number, term)| (number, forms::one_letter_off(term).collect()))
            .collect();
        for count in counts.iter().filter(|count| count.messages > 0) {
            let mut meant = missing
                .iter()
                .filter(|(_, near)| near.contains(&count.term));
            if let Some((number, _)) = meant.next() {
                self.mean([count.term.clone()], *number, 1.0);
                self.count(std::slice::from_ref(count));
            }
        }
    }

    fn missing(&self) -> impl Iterator<Item = (usize, &str)> {
        let concepts = self.concepts.iter().enumerate();
        let missing = concepts.filter(|(_, concept)| {
            concept.messages == 0
                && is_english(&concept.term)
                && concept.term.len() >= MIN_CORRECTED_LETTERS
        });
        missing
            .take(MOST_CORRECTED)
            .map(|(number, concept)| (number, concept.term.as_str()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_across_words_and_of_particles_say_little() {
        for pair in ["です", "のオ", "ンを", "時の", "の鍵"] {
            assert!(is_beside_words(pair), "{pair}");
        }
        for term in ["会場", "オフ", "食べ", "押し", "api", "a", "鍵"] {
            assert!(!is_beside_words(term), "{term}");
        }
    }
}
