//! The citations of a memory or an answer: each line of its text with the messages that it was made from.

use crate::bindings::storage::Memory;
use crate::bindings::types::{Citation, Context, Engine, KeptText, MessageRef};
use crate::citations::{Source, cite, narrowed};
use crate::cited_lines::{cited_lines, lines_with};
use crate::extractive;
use crate::notes::shown_texts;
use crate::prompt;

/// The citations of a text. Without a model it was made from the messages of the context and from `merged`; a model was
/// shown `around`, and what the notes show of messages.
pub(crate) fn citations(
    text: &str,
    engine: Engine,
    context: &Context,
    merged: &[&Memory],
    around: &[&Memory],
) -> Vec<Citation> {
    let saw_all = engine != Engine::Extractive;
    let notes = context.notes.iter().filter(|_| saw_all);
    let around = around.iter().filter(|_| saw_all);
    let memories: Vec<&Memory> = merged.iter().chain(around).copied().collect();
    cited(text, context, notes.flat_map(shown_texts), &memories)
}

/// The citations of an answer that quotes messages, marks and memories.
pub(crate) fn citations_of_quotes(
    text: &str,
    context: &Context,
    memories: &[&Memory],
) -> Vec<Citation> {
    let notes = context.notes.iter();
    let marks = notes.flat_map(|notes| notes.pinned.iter().chain(&notes.corrections));
    cited(text, context, marks, memories)
}

fn cited<'c>(
    text: &str,
    context: &'c Context,
    kept: impl Iterator<Item = &'c KeptText>,
    memories: &[&'c Memory],
) -> Vec<Citation> {
    let channel_id = &context.conversation_history.channel_id;
    let messages = prompt::conversation_messages(context).map(|message| Source {
        text: &message.text,
        author: Some(&message.user.name),
        time: Some(message.timestamp),
        messages: vec![MessageRef {
            channel_id: channel_id.clone(),
            ts: message.ts.clone(),
        }],
        is_own: prompt::is_own(message, &context.persona),
    });
    let kept = kept.map(of_message);
    let found = context.notes.iter().flat_map(|notes| &notes.sources);
    let found = found.map(|source| Source {
        text: &source.text,
        author: source.user.as_ref().map(|user| user.name.as_str()),
        time: source.timestamp,
        messages: source.messages.clone(),
        is_own: false,
    });
    let lines = memories.iter().flat_map(|memory| lines_of(memory));
    let sources: Vec<Source<'_>> = messages.chain(kept).chain(found).chain(lines).collect();
    let mut citations = Vec::new();
    let (mut counted, mut position) = (0, 0);
    for line in cite(text, &sources) {
        let said = text.get(line.range.clone()).unwrap_or_default();
        // How a text was made is no statement about a message.
        if extractive::is_note(said) {
            continue;
        }
        let between = text.get(counted..line.range.start).unwrap_or_default();
        position += scalars(between);
        let length = scalars(said);
        citations.push(Citation {
            start: position,
            length,
            messages: line.messages,
            // The host says it when it returns the memory.
            by_program: false,
        });
        counted = line.range.end;
        position += length;
    }
    citations
}

/// The lines of a memory as sources.
fn lines_of(memory: &Memory) -> impl Iterator<Item = Source<'_>> {
    cited_lines(memory).map(|(text, citation)| Source {
        text,
        author: None,
        time: None,
        messages: citation.messages.clone(),
        is_own: false,
    })
}

fn of_message(kept: &KeptText) -> Source<'_> {
    Source {
        text: &kept.text,
        author: Some(&kept.user.name),
        time: Some(kept.timestamp),
        messages: vec![kept.span.message.clone()],
        is_own: false,
    }
}

/// Leaves of the messages that the lines of a merged text cite those that the lines say something of, given their texts.
pub(crate) fn narrow(text: &str, citations: &mut [Citation], said: &[KeptText]) {
    let said: Vec<Source<'_>> = said.iter().map(of_message).collect();
    let lines = lines_with(text, citations);
    let lines: Vec<(&str, &[MessageRef])> = lines
        .map(|(line, citation)| (line, citation.messages.as_slice()))
        .collect();
    let narrowed = narrowed(&lines, &said);
    for (citation, messages) in citations.iter_mut().zip(narrowed) {
        citation.messages = messages;
    }
}

fn scalars(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX)
}
