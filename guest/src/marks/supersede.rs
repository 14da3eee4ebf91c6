//! Decides what a correction strikes: what its author picked, and says something else of the same thing.
//!
//! The author picks messages. Struck is what `differs` of their sentences, and of lines that cite them: another value of the
//! same kind as one of the correction's (another day, another amount of the same unit), or, where one of the two has no value,
//! a common word.
//!
//! It is likely to be meant (`contradicts`) if it also is about the same thing: if it has half of the words of the correction's
//! subject, which is what stands before `は`, `is` or `=`, or else all of it. A correction without a value is likely to mean
//! lines with the same subject and none of its other words.

use std::collections::BTreeSet;
use std::ops::Range;

use super::Marks;
use crate::bindings::exports::myao::memory::searcher::Hit;
use crate::bindings::storage::{Memory, Strike};
use crate::bindings::types::MessageRef;
use crate::cited_lines::cited_lines;
use crate::extractive::is_note;
use crate::text::lines::lines;
use crate::text::terms::terms;
use crate::text::values::numbers::Point;
use crate::text::values::{Value, normal};
use crate::text::{flatten, strip_markers};

/// Words between a subject and what is said of it.
const LINKS: [&str; 6] = ["は", " is ", " are ", "＝", "=", "→"];
/// `2024-03-01 ` at the beginning of a memory's line.
const DAY_LENGTH: usize = 10;

/// Corrections, as far as they strike something.
pub(crate) struct Corrections(Vec<Correction>);

struct Correction {
    of: MessageRef,
    statement: Statement,
    /// The messages that its author picked.
    struck: Vec<MessageRef>,
}

/// The subject of a line, and what it says of it.
pub(super) struct Statement {
    subject: BTreeSet<String>,
    /// True if there is a subject: something links it to the rest.
    is_linked: bool,
    rest: BTreeSet<String>,
    values: Vec<Value>,
}

/// A line of a memory that a correction strikes.
pub(crate) struct Superseded<'m> {
    /// Where it begins in the memory's text, in bytes.
    pub(crate) start: usize,
    pub(crate) text: &'m str,
}

impl Corrections {
    pub(crate) fn of(marks: &Marks) -> Self {
        let said = marks.corrections.iter();
        Self::new(
            said.map(|mark| (&mark.span.message, mark.text.as_str())),
            &marks.strikes,
        )
    }

    /// Corrections by their messages and what they say.
    pub(crate) fn new<'s>(
        said: impl Iterator<Item = (&'s MessageRef, &'s str)>,
        strikes: &[Strike],
    ) -> Self {
        let read = |(of, text): (&MessageRef, &str)| {
            let is_its = |strike: &&Strike| {
                strike.correction == of.ts && strike.message.channel_id == of.channel_id
            };
            let struck = strikes.iter().filter(is_its);
            let struck: Vec<MessageRef> = struck.map(|strike| strike.message.clone()).collect();
            (!struck.is_empty()).then(|| Correction {
                of: of.clone(),
                statement: Statement::read(text),
                struck,
            })
        };
        Self(said.filter_map(read).collect())
    }

    /// The correction that strikes a text which was made from these messages.
    pub(crate) fn striking(&self, text: &str, messages: &[MessageRef]) -> Option<&MessageRef> {
        let picked = |correction: &&Correction| {
            let mut struck = correction.struck.iter();
            struck.any(|of| messages.contains(of))
        };
        let mut corrections = self.0.iter().filter(picked).peekable();
        corrections.peek()?;
        let line = Statement::read(text);
        let found = corrections.find(|correction| correction.statement.differs(&line));
        found.map(|correction| &correction.of)
    }

    /// The lines of a memory that are struck.
    pub(crate) fn superseded<'m>(&self, memory: &'m Memory) -> Vec<Superseded<'m>> {
        if self.0.is_empty() {
            return Vec::new();
        }
        let cited: Vec<(&str, &[MessageRef])> = cited_lines(memory)
            .map(|(line, citation)| (line, citation.messages.as_slice()))
            .collect();
        let line_of = |range: Range<usize>| {
            let text = memory.content.get(range.clone())?;
            let (_, messages) = cited.iter().find(|(line, _)| *line == text)?;
            let is_struck = !is_note(text) && self.striking(text, messages).is_some();
            is_struck.then_some(Superseded {
                start: range.start,
                text,
            })
        };
        let all = lines(&memory.content).into_iter();
        all.filter_map(line_of).collect()
    }

    /// The text of a memory without the lines that are struck; `None` if none is left.
    pub(crate) fn without_superseded(&self, memory: &Memory) -> Option<String> {
        let gone = self.superseded(memory);
        if gone.is_empty() {
            return Some(memory.content.clone());
        }
        let is_gone = |line: &str| gone.iter().any(|gone| gone.text == line);
        without(&memory.content, is_gone)
    }

    /// These memories without what is struck.
    pub(crate) fn correct(&self, memories: Vec<Memory>) -> Vec<Memory> {
        let corrected = memories.into_iter().filter_map(|memory| {
            let content = self.without_superseded(&memory)?;
            Some(Memory { content, ..memory })
        });
        corrected.collect()
    }

    /// The rest of a message without the lines that are struck; `None` if it stays as it is.
    pub(crate) fn rest_of(&self, at: &MessageRef, text: &str) -> Option<String> {
        let at = std::slice::from_ref(at);
        let is_gone = |line: &str| self.striking(line, at).is_some();
        let mut any = lines(text).into_iter();
        let any = !self.0.is_empty() && any.any(|range| text.get(range).is_some_and(is_gone));
        any.then(|| without(text, is_gone).unwrap_or_default())
    }

    /// Leaves out of messages what is struck.
    pub(crate) fn strike(&self, hits: &mut Vec<Hit>) {
        hits.retain_mut(|hit| match self.rest_of(&hit.at, &hit.message.text) {
            Some(rest) => {
                hit.message.text = rest;
                !hit.message.text.trim().is_empty()
            }
            None => true,
        });
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
        let found = crate::text::values::read(&normal(body)).into_iter();
        let values: Vec<Value> = found.map(|found| found.value).collect();
        let of_code = |value: &Value| match value {
            Value::Code(code) => words(code),
            _ => BTreeSet::new(),
        };
        // The words of a code are no words of what is said.
        let of_codes: BTreeSet<String> = values.iter().flat_map(of_code).collect();
        let words = |text: &str| &words(text) - &of_codes;
        Self {
            subject: words(subject),
            is_linked: parts.is_some(),
            rest: words(rest),
            values,
        }
    }

    /// Returns true if a line may say something else of the same thing.
    pub(super) fn differs(&self, line: &Self) -> bool {
        if !self.values.is_empty() && !line.values.is_empty() {
            return self.has_other_value(line);
        }
        let has = |word: &String| line.subject.contains(word) || line.rest.contains(word);
        let says_it = self.values.is_empty() && self.rest.iter().all(has);
        let mut words = self.subject.union(&self.rest);
        !(says_it && self.is_linked) && words.any(has)
    }

    /// Returns true if a line says something else of the same thing: of those that `differ`.
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
    // `eu-west-1` and `us-east-1`.
    let shape = |code: &str| {
        let parts = code
            .split('-')
            .map(|part| part.contains(|c: char| c.is_ascii_digit()));
        parts.collect::<Vec<bool>>()
    };
    let is_alike = |a: &str, b: &str| a.contains('-') && shape(a) == shape(b);
    match (a, b) {
        (Value::Point(Point::Time { .. }), Value::Point(Point::Time { .. }))
        | (Value::Long(_), Value::Long(_))
        | (Value::Address(_), Value::Address(_)) => true,
        (Value::Number(a), Value::Number(b)) => a.unit == b.unit,
        (Value::Code(a), Value::Code(b)) => letters(a) == letters(b) || is_alike(a, b),
        _ => false,
    }
}
