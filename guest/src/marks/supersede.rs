//! Decides what a correction supersedes: what is older, and says something else of the same thing.
//!
//! A line is about the same thing if it has half of the words of the correction's subject, which is what stands before `は`,
//! `is` or `=`, or else all of it. It says something else if it has a value of the same kind as one of the correction's, and
//! not that value: another day, another amount of the same unit. A correction without a value supersedes lines with the
//! same subject and none of its other words.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::bindings::storage::Memory;
use crate::bindings::types::{KeptText, Message, MessageRef};
use crate::cited_lines::cited_lines;
use crate::extractive::is_note;
use crate::text::lines::lines;
use crate::text::terms::terms;
use crate::text::values::numbers::Point;
use crate::text::values::{Value, normal};
use crate::text::{flatten, strip_markers};
use crate::ts::Ts;

/// Words between a subject and what is said of it.
const LINKS: [&str; 6] = ["は", " is ", " are ", "＝", "=", "→"];
/// `2024-03-01 ` at the beginning of a memory's line.
const DAY_LENGTH: usize = 10;

/// Corrections, as far as they supersede something.
pub(crate) struct Corrections(Vec<Correction>);

struct Correction {
    at: Option<Ts>,
    statement: Statement,
}

/// The subject of a line, and what it says of it.
pub(super) struct Statement {
    subject: BTreeSet<String>,
    /// True if there is a subject: something links it to the rest.
    is_linked: bool,
    rest: BTreeSet<String>,
    values: Vec<Value>,
}

/// A line of a memory that a correction supersedes.
pub(crate) struct Superseded<'m> {
    /// Where it begins in the memory's text, in bytes.
    pub(crate) start: usize,
    pub(crate) text: &'m str,
    /// The messages that it cites.
    pub(crate) messages: Vec<MessageRef>,
}

impl Corrections {
    pub(crate) fn of(said: &[KeptText]) -> Self {
        let read = |mark: &KeptText| Correction {
            at: Ts::parse(&mark.span.message.ts).ok(),
            statement: Statement::read(&mark.text),
        };
        Self(said.iter().map(read).collect())
    }

    /// Returns true if a correction supersedes a text that was written at this time; `None` if that is not known.
    pub(crate) fn supersede(&self, text: &str, written: Option<Ts>) -> bool {
        if self.0.is_empty() {
            return false;
        }
        let line = Statement::read(text);
        let is_later = |correction: &Correction| written.is_none() || correction.at > written;
        let mut later = self.0.iter().filter(|correction| is_later(correction));
        later.any(|correction| correction.statement.contradicts(&line))
    }

    /// The lines of a memory that are superseded, with the messages that they cite. A line that cites a message which is as
    /// new as a correction knows better.
    pub(crate) fn superseded<'m>(&self, memory: &'m Memory) -> Vec<Superseded<'m>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let cited: Vec<(&str, &[MessageRef])> = cited_lines(memory)
            .map(|(line, citation)| (line, citation.messages.as_slice()))
            .collect();
        let line_of = |range: Range<usize>| {
            let text = memory.content.get(range.clone())?;
            let of = cited.iter().find(|(line, _)| *line == text);
            let messages = of.map_or(&[][..], |(_, messages)| messages);
            let newest = messages.iter().filter_map(|of| Ts::parse(&of.ts).ok());
            let is_superseded = !is_note(text) && self.supersede(text, newest.max());
            is_superseded.then(|| Superseded {
                start: range.start,
                text,
                messages: messages.to_vec(),
            })
        };
        let all = lines(&memory.content).into_iter();
        all.filter_map(line_of).collect()
    }

    /// The text of a memory without the lines that are superseded; `None` if none is left.
    pub(crate) fn without_superseded(&self, memory: &Memory) -> Option<String> {
        let gone = self.superseded(memory);
        if gone.is_empty() {
            return Some(memory.content.clone());
        }
        let is_gone = |line: &str| gone.iter().any(|gone| gone.text == line);
        without(&memory.content, is_gone)
    }

    /// These memories without what is superseded.
    pub(crate) fn correct(&self, memories: Vec<Memory>) -> Vec<Memory> {
        let corrected = memories.into_iter().filter_map(|memory| {
            let content = self.without_superseded(&memory)?;
            Some(Memory { content, ..memory })
        });
        corrected.collect()
    }

    /// The rest of a message without the lines that are superseded; `None` if it stays as it is.
    pub(crate) fn rest_of(&self, message: &Message) -> Option<String> {
        let written = Ts::parse(&message.ts).ok();
        if self.0.is_empty() || written.is_none() {
            return None;
        }
        let is_gone = |line: &str| self.supersede(line, written);
        let any = lines(&message.text).into_iter();
        let any = any.filter_map(|range| message.text.get(range)).any(is_gone);
        any.then(|| without(&message.text, is_gone).unwrap_or_default())
    }
}

/// A text without some of its lines; `None` if none would be left but notes.
fn without(text: &str, is_gone: impl Fn(&str) -> bool) -> Option<String> {
    let (mut kept, mut at, mut is_empty) = (String::with_capacity(text.len()), 0, true);
    for range in lines(text) {
        let line = text.get(range.clone()).unwrap_or_default();
        if is_gone(line) {
            kept.push_str(text.get(at..range.start).unwrap_or_default());
            let rest = text.get(range.end..).unwrap_or_default();
            at = text.len() - rest.trim_start_matches([' ', '\n', '\r', '\t']).len();
        } else {
            is_empty &= is_note(line);
        }
    }
    kept.push_str(text.get(at..).unwrap_or_default());
    (!is_empty).then(|| kept.trim_end().to_owned())
}

impl Statement {
    pub(super) fn read(text: &str) -> Self {
        let flat = flatten(text);
        let body = without_day(strip_markers(&flat).0);
        let parts = parts(body);
        let (subject, rest) = parts.unwrap_or((body, ""));
        Self {
            subject: words(subject),
            is_linked: parts.is_some(),
            rest: words(rest),
            values: crate::text::values::read(&normal(body))
                .into_iter()
                .map(|found| found.value)
                .collect(),
        }
    }

    /// The subject of a text; all of it if nothing links a subject to the rest.
    pub(super) fn subject_of(text: &str) -> String {
        let flat = flatten(text);
        let body = without_day(strip_markers(&flat).0);
        let (subject, _) = parts(body).unwrap_or((body, ""));
        subject.to_owned()
    }

    /// Returns true if another statement says something else of the same thing.
    pub(super) fn contradicts(&self, line: &Self) -> bool {
        if self.values.is_empty() {
            let is_same_subject = !self.subject.is_empty() && self.subject == line.subject;
            return self.is_linked
                && line.is_linked
                && is_same_subject
                && !self.rest.is_empty()
                && self.rest.is_disjoint(&line.rest);
        }
        let subject = if self.subject.is_empty() {
            &self.rest
        } else {
            &self.subject
        };
        let has = |word: &&String| line.subject.contains(*word) || line.rest.contains(*word);
        let shared = subject.iter().filter(has).count();
        shared > 0 && shared * 2 >= subject.len() && self.has_other_value(line)
    }

    fn has_other_value(&self, line: &Self) -> bool {
        self.values.iter().any(|value| {
            let mut others = line.values.iter();
            let is_held = others.any(|other| agrees(value, other));
            !is_held && line.values.iter().any(|other| is_of_kind(value, other))
        })
    }
}

/// A statement's subject, and what is said of it; `None` if nothing links them.
fn parts(body: &str) -> Option<(&str, &str)> {
    let links = LINKS.into_iter();
    let (at, link) = links
        .filter_map(|link| Some((body.find(link)?, link)))
        .min()?;
    let (subject, rest) = body.split_at_checked(at)?;
    Some((subject, rest.strip_prefix(link).unwrap_or(rest)))
}

/// The words of a text that name something: no numbers and no lone kanji.
fn words(text: &str) -> BTreeSet<String> {
    let says_much =
        |term: &String| term.chars().count() > 1 && !term.contains(|c: char| c.is_ascii_digit());
    terms(text).into_iter().filter(says_much).collect()
}

/// A line without the day that it begins with.
fn without_day(line: &str) -> &str {
    let is_day = |day: &str| {
        let mut parts = day.split('-');
        let mut digits = |count: usize| {
            let part = parts.next().unwrap_or_default();
            part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit())
        };
        digits(4) && digits(2) && digits(2)
    };
    match line.split_at_checked(DAY_LENGTH) {
        Some((day, rest)) if is_day(day) => rest.trim_start(),
        _ => line,
    }
}

/// The day of a month that a value names.
fn day(value: &Value) -> Option<u32> {
    match value {
        Value::Point(Point::Date { day, .. }) => Some(*day),
        Value::Number(amount) => {
            let unit = amount.unit.map_or("", |unit| unit.0);
            let is_day = matches!(unit, "day" | "ordinal") && amount.digits.1.is_empty();
            amount.digits.0.parse().ok().filter(|_| is_day)
        }
        _ => None,
    }
}

/// Returns true if two values say the same. A day without its month is the same as any date on that day.
fn agrees(a: &Value, b: &Value) -> bool {
    let is_date = |value: &Value| matches!(value, Value::Point(Point::Date { .. }));
    if is_date(a) && is_date(b) {
        return a.is_same(b);
    }
    match (day(a), day(b)) {
        (Some(a), Some(b)) => a == b,
        _ => a.is_same(b),
    }
}

/// Returns true if one value may stand in place of the other.
fn is_of_kind(a: &Value, b: &Value) -> bool {
    if day(a).is_some() && day(b).is_some() {
        return true;
    }
    let letters = |code: &str| -> String { code.chars().filter(|c| c.is_alphabetic()).collect() };
    match (a, b) {
        (Value::Point(Point::Time { .. }), Value::Point(Point::Time { .. }))
        | (Value::Long(_), Value::Long(_))
        | (Value::Address(_), Value::Address(_)) => true,
        (Value::Number(a), Value::Number(b)) => a.unit == b.unit,
        (Value::Code(a), Value::Code(b)) => letters(a) == letters(b),
        _ => false,
    }
}
