//! Whether a number of a line follows from the numbers of its sources.

use std::collections::BTreeSet;

use super::arithmetic::{Term, follows};
use super::evidence::lists;
use crate::phrases::{Phrases, contains_words, phrases};
use crate::values::{Amount, Found, Unit, Value};

const SUMS: Phrases = phrases!("sums.txt");
const DIFFERENCES: Phrases = phrases!("differences.txt");
const APPROXIMATIONS: Phrases = phrases!("approximations.txt");
/// A larger number is not counted by a reader.
const MOST_COUNTED: u64 = 20;
/// Sums of at most so many numbers are tried.
const MOST_ADDED: usize = 10;
/// Units of one dimension, and how many of the smallest each is, in thousandths of the smallest.
const DIMENSIONS: [&[(&str, u64)]; 3] = [
    &[
        ("millisecond", 1),
        ("second", 1_000),
        ("minute", 60_000),
        ("hour", 3_600_000),
        ("day", 86_400_000),
        ("week", 604_800_000),
    ],
    &[("month", 1), ("year", 12)],
    &[
        ("byte", 1),
        ("kilobyte", 1_000),
        ("megabyte", 1_000_000),
        ("gigabyte", 1_000_000_000),
        ("terabyte", 1_000_000_000_000),
    ],
];
/// Units of things that are counted.
const COUNTED: [&str; 7] = ["person", "count", "piece", "time", "unit", "user", "point"];

/// What the sources say of numbers.
pub(super) struct Given<'e> {
    pub(super) values: &'e [Value],
    pub(super) texts: &'e [String],
    /// How many people wrote the messages, and how many messages there are: those that the line cites, and all that share
    /// a word with it.
    pub(super) people: [usize; 2],
    pub(super) messages: [usize; 2],
    pub(super) lists: &'e BTreeSet<usize>,
}

impl Given<'_> {
    /// Whether a number of a line follows. `all` are the line's values, `line` is its text.
    pub(super) fn founds(&self, own: &Amount, all: &[Found], line: &str) -> bool {
        self.amounts().any(|other| is_same(own, other))
            || self.in_other_words(own)
            || self.is_count(own, line)
            || self.is_calculated(own, all, line)
    }

    fn amounts(&self) -> impl Iterator<Item = &Amount> {
        self.values.iter().filter_map(|value| match value {
            Value::Number(amount) => Some(amount),
            _ => None,
        })
    }

    fn has(&self, words: &[&str]) -> bool {
        let mut texts = self.texts.iter();
        texts.any(|text| words.iter().any(|word| contains_words(text, word)))
    }

    /// `half` and `double`, in all their words; a number that is part of an id or a long number.
    fn in_other_words(&self, own: &Amount) -> bool {
        let number = own.thousandths();
        match own.unit {
            Some(Unit("percent")) if number == Some(50_000) => self.has(&["半分", "半数", "half"]),
            Some(Unit("percent")) if number == Some(100_000) => {
                self.has(&["全部", "全員", "すべて", "全て", "all", "every"])
            }
            Some(Unit("fold")) if number == Some(2_000) => {
                self.has(&["倍", "double", "doubled", "doubles", "twice"])
            }
            _ => false,
        }
    }

    /// Whether it is a number of people, messages or things, and no source gives another number of them.
    fn is_count(&self, own: &Amount, line: &str) -> bool {
        let Some(number) = own.thousandths().filter(|number| number % 1000 == 0) else {
            return false;
        };
        let number = number / 1000;
        let is_counted = own.unit.is_none_or(|unit| COUNTED.contains(&unit.0));
        let is_given = |other: &Amount| other.unit == own.unit && other.unit.is_some();
        if number > MOST_COUNTED || !is_counted || self.amounts().any(is_given) {
            return false;
        }
        let Ok(number) = usize::try_from(number) else {
            return false;
        };
        let in_line = lists(line);
        self.people.contains(&number)
            || self.messages.contains(&number)
            || self.lists.contains(&number)
            || in_line.contains(&number)
    }

    /// Whether it follows from numbers of the sources by a short calculation.
    fn may_be_calculated(&self, own: &Amount) -> bool {
        let terms: BTreeSet<Term> = self.amounts().filter_map(term).collect();
        term(own).is_some_and(|own| follows(own, &terms))
    }

    /// Whether it is one of the sources' numbers with another digit, or with two of them swapped, and nothing explains it.
    pub(super) fn is_slip(&self, own: &Amount) -> bool {
        let is_near =
            |other: &Amount| other.unit == own.unit && is_slip(&digits(own), &digits(other));
        self.amounts().any(is_near) && !self.may_be_calculated(own)
    }

    /// Whether the line says that it is a sum, a difference or a rounded number, and it is.
    fn is_calculated(&self, own: &Amount, all: &[Found], line: &str) -> bool {
        let says = |words: Phrases| words.iter().any(|word| contains_words(line, word));
        let Some(number) = own.thousandths() else {
            return false;
        };
        let line_amounts = all.iter().filter_map(|found| match &found.value {
            Value::Number(amount) if amount != own => Some(amount),
            _ => None,
        });
        if (says(SUMS) || says(DIFFERENCES)) && self.may_be_calculated(own) {
            return true;
        }
        let alike =
            |other: &&Amount| other.unit == own.unit || other.unit.is_none() || own.unit.is_none();
        let mut others: Vec<u64> = self
            .amounts()
            .filter(alike)
            .filter_map(Amount::thousandths)
            .collect();
        others.truncate(MOST_ADDED);
        let of_line: Vec<u64> = line_amounts
            .filter(alike)
            .filter_map(Amount::thousandths)
            .collect();
        says(SUMS) && (is_sum(number, &others) || is_sum(number, &of_line))
            || says(DIFFERENCES) && is_difference(number, &others)
            || says(APPROXIMATIONS) && others.iter().any(|other| is_rounded(number, *other))
    }
}

fn term(amount: &Amount) -> Option<Term> {
    Some(Term {
        value: amount.thousandths()?.into(),
        kind: amount.unit.map(|unit| unit.0),
        is_percent: amount.unit == Some(Unit("percent")),
    })
}

fn digits(amount: &Amount) -> String {
    let (whole, decimals) = &amount.digits;
    format!("{whole}.{decimals}")
}

/// Whether two numbers of several digits differ in one digit, or in two neighbours that are swapped.
fn is_slip(own: &str, other: &str) -> bool {
    let differing: Vec<usize> = (0..)
        .zip(own.bytes().zip(other.bytes()))
        .filter(|(_, (a, b))| a != b)
        .map(|(at, _)| at)
        .collect();
    let count = own.bytes().filter(u8::is_ascii_digit).count();
    let at = |text: &str, at: usize| text.as_bytes().get(at).copied();
    own.len() == other.len()
        && count > 1
        && match differing.as_slice() {
            [_] => true,
            [first, second] => {
                second - first == 1
                    && at(own, *first) == at(other, *second)
                    && at(own, *second) == at(other, *first)
            }
            _ => false,
        }
}

/// Whether two numbers are the same, as far as both have units.
fn is_same(own: &Amount, other: &Amount) -> bool {
    match (own.unit, other.unit) {
        (Some(a), Some(b)) if a != b => match (scale(a), scale(b)) {
            (Some((dimension, a)), Some((other_dimension, b))) if dimension == other_dimension => {
                let scaled = |amount: &Amount, by: u64| amount.thousandths()?.checked_mul(by);
                scaled(own, a).is_some() && scaled(own, a) == scaled(other, b)
            }
            _ if [a.0, b.0] == ["percent", "tenth"] => times_ten(own, other),
            _ if [a.0, b.0] == ["tenth", "percent"] => times_ten(other, own),
            _ if is_money(a) && is_money(b) => false,
            _ => own.digits == other.digits,
        },
        _ => own.digits == other.digits,
    }
}

fn is_money(unit: Unit) -> bool {
    unit.0.starts_with("money")
}

/// `30%` is `3割`.
fn times_ten(percent: &Amount, tenths: &Amount) -> bool {
    let tenths = tenths
        .thousandths()
        .and_then(|tenths| tenths.checked_mul(10));
    tenths.is_some() && percent.thousandths() == tenths
}

fn scale(unit: Unit) -> Option<(usize, u64)> {
    DIMENSIONS
        .iter()
        .enumerate()
        .find_map(|(dimension, units)| {
            let (_, scale) = units.iter().find(|(name, _)| *name == unit.0)?;
            Some((dimension, *scale))
        })
}

/// Whether a number is the sum of two or more of the others.
fn is_sum(number: u64, others: &[u64]) -> bool {
    let others = others
        .get(..others.len().min(MOST_ADDED))
        .unwrap_or_default();
    let sets = 1_u32 << others.len();
    (1..sets).filter(|set| set.count_ones() > 1).any(|set| {
        let chosen = (0..).zip(others).filter(|(at, _)| set & (1 << at) != 0);
        let sum = chosen.fold(0_u64, |sum, (_, other)| sum.saturating_add(*other));
        sum == number
    })
}

fn is_difference(number: u64, others: &[u64]) -> bool {
    let mut pairs = others
        .iter()
        .flat_map(|a| others.iter().map(move |b| (a, b)));
    pairs.any(|(a, b)| a.checked_sub(*b) == Some(number) && number > 0)
}

/// Whether a number is another one without its last digits, up or down.
fn is_rounded(number: u64, other: u64) -> bool {
    let mut unit = 10_u64;
    while unit <= other.saturating_mul(2) {
        let down = other / unit * unit;
        if number == down || number == down.saturating_add(unit) {
            // At least the first digit stays.
            return unit <= other;
        }
        unit = unit.saturating_mul(10);
    }
    false
}
