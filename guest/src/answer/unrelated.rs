//! Tells a text that has nothing to do with what it should be made from.

use super::Sources;
use crate::text::fold;
use crate::text::language::main_language_of;
use crate::text::terms::{each_term, is_stop_word};

/// A text with fewer words may have none of the prompt by chance.
const LEAST_WORDS: usize = 3;

/// Returns true if a text in the language of its sources has no word of the prompt, and no word that any text has.
pub(super) fn is_unrelated(text: &str, prompt: &str, sources: Sources<'_>) -> bool {
    let lower = fold(text).to_lowercase();
    let words = lower.split_whitespace();
    let words: Vec<&str> = words.filter(|word| !word.contains("://")).collect();
    let lower = words.join(" ");
    let mut words: Vec<&str> = Vec::new();
    each_term(&lower, &mut |word| words.push(word));
    words.sort();
    words.dedup();
    if words.len() < LEAST_WORDS || words.iter().any(|word| is_stop_word(word)) {
        return false;
    }
    let has_word = |text: &str| {
        let text = fold(text).to_lowercase();
        words.iter().any(|word| text.contains(word))
    };
    let language = main_language_of([text]);
    !has_word(prompt)
        && !sources.texts().any(has_word)
        && language.is_some()
        && language == main_language_of(sources.texts())
}
