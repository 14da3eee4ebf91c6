//! The lines of a memory with their citations.

use crate::bindings::storage::Memory;
use crate::bindings::types::Citation;

/// The lines of a memory that was read with its citations, in order.
pub(crate) fn cited_lines(memory: &Memory) -> impl Iterator<Item = (&str, &Citation)> {
    lines_with(&memory.content, &memory.citations)
}

/// The lines of a text with their citations, in order.
pub(crate) fn lines_with<'t>(
    text: &'t str,
    citations: &'t [Citation],
) -> impl Iterator<Item = (&'t str, &'t Citation)> {
    let (mut at, mut byte) = (0, 0);
    citations.iter().filter_map(move |citation| {
        let skipped = citation.start.checked_sub(at)?;
        let start = byte + bytes(text.get(byte..)?, skipped);
        let end = start + bytes(text.get(start..)?, citation.length);
        (at, byte) = (citation.start.saturating_add(citation.length), end);
        Some((text.get(start..end)?, citation))
    })
}

/// How many bytes the first Unicode scalar values of a text have.
fn bytes(text: &str, scalars: u32) -> usize {
    let scalars = usize::try_from(scalars).unwrap_or(usize::MAX);
    let end = text.char_indices().nth(scalars);
    end.map_or(text.len(), |(at, _)| at)
}
