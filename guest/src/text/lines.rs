//! The lines of a text: what is cited, withheld and erased as one.

use std::ops::Range;

use crate::text::sentences::sentence_ranges;
use crate::text::{flatten, fold, is_alphanumeric, is_line_break, strip_markers};

/// A list mark stands among the first so many characters of its line.
const HEAD: usize = 64;

/// The lines of a text, in order: byte ranges that together cover all of it that is not white space.
///
/// A line is a bullet (a physical line that begins with a list mark, with the indented lines right below it), else a
/// sentence.
#[must_use]
pub fn lines(text: &str) -> Vec<Range<usize>> {
    let mut lines: Vec<Range<usize>> = Vec::new();
    // True if the last range is a bullet that the next physical line may continue.
    let mut open = false;
    for physical in physical_lines(text) {
        let raw = text.get(physical.clone()).unwrap_or_default();
        let body = trimmed(raw);
        if body.is_empty() {
            open = false;
        } else if is_bullet(raw) {
            lines.push(shifted(&body, physical.start));
            open = true;
        } else if open && body.start > 0 {
            if let Some(bullet) = lines.last_mut() {
                bullet.end = physical.start + body.end;
            }
        } else {
            open = false;
            let first = lines.len();
            for sentence in sentence_ranges(raw) {
                let piece = raw.get(sentence.clone()).unwrap_or_default();
                let inner = shifted(&trimmed(piece), physical.start + sentence.start);
                // A piece without letters, such as the end of bold type, belongs to the sentence before it.
                let joined = lines.get_mut(first..).and_then(<[_]>::last_mut);
                match joined.filter(|_| !piece.contains(is_alphanumeric)) {
                    Some(before) => before.end = before.end.max(inner.end),
                    None if inner.is_empty() => {}
                    None => lines.push(inner),
                }
            }
        }
    }
    lines
}

fn physical_lines(text: &str) -> impl Iterator<Item = Range<usize>> {
    text.split_inclusive(is_line_break).scan(0, |start, line| {
        let range = *start..*start + line.len();
        *start = range.end;
        Some(range)
    })
}

/// The range of a text without the white space around it.
fn trimmed(text: &str) -> Range<usize> {
    let start = text.len() - text.trim_start().len();
    start..start.max(text.trim_end().len())
}

fn shifted(range: &Range<usize>, by: usize) -> Range<usize> {
    range.start + by..range.end + by
}

/// Returns true if a physical line begins with a list mark: also `①` and `１．`, which other readers of lists leave out.
fn is_bullet(raw: &str) -> bool {
    let trimmed = raw.trim_start();
    let head: String = trimmed.chars().take(HEAD).collect();
    let head = flatten(&fold(&head));
    let digits = head.trim_start_matches(|c: char| c.is_ascii_digit());
    let wide = digits.len() < head.len()
        && !trimmed.starts_with(|c: char| c.is_ascii_digit())
        && digits.starts_with(['.', ')', '、']);
    wide || head.starts_with(|c: char| ('①'..='⑳').contains(&c)) || strip_markers(&head).1.list
}
