//! An upper estimate of token counts, for models whose vocabulary is not public.

/// An upper estimate of the number of tokens of a text, for all common vocabularies.
///
/// | characters | tokens each |
/// |---|---|
/// | letters of ASCII words in lower case, or with a capital only at the start | 1/3, each word rounded up |
/// | blanks, except one before such a word | 1/3 |
/// | digits, and letters in a word with digits or further capitals | 1 |
/// | other ASCII characters | 1 |
/// | kana and Japanese punctuation | 1 1/2 |
/// | kanji | 2 |
/// | all others | their bytes in UTF-8 (2 to 4); no vocabulary needs more |
///
/// For ordinary Japanese this is up to 2.5 times the count of GPT-4o's vocabulary, for English up to 1.8 times. The
/// count of GPT-2's vocabulary, which knows little Japanese, is also below the estimate. The estimate can be too low
/// for rare single kanji (3 tokens each) and for meaningless strings of small letters.
#[must_use]
pub fn estimate_tokens(text: &str) -> u32 {
    let mut sixths = 0_u64;
    let mut characters = text.chars().peekable();
    while let Some(first) = characters.next() {
        if !first.is_ascii_alphanumeric() {
            // Vocabularies contain words together with the blank before them.
            let is_glued = first == ' ' && characters.peek().is_some_and(char::is_ascii_alphabetic);
            sixths += if is_glued { 0 } else { sixths_of(first) };
            continue;
        }
        let mut length = 1;
        let mut is_plain = first.is_ascii_alphabetic();
        while let Some(next) = characters.next_if(char::is_ascii_alphanumeric) {
            length += 1;
            is_plain &= next.is_ascii_lowercase();
        }
        // A word has a whole number of tokens.
        sixths += if is_plain {
            6 * u64::div_ceil(length, 3)
        } else {
            6 * length
        };
    }
    u32::try_from(sixths.div_ceil(6)).unwrap_or(u32::MAX)
}

fn sixths_of(character: char) -> u64 {
    match character {
        ' ' => 2,
        '\u{3000}'..='\u{30ff}' => 9,
        '\u{3400}'..='\u{9fff}' => 12,
        other => 6 * u64::try_from(other.len_utf8()).unwrap_or(4),
    }
}
