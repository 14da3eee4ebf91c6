//! Patterns that are searched in answers: the rules under "Patterns" in `tests/eval/README.md`.

use std::fmt;

use icu_normalizer::ComposingNormalizer;
use regex::{Regex, RegexBuilder};
use serde::Deserialize;

/// A text in the form in which texts and patterns are compared: NFKC, lower case, each run of white space as one space.
pub(crate) fn plain(text: &str) -> String {
    let normal = ComposingNormalizer::new_nfkc().normalize(text);
    let mut plain = String::with_capacity(normal.len());
    for letter in normal.chars().flat_map(char::to_lowercase) {
        if !letter.is_whitespace() {
            plain.push(letter);
        } else if !plain.ends_with(' ') {
            plain.push(' ');
        }
    }
    plain
}

/// A string that is found as a whole word or number, or a regular expression.
#[derive(Debug, Clone, Deserialize)]
#[serde(try_from = "Written")]
pub(crate) enum Pattern {
    /// In plain form.
    Word(String),
    Expression(Regex),
}

/// A pattern as it stands in a file.
#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Word(String),
    Expression { regex: String },
}

impl TryFrom<Written> for Pattern {
    type Error = regex::Error;

    fn try_from(written: Written) -> Result<Self, regex::Error> {
        match written {
            Written::Word(word) => Ok(Self::Word(plain(&word))),
            Written::Expression { regex } => Self::expression(&regex),
        }
    }
}

impl Pattern {
    /// A regular expression, which is searched for without regard to case.
    pub(crate) fn expression(regex: &str) -> Result<Self, regex::Error> {
        let built = RegexBuilder::new(regex).case_insensitive(true).build();
        built.map(Self::Expression)
    }

    /// Returns true if a text contains it.
    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.is_in_plain(&plain(text))
    }

    /// The same for a text in plain form.
    pub(crate) fn is_in_plain(&self, plain: &str) -> bool {
        match self {
            Self::Expression(regex) => regex.is_match(plain),
            Self::Word(word) => occurrences(word, plain).any(|at| {
                let (before, rest) = plain.split_at_checked(at).unwrap_or_default();
                let after = rest.get(word.len()..).unwrap_or_default();
                let (first, last) = (word.chars().next(), word.chars().next_back());
                let is_tail = first.is_some_and(|first| goes_on(first, before.chars().rev()));
                let is_head = last.is_some_and(|last| goes_on(last, after.chars()));
                !is_tail && !is_head
            }),
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Word(word) => f.write_str(word),
            Self::Expression(regex) => write!(f, "/{regex}/"),
        }
    }
}

/// Returns true if one of the patterns is in a text.
pub(crate) fn any_in<'p>(patterns: impl IntoIterator<Item = &'p Pattern>, text: &str) -> bool {
    let plain = plain(text);
    patterns
        .into_iter()
        .any(|pattern| pattern.is_in_plain(&plain))
}

/// Where a word begins in a text, overlapping places too.
fn occurrences<'t>(word: &'t str, text: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_there = move |(at, _): &(usize, char)| {
        let rest = text.get(*at..).unwrap_or_default();
        !word.is_empty() && rest.starts_with(word)
    };
    text.char_indices().filter(is_there).map(|(at, _)| at)
}

/// Returns true if a word or number that ends with `last` goes on in the following characters. Used for both
/// directions.
fn goes_on(last: char, mut following: impl Iterator<Item = char>) -> bool {
    let next = following.next();
    if last.is_ascii_lowercase() {
        return next.is_some_and(|c| c.is_ascii_lowercase());
    }
    last.is_ascii_digit()
        && match next {
            Some('.' | ',') => following.next().is_some_and(|c| c.is_ascii_digit()),
            next => next.is_some_and(|c| c.is_ascii_digit()),
        }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::{Pattern, plain};

    fn pattern(json: &str) -> Pattern {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn width_case_and_white_space_make_no_difference() {
        assert_eq!(plain("ＡＢＣ　１２\n\t３ ｻｰﾊﾞｰ"), "abc 12 3 サーバー");
    }

    #[test]
    fn a_word_is_found_as_a_whole_only() {
        let kenta = pattern(r#""Kenta""#);
        assert!(kenta.is_in("kenta's, or KENTA"));
        assert!(!kenta.is_in("Kentaro") && !kenta.is_in("mykenta"));
        assert!(kenta.is_in("Kentaro and Kenta"));
        assert!(pattern(r#""15分""#).is_in("9時15分に"));
    }

    #[test]
    fn a_number_is_found_as_a_whole_only() {
        let number = pattern(r#""14""#);
        for text in ["14", "at 14.", "14, 15", "v14", "(14)", "14 . 5"] {
            assert!(number.is_in(text), "{text}");
        }
        for text in ["14.5", "2014", "1,14", "3.14", "140"] {
            assert!(!number.is_in(text), "{text}");
        }
        assert!(!pattern(r#""500""#).is_in("1,500"));
    }

    #[test]
    fn an_expression_is_searched_for_in_the_plain_text() {
        let expression = pattern(r#"{"regex": "no[- ]Auto"}"#);
        assert!(expression.is_in("NO\nauto"));
        assert!(serde_json::from_str::<Pattern>(r#"{"regex": "("}"#).is_err());
    }
}
