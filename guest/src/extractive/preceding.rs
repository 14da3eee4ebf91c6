//! Sentences that are understood only after another one: `24`, `yes, at noon`.

use super::terms::plain_words;
use super::text::width;

/// A wider sentence, or one with more plain words, is understood alone.
const MAX_WIDTH: usize = 44;
const MAX_WORDS: usize = 1;

/// Returns true if a sentence is understood only after the one that it answers.
pub(crate) fn says_little(sentence: &str) -> bool {
    let is_short = width(sentence) <= MAX_WIDTH || sentence.contains("://");
    is_short && plain_words(sentence) <= MAX_WORDS
}
