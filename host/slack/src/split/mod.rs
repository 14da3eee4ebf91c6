//! Long texts as several posts.
//!
//! A text is cut after a paragraph, else after a line, else after a sentence, else after a word, else between
//! characters. Lines that begin an item are better than those that go on with one, and the better the less deep the
//! item is; so items stay whole where they can. A better place counts only if it leaves the part a quarter full: else
//! a short first paragraph would be a post of its own.
//!
//! Code over several lines that is cut is closed in one part and opened again in the next. Entities, escaped
//! characters and code in a line are not cut. Nothing but white space is lost.

mod atom;
mod place;

use atom::{FENCE, atom};
use place::{Place, place};

/// The longest post, in characters. Slack advises at most 4,000
/// (<https://docs.slack.dev/reference/methods/chat.postMessage>), and cuts what is much longer without regard to code and
/// links. The rest is for what Slack counts differently: it keeps an emoji as its name, which has several characters.
pub const MAX_POST_CHARS: usize = 3_900;

/// The shortest limit that leaves room for fences and a word.
const MIN_LIMIT: usize = 64;
/// The characters of a line that opens a fence again, and of one that closes it.
const FENCE_LINE: usize = 4;

/// Cuts mrkdwn into parts of at most `limit_chars` characters (64, if that is less). No part is empty; a text of white
/// space has no parts.
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

/// The text without the space where it was cut. What begins a line keeps its indentation, and code its empty lines.
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
    /// Whether that is within code of several lines.
    in_fence: bool,
}

/// Where the first part of a text ends. `in_fence` says whether the text begins within code.
fn first_part(text: &str, in_fence: bool, limit: usize) -> Cut {
    let mut at = 0;
    let mut chars = if in_fence { FENCE_LINE } else { 0 };
    let mut in_fence = in_fence;
    // Whether there is anything in the part, or in the fence that is open.
    let mut has_words = false;
    // Marks of formatting in the line. A cut after an odd number of them would leave them as they are.
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
