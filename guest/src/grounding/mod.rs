//! Whether what a line says follows from the messages that it was made from.
//!
//! Each line of a text is matched with its sources ([`crate::citations`]), and its values are looked for in them. A value
//! is founded if a cited source has it, or if it follows from one by these rules:
//!
//! | value | follows from |
//! |---|---|
//! | a date | the same date, with or without its year; the day of the message; a relative date (`tomorrow`, `来週の金曜`, `3日後`, `the 15th`, `月末`), counted from the day of the message |
//! | a time | the same time on either clock; the time of the message; noon and midnight |
//! | a month, a weekday, a year | one of those dates |
//! | a number | the same number, in digits or in words, with its unit or without; the same length of time or size in another unit; `half`, `double` |
//! | | a count: the number of people or messages that the line cites, or of the things that a message or the line lists, unless the sources give another number of them |
//! | | a sum or a difference of numbers with its unit, if the line says that it is one; a rounded number, if the line says so |
//! | an id, a version | the same, with or without `v` |
//! | a URL, an e-mail address, a file | the same |
//! | a phone number | the same digits |
//!
//! What the cited sources do not found is looked for in all that share a word with the line; in all sources if they are few,
//! or the line has no words.
//! What does not follow by these rules may still follow by a calculation that they do not know. It is certainly wrong if it is
//! an id or an address, which nobody calculates, or a number that has one digit other than a number of the sources, or
//! two swapped, and is no sum, difference, product or share of theirs.
//!
//! A line that begins with the name of a person who wrote something is not founded if none of its messages is by that
//! person or names them; that is not certain either. Other names are not judged.

mod arithmetic;
mod dates;
mod evidence;
mod numbers;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::ops::Range;

use crate::bindings::types::{MessageRef, Timestamp};
use crate::citations::{Source, cite, label};
use crate::extractive::is_note;
use crate::extractive::terms::terms;
use crate::extractive::text::{flatten, strip_markers};
use crate::values::{Value, normal, read};
use evidence::Evidence;

/// So few sources are one conversation: a line may follow from any of them.
const FEW: usize = 12;

/// A source of a text: a message, or a line of a memory.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Its text.
    pub text: &'a str,
    /// Who wrote the message; `None` for a line of a memory.
    pub author: Option<&'a str>,
    /// When the message was written.
    pub time: Option<Timestamp>,
}

/// A line that does not follow from its sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unfounded {
    /// Where the line is in the text, in bytes.
    pub range: Range<usize>,
    /// What does not follow, as it is written.
    pub values: Vec<String>,
    /// Whether it is certain; else it may follow by a calculation that the rules do not know.
    pub is_certain: bool,
}

/// The lines of a text that do not follow from what it was made from, in order. Any line may have the names of
/// `channels`, as `#name`.
#[must_use]
pub fn unfounded(text: &str, given: &[Given<'_>], channels: &[&str]) -> Vec<Unfounded> {
    let sources: Vec<Source<'_>> = given
        .iter()
        .enumerate()
        .map(|(number, given)| Source {
            text: given.text,
            author: given.author,
            time: given.time,
            messages: vec![MessageRef {
                channel_id: String::new(),
                ts: number.to_string(),
            }],
        })
        .collect();
    let mut unfounded = Vec::new();
    let words: Vec<BTreeSet<String>> = given.iter().map(words_of).collect();
    let names = Names {
        authors: given
            .iter()
            .filter_map(|given| given.author)
            .map(normal)
            .collect(),
        channels: channels
            .iter()
            .map(|name| format!("#{}", normal(name)))
            .collect(),
    };
    for line in cite(text, &sources) {
        let said = text.get(line.range.clone()).unwrap_or_default();
        let cited: Vec<Given<'_>> = line
            .messages
            .iter()
            .filter_map(|of| given.get(of.ts.parse::<usize>().ok()?).copied())
            .collect();
        let mut evidence = Evidence::of(&cited);
        let related = related(said, given, &words);
        evidence.count(&related);
        let speaker = label(said).filter(|name| names.authors.contains(name));
        let speaker = speaker.filter(|name| !evidence.names(name));
        let mut wrong = wrong_values(said, &evidence, &names);
        if !wrong.is_empty() {
            // Lines do not cite all that they were counted and calculated from.
            let has_words = own_words(said).next().is_some();
            let is_whole = !has_words || given.len() <= FEW;
            let near = if is_whole { given } else { &related };
            let mut evidence = Evidence::of(near);
            evidence.count(&related);
            let still_wrong = wrong_values(said, &evidence, &names);
            wrong = still_wrong;
        }
        wrong.extend(speaker.map(Wrong::doubtful));
        if !wrong.is_empty() {
            let is_certain = wrong.iter().any(|wrong| wrong.is_certain);
            let values = wrong.into_iter().map(|wrong| wrong.written);
            unfounded.push(Unfounded {
                range: line.range,
                values: values.collect(),
                is_certain,
            });
        }
    }
    unfounded
}

fn words_of(given: &Given<'_>) -> BTreeSet<String> {
    own_words(given.text).collect()
}

/// The words of a line that are no numbers.
fn own_words(line: &str) -> impl Iterator<Item = String> {
    let words = terms(line).into_iter();
    words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
}

/// The sources that share a word with a line, or have none.
fn related<'g>(line: &str, given: &[Given<'g>], words: &[BTreeSet<String>]) -> Vec<Given<'g>> {
    let own: Vec<String> = own_words(line).collect();
    let shares =
        |words: &BTreeSet<String>| words.is_empty() || own.iter().any(|term| words.contains(term));
    let related = given.iter().zip(words).filter(|(_, words)| shares(words));
    related.map(|(given, _)| *given).collect()
}

/// Names that a line may have, in the form of [`normal`].
struct Names {
    authors: BTreeSet<String>,
    channels: BTreeSet<String>,
}

impl Names {
    fn is_channel(&self, value: &Value) -> bool {
        matches!(value, Value::Code(word) | Value::Address(word) if self.channels.contains(word))
    }
}

/// What does not follow.
#[derive(PartialEq)]
struct Wrong {
    written: String,
    is_certain: bool,
}

impl Wrong {
    fn doubtful(written: String) -> Self {
        Self {
            written,
            is_certain: false,
        }
    }
}

/// What a line says that does not follow from its sources.
fn wrong_values(line: &str, evidence: &Evidence, names: &Names) -> Vec<Wrong> {
    if is_note(line) {
        return Vec::new();
    }
    let flat = flatten(line);
    let body = normal(strip_markers(&flat).0);
    let found = read(&body);
    let mut wrong: Vec<Wrong> = found
        .iter()
        .filter(|found| !names.is_channel(&found.value))
        .filter(|value| !evidence.founds(value, &found, &body))
        .filter_map(|value| {
            Some(Wrong {
                written: body.get(value.range.clone())?.to_owned(),
                is_certain: evidence.is_certain(&value.value),
            })
        })
        .collect();
    let words = evidence.wrong_weekdays(&body, &found).into_iter();
    wrong.extend(words.map(Wrong::doubtful));
    wrong
}

/// A text without some of its lines, and the white space that followed them.
#[must_use]
pub fn without(text: &str, unfounded: &[Unfounded]) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut at = 0;
    for line in unfounded {
        kept.push_str(text.get(at..line.range.start).unwrap_or_default());
        let rest = text.get(line.range.end..).unwrap_or_default();
        at = text.len() - rest.trim_start_matches([' ', '\n', '\r', '\t']).len();
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept.trim_end().to_owned()
}
