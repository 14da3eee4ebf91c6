//! Texts that models write around a summary or instead of one, in Japanese and English.
//!
//! All functions take [`folded`] text. [`frame`] is about the text around a summary, [`sentence`] about sentences that
//! replace it.

pub(super) mod frame;
pub(super) mod sentence;

use crate::text::{fold, is_alphanumeric};

/// Lower case, with plain apostrophes and ASCII.
pub(super) fn folded(text: &str) -> String {
    fold(text).to_lowercase().replace(['’', '‘', '`'], "'")
}

/// The folded sentences of a text.
pub(super) fn sentences(text: &str) -> Vec<String> {
    let folded = folded(text).replace(". ", ".\n");
    let ends = ['\n', '。', '?', '!'];
    let pieces = folded.split_inclusive(ends).map(str::trim);
    pieces
        .filter(|piece| piece.chars().any(is_alphanumeric))
        .map(str::to_owned)
        .collect()
}
