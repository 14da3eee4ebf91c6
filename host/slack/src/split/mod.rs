//! Splits long texts into several posts.
//!
//! A text is cut after a paragraph, else after a line, else after a sentence, else after a word, else between characters.
//! A cut before an item is better than one within it, and a less deep item is better, so that items stay whole if
//! possible. A cut counts only if the part is at least a quarter full: else a short first paragraph would be a post of its
//! own.
//!
//! A block of code that is cut is closed in one part and opened again in the next. Entities, escaped characters and inline
//! code are not cut. Only white space is lost.

mod atom;
mod place;

use atom::{FENCE, atom};
use place::{Place, place};

/// The longest post, in characters. Slack recommends at most 4,000
/// (<https://docs.slack.dev/reference/methods/chat.postMessage>), and cuts much longer texts within code and links. The
/// difference is for what Slack counts differently: it stores an emoji as its name, which has several characters.
pub const MAX_POST_CHARS: usize = 3_900;

/// The shortest limit that leaves room for fences and a word.
const MIN_LIMIT: usize = 64;
/// The characters of a line that opens or closes a fence.
const FENCE_LINE: usize = 4;

/// Splits mrkdwn into parts of at most `limit_chars` characters, but at least 64. No part is empty; a text of white space
/// has no parts.
#[must_use]
pub fn split(mrkdwn: &str, limit_chars: usize) -> Vec<String> {
    let limit = limit_chars.max(MIN_LIMIT);
    let mut parts = Vec::new();
    let mut rest = mrkdwn;
    let mut in_fence = false;
    while !rest.trim().is_empty() {
        let words = rest.trim_start();
        if rest.len() - words.len() > limit / 4 {
            rest = words;
        }
        let cut = first_part(rest, in_fence, limit);
        let (part, after) = rest.split_at_checked(cut.at).unwrap_or((rest, ""));
        let open = if in_fence { "```\n" } else { "" };
        let close = if cut.in_fence { "\n```" } else { "" };
        let part = format!("{open}{}{close}", part.trim_end());
        if !part.is_empty() {
            parts.push(part);
        }
        rest = next_line(after, cut.in_fence);
        in_fence = cut.in_fence;
    }
    parts
}

/// The text without the white space at the cut. A line keeps its indentation, and code its empty lines.
fn next_line(after: &str, in_fence: bool) -> &str {
    let words = after.trim_start();
    let space = after.strip_suffix(words).unwrap_or_default();
    let line_end = if in_fence {
        space.find('\n')
    } else {
        space.rfind('\n')
    };
    match line_end {
        Some(at) => after.get(at + 1..).unwrap_or_default(),
        None if in_fence => after,
        None => words,
    }
}

/// Where a part ends.
#[derive(Debug, Clone, Copy)]
struct Cut {
    /// In bytes.
    at: usize,
    /// True if that is within a block of code.
    in_fence: bool,
}

/// The end of the first part of a text. `in_fence` is true if the text begins within a block of code.
fn first_part(text: &str, in_fence: bool, limit: usize) -> Cut {
    let mut at = 0;
    let mut chars = if in_fence { FENCE_LINE } else { 0 };
    let mut in_fence = in_fence;
    // True if the part has words, or the open fence has.
    let mut has_words = false;
    // Formatting marks in the line. After an odd number of them, a cut would leave one without its partner.
    let mut marks = 0_usize;
    let nowhere = (Place::Nowhere, Cut { at, in_fence });
    let (mut best, mut best_full) = (nowhere, nowhere);
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let whole = atom(rest, in_fence, limit / 2);
        chars += whole.chars().count();
        if chars > limit {
            break;
        }
        at += whole.len();
        in_fence ^= whole == FENCE;
        has_words = !(whole == FENCE && in_fence) && (has_words || !whole.trim().is_empty());
        marks = match whole {
            "\n" => 0,
            "*" | "_" | "~" if !in_fence => marks + 1,
            _ => marks,
        };
        if in_fence && chars + FENCE_LINE > limit {
            continue; // no room to close it
        }
        let cut = Cut { at, in_fence };
        let (before, after) = text.split_at_checked(at).unwrap_or((text, ""));
        if after.is_empty() {
            return cut;
        }
        let place = match place(before, after, in_fence) {
            _ if !has_words => Place::Nowhere,
            place if marks % 2 == 1 && place < Place::LineWithin => place.min(Place::Character),
            place => place,
        };
        let choice = if chars >= limit / 4 {
            &mut best_full
        } else {
            &mut best
        };
        if place >= choice.0 {
            *choice = (place, cut);
        }
    }
    if best_full.0 > Place::Nowhere {
        best_full.1
    } else if best.1.at > 0 {
        best.1
    } else {
        best_full.1
    }
}

#[cfg(test)]
mod tests;
