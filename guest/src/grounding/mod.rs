//! Whether what a line says follows from the messages that it was made from.
//!
//! Each line of a text is matched with its sources ([`crate::citations`]), and its values are looked for in them. A value
//! is founded if a cited source has it, or if it follows from one by these rules:
//!
//! | value | follows from |
//! |---|---|
//! | a date | the same date, with or without its year; a relative date (`tomorrow`, `来週の金曜`, `3日後`, `the 15th`, `月末`, `8月第一土曜`), counted from the day of the message; the day of the message, if it means no other |
//! | a time | the same time on either clock; the time of the message; noon and midnight |
//! | a month, a weekday, a year | one of those dates |
//! | a number | the same number, in digits or in words, with its unit or without; the same length, size or weight in another unit; `half`, `double` |
//! | an id, a version | the same, with or without `v` |
//! | a URL, an e-mail address, a file | the same |
//! | a phone number | the same digits |
//!
//! What does not follow by these rules may follow by a calculation. Then it is in doubt, because a wrong number may be the
//! result of one, too:
//!
//! | value | may follow from |
//! |---|---|
//! | a date | a date and a number of days, weeks or months of the sources; a week, a weekday of every week, the day before or after |
//! | a time | a time and one or two lengths of time; an hour without a unit; the other half of the day |
//! | a number | a sum, difference, product or share of two, a sum of three; the distance of two times or dates; a rounded number; the same with another unit |
//! | | a count of the people or messages that the line cites, or of the things that a message or the line lists |
//!
//! What follows by neither is wrong.
//! What the cited sources do not say is looked for in all that share a word with the line; in all sources if they are few,
//! or the line has no words.
//!
//! A line shares no word with what it translates, so a value that only sources in another script have is in doubt, too.
//!
//! People are judged by `attribution`: a line that names an author is in doubt if the messages that say most of it are
//! neither by that person nor name them, and so is a name that nobody has and no source names.

mod arithmetic;
mod attribution;
mod calendar;
mod clock;
mod dated;
mod dates;
mod evidence;
mod months;
mod numbers;
mod reading;
mod relative;
mod support;
#[cfg(test)]
mod tests;
mod weekdays;

use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

use crate::bindings::types::{MessageRef, Timestamp};
use crate::citations::{Source, cite};
use crate::extractive::is_note;
use crate::extractive::terms::terms;
use crate::extractive::text::{flatten, is_kana, is_kanji, strip_markers};
use crate::values::{Found, Value, normal};
use attribution::People;
pub(crate) use dated::dated;
use evidence::{Evidence, Said};
use support::support;

/// So few sources are one conversation: a line may follow from any of them.
const FEW: usize = 12;

/// A source of a text: a message, a part of an older one that is kept as a record, or a line of a memory.
#[derive(Clone, Copy, Debug)]
pub struct Given<'a> {
    /// Its text.
    pub text: &'a str,
    /// Who wrote the message; `None` for a line of a memory and for a record.
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
    /// Whether it is certain; else it may follow by a calculation.
    pub is_certain: bool,
}

/// How well a value is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Support {
    None,
    /// It may follow by a calculation.
    Calculated,
    Said,
}

impl Support {
    fn if_said(is_said: bool) -> Self {
        if is_said { Self::Said } else { Self::None }
    }
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
    let said: Vec<LazyCell<Said, _>> = given
        .iter()
        .map(|given| LazyCell::new(|| Said::of(given)))
        .collect();
    let words: LazyCell<Vec<BTreeSet<String>>, _> =
        LazyCell::new(|| given.iter().map(words_of).collect());
    let messages = given.iter().filter(|given| given.author.is_some()).count();
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
    let people = LazyCell::new(|| People {
        authors: &names.authors,
        said: said.iter().map(|said| &**said).collect(),
    });
    let lines = cite(text, &sources).into_iter().filter_map(|line| {
        let own = text.get(line.range.clone()).unwrap_or_default();
        let of = |of: &MessageRef| said.get(of.ts.parse::<usize>().ok()?).map(|said| &**said);
        let cited = Evidence::of(line.messages.iter().filter_map(of), messages);
        // Lines do not cite all that they were counted and calculated from.
        let near = || {
            let related = related(own, given.len(), &words);
            let said = related.filter_map(|at| said.get(at)).map(|said| &**said);
            Evidence::of(said, messages)
        };
        let elsewhere = || {
            let translated = in_another_script(own, given);
            let said = translated.filter_map(|at| said.get(at)).map(|said| &**said);
            Evidence::of(said, messages)
        };
        let mut wrong = wrong_values(own, &cited, (&near, &elsewhere), &names);
        let places: Vec<usize> = line
            .messages
            .iter()
            .filter_map(|of| of.ts.parse().ok())
            .collect();
        wrong.extend(people.doubtful(own, &places, &words));
        (!wrong.is_empty()).then(|| Unfounded {
            range: line.range,
            is_certain: wrong.iter().any(|wrong| wrong.is_certain),
            values: wrong.into_iter().map(|wrong| wrong.written).collect(),
        })
    });
    lines.collect()
}

fn words_of(given: &Given<'_>) -> BTreeSet<String> {
    own_words(given.text).collect()
}

/// The words of a line that are no numbers.
fn own_words(line: &str) -> impl Iterator<Item = String> {
    let words = terms(line).into_iter();
    words.filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
}

/// Which sources share a word with a line, or have none; all if they are few or the line has no words.
fn related<'w>(
    line: &str,
    count: usize,
    words: &'w [BTreeSet<String>],
) -> Box<dyn Iterator<Item = usize> + 'w> {
    let own: Vec<String> = own_words(line).collect();
    if own.is_empty() || count <= FEW {
        return Box::new(0..count);
    }
    let shares = move |words: &BTreeSet<String>| {
        words.is_empty() || own.iter().any(|term| words.contains(term))
    };
    let related = words.iter().enumerate();
    Box::new(related.filter_map(move |(at, words)| shares(words).then_some(at)))
}

/// Sources in Japanese for a line without, and the other way round: a line shares no word with what it translates.
fn in_another_script<'s>(line: &str, given: &'s [Given<'_>]) -> impl Iterator<Item = usize> + 's {
    let of_line = has_japanese(line);
    let given = given.iter().enumerate();
    given.filter_map(move |(at, given)| (has_japanese(given.text) != of_line).then_some(at))
}

fn has_japanese(text: &str) -> bool {
    text.chars().any(|c| is_kana(c) || is_kanji(c))
}

/// Names that a line may have, in the form of [`normal`].
struct Names {
    authors: BTreeSet<String>,
    channels: BTreeSet<String>,
}

impl Names {
    fn has(&self, value: &Value) -> bool {
        let (Value::Code(word) | Value::Address(word)) = value else {
            return false;
        };
        let mut words = self.authors.iter().flat_map(|name| name.split_whitespace());
        self.channels.contains(word) || words.any(|name| name == word)
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

/// What a line says that does not follow from its sources: those that it cites, or else those `near` it. What only sources
/// in another script say is in doubt.
fn wrong_values<'s>(
    line: &str,
    cited: &Evidence<'s>,
    (near, elsewhere): (&dyn Fn() -> Evidence<'s>, &dyn Fn() -> Evidence<'s>),
    names: &Names,
) -> Vec<Wrong> {
    if is_note(line) {
        return Vec::new();
    }
    let flat = flatten(line);
    let body = normal(strip_markers(&flat).0);
    let found = reading::read(&body);
    let (near, elsewhere) = (LazyCell::new(near), LazyCell::new(elsewhere));
    let mut wrong = Vec::new();
    for value in found.iter().filter(|found| !names.has(&found.value)) {
        if is_mark(&body, value) {
            continue;
        }
        let mut supported = support(cited, value, &body);
        if supported != Support::Said {
            supported = supported.max(support(&near, value, &body));
        }
        if supported != Support::Said {
            let is_certain =
                supported == Support::None && support(&elsewhere, value, &body) == Support::None;
            wrong.push(Wrong {
                written: body.get(value.range.clone()).unwrap_or_default().to_owned(),
                is_certain,
            });
        }
    }
    let mut weekdays = calendar::wrong_weekdays(cited, &body, &found);
    if !weekdays.is_empty() {
        weekdays = calendar::wrong_weekdays(&near, &body, &found);
    }
    let weekdays = weekdays.into_iter().map(str::to_owned);
    wrong.extend(weekdays.map(Wrong::doubtful));
    wrong
}

/// Whether a number only numbers the line or a part of it: `2. `, `(1)`.
fn is_mark(line: &str, found: &Found) -> bool {
    let before = line.get(..found.range.start).unwrap_or_default();
    let after = line.get(found.range.end..).unwrap_or_default();
    let begins = before.is_empty() && after.starts_with(['.', ')', '、']);
    let is_number = matches!(&found.value, Value::Number(own) if own.unit.is_none());
    is_number && (begins || before.ends_with('(') && after.starts_with(')'))
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
