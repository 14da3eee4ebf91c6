//! What models say around a summary or in place of one, in Japanese and English.
//!
//! All functions take text that [`folded`] has made plain. [`frame`] is what stands around a
//! summary, [`sentence`] what stands in its place.

pub(super) mod frame;
pub(super) mod sentence;

use crate::extractive::text::{fold, is_alphanumeric};

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
