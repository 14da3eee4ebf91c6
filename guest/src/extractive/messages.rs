//! Messages as candidates: `- 2024-03-01 alice: sentence`.

use std::collections::BTreeMap;
use std::rc::Rc;

use chrono::Datelike as _;

use super::score::{Candidate, Vocabulary};
use crate::bindings::types::{Message, Timestamp};
use crate::now::local;
use crate::text::sentences::split;
use crate::text::{cut, flatten, strip_markers};

/// Wider names are cut.
const MAX_NAME_WIDTH: usize = 40;

/// The sentences of the messages, in their order.
pub(super) fn candidates(messages: &[&Message], vocabulary: &mut Vocabulary) -> Vec<Candidate> {
    let speakers: Vec<Rc<str>> = messages.iter().map(|m| Rc::from(name(m))).collect();
    let mut writers: BTreeMap<&str, usize> = BTreeMap::new();
    let mut candidates = Vec::new();
    for (line, (message, speaker)) in messages.iter().zip(speakers).enumerate() {
        let next = writers.len();
        let writer = *writers.entry(&message.user.id).or_insert(next);
        for sentence in split(&message.text) {
            candidates.push(Candidate {
                line,
                prefix: prefix(message.timestamp),
                speaker: speaker.clone(),
                writer,
                content: vocabulary.read(&sentence.text),
                text: sentence.text,
                factor: factor(message.user.is_bot, sentence.code),
            });
        }
    }
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
    shown_name(&message.user.name)
}

/// The same of a name.
pub(crate) fn shown_name(name: &str) -> String {
    let flat = flatten(name);
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
    let date = local(time)?.date();
    (0..=9999).contains(&date.year()).then(|| date.to_string())
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
