//! Decides whether the values of a line follow from the messages that it was made from, and whether anybody has its names.
//!
//! A value is looked for in the sources that share a word with its line, or have none, or are in another script; in all
//! sources if they are few, or the line has no words. It follows
//!
//! | value | if a source has |
//! |---|---|
//! | a date | the same date, with or without its year; a relative date (`tomorrow`, `来週の金曜`, `3日後`, `the 15th`, `月末`) that means it; a date and so many days, weeks or months, or the day beside it; or its message was written on that day |
//! | a time | the same time on either clock; noon and midnight; a length that is written like one; or its message was written then |
//! | a month, a year | one of those dates |
//! | a number | the same digits, with whatever unit; the same in words, in another unit; `half`, `double`; the distance of two times; one that the line calls a result, or an estimate of one that is near |
//! | an id, a version | the same, with or without `v` |
//! | a URL, an e-mail address, a file | the same |
//! | a phone number | the same digits |
//!
//! A value may be read in another way than it was meant, so it also follows if each part of it does: `On-call:8/17`,
//! `8893(8883`.
//!
//! Names are not asked about: a name that nobody has and no source names is marked, and so is a mention (`names`).

mod days;
mod evidence;
mod founded;
mod names;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::ops::Range;

use crate::bindings::types::Timestamp;
use crate::extractive::is_note;
use crate::text::lines::lines;
use crate::text::values::{Found, Value, normal, reading};
use crate::text::{flatten, strip_markers};
use evidence::{Evidence, Said};
use founded::follows;
use names::Names;

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
    /// The values that do not follow, as they are written, or else the unknown names.
    pub values: Vec<String>,
    /// The reason.
    pub doubt: Doubt,
}

/// Why a line does not follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// It has values that do not follow.
    Value,
    /// It mentions a person or a channel that nothing names.
    Stranger,
    /// It has words that look like names, and that nothing names.
    Name,
}

/// The lines of a text that do not follow from what it was made from, in order. Any line may mention the people and channels
/// with the names and ids in `known`.
#[must_use]
pub fn unfounded(text: &str, given: &[Given<'_>], known: &[&str]) -> Vec<Unfounded> {
    let said: LazyCell<Vec<Said>, _> = LazyCell::new(|| given.iter().map(Said::of).collect());
    let names = Names::of(given, known);
    let mut in_code = false;
    let lines = lines(text).into_iter().filter_map(|range| {
        let line = text.get(range.clone()).unwrap_or_default();
        in_code ^= line.starts_with("```");
        if is_note(line) {
            return None;
        }
        let flat = flatten(line);
        let flat = strip_markers(&flat).0;
        let body = normal(flat);
        let mut found = values_of(&body, &names);
        let evidence = LazyCell::new(|| Evidence::near(flat, &said));
        found.retain(|found| !follows(&evidence, found, &body));
        let written = found
            .iter()
            .filter_map(|found| body.get(found.range.clone()));
        let mut values: Vec<String> = written.map(str::to_owned).collect();
        let mut doubt = Doubt::Value;
        // In code, `@` and `#` mention nobody.
        if values.is_empty() && body.contains(['@', '#']) && !in_code && !body.contains('`') {
            (values, doubt) = (names.strangers(&body, &said), Doubt::Stranger);
        }
        if values.is_empty() {
            (values, doubt) = (names.unheard(flat, &body, &said), Doubt::Name);
        }
        (!values.is_empty()).then_some(Unfounded {
            range,
            values,
            doubt,
        })
    });
    lines.collect()
}

/// Returns true if a line has no values, or one that follows from this source alone. Its words may be of another language.
#[must_use]
pub fn may_cite(line: &str, given: &Given<'_>) -> bool {
    let flat = flatten(line);
    let body = normal(strip_markers(&flat).0);
    let found = values_of(&body, &Names::of(std::slice::from_ref(given), &[]));
    let said = [Said::of(given)];
    let evidence = Evidence::near("", &said);
    found.is_empty() || found.iter().any(|found| follows(&evidence, found, &body))
}

/// The values of a line in normal form.
fn values_of(body: &str, names: &Names) -> Vec<Found> {
    let mut found = reading::read(body);
    found.retain(|found| !names.has(&found.value) && !is_mark(body, found));
    found
}

/// Returns true if a number only numbers the line or a part of it: `2. `, `(1)`.
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
        at = end_with_space(text, line);
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    kept.trim_end().to_owned()
}

/// Where the white space ends that follows a line.
pub(crate) fn end_with_space(text: &str, line: &Unfounded) -> usize {
    let rest = text.get(line.range.end..).unwrap_or_default();
    text.len() - rest.trim_start_matches([' ', '\n', '\r', '\t']).len()
}
