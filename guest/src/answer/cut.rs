//! Cuts an answer that reached the token limit back to its last whole bullet.

use super::lines::{Kind, Line, is_empty, is_label, read};

/// Ends of sentences.
const SENTENCE_ENDS: &[&str] = &["。", "！", "？", ". ", "! ", "? ", ".\n", "!\n", "?\n"];

/// The text without its last, incomplete bullet, row or sentence, and without headings and labels that are then
/// followed by nothing. `line_ended`: the answer ended with a line break, so its last line is whole.
///
/// If nothing would be left, the text is returned unchanged: half a bullet is better than none.
pub(super) fn to_last_whole(text: &str, line_ended: bool) -> String {
    let lines = read(text);
    let mut kept = lines.len();
    let mut sentence = None;
    if !line_ended && let Some(start) = last_unit(&lines) {
        kept = start;
        sentence = lines
            .get(start)
            .filter(|line| line.kind == Kind::Text)
            .and_then(|_| whole_sentences(&join(lines.get(start..).unwrap_or_default())));
    }
    let head = lines.get(..kept).unwrap_or_default();
    let text_before = match sentence {
        Some(sentence) => format!("{}\n{sentence}", join(head)),
        None => join(without_announcements(head)),
    };
    let whole = text_before.trim();
    if is_empty(whole) {
        text.trim().to_owned()
    } else {
        whole.to_owned()
    }
}

/// The line where the last bullet (of any level), row, heading or paragraph begins.
fn last_unit(lines: &[Line<'_>]) -> Option<usize> {
    let begins = |at: usize, line: &Line<'_>| match line.kind {
        Kind::Item | Kind::Row | Kind::Heading => true,
        // Indented lines continue the bullet above them.
        Kind::Text => {
            let before = at.checked_sub(1).and_then(|before| lines.get(before));
            before.is_none_or(|before| line.indent == 0 && before.kind == Kind::Blank)
        }
        Kind::Blank | Kind::Fence | Kind::Rule => false,
    };
    lines
        .iter()
        .enumerate()
        .rposition(|(at, line)| begins(at, line))
}

/// The whole sentences at the beginning of a paragraph.
fn whole_sentences(paragraph: &str) -> Option<String> {
    let end = SENTENCE_ENDS
        .iter()
        .filter_map(|mark| paragraph.rfind(mark).map(|at| at + mark.len()))
        .max()?;
    let end = end + numbers_at(paragraph.get(end..).unwrap_or_default());
    paragraph
        .get(..end)
        .map(|whole| whole.trim_end().to_owned())
}

/// The length of the sources' numbers that a text begins with, ` [1][2]`.
fn numbers_at(text: &str) -> usize {
    let mut rest = text;
    while let Some(behind) = behind_number(rest) {
        rest = behind;
    }
    text.len() - rest.len()
}

fn behind_number(text: &str) -> Option<&str> {
    let (number, behind) = text.trim_start().strip_prefix('[')?.split_once(']')?;
    let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
    is_number.then_some(behind)
}

fn without_announcements<'a>(mut lines: &'a [Line<'a>]) -> &'a [Line<'a>] {
    while let [before @ .., last] = lines {
        let announces = match last.kind {
            Kind::Item | Kind::Text => is_label(&last.body) || last.body.is_empty(),
            Kind::Row => false,
            Kind::Blank | Kind::Fence | Kind::Rule | Kind::Heading => true,
        };
        if !announces {
            break;
        }
        lines = before;
    }
    lines
}

fn join(lines: &[Line<'_>]) -> String {
    lines
        .iter()
        .map(|line| line.raw)
        .collect::<Vec<_>>()
        .join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_ends_at_the_last_whole_bullet() {
        let cases = [
            ("- a b\n- c d\n- e", "- a b\n- c d"),
            ("- a b\n  goes on\n- c d\n  goes", "- a b\n  goes on"),
            ("- a:\n  - b\n  - c", "- a:\n  - b"),
            ("- a\n- b:\n  - c", "- a"),
            ("- a\n- b\n  - c", "- a\n- b"),
            ("## A\n- a\n\n## B\n- b", "## A\n- a"),
            ("- a\n\n## B", "- a"),
            ("1. a\n2. b", "1. a"),
            ("・予算\n・期限", "・予算"),
            (
                "| a | b |\n|---|---|\n| 1 | 2 |\n| 3",
                "| a | b |\n|---|---|\n| 1 | 2 |",
            ),
            ("One. Two is cut", "One."),
            ("予算は三百万円。期限は", "予算は三百万円。"),
            ("It is so. [1][2] The next", "It is so. [1][2]"),
            ("予算は三百万円。[1] 期限は", "予算は三百万円。[1]"),
            ("It is so. [link](https", "It is so."),
            ("- a\n\nThe team met. It was", "- a\n\nThe team met."),
            ("- a\n\nThe team", "- a"),
        ];
        for (text, whole) in cases {
            assert_eq!(to_last_whole(text, false), whole, "{text}");
        }
    }

    #[test]
    fn single_bullet_stays_though_it_is_not_whole() {
        for text in [
            "- only one",
            "## A\n- only one",
            "- a:\n  - only",
            "only words",
        ] {
            assert_eq!(to_last_whole(text, false), text);
        }
        assert_eq!(
            to_last_whole("The team met.\n\n- only", false),
            "The team met."
        );
    }

    #[test]
    fn line_that_was_ended_is_whole() {
        assert_eq!(to_last_whole("- a\n- b", true), "- a\n- b");
        assert_eq!(to_last_whole("- a\n## B", true), "- a");
    }
}
