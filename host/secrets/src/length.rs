//! How much of a text is kept and read.

use std::borrow::Cow;

/// The longest message that is kept, in characters. Slack takes 40,000.
pub const MAX_MESSAGE_CHARS: usize = 100_000;
/// The longest question that is answered, and the longest request of a search, in characters.
pub const MAX_QUESTION_CHARS: usize = 4_000;

const NOTE_JA: &str = "\n[長すぎるため、続きは保存していません]";
const NOTE_EN: &str = "\n[the rest is not kept: it is too long]";

/// Cuts a message that is too long, with a note at its end that says so. A text that was cut stays as it is, and so do all
/// positions before the note.
#[must_use]
pub fn cut(message: &str) -> Cow<'_, str> {
    if excess(message, MAX_MESSAGE_CHARS).is_none() {
        return Cow::Borrowed(message);
    }
    let kept = |note: &str| {
        let chars = MAX_MESSAGE_CHARS.saturating_sub(note.chars().count());
        let end = message.char_indices().nth(chars);
        end.and_then(|(end, _)| message.get(..end))
            .unwrap_or_default()
    };
    let is_japanese = kept(NOTE_EN).contains(|c| matches!(c, 'ぁ'..='ヿ' | '一'..='鿿'));
    let note = if is_japanese { NOTE_JA } else { NOTE_EN };
    Cow::Owned(format!("{}{note}", kept(note)))
}

/// The number of characters of a text that has more than `most`.
#[must_use]
pub fn excess(text: &str, most: usize) -> Option<usize> {
    // A character has at least one byte.
    let is_short = text.len() <= most;
    let count = || text.chars().count();
    (!is_short).then(count).filter(|count| *count > most)
}
