//! Numbers, and the dates and times that they are part of.

use std::ops::Range;

const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];
/// Words that multiply a number, by a power of ten.
const MULTIPLIERS: [(&str, usize); 12] = [
    ("千万", 7),
    ("百万", 6),
    ("万", 4),
    ("億", 8),
    ("千", 3),
    ("million", 6),
    ("billion", 9),
    ("thousand", 3),
    ("mio", 6),
    ("bn", 9),
    ("k", 3),
    ("m", 6),
];

/// A number, the text before it and the text behind it.
pub(crate) struct Number<'a> {
    pub(crate) text: &'a str,
    pub(crate) before: &'a str,
    pub(crate) after: &'a str,
}

impl Number<'_> {
    pub(crate) fn value(&self) -> u32 {
        self.text.parse().unwrap_or(u32::MAX)
    }

    /// Where it is in its text, in bytes.
    pub(crate) fn range(&self) -> Range<usize> {
        self.before.len()..self.before.len() + self.text.len()
    }

    /// The text between this number and the next.
    fn joint(&self) -> &str {
        let end = self.after.find(|c: char| c.is_ascii_digit());
        self.after
            .get(..end.unwrap_or(self.after.len()))
            .unwrap_or_default()
    }

    /// The word that multiplies it, and its power of ten.
    pub(crate) fn multiplier(&self) -> Option<(&'static str, usize)> {
        let unit = self.after.trim_start();
        MULTIPLIERS.into_iter().find(|(word, _)| {
            let letter = |c: char| c.is_ascii_alphabetic();
            // `5m` may be metres or minutes: only of money it is a million.
            (*word != "m" || self.before.ends_with(super::CURRENCIES))
                && unit
                    .strip_prefix(word)
                    .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(letter))
        })
    }

    /// Its digits without leading zeros, and its decimals without those at the end, in full: `300万` and `3 million`
    /// are numbers like `3,000,000`.
    pub(crate) fn digits(&self) -> (String, String) {
        let power = self.multiplier().map_or(0, |(_, power)| power);
        // `1.840,50` has its comma behind its points.
        let mark = self.text.rfind([',', '.']).filter(|at| {
            let last = self.text.get(*at..).unwrap_or_default();
            last.starts_with('.') || self.text.contains('.')
        });
        let (whole, decimals) = match mark {
            Some(at) => self.text.split_at_checked(at).unwrap_or_default(),
            None => (self.text, ""),
        };
        let decimals = decimals.get(1..).unwrap_or_default();
        let mut digits: String = whole.chars().filter(char::is_ascii_digit).collect();
        digits.extend(decimals.chars().filter(char::is_ascii_digit));
        digits.extend(std::iter::repeat_n('0', power));
        let point = digits.len().saturating_sub(decimals.len());
        let (whole, decimals) = digits.split_at_checked(point).unwrap_or_default();
        (
            whole.trim_start_matches('0').to_owned(),
            decimals.trim_end_matches('0').to_owned(),
        )
    }
}

/// The numbers of a text: not the digits of ids and versions.
pub(crate) fn numbers(text: &str) -> Vec<Number<'_>> {
    let mut numbers = Vec::new();
    let mut at = 0;
    while let Some(start) = text
        .get(at..)
        .and_then(|rest| rest.find(|c: char| c.is_ascii_digit()))
        .map(|start| start + at)
    {
        let (before, from) = text.split_at_checked(start).unwrap_or_default();
        let length = number_length(from);
        let (number, after) = from.split_at_checked(length).unwrap_or_default();
        at = start + length;
        let in_word = before.ends_with(|c: char| c.is_ascii_alphabetic() || c == '.');
        if !in_word {
            numbers.push(Number {
                text: number,
                before,
                after,
            });
        }
    }
    numbers
}

/// The length of the number at the beginning: `1,200.5` is one.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let mut at = 0;
    while is_digit(at) || matches!(bytes.get(at), Some(b',' | b'.')) && is_digit(at + 1) {
        at += 1;
    }
    at
}

/// A point in the calendar or on the clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Point {
    /// A day of the year; with the year, if it is given.
    Date {
        year: Option<u32>,
        month: u32,
        day: u32,
    },
    /// A time as it is written.
    Time {
        hour: u32,
        minute: u32,
        /// True if it is said to be in the afternoon.
        afternoon: bool,
        /// True if it is said to be in the morning.
        morning: bool,
    },
}

/// The date or time that begins with a number, and how many numbers it has.
pub(crate) fn point(first: &Number<'_>, more: &[Number<'_>]) -> Option<(Point, usize)> {
    let joints = (first.joint(), more.first().map_or("", Number::joint));
    let next = |at: usize| more.get(at).map_or(u32::MAX, Number::value);
    let of_year = first.text.len() == 4;
    match joints {
        ("-", "-") | ("/", "/") | ("年", "月") if of_year => {
            return Some((date(Some(first.value()), next(0), next(1))?, 3));
        }
        ("月" | "/", _) if let Some(date) = date(None, first.value(), next(0)) => {
            return Some((date, 2));
        }
        ("/", _) if let Some(date) = date(None, next(0), first.value()) => {
            return Some((date, 2));
        }
        (":" | "時", _) if first.value() < 25 && next(0) < 60 => {
            return Some((time(first, next(0)), 2));
        }
        _ => {}
    }
    let behind = first
        .after
        .trim_start_matches(['t', 'h', 's', 'n', 'd', 'r']);
    let behind = behind.trim_start().trim_start_matches("of ");
    if let Some(month) = month_before(first.before).or_else(|| month(behind))
        && let Some(Point::Date { month, day, .. }) = date(None, month, first.value())
    {
        let year = year_after(first, more);
        return Some((
            Point::Date { year, month, day },
            1 + usize::from(year.is_some()),
        ));
    }
    let half_past = first.after.starts_with("時半");
    let clock = first.after.trim_start();
    if first.value() < 25
        && (first.after.starts_with('時') && !first.after.starts_with("時間")
            || is_half(clock, "pm", "p.m")
            || is_half(clock, "am", "a.m"))
    {
        return Some((time(first, if half_past { 30 } else { 0 }), 1));
    }
    None
}

fn date(year: Option<u32>, month: u32, day: u32) -> Option<Point> {
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day);
    valid.then_some(Point::Date { year, month, day })
}

/// The year of `march 5, 2024`.
fn year_after(day: &Number<'_>, more: &[Number<'_>]) -> Option<u32> {
    let next = more.first().filter(|next| is_year(next.text))?;
    let joint = day
        .joint()
        .trim_start_matches(['t', 'h', 's', 'n', 'd', 'r']);
    let joint = joint.trim_matches([' ', ',', '.']);
    (joint.is_empty() || month(joint).is_some()).then(|| next.value())
}

/// A time, and in which half of the day it is said to be.
fn time(hour: &Number<'_>, minute: u32) -> Point {
    let clock = hour
        .after
        .trim_start_matches(|c: char| c == ':' || c == ' ' || c.is_ascii_digit());
    let before = hour.before.trim_end_matches('の');
    let said = |words: &[&str]| words.iter().any(|word| before.ends_with(word));
    let afternoon = match hour.value() {
        0..4 => said(&["午後", "昼"]),
        4..12 => said(&["午後", "夕方", "夜", "晩"]),
        _ => false,
    };
    Point::Time {
        hour: hour.value(),
        minute,
        afternoon: afternoon || hour.value() < 12 && is_half(clock, "pm", "p.m"),
        morning: hour.value() <= 12 && (said(&["午前", "朝"]) || is_half(clock, "am", "a.m")),
    }
}

fn is_half(clock: &str, short: &str, dotted: &str) -> bool {
    let rest = clock
        .strip_prefix(short)
        .or_else(|| clock.strip_prefix(dotted));
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
}

/// The month before a number: `march 5`.
fn month_before(before: &str) -> Option<u32> {
    let before = before.trim_end_matches([' ', '.']);
    month(before.rsplit(|c: char| !c.is_ascii_alphabetic()).next()?)
}

/// The month at the beginning of a text.
pub(crate) fn month(text: &str) -> Option<u32> {
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let is_it = |month: &&str| word.len() > 2 && month.starts_with(word);
    let at = MONTHS.iter().position(is_it)?;
    u32::try_from(at + 1).ok()
}

pub(crate) fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
}
