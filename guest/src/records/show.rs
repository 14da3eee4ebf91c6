//! Chooses which records a prompt shows.

use std::collections::BTreeSet;

use super::rank;
use crate::answer::CountTokens;
use crate::bearing::bearing;
use crate::bindings::errors::Error;
use crate::bindings::storage::Memory;
use crate::bindings::types::{Context, KeptSpan, KeptText};
use crate::marks::{Corrections, Marks};
use crate::ports::Storage;
use crate::prompt::conversation_messages;
use crate::text::flatten;
use crate::ts::Ts;

/// So many of the best records are counted: far more than fit.
const MOST_COUNTED: usize = 200;
/// Tokens around a record's text: time and marks.
const AROUND: u32 = 16;

/// How many records a prompt has room for, and what it asks.
#[derive(Clone, Copy)]
pub(crate) struct Room<'r> {
    /// The question, in a reply's prompt.
    pub(crate) question: Option<&'r str>,
    /// The limit in tokens.
    pub(crate) max_tokens: u32,
    pub(crate) count_tokens: &'r CountTokens<'r>,
}

/// The notes that a prompt shows beside messages and memories.
pub(crate) struct Shown {
    pub(crate) records: Vec<KeptText>,
    pub(crate) marks: Marks,
}

/// The marks, and the records of memories, that a prompt shows. Marks take at most half of the room. Records are not those
/// of messages that it shows anyway, nor those that a correction strikes. One storage call, if there are records.
pub(crate) fn shown_of(
    storage: &dyn Storage,
    memories: &[&Memory],
    context: &Context,
    marks: &Marks,
    room: Room<'_>,
) -> Result<Shown, Error> {
    let (shown, used) = marks.shown(room.max_tokens / 2, room.count_tokens);
    let room = Room {
        max_tokens: room.max_tokens - used,
        ..room
    };
    Ok(Shown {
        records: records_of(storage, memories, context, marks, room)?,
        marks: shown,
    })
}

fn records_of(
    storage: &dyn Storage,
    memories: &[&Memory],
    context: &Context,
    marks: &Marks,
    room: Room<'_>,
) -> Result<Vec<KeptText>, Error> {
    let channel_id = context.conversation_history.channel_id.as_str();
    let messages: BTreeSet<(&str, &str)> = conversation_messages(context)
        .map(|message| (channel_id, message.ts.as_str()))
        .collect();
    let mut seen = BTreeSet::new();
    let mut spans = Vec::new();
    for span in memories.iter().flat_map(|memory| &memory.records) {
        let of = (span.message.channel_id.as_str(), span.message.ts.as_str());
        let is_shown = messages.contains(&of) || marks.has(&span.message);
        if !is_shown && seen.insert((of, span.start)) {
            spans.push(span.clone());
        }
    }
    if room.max_tokens == 0 {
        return Ok(Vec::new());
    }
    let corrections = Corrections::of(marks);
    let mut records = read_spans(storage, &spans)?;
    records.retain(|record| {
        let of = std::slice::from_ref(&record.span.message);
        corrections.striking(&record.text, of).is_none()
    });
    Ok(shown(records, room))
}

/// The words of parts of messages: no storage call if there are none.
pub(crate) fn read_spans(
    storage: &dyn Storage,
    spans: &[KeptSpan],
) -> Result<Vec<KeptText>, Error> {
    match spans {
        [] => Ok(Vec::new()),
        spans => storage.read_spans(spans).map_err(Error::Storage),
    }
}

/// The records to show, oldest first: those that bear on the question, if there is one, then decisions and tasks, then
/// the newest.
pub(super) fn shown(mut records: Vec<KeptText>, room: Room<'_>) -> Vec<KeptText> {
    let bearing = match room.question {
        Some(question) => {
            let said: Vec<String> = records
                .iter()
                .map(|record| format!("{} {}", record.user.name, record.text))
                .collect();
            bearing(said.iter().map(String::as_str), question)
        }
        None => vec![0; records.len()],
    };
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|at| {
        let record = records.get(*at);
        std::cmp::Reverse((
            bearing.get(*at).copied(),
            record.map(|record| std::cmp::Reverse(rank(record))),
            record.and_then(time),
        ))
    });
    order.truncate(MOST_COUNTED);
    for record in &mut records {
        record.text = flatten(&record.text);
    }
    let texts: Vec<String> = order
        .iter()
        .filter_map(|at| records.get(*at))
        .map(|record| format!("{}: {}", record.user.name, record.text))
        .collect();
    if texts.is_empty() {
        return Vec::new();
    }
    let mut left = room.max_tokens;
    let mut chosen = BTreeSet::new();
    for (at, count) in order.into_iter().zip((room.count_tokens)(&texts)) {
        if let Some(rest) = left.checked_sub(count.saturating_add(AROUND)) {
            left = rest;
            chosen.insert(at);
        }
    }
    let mut shown: Vec<KeptText> = records
        .into_iter()
        .enumerate()
        .filter(|(at, _)| chosen.contains(at))
        .map(|(_, record)| record)
        .collect();
    shown.sort_by_key(time);
    shown
}

/// When the message of a record was written.
fn time(record: &KeptText) -> Option<Ts> {
    Ts::parse(&record.span.message.ts).ok()
}
