//! What kinds of characters there are.

/// What a character is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// A word.
    Word,
    /// A run of a script without spaces.
    Pair,
    /// It is a term of its own.
    Symbol,
    /// Nothing.
    Other,
}

pub(crate) fn class(c: char) -> Class {
    if c.is_ascii() {
        return if c.is_ascii_alphanumeric() {
            Class::Word
        } else {
            Class::Other
        };
    }
    if is_without_spaces(c) {
        Class::Pair
    } else if c.is_alphanumeric() || is_combining(c) {
        Class::Word
    } else if is_emoji(c) {
        Class::Symbol
    } else {
        Class::Other
    }
}

/// Han, kana, Hangul, Thai, Lao, Myanmar, Khmer.
fn is_without_spaces(c: char) -> bool {
    matches!(c,
        '\u{3005}'..='\u{3007}'
        | '\u{3041}'..='\u{3096}' | '\u{309d}'..='\u{309f}'
        | '\u{30a1}'..='\u{30fa}' | '\u{30fc}'..='\u{30ff}' | '\u{31f0}'..='\u{31ff}'
        | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}'
        | '\u{ac00}'..='\u{d7a3}'
        | '\u{0e01}'..='\u{0e3a}' | '\u{0e40}'..='\u{0e4e}' | '\u{0e81}'..='\u{0ece}'
        | '\u{1000}'..='\u{103f}' | '\u{1780}'..='\u{17d3}')
}

/// Marks inside words that do not count as letters.
fn is_combining(c: char) -> bool {
    matches!(c,
        '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{64b}'..='\u{65f}' | '\u{93c}' | '\u{94d}' | '\u{9cd}' | '\u{a4d}'
        | '\u{acd}' | '\u{b4d}' | '\u{bcd}' | '\u{c4d}' | '\u{ccd}' | '\u{d4d}')
}

fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{1f300}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

pub(crate) fn is_apostrophe(c: char) -> bool {
    matches!(c, '\'' | '’')
}

/// The mark with which two words are one term; hyphens count as one.
pub(crate) fn joiner(c: char) -> Option<char> {
    match c {
        '-' | '_' | '.' | '/' | ':' | '@' | '+' => Some(c),
        '\u{2010}'..='\u{2013}' | '\u{2212}' => Some('-'),
        _ => None,
    }
}
