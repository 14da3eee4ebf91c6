//! The parts of a text that are not cut.

/// The longest entity or inline code, in characters. A longer one is text.
const LONGEST: usize = 2_000;
/// Three backticks: they begin and end a block of code.
pub(super) const FENCE: &str = "```";

/// The beginning of `rest` that is not cut: an entity, an escaped character, a fence, inline code, or a character with its
/// combining marks. Empty if `rest` is. Entities and code of more than `limit` characters are cut.
pub(super) fn atom(rest: &str, in_fence: bool, limit: usize) -> &str {
    let end = fence(rest)
        .or_else(|| escape(rest))
        .or_else(|| enclosed(rest, '<', '>', limit))
        .or_else(|| enclosed(rest, '`', '`', limit).filter(|_| !in_fence))
        .unwrap_or_else(|| cluster(rest));
    rest.get(..end).unwrap_or(rest)
}

fn fence(rest: &str) -> Option<usize> {
    rest.starts_with(FENCE).then_some(FENCE.len())
}

fn escape(rest: &str) -> Option<usize> {
    let escapes = ["&amp;", "&lt;", "&gt;"];
    let escape = escapes.iter().find(|escape| rest.starts_with(**escape))?;
    Some(escape.len())
}

/// The length of the text between two characters in one line, with both.
fn enclosed(rest: &str, open: char, close: char, limit: usize) -> Option<usize> {
    let body = rest.strip_prefix(open)?;
    let mut chars = body
        .char_indices()
        .take(LONGEST.min(limit).saturating_sub(1));
    let (end, found) = chars.find(|(_, c)| *c == close || *c == open || *c == '\n')?;
    (found == close && end > 0).then_some(open.len_utf8() + end + close.len_utf8())
}

/// The length of a character and the marks after it. These are most of Unicode's grapheme clusters. The others (Indic
/// conjuncts, decomposed Hangul) are cut only if a text has neither spaces nor punctuation for thousands of characters.
fn cluster(rest: &str) -> usize {
    let mut chars = rest.char_indices();
    let Some((_, mut last)) = chars.next() else {
        return 0;
    };
    let mut flags = usize::from(is_flag_letter(last));
    for (at, c) in chars {
        let joined = last == '\u{200d}' || is_extending(c) || (last == '\r' && c == '\n');
        if is_flag_letter(c) && flags == 1 {
            flags = 2;
        } else if !joined {
            return at;
        }
        last = c;
    }
    rest.len()
}

/// Combining marks, selectors, joiners and skin tones.
fn is_extending(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{200d}' | '\u{20d0}'..='\u{20f0}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{1f3fb}'..='\u{1f3ff}' | '\u{e0020}'..='\u{e007f}')
}

fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}
