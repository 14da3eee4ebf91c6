//! The lines of an answer, by kind.

use crate::phrases::{Phrases, phrases};
use crate::text::{flatten, fold_char, is_alphanumeric, is_caseless, strip_markers};

/// The kind of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing but white space.
    Blank,
    /// The fence of a code block.
    Fence,
    /// A rule, or other marks without text.
    Rule,
    /// A heading: `## text`, or a line in bold.
    Heading,
    /// A bullet or a number of a list.
    Item,
    /// A row of a table.
    Row,
    /// Anything else.
    Text,
}

/// One line.
#[derive(Debug)]
pub(super) struct Line<'a> {
    /// The line as it was written.
    pub(super) raw: &'a str,
    /// Its kind.
    pub(super) kind: Kind,
    /// The text without marks.
    pub(super) body: String,
    /// The number of white-space characters before it.
    pub(super) indent: usize,
}

/// Texts that a model writes if there is nothing to say.
const NOTHING: Phrases = phrases!("japanese/nothing.txt", "english/nothing.txt");

/// The letters and digits, so that bullets, bold type and spacing make no difference.
pub(super) fn letters(text: &str) -> String {
    let mut letters = String::with_capacity(text.len());
    for c in text.chars().map(fold_char) {
        if c.is_ascii_alphanumeric() {
            letters.push(c.to_ascii_lowercase());
        } else if is_caseless(c) {
            letters.push(c);
        } else if is_alphanumeric(c) {
            letters.extend(c.to_lowercase());
        }
    }
    letters
}

/// Sentences and lines, each with its end mark.
pub(super) fn sentences(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive(ends_sentence)
        .flat_map(split_behind_stops)
}

fn ends_sentence(c: char) -> bool {
    matches!(c, '\n' | '。' | '！' | '？' | '!' | '?')
}

/// Splits a text after full stops that are followed by a space. Most lines have none, and searching for two characters
/// is slower.
fn split_behind_stops(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = rest.match_indices('.').find_map(|(at, _)| {
            let tail = rest.get(at + 1..)?;
            tail.starts_with(' ').then_some(at + 2)
        });
        let (part, tail) = rest.split_at_checked(end.unwrap_or(rest.len()))?;
        rest = tail;
        (!part.is_empty()).then_some(part)
    })
}

/// Returns true if a line of the text may be a [`Kind::Heading`], without reading the lines.
pub(super) fn may_have_headings(text: &str) -> bool {
    text.contains(['#', '＃', '*'])
}

/// The lines of a text.
pub(super) fn read(text: &str) -> Vec<Line<'_>> {
    text.split('\n').map(read_line).collect()
}

/// One line.
pub(super) fn read_line(raw: &str) -> Line<'_> {
    let indent = raw.chars().take_while(|c| c.is_whitespace()).count();
    let trimmed = raw.trim();
    let flat = flatten(trimmed);
    let (body, markers) = strip_markers(&flat);
    let numbered = after_wide_number(body).filter(|_| !markers.list);
    let has_text = body.chars().any(is_alphanumeric);
    let kind = if flat.is_empty() {
        Kind::Blank
    } else if is_fence(trimmed) {
        Kind::Fence
    } else if markers.list || numbered.is_some() {
        Kind::Item
    } else if markers.heading || is_bold(trimmed) {
        Kind::Heading
    } else if !has_text {
        Kind::Rule
    } else if trimmed.starts_with('|') {
        Kind::Row
    } else {
        Kind::Text
    };
    let body = numbered.unwrap_or(body).trim();
    let body = if body.contains('*') {
        body.replace("**", "").trim().to_owned()
    } else {
        body.to_owned()
    };
    Line {
        raw,
        kind,
        body,
        indent,
    }
}

/// The text of list items that `strip_markers` does not recognise: `１．text`, `①text`, `-テキスト`.
fn after_wide_number(body: &str) -> Option<&str> {
    let mut chars = body.chars();
    match chars.next()? {
        '①'..='⑳' => Some(chars.as_str()),
        '-' | '*' | '−'
            if chars
                .clone()
                .next()
                .is_some_and(|c| !c.is_ascii() && c.is_alphanumeric()) =>
        {
            Some(chars.as_str())
        }
        '0'..='9' | '０'..='９' => {
            let rest = body.trim_start_matches(|c: char| matches!(c, '0'..='9' | '０'..='９'));
            rest.strip_prefix(['．', '）', '、'])
        }
        _ => None,
    }
}

fn is_fence(trimmed: &str) -> bool {
    let info = trimmed
        .strip_prefix("```")
        .or_else(|| trimmed.strip_prefix("~~~"));
    info.is_some_and(|info| {
        let info = info.trim_matches(['`', '~', ' ']);
        info.len() <= 20 && info.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
}

fn is_bold(trimmed: &str) -> bool {
    trimmed
        .strip_prefix("**")
        .and_then(|rest| rest.trim_end_matches([':', '：']).strip_suffix("**"))
        .is_some_and(|inner| !inner.is_empty() && !inner.contains("**"))
}

/// Returns true if a text introduces what follows: `決定事項:`.
pub(super) fn is_label(body: &str) -> bool {
    body.ends_with([':', '：'])
}

/// Returns true if a text has nothing worth remembering: only headings, labels, fences and empty bullets.
pub(crate) fn is_empty(text: &str) -> bool {
    let says_something = |line: &Line<'_>| {
        matches!(line.kind, Kind::Item | Kind::Row | Kind::Text)
            && !is_label(&line.body)
            && line.body.chars().any(is_alphanumeric)
    };
    let mut said = text.split('\n').map(read_line).filter(says_something);
    match (said.next(), said.next()) {
        (None, _) => true,
        (Some(one), None) => {
            let word = one.body.to_lowercase();
            let is_mark = |c: char| !c.is_alphanumeric() && c != '/';
            NOTHING.has(word.trim_matches(is_mark))
        }
        _ => false,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_every_kind_are_told_apart() {
        let cases = [
            ("", Kind::Blank, ""),
            ("  \u{3000}", Kind::Blank, ""),
            ("```", Kind::Fence, ""),
            ("```markdown", Kind::Fence, "markdown"),
            ("---", Kind::Rule, ""),
            ("…", Kind::Rule, "…"),
            ("## 決定", Kind::Heading, "決定"),
            ("**決定：**", Kind::Heading, "決定："),
            ("**決定**：", Kind::Heading, "決定："),
            ("- a", Kind::Item, "a"),
            ("-", Kind::Item, ""),
            ("・予算", Kind::Item, "予算"),
            ("-予算", Kind::Item, "予算"),
            ("-5 degrees", Kind::Text, "-5 degrees"),
            ("1. a", Kind::Item, "a"),
            ("２．予算", Kind::Item, "予算"),
            ("①予算", Kind::Item, "予算"),
            ("- **予算**: 3", Kind::Item, "予算: 3"),
            ("| a | b |", Kind::Row, "a | b |"),
            ("3月に公開", Kind::Text, "3月に公開"),
            ("#general", Kind::Text, "#general"),
        ];
        for (raw, kind, body) in cases {
            let line = read_line(raw);
            assert_eq!((line.kind, line.body.as_str()), (kind, body), "{raw}");
        }
    }

    #[test]
    fn frame_without_content_is_empty() {
        for text in [
            "",
            "\n \n",
            "- \n-\n",
            "## 要約",
            "**Summary**\n\n決定事項：",
            "```\n```",
            "---",
            "- なし",
            "(None)",
            "N/A.",
        ] {
            assert!(is_empty(text), "{text}");
        }
        for text in [
            "- a",
            "## 要約\n- 予算",
            "予算",
            "- なし\n- 予算",
            "None of the tests failed",
        ] {
            assert!(!is_empty(text), "{text}");
        }
    }
}
