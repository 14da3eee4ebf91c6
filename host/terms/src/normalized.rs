//! The normal form of a word: the text between two spaces.

use icu_normalizer::ComposingNormalizerBorrowed;

/// The parts of a text between white space, with where they begin. No term reaches over white space, and neither does the
/// normal form.
pub(crate) fn chunks(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    text.split(char::is_whitespace).filter_map(move |chunk| {
        let start = at;
        at += chunk.len();
        at += text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(0, char::len_utf8);
        (!chunk.is_empty()).then_some((start, chunk))
    })
}

/// NFKC, in lower case.
pub(crate) struct Normalized {
    pub(crate) chars: Vec<char>,
}

impl Normalized {
    pub(crate) fn of(chunk: &str) -> Self {
        let chars = if chunk.is_ascii() {
            chunk.chars().map(|c| c.to_ascii_lowercase()).collect()
        } else {
            let normal = ComposingNormalizerBorrowed::new_nfkc().normalize(chunk);
            normal.chars().flat_map(char::to_lowercase).collect()
        };
        Self { chars }
    }

    /// Where each character begins in the chunk, in bytes, and where the last one ends; `None` if the normal form has another
    /// number of characters.
    pub(crate) fn starts(&self, chunk: &str) -> Option<Vec<usize>> {
        let starts = chunk.char_indices().map(|(at, _)| at);
        let starts: Vec<usize> = starts.chain([chunk.len()]).collect();
        (starts.len() == self.chars.len() + 1).then_some(starts)
    }
}
