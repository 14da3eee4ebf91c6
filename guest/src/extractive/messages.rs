//! Messages as candidates: `- 2024-03-01 alice: sentence`.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use chrono::{DateTime, Datelike};

use super::context::Earlier;
use super::facts::Names;
use super::score::{Candidate, Content, Crowd, Vocabulary};
use super::sentences;
use super::text::{cut, flatten, strip_markers};
use crate::bindings::types::{Message, Timestamp};

/// A silence of so many seconds ends a burst of talk.
const BURST_GAP_SECONDS: i64 = 1800;
/// A question at the top level counts as answered when somebody else writes so soon after it.
const ANSWER_MESSAGES: usize = 4;
const ANSWER_SECONDS: i64 = 900;
/// By how much what was picked of a burst or a writer discounts the rest.
const SEGMENT_DISCOUNT: f64 = 0.15;
const WRITER_DISCOUNT: f64 = 0.08;
/// Names are cut where they are wider than this.
const MAX_NAME_WIDTH: usize = 40;

/// All sentences of the messages, in their order.
pub(super) fn candidates(messages: &[&Message], vocabulary: &mut Vocabulary) -> Vec<Candidate> {
    let speakers: Vec<Rc<str>> = messages
        .iter()
        .map(|m| Rc::from(format!("{}: ", name(m))))
        .collect();
    let names = Names::new(
        speakers
            .iter()
            .map(|speaker| speaker.trim_end_matches(": ")),
    );
    let segments = segments(messages);
    let answered = answered(messages);
    let mut writers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut earlier = Earlier::default();
    let mut candidates = Vec::new();
    let known = messages
        .iter()
        .zip(speakers)
        .zip(segments)
        .zip(answered)
        .enumerate();
    for (line, (((message, speaker), segment), answered)) in known {
        let next = writers.len();
        let writer = *writers.entry(&message.user.id).or_insert(next);
        let date = local_date(message.timestamp).map_or(String::new(), |date| format!("{date} "));
        let of_message = candidates.len();
        for sentence in sentences::split(&message.text) {
            let mut content = vocabulary.read(&sentence.text, &names);
            if let Some(lead) = sentence.lead.as_deref() {
                content.decision += super::cues::decision(&lead.to_lowercase()) / 2.0;
            }
            let factor = factor(&mut content, message.user.is_bot, sentence.code, answered);
            candidates.push(Candidate {
                line,
                prefix: format!("- {date}"),
                context: None,
                speaker: speaker.clone(),
                lead: sentence.lead,
                text: sentence.text,
                crowds: [
                    Crowd {
                        id: segment,
                        discount: SEGMENT_DISCOUNT,
                    },
                    Crowd {
                        id: writer,
                        discount: WRITER_DISCOUNT,
                    },
                ],
                content,
                factor,
            });
        }
        if !message.user.is_bot {
            earlier.go_on(
                segment,
                message.thread_ts.is_some(),
                candidates.get_mut(of_message..).unwrap_or_default(),
            );
        }
    }
    candidates
}

fn factor(content: &mut Content, bot: bool, code: bool, answered: bool) -> f64 {
    let mut factor = if bot { 0.4 } else { 1.0 };
    if code {
        factor *= 0.4;
    }
    if content.question {
        // What is decided is not asked.
        content.decision /= 2.0;
        if answered {
            factor *= 0.5;
        } else {
            content.decision += 1.0;
        }
    }
    factor
}

/// The name to show: one line that forges neither a label nor the end of the name.
fn name(message: &Message) -> String {
    let flat = flatten(&message.user.name);
    let name = strip_markers(&flat)
        .0
        .trim_start_matches(['#', '@'])
        .replace(": ", " ");
    let name = cut(name.trim_end_matches(':').trim(), MAX_NAME_WIDTH);
    if name.is_empty() {
        "?".to_owned()
    } else {
        name
    }
}

/// The day in local time, `YYYY-MM-DD`; none where four digits do not hold the year.
fn local_date(time: Timestamp) -> Option<String> {
    let local = time
        .unix_seconds
        .checked_add(i64::from(time.utc_offset_seconds))?;
    let date = DateTime::from_timestamp(local, 0)?.date_naive();
    (0..=9999)
        .contains(&date.year())
        .then(|| date.format("%Y-%m-%d").to_string())
}

/// Which burst of talk each message belongs to: messages of one thread without a long silence.
fn segments(messages: &[&Message]) -> Vec<usize> {
    let mut open: BTreeMap<Option<&str>, (usize, i64)> = BTreeMap::new();
    let mut segments = Vec::with_capacity(messages.len());
    let mut count = 0;
    for message in messages {
        let thread = message.thread_ts.as_deref();
        let time = message.timestamp.unix_seconds;
        let id = match open.get(&thread) {
            Some((id, last)) if time.saturating_sub(*last) <= BURST_GAP_SECONDS => *id,
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

/// Whether somebody else wrote after each message: in its thread, or soon after it at the top level.
fn answered(messages: &[&Message]) -> Vec<bool> {
    let mut later: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut top_level: Vec<&Message> = Vec::new();
    let mut answered: Vec<bool> = messages
        .iter()
        .rev()
        .map(|message| {
            let writer = message.user.id.as_str();
            let Some(thread) = message.thread_ts.as_deref() else {
                let soon = top_level.iter().rev().take(ANSWER_MESSAGES);
                let found = soon.clone().any(|next| {
                    let wait = next
                        .timestamp
                        .unix_seconds
                        .saturating_sub(message.timestamp.unix_seconds);
                    next.user.id != writer && wait <= ANSWER_SECONDS
                });
                top_level.push(message);
                return found;
            };
            let writers = later.entry(thread).or_default();
            let found = writers.iter().any(|other| *other != writer);
            if writers.len() < 2 {
                writers.insert(writer);
            }
            found
        })
        .collect();
    answered.reverse();
    answered
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
