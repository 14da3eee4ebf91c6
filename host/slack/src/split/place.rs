//! How good a place is for a cut.

use super::atom::FENCE;

/// The quality of a place, from worst to best.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Place {
    /// Only if there is no other.
    Nowhere,
    Character,
    Word,
    Sentence,
    /// Before a line within an item or code.
    LineWithin,
    /// Before an item within another.
    Item,
    Line,
    Paragraph,
}

/// The quality of the place between `before` and `after`.
pub(super) fn place(before: &str, after: &str, in_fence: bool) -> Place {
    let last = before.chars().next_back();
    if last.is_none_or(char::is_whitespace) {
        return Place::Nowhere;
    }
    let words = after.trim_start();
    let space = after.strip_suffix(words).unwrap_or_default();
    if in_fence && words.starts_with(FENCE) {
        return Place::Nowhere;
    }
    if let Some(line) = space.rfind('\n') {
        let is_indented = space.len() > line + 1;
        return match (is_indented, in_fence) {
            (_, true) => Place::LineWithin,
            (true, _) if is_item(words) => Place::Item,
            (true, _) => Place::LineWithin,
            (false, _) if space.matches('\n').count() > 1 => Place::Paragraph,
            (false, _) => Place::Line,
        };
    }
    between_words(before, after, !space.is_empty())
}

fn between_words(before: &str, after: &str, is_spaced: bool) -> Place {
    // Closing brackets and quotes belong to the sentence.
    let sentence = before.trim_end_matches(['」', '』', '）', ')', '"', '”', '*', '_', '~']);
    let goes_on = after.starts_with([
        '」', '』', '）', '。', '．', '！', '？', '、', '…', '*', '_', '~',
    ]);
    if goes_on && !is_spaced {
        return Place::Character;
    }
    if sentence.ends_with(['。', '．', '！', '？']) {
        return Place::Sentence;
    }
    if is_spaced && sentence.ends_with(['.', '!', '?', '…']) {
        return Place::Sentence;
    }
    if is_spaced || before.ends_with(['、', '，', '」', '』', '）', '；', '：']) {
        return Place::Word;
    }
    Place::Character
}

/// Returns true if a line is an item of a list, as [`crate::markdown`] writes them.
fn is_item(line: &str) -> bool {
    let after_number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with(['•', '☐', '☑'])
        || (after_number.len() < line.len() && after_number.starts_with(". "))
}
