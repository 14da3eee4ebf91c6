//! Messages with the dates that they mean: `next Friday (2026-12-04)`, `来週の金曜 (2026-12-04)`.
//!
//! Without a model memories and answers quote what was said, and the words stay: the date behind them is counted from the day of the
//! message, in the workspace's time.

use chrono::{Datelike as _, NaiveDate};

use super::relative::relative;
use crate::bindings::types::Message;
use crate::now::local;
use crate::text::is_line_break;
use crate::text::sentences::{looks_like_code, sentence_ranges};

/// The text of a message with a date behind each relative one; `None` if it stays as it is, as the text that was edited on
/// a later day does, or that quotes another one.
pub(crate) fn dated(message: &Message) -> Option<String> {
    let today = local(message.timestamp)?.date();
    let edited = message.edited_at.and_then(local);
    let is_later = edited.is_some_and(|edited| edited.date() != today);
    let is_quotation = message
        .text
        .lines()
        .any(|line| line.trim_start().starts_with('>'));
    if is_later || is_quotation || message.text.contains("```") {
        return None;
    }
    let mut dated = String::with_capacity(message.text.len());
    for line in message.text.split_inclusive(is_line_break) {
        if looks_like_code(line) {
            dated.push_str(line);
            continue;
        }
        let mut end = 0;
        for sentence in sentence_ranges(line) {
            dated.push_str(line.get(end..sentence.start).unwrap_or_default());
            push(
                &mut dated,
                line.get(sentence.clone()).unwrap_or_default(),
                today,
            );
            end = sentence.end;
        }
        dated.push_str(line.get(end..).unwrap_or_default());
    }
    (dated != message.text).then_some(dated)
}

/// Appends a sentence of that day.
fn push(text: &mut String, sentence: &str, today: NaiveDate) {
    let mut written = 0;
    for (end, date) in relative(sentence, today) {
        text.push_str(sentence.get(written..end).unwrap_or_default());
        if (0..=9999).contains(&date.year()) {
            text.push_str(&format!(" ({date})"));
        }
        written = end;
    }
    text.push_str(sentence.get(written..).unwrap_or_default());
}
