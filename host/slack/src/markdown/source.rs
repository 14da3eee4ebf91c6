//! Prepares Markdown for the parser.
//!
//! In CommonMark the characters on both sides of `**` decide whether it may open or close. Japanese has no spaces there, so
//! `これは**「重要」**です` would not be bold, as its author meant it. A separator between the mark and the punctuation
//! repairs that: a character that is neither a letter nor punctuation nor space. [`cleaned`] removes it from everything
//! that the parser returns, code included. The separator also keeps `<!` from beginning HTML, so that
//! `<!channel> **text**` is read as text.

use std::borrow::Cow;

use crate::script::{is_cjk, is_wide_punctuation};

/// A noncharacter: Unicode reserves it for internal use.
const SEPARATOR: char = '\u{fdd0}';

/// The Markdown with separators. Separators that it already has are removed.
pub(super) fn prepared(markdown: &str) -> String {
    let mut out = String::with_capacity(markdown.len());
    let mut before = None;
    let mut chars = markdown.chars().filter(|c| *c != SEPARATOR).peekable();
    while let Some(c) = chars.next() {
        if !"*~<".contains(c) {
            out.push(c);
            before = Some(c);
            continue;
        }
        let mut run = String::from(c);
        while let Some(same) = chars.next_if_eq(&c) {
            run.push(same);
        }
        let side = match (c, chars.peek().copied()) {
            ('<', Some('!')) => Some(Side::After),
            ('<', _) => None,
            (_, after) => side(before, after),
        };
        if side == Some(Side::Before) {
            out.push(SEPARATOR);
        }
        out.push_str(&run);
        if side == Some(Side::After) {
            out.push(SEPARATOR);
        }
        before = Some(c);
    }
    out
}

/// A text that the parser returned, without separators.
pub(super) fn cleaned(text: &str) -> Cow<'_, str> {
    if text.contains(SEPARATOR) {
        Cow::Owned(text.replace(SEPARATOR, ""))
    } else {
        Cow::Borrowed(text)
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Side {
    Before,
    After,
}

/// On which side of a mark a separator is needed: if the mark is between a letter and punctuation, and one of them is
/// Chinese, Japanese or Korean.
fn side(before: Option<char>, after: Option<char>) -> Option<Side> {
    let (before, after) = (before?, after?);
    if is_letter(before) && is_punctuation(after) {
        return (is_cjk(before) || !after.is_ascii()).then_some(Side::After);
    }
    if is_punctuation(before) && is_letter(after) {
        return (!before.is_ascii() || is_cjk(after)).then_some(Side::Before);
    }
    None
}

fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation() || is_wide_punctuation(c)
}

fn is_letter(c: char) -> bool {
    !c.is_whitespace() && !is_punctuation(c)
}
