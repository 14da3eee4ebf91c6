//! What a question is about: its words, each with the forms in which messages may have it.

use std::collections::{BTreeMap, BTreeSet};

use super::forms::{self, is_english};
use crate::bindings::recall::TermCount;
use crate::extractive::terms::is_stop_word;
use crate::extractive::text::is_hiragana;
use crate::phrases::{Phrases, contains_words, phrases};

/// A longer question is cut: it is a text that was pasted.
const MOST_CONCEPTS: usize = 40;
/// How many words without a hit are taken for misspelt.
const MOST_CORRECTED: usize = 3;
/// A shorter word has too many others beside it.
const MIN_CORRECTED_LETTERS: usize = 6;
/// Pairs of hiragana are mostly endings and particles.
const HIRAGANA_WEIGHT: f64 = 0.3;

/// Asks for what was said, whatever it is.
const RECAP_REQUESTS: Phrases = phrases!(
    "japanese/recap-requests.txt",
    "english/recap-requests.txt",
    "japanese/asking-words.txt",
    "english/asking-words.txt"
);

/// Whether a term says nothing about the subject.
fn says_nothing(term: &str) -> bool {
    is_stop_word(term) || (term.chars().count() == 1 && term.chars().all(is_hiragana))
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

/// The words of a question, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Concepts {
    concepts: Vec<Concept>,
    /// Which concept a term stands for.
    by_term: BTreeMap<String, usize>,
}

impl Concepts {
    /// Of the terms of a question. Words that say nothing about the subject count only if there is nothing else.
    pub(super) fn of(terms: Vec<String>) -> Self {
        let mut seen = BTreeSet::new();
        let mut terms: Vec<String> = terms
            .into_iter()
            .filter(|term| seen.insert(term.clone()))
            .collect();
        if terms.iter().any(|term| !says_nothing(term)) {
            terms.retain(|term| !says_nothing(term));
        }
        terms.truncate(MOST_CONCEPTS);
        let mut found = Self::default();
        for (number, term) in terms.iter().enumerate() {
            found.by_term.insert(term.clone(), number);
        }
        for (number, term) in terms.into_iter().enumerate() {
            for form in forms::forms(&term) {
                found.by_term.entry(form).or_insert(number);
            }
            let is_hiragana = term.chars().all(is_hiragana);
            found.concepts.push(Concept {
                term,
                weight: if is_hiragana { HIRAGANA_WEIGHT } else { 1.0 },
                messages: 0,
            });
        }
        found
    }

    /// Whether no word says what the question is about.
    pub(super) fn say_nothing(&self) -> bool {
        let mut concepts = self.concepts.iter();
        concepts.all(|concept| concept.term.chars().all(is_hiragana) || says_nothing(&concept.term))
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

    /// The number of the concept that a term stands for.
    pub(super) fn number(&self, term: &str) -> Option<usize> {
        self.by_term.get(term).copied()
    }

    /// Takes in how common the forms are.
    pub(super) fn count(&mut self, counts: &[TermCount]) {
        for count in counts {
            let concept = self.by_term.get(&count.term).copied();
            if let Some(concept) = concept.and_then(|number| self.concepts.get_mut(number)) {
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
                self.by_term.entry(count.term.clone()).or_insert(*number);
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
