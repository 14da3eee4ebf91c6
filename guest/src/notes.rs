//! The notes that prompts show besides messages and memories.

use crate::bindings::types::{KeptText, Notes};

/// The parts of messages that notes show word for word: records, and what people marked.
pub(crate) fn kept_texts(notes: &Notes) -> impl Iterator<Item = &KeptText> {
    let marks = notes.pinned.iter().chain(&notes.corrections);
    notes.records.iter().chain(marks)
}
