//! The notes that prompts show besides messages and memories.

use crate::bindings::types::{Context, KeptText, Notes};

/// The parts of messages that notes show word for word: records, and what people marked.
pub(crate) fn kept_texts(notes: &Notes) -> impl Iterator<Item = &KeptText> {
    let marks = notes.pinned.iter().chain(&notes.corrections);
    notes.records.iter().chain(marks)
}

/// The same and the titles of items.
pub(crate) fn shown_texts(notes: &Notes) -> impl Iterator<Item = &KeptText> {
    let items = notes.items.iter().flatten();
    kept_texts(notes).chain(items.map(|item| &item.title))
}

/// Returns true if the prompt of a channel's short-term memory asks for items.
pub(crate) fn asks_for_items(context: &Context) -> bool {
    let notes = context.notes.as_ref();
    notes.is_some_and(|notes| notes.items.is_some())
}
