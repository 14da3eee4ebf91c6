//! Messages as candidates: `- 2024-03-01 alice: sentence`.

use std::collections::BTreeMap;
use std::rc::Rc;

use chrono::{DateTime, Datelike};

use super::cues;
use super::names::Names;
use super::preceding::Earlier;
use super::questions;
use super::score::{Candidate, Crowd, Vocabulary};
use super::sentences::split;
use super::settled;
use super::text::{cut, flatten, strip_markers};
use crate::bindings::types::{Message, Timestamp};

/// A silence of so many seconds ends a burst of talk.
const BURST_GAP_SECONDS: i64 = 1800;
/// The discount for sentences of a burst or a writer that was picked from already.
const SEGMENT_DISCOUNT: f64 = 0.15;
const WRITER_DISCOUNT: f64 = 0.08;
/// Wider names are cut.
const MAX_NAME_WIDTH: usize = 40;

/// The sentences of the messages, in their order. What was settled is joined to what settles it.
pub(super) fn candidates(messages: &[&Message], vocabulary: &mut Vocabulary) -> Vec<Candidate> {
    let mut candidates = sentences(messages, vocabulary);
    // What a program wrote settles nothing.
    let by_person = |line: usize| messages.get(line).is_some_and(|said| !said.user.is_bot);
    settled::join(&mut candidates, |_, settling| by_person(settling));
    candidates
}

/// All sentences of the messages, in their order.
pub(super) fn sentences(messages: &[&Message], vocabulary: &mut Vocabulary) -> Vec<Candidate> {
    let speakers: Vec<Rc<str>> = messages.iter().map(|m| Rc::from(name(m))).collect();
    let names = Names::new(speakers.iter().map(|s| s.trim_end_matches(": ")));
    let crowds = crowds(messages);
    let mut earlier = Earlier::default();
    let mut candidates = Vec::new();
    let known = messages.iter().zip(speakers).zip(crowds).enumerate();
    for (line, ((message, speaker), crowds)) in known {
        let of_message = candidates.len();
        for sentence in split(&message.text) {
            let mut content = vocabulary.read(&sentence.text, &names);
            let lead = sentence.lead.as_deref().unwrap_or_default();
            content.decision += cues::decision(&lead.to_lowercase()) / 2.0;
            candidates.push(Candidate {
                line,
                prefix: prefix(message.timestamp),
                preceding: None,
                speaker: speaker.clone(),
                lead: sentence.lead,
                text: sentence.text,
                crowds,
                content,
                factor: factor(message.user.is_bot, sentence.code),
            });
        }
        if !message.user.is_bot {
            let [burst, _] = crowds;
            let sentences = candidates.get_mut(of_message..).unwrap_or_default();
            earlier.next_message(burst.id, message.thread_ts.is_some(), sentences);
        }
    }
    questions::weigh(&mut candidates, messages);
    candidates
}

/// Text of programs, and pasted text, is worth less.
fn factor(is_bot: bool, is_code: bool) -> f64 {
    let speaker = if is_bot { 0.4 } else { 1.0 };
    if is_code { speaker * 0.4 } else { speaker }
}

/// The beginning of a message's line.
fn prefix(time: Timestamp) -> String {
    local_date(time).map_or_else(|| "- ".to_owned(), |date| format!("- {date} "))
}

/// The name to show, with its colon, as one line that cannot forge a label or the end of the name.
pub(crate) fn name(message: &Message) -> String {
    let flat = flatten(&message.user.name);
    let name = strip_markers(&flat)
        .0
        .trim_start_matches(['#', '@'])
        .replace(": ", " ");
    match cut(name.trim_end_matches(':').trim(), MAX_NAME_WIDTH).as_str() {
        "" => "?: ".to_owned(),
        name => format!("{name}: "),
    }
}

/// The day in local time, `YYYY-MM-DD`; `None` if the year has more than four digits.
pub(crate) fn local_date(time: Timestamp) -> Option<String> {
    let local = time
        .unix_seconds
        .checked_add(i64::from(time.utc_offset_seconds))?;
    let date = DateTime::from_timestamp(local, 0)?.date_naive();
    (0..=9999).contains(&date.year()).then(|| date.to_string())
}

/// The burst of talk and the writer of each message.
fn crowds(messages: &[&Message]) -> Vec<[Crowd; 2]> {
    let mut writers: BTreeMap<&str, usize> = BTreeMap::new();
    let crowds = messages
        .iter()
        .zip(segments(messages))
        .map(|(message, segment)| {
            let burst = Crowd {
                id: segment,
                discount: SEGMENT_DISCOUNT,
            };
            let next = writers.len();
            let writer = *writers.entry(&message.user.id).or_insert(next);
            [
                burst,
                Crowd {
                    id: writer,
                    discount: WRITER_DISCOUNT,
                },
            ]
        });
    crowds.collect()
}

/// The burst of talk of each message: messages of one thread without a long silence.
fn segments(messages: &[&Message]) -> Vec<usize> {
    let mut open: BTreeMap<&str, (usize, i64)> = BTreeMap::new();
    let mut segments = Vec::with_capacity(messages.len());
    let mut count = 0;
    for message in messages {
        // The top level is treated as a thread without an id.
        let thread = message.thread_ts.as_deref().unwrap_or_default();
        let time = message.timestamp.unix_seconds;
        let id = match open.get(thread) {
            Some(&(id, last)) if time.saturating_sub(last) <= BURST_GAP_SECONDS => id,
            _ => {
                count += 1;
                count
            }
        };
        open.insert(thread, (id, time));
        segments.push(id);
    }
    segments
}

#[cfg(test)]
mod tests {
    use super::*;

    fn date(unix_seconds: i64, utc_offset_seconds: i32) -> Option<String> {
        local_date(Timestamp {
            unix_seconds,
            utc_offset_seconds,
        })
    }

    #[test]
    fn the_day_is_the_local_one_and_extreme_times_have_none() {
        assert_eq!(date(1_709_251_200, 0).as_deref(), Some("2024-03-01"));
        assert_eq!(date(1_709_251_200, -1).as_deref(), Some("2024-02-29"));
        assert_eq!(date(1_709_218_800, 32_400).as_deref(), Some("2024-03-01"));
        for seconds in [i64::MIN, i64::MAX, 1 << 50, -(1 << 50)] {
            assert_eq!(date(seconds, i32::MAX), None);
            assert_eq!(date(seconds, i32::MIN), None);
        }
    }
}
