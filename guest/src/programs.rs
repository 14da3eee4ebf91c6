//! Marks in a prompt what programs wrote. Trust never rises: a line of a memory keeps the mark through every merge,
//! because it is read from the messages that the line cites.

use crate::bindings::storage::Memory;
use crate::bindings::types::Context;
use crate::cited_lines::cited_lines;
use crate::context::NO_NOTES;
use crate::notes::kept_texts;
use crate::prompt::conversation_messages;

/// The lines of these memories of which programs wrote every message, each once.
pub(crate) fn program_lines<'m>(memories: impl IntoIterator<Item = &'m Memory>) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for memory in memories {
        for (line, citation) in cited_lines(memory) {
            if citation.by_program && lines.iter().all(|known| known != line) {
                lines.push(line.to_owned());
            }
        }
    }
    lines
}

/// Notes in a context that programs wrote these lines, and some of its messages. A context without either stays as it
/// is.
pub(crate) fn mark(context: &mut Context, program_lines: Vec<String>) {
    let programs = {
        let records = context.notes.iter().flat_map(kept_texts);
        let messages = conversation_messages(context).map(|message| &message.user);
        let sources = context.notes.iter().flat_map(|notes| &notes.sources);
        let sources = sources.filter_map(|source| source.user.as_ref());
        let records = records.map(|record| &record.user);
        let mut users = messages.chain(records).chain(sources);
        users.any(|user| user.is_bot)
    };
    if programs || !program_lines.is_empty() {
        let notes = context.notes.get_or_insert(NO_NOTES);
        (notes.programs, notes.program_lines) = (programs, program_lines);
    }
}
