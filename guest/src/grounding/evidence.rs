//! The sources of a line, and the words and digits that they have.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use chrono::{NaiveDate, NaiveDateTime};

use super::Given;
use crate::text::dates::Dates;
use crate::text::is_japanese_letter;
use crate::text::terms::terms;
use crate::text::values::numbers::Point;
use crate::text::values::reading;
use crate::text::values::{Amount, Found, Value, normal, numerals};

/// So few sources are one conversation: a line may follow from any of them.
const FEW: usize = 12;

/// A source, as it is read.
pub(super) struct Said {
    /// Its text in normal form.
    pub(super) text: String,
    pub(super) values: Vec<Found>,
    /// The local time of the message.
    pub(super) time: Option<NaiveDateTime>,
    is_japanese: bool,
    /// Its words that are no numbers.
    words: BTreeSet<String>,
    dates: OnceCell<Dates>,
    digits: OnceCell<BTreeSet<String>>,
    counts: OnceCell<BTreeSet<String>>,
}

impl Said {
    pub(super) fn of(given: &Given<'_>) -> Self {
        let text = normal(given.text);
        Self {
            values: reading::read(&text),
            time: given.time.and_then(crate::now::local),
            is_japanese: is_japanese(given.text),
            words: words(given.text),
            dates: OnceCell::new(),
            digits: OnceCell::new(),
            counts: OnceCell::new(),
            text,
        }
    }

    /// Its runs of digits and its numerals, without leading zeros.
    pub(super) fn digits(&self) -> &BTreeSet<String> {
        self.digits.get_or_init(|| {
            let runs = digits(&self.text).into_iter();
            runs.chain(numerals(&self.text)).collect()
        })
    }

    /// Those outside its dates and times.
    fn counts(&self) -> &BTreeSet<String> {
        self.counts.get_or_init(|| {
            let mut text = self.text.clone();
            for found in self.values.iter().rev() {
                if let (Value::Point(_), true) = (&found.value, found.range.end <= text.len()) {
                    text.replace_range(found.range.clone(), " ");
                }
            }
            digits(&text).into_iter().chain(numerals(&text)).collect()
        })
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

fn is_japanese(text: &str) -> bool {
    text.chars().any(is_japanese_letter)
}

fn words(text: &str) -> BTreeSet<String> {
    let words = terms(text).into_iter();
    let is_word = |word: &String| !word.contains(|c: char| c.is_ascii_digit());
    words.filter(is_word).collect()
}

/// The runs of digits of a text, without commas and leading zeros.
pub(super) fn digits(text: &str) -> BTreeSet<String> {
    let text = text.replace(',', "");
    let runs = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let runs = runs.map(|run| run.trim_matches('.'));
    runs.filter(|run| !run.is_empty())
        .map(|run| run.trim_start_matches('0').to_owned())
        .collect()
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

/// The sources of a line.
pub(super) struct Evidence<'s> {
    pub(super) said: Vec<&'s Said>,
}

impl<'s> Evidence<'s> {
    /// The sources that share a word with a line, or have none; those in another script, which may say it in other words;
    /// all if they are few or the line has no words.
    pub(super) fn near(line: &str, said: &'s [Said]) -> Self {
        let own = words(line);
        let is_japanese = is_japanese(line);
        let is_near = |said: &&Said| {
            said.words.is_empty()
                || said.is_japanese != is_japanese
                || !own.is_disjoint(&said.words)
        };
        let all = said.len() <= FEW || own.is_empty();
        Self {
            said: said.iter().filter(|said| all || is_near(said)).collect(),
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
        let said = self.said.iter();
        said.flat_map(|said| said.dates().meant.iter().copied())
    }

    /// Returns true if a source has one of these words.
    pub(super) fn has_any(&self, words: &[&str]) -> bool {
        let mut said = self.said.iter();
        said.any(|said| words.iter().any(|word| said.text.contains(word)))
    }

    /// Returns true if a source has this word as a whole.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.said.iter().any(|said| has_word(&said.text, word))
    }

    /// Returns true if a source has this id or version, with or without `v`.
    pub(super) fn has_code(&self, code: &str) -> bool {
        let short = code.strip_prefix('v').unwrap_or(code);
        let is_version = short.starts_with(|c: char| c.is_ascii_digit());
        let letters =
            |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
        let own = letters(code);
        let mut said = self.said.iter();
        self.has_word(code)
            || (code.len() > 8 && said.any(|said| letters(&said.text).contains(&own)))
            || is_version && (self.has_word(short) || self.has_word(&format!("v{short}")))
            || code.strip_prefix('#').is_some_and(|id| self.has_word(id))
    }

    /// Returns true if a source has a number, an id or an address that ends with these digits.
    pub(super) fn has_long(&self, digits: &str) -> bool {
        let digits = digits.trim_start_matches('0');
        self.values().any(|value| match value {
            Value::Long(own) => own.ends_with(digits),
            Value::Number(own) => own.digits.0 == digits && own.digits.1.is_empty(),
            Value::Code(own) => own.trim_start_matches(|c: char| !c.is_ascii_digit()) == digits,
            Value::Address(own) => own == digits,
            Value::Point(_) => false,
        })
    }

    /// Returns true if a source has these digits as a run of its own, or as a numeral.
    pub(super) fn has_digits(&self, digits: &str) -> bool {
        self.said.iter().any(|said| said.digits().contains(digits))
    }

    /// Returns true if a source has them, and not as a part of a date or a time.
    pub(super) fn has_count(&self, digits: &str) -> bool {
        self.said.iter().any(|said| said.counts().contains(digits))
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
