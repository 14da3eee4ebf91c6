//! The content words of a sentence, without a dictionary.

use super::{fold, is_kana, is_kanji, is_katakana};
use crate::phrases::{Phrases, phrases};

/// Words that say nothing about the subject. `not` is kept, as it makes a difference between two sentences.
const STOP_WORDS: Phrases = phrases!("english/stop-words.txt");

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Kanji,
    Katakana,
    Word,
    Other,
}

fn class(c: char) -> Class {
    if is_kanji(c) {
        Class::Kanji
    } else if is_katakana(c) {
        Class::Katakana
    } else if is_kana(c) || !c.is_alphanumeric() {
        // Hiragana is mostly endings and particles.
        Class::Other
    } else {
        Class::Word
    }
}

/// The content words, lower case, sorted, each once: words of other scripts, runs of
/// katakana, and pairs of neighbouring kanji (a lone kanji stands for itself).
pub(crate) fn terms(text: &str) -> Vec<String> {
    let text = fold(text).to_lowercase();
    let mut terms = Vec::new();
    each_term(&text, &mut |term| {
        if !is_stop_word(term) {
            terms.push(term.to_owned());
        }
    });
    terms.sort();
    terms.dedup();
    terms
}

/// Returns true if a word in lower case says nothing about the subject.
pub(crate) fn is_stop_word(word: &str) -> bool {
    word.is_ascii() && STOP_WORDS.has(word)
}

/// The terms of a text that is in lower case and without full-width ASCII, in their order, stop words too.
pub(crate) fn each_term<'t>(lower: &'t str, found: &mut impl FnMut(&'t str)) {
    let mut chars = lower.char_indices().peekable();
    while let Some((start, c)) = chars.next() {
        let class_of_run = class(c);
        let (mut before, mut end, mut length) = (start, start + c.len_utf8(), 1);
        while let Some((at, next)) = chars.next_if(|(_, next)| class(*next) == class_of_run) {
            (end, length) = (at + next.len_utf8(), length + 1);
            if class_of_run == Class::Kanji {
                found(lower.get(before..end).unwrap_or_default());
                before = at;
            }
        }
        let whole = match class_of_run {
            Class::Kanji => length == 1,
            Class::Katakana | Class::Word => length > 1,
            Class::Other => false,
        };
        if whole {
            found(lower.get(start..end).unwrap_or_default());
        }
    }
}

/// The content words in their order; runs of kanji are not split into pairs.
pub(crate) fn words(text: &str) -> Vec<String> {
    let text = fold(text).to_lowercase();
    let chars: Vec<char> = text.chars().collect();
    let mut words: Vec<String> = Vec::new();
    for run in chars.chunk_by(|a, b| class(*a) == class(*b)) {
        let word: String = run.iter().collect();
        let counts = match run.first().map_or(Class::Other, |c| class(*c)) {
            Class::Kanji => true,
            Class::Katakana => run.len() > 1,
            Class::Word => run.len() > 1 && !STOP_WORDS.has(&word),
            Class::Other => false,
        };
        if counts && !words.contains(&word) {
            words.push(word);
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_words_of_both_languages_are_found() {
        assert_eq!(
            terms("リリースの予算案を決めた"),
            ["リリース", "予算", "決", "算案"]
        );
        assert_eq!(
            terms("We will migrate the Database, and the database"),
            ["database", "migrate"]
        );
        assert_eq!(terms("ＡＰＩ を見る"), ["api", "見"]);
        assert_eq!(words("予算案のＡＰＩ、the API"), ["予算案", "api"]);
    }
}
