//! Plain BM25 over messages, which the program is compared with: words, and pairs of characters of languages without
//! spaces; nothing is known of speakers, times, threads or synonyms.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use crate::pattern::plain;

const K1: f64 = 1.2;
const B: f64 = 0.75;

/// The texts that hold a term of the question, as their places in `texts`, best first; of equals the later one.
pub(crate) fn rank(question: &str, texts: &[&str]) -> Vec<usize> {
    let documents: Vec<Vec<String>> = texts.iter().map(|text| terms(text)).collect();
    let words: usize = documents.iter().map(Vec::len).sum();
    let mean = number(words) / number(texts.len()).max(1.0);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for document in &documents {
        let different: BTreeSet<&str> = document.iter().map(String::as_str).collect();
        for term in different {
            *counts.entry(term).or_default() += 1;
        }
    }
    let asked: BTreeSet<String> = terms(question).into_iter().collect();
    let score = |document: &Vec<String>| -> f64 {
        let length = 1.0 - B + B * number(document.len()) / mean.max(1.0);
        let of_term = |term: &String| {
            let count = counts.get(term.as_str()).copied().unwrap_or_default();
            let rarity = (number(texts.len()) - number(count) + 0.5) / (number(count) + 0.5);
            let found = number(document.iter().filter(|own| *own == term).count());
            (1.0 + rarity).ln() * found * (K1 + 1.0) / (found + K1 * length)
        };
        asked.iter().map(of_term).sum()
    };
    let mut ranked: Vec<(usize, f64)> = documents.iter().map(score).enumerate().collect();
    ranked.retain(|(_, score)| *score > 0.0);
    ranked.sort_by(|(left, a), (right, b)| match b.total_cmp(a) {
        Ordering::Equal => right.cmp(left),
        order => order,
    });
    ranked.into_iter().map(|(place, _)| place).collect()
}

/// Words, and pairs of neighbouring characters.
fn terms(text: &str) -> Vec<String> {
    let mut terms = Vec::new();
    let (mut word, mut run) = (String::new(), Vec::new());
    for letter in plain(text).chars().chain([' ']) {
        let is_pair = is_spaceless(letter);
        if !is_pair {
            terms.extend(pairs(&std::mem::take(&mut run)));
        }
        if is_pair || !letter.is_alphanumeric() {
            terms.extend(Some(std::mem::take(&mut word)).filter(|word| !word.is_empty()));
        }
        if is_pair {
            run.push(letter);
        } else if letter.is_alphanumeric() {
            word.push(letter);
        }
    }
    terms
}

/// The pairs of a run, or its only character.
fn pairs(run: &[char]) -> Vec<String> {
    match run {
        [single] => vec![single.to_string()],
        run => run.windows(2).map(|pair| pair.iter().collect()).collect(),
    }
}

/// Returns true if a character is of a language that puts no spaces between words.
fn is_spaceless(letter: char) -> bool {
    matches!(letter, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '々')
}

fn number(n: usize) -> f64 {
    f64::from(u32::try_from(n).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::{rank, terms};

    #[test]
    fn words_and_pairs_of_characters_are_the_terms() {
        assert_eq!(
            terms("The A-12 は障害中、林!"),
            ["the", "a", "12", "は障", "障害", "害中", "林"]
        );
    }

    #[test]
    fn rare_terms_and_short_texts_come_first_and_of_equals_the_later() {
        let texts = [
            "the price of the crane",
            "the crane",
            "the lunch",
            "the lunch",
            "cats",
        ];
        assert_eq!(rank("the crane", &texts), [1, 0, 3, 2]);
        assert!(rank("dogs", &texts).is_empty());
        assert!(rank("dogs", &[]).is_empty());
    }
}
