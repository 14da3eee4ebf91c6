//! What the sources of a line say.

use std::cell::OnceCell;

use chrono::{NaiveDate, NaiveDateTime};

use super::dates::Dates;
use super::{Given, reading};
use crate::extractive::text::{flatten, strip_markers};
use crate::values::numbers::Point;
use crate::values::{Amount, Found, Value, normal, numerals};

/// What a source says.
pub(super) struct Said {
    /// Its text in normal form.
    pub(super) text: String,
    pub(super) values: Vec<Found>,
    /// The local time of the message.
    pub(super) time: Option<NaiveDateTime>,
    pub(super) author: Option<String>,
    dates: OnceCell<Dates>,
    /// The numbers of things that it lists.
    pub(super) lists: Vec<usize>,
    numerals: OnceCell<Vec<String>>,
}

impl Said {
    pub(super) fn of(given: &Given<'_>) -> Self {
        let text = normal(given.text);
        Self {
            values: reading::read(&text),
            text,
            time: given.time.and_then(crate::now::local),
            author: given.author.map(normal),
            dates: OnceCell::new(),
            lists: lists(given.text),
            numerals: OnceCell::new(),
        }
    }

    /// The Japanese numerals, as digits; they may be parts of words.
    fn numerals(&self) -> &[String] {
        self.numerals.get_or_init(|| numerals(&self.text))
    }

    pub(super) fn dates(&self) -> &Dates {
        self.dates.get_or_init(|| {
            // A line of a memory begins with its date, if it has one.
            let today = self.time.map(|time| time.date());
            let today = today.or_else(|| first_date(&self.values));
            let dates = today.map(|today| Dates::of(&self.text, &self.values, today));
            dates.unwrap_or_default()
        })
    }
}

fn first_date(values: &[Found]) -> Option<NaiveDate> {
    values.iter().find_map(|found| match found.value {
        Value::Point(Point::Date {
            year: Some(year),
            month,
            day,
        }) => NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, month, day),
        _ => None,
    })
}

/// Some of the sources, and what follows from them.
pub(super) struct Evidence<'s> {
    pub(super) said: Vec<&'s Said>,
    /// How many messages the text was made from.
    pub(super) messages: usize,
}

impl<'s> Evidence<'s> {
    pub(super) fn of(said: impl IntoIterator<Item = &'s Said>, messages: usize) -> Self {
        Self {
            said: said.into_iter().collect(),
            messages,
        }
    }

    pub(super) fn values(&self) -> impl Iterator<Item = &'s Value> {
        let values = self.said.iter().flat_map(|said| &said.values);
        values.map(|found| &found.value)
    }

    pub(super) fn amounts(&self) -> impl Iterator<Item = &'s Amount> {
        self.values().filter_map(|value| match value {
            Value::Number(amount) => Some(amount),
            _ => None,
        })
    }

    pub(super) fn times(&self) -> impl Iterator<Item = NaiveDateTime> {
        self.said.iter().filter_map(|said| said.time)
    }

    /// The dates that they say or mean.
    pub(super) fn meant(&self) -> impl Iterator<Item = NaiveDate> {
        self.said
            .iter()
            .flat_map(|said| said.dates().meant.iter().copied())
    }

    /// Whether a source has this word as a whole.
    pub(super) fn has_words(&self, word: &str) -> bool {
        self.said.iter().any(|said| has_word(&said.text, word))
    }

    /// Whether a source has this id or version, with or without `v`.
    pub(super) fn has_code(&self, code: &str) -> bool {
        let short = code.strip_prefix('v').unwrap_or(code);
        let is_version = short.starts_with(|c: char| c.is_ascii_digit());
        let letters =
            |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
        let own = letters(code);
        let mut said = self.said.iter();
        self.has_words(code)
            || (code.len() > 8 && said.any(|said| letters(&said.text).contains(&own)))
            || is_version && (self.has_words(short) || self.has_words(&format!("v{short}")))
            || code.strip_prefix('#').is_some_and(|id| self.has_words(id))
    }

    /// Whether a number is the digits of an id, or a Japanese numeral without a unit.
    pub(super) fn has_part(&self, (whole, decimals): &(String, String)) -> bool {
        let is_it = |part: &str| part.trim_start_matches('0') == whole;
        let in_code = |value: &Value| {
            let Value::Code(code) = value else {
                return false;
            };
            code.split(|c: char| !c.is_ascii_digit()).any(is_it)
        };
        let mut said = self.said.iter();
        decimals.is_empty()
            && !whole.is_empty()
            && (self.values().any(in_code)
                || said.any(|said| said.numerals().iter().any(|numeral| is_it(numeral))))
    }

    /// Whether a source has a number, an id or an address of these digits.
    pub(super) fn has_digits(&self, digits: &str) -> bool {
        let digits = digits.trim_start_matches('0');
        self.values().any(|value| match value {
            Value::Long(own) => own.ends_with(digits),
            Value::Number(own) => own.digits.0 == digits && own.digits.1.is_empty(),
            Value::Code(own) => own.trim_start_matches(|c: char| !c.is_ascii_digit()) == digits,
            Value::Address(own) => own == digits,
            Value::Point(_) => false,
        })
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_boundary = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '_');
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let tail = text.get(at + word.len()..).unwrap_or_default();
        let tail = tail.strip_prefix('/').unwrap_or(tail);
        let mut after = tail.chars();
        let next = after.next();
        let continues = matches!(
            next,
            Some('.' | '-' | '?' | '#' | '=' | '&' | '%' | ':' | '@')
        ) && after.next().is_some_and(|c| c.is_ascii_alphanumeric());
        let begins = before.is_none_or(|c| is_boundary(c) || c == '/')
            && !before.is_some_and(|c| matches!(c, '-' | '.' | '@'));
        begins && !continues && next.is_none_or(is_boundary)
    })
}

/// The numbers of things that a text lists: lines with a list mark, and words between commas.
pub(super) fn lists(text: &str) -> Vec<usize> {
    let bullets = text
        .lines()
        .filter(|line| strip_markers(&flatten(line)).1.list)
        .count();
    let mut lists: Vec<usize> = text
        .split(['。', '\n', '.', ':', '：', '（', '('])
        .map(items)
        .collect();
    lists.push(bullets);
    lists.retain(|count| *count > 1);
    lists
}

/// The number of things between commas.
fn items(sentence: &str) -> usize {
    let joints = [
        sentence.matches(['、', '・', '，', '／']).count(),
        sentence.matches(", ").count()
            + usize::from(sentence.contains(" and ") && !sentence.contains(", and ")),
        sentence.matches('と').count(),
    ];
    joints.into_iter().max().unwrap_or(0) + 1
}
