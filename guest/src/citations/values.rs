//! The values of a text, each in a form that does not depend on how it was written.

use super::features::Kind;
use crate::extractive::values;

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
/// What a number is multiplied by, as a power of ten.
const MULTIPLIERS: [(&str, usize); 10] = [
    ("千万", 7),
    ("百万", 6),
    ("万", 4),
    ("億", 8),
    ("千", 3),
    ("million", 6),
    ("billion", 9),
    ("thousand", 3),
    ("mio", 6),
    ("k", 3),
];
/// A value of one digit and so few bytes says little: `3月`, `v2`.
const SHORT: usize = 8;
/// Phone numbers and the like are the same if their last digits are.
const LONG_NUMBER: usize = 8;

/// Calls `found` with each value of a text in the form of `features::normal`, and how much it
/// says: a year or a small number says little.
pub(super) fn each_value(normal: &str, found: &mut impl FnMut(&str, Kind)) {
    values(normal, &mut |key| {
        if key.bytes().all(|b| b.is_ascii_digit()) {
            return;
        }
        let address = key.split_once("://").map_or(key, |(_, rest)| rest);
        let address = address.strip_prefix("www.").unwrap_or(address);
        let digits = key.bytes().filter(u8::is_ascii_digit).count();
        let slight =
            digits == 1 && key.len() <= SHORT || key.strip_suffix('年').is_some_and(is_year);
        let kind = if slight { Kind::Slight } else { Kind::Value };
        found(address.trim_end_matches('/'), kind);
    });
    if normal.contains(|c: char| c.is_ascii_digit()) {
        let numbers = numbers(normal);
        let mut rest = numbers.as_slice();
        while let [first, more @ ..] = rest {
            let used = dated(first, more, found);
            if used == 0 {
                plain(first, found);
            }
            rest = rest.get(used.max(1)..).unwrap_or_default();
        }
        long_numbers(normal, found);
    }
}

/// A number, the text before it and the text behind it.
struct Number<'a> {
    text: &'a str,
    before: &'a str,
    after: &'a str,
}

impl Number<'_> {
    fn value(&self) -> u32 {
        self.text.parse().unwrap_or(u32::MAX)
    }

    /// The text between this number and the next.
    fn joint(&self) -> &str {
        let end = self.after.find(|c: char| c.is_ascii_digit());
        self.after
            .get(..end.unwrap_or(self.after.len()))
            .unwrap_or_default()
    }
}

/// The numbers of a text: not the digits of ids and versions.
fn numbers(text: &str) -> Vec<Number<'_>> {
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

/// The date or time that begins with a number; returns how many numbers it has.
fn dated(first: &Number<'_>, more: &[Number<'_>], found: &mut impl FnMut(&str, Kind)) -> usize {
    let joints = (first.joint(), more.first().map_or("", Number::joint));
    let next = |at: usize| more.get(at).map_or(u32::MAX, Number::value);
    match joints {
        ("-", "-") | ("/", "/") | ("年", "月") if first.text.len() == 4 => {
            return if date(next(0), next(1), found) { 3 } else { 0 };
        }
        ("月" | "/", _) if date(first.value(), next(0), found) => return 2,
        ("/", _) if date(next(0), first.value(), found) => return 2,
        (":" | "時", _) if first.value() < 25 && next(0) < 60 => {
            time(first, next(0), found);
            return 2;
        }
        _ => {}
    }
    let behind = first
        .after
        .trim_start_matches(['t', 'h', 's', 'n', 'd', 'r']);
    let behind = behind.trim_start().trim_start_matches("of ");
    let month = last_word(first.before).or_else(|| month(behind));
    if let Some(month) = month
        && date(month, first.value(), found)
    {
        return 1;
    }
    let half_past = first.after.starts_with("時半");
    let clock = first.after.trim_start();
    if first.value() < 25
        && (first.after.starts_with('時') && !first.after.starts_with("時間")
            || clock.starts_with("pm")
            || clock.starts_with("am"))
    {
        time(first, if half_past { 30 } else { 0 }, found);
        return 1;
    }
    0
}

fn date(month: u32, day: u32, found: &mut impl FnMut(&str, Kind)) -> bool {
    let valid = (1..=12).contains(&month) && (1..=31).contains(&day);
    if valid {
        found(&format!("date {month}-{day}"), Kind::Value);
    }
    valid
}

/// A time in 24 hours, and if it may be one of the afternoon that too.
fn time(hour: &Number<'_>, minutes: u32, found: &mut impl FnMut(&str, Kind)) {
    found(&format!("time {}:{minutes}", hour.value()), Kind::Value);
    let clock = hour
        .after
        .trim_start_matches(|c: char| c == ':' || c == ' ' || c.is_ascii_digit());
    if hour.value() < 12 && (hour.before.ends_with("午後") || clock.starts_with("pm")) {
        found(
            &format!("time {}:{minutes}", hour.value() + 12),
            Kind::Value,
        );
    }
}

/// The month before a number: `march 5`.
fn last_word(before: &str) -> Option<u32> {
    let before = before.trim_end_matches([' ', '.']);
    month(before.rsplit(|c: char| !c.is_ascii_alphabetic()).next()?)
}

/// The month at the beginning of a text.
fn month(text: &str) -> Option<u32> {
    let word = text.split(|c: char| !c.is_ascii_alphabetic()).next()?;
    let short = word.get(..3).filter(|_| word.len() < 10)?;
    let at = MONTHS.iter().position(|month| *month == short)?;
    u32::try_from(at + 1).ok()
}

fn is_year(digits: &str) -> bool {
    digits.len() == 4 && (digits.starts_with("19") || digits.starts_with("20"))
}

/// A number without its unit: `300万` and `3 million` and `3,000,000` are one.
fn plain(number: &Number<'_>, found: &mut impl FnMut(&str, Kind)) {
    let unit = number.after.trim_start();
    let power = MULTIPLIERS
        .iter()
        .find(|(word, _)| {
            let letter = |c: char| c.is_ascii_alphabetic();
            unit.strip_prefix(word)
                .is_some_and(|rest| !word.is_ascii() || !rest.starts_with(letter))
        })
        .map_or(0, |(_, power)| *power);
    let (whole, decimals) = number.text.split_once('.').unwrap_or((number.text, ""));
    let mut digits: String = whole.chars().filter(char::is_ascii_digit).collect();
    digits.extend(decimals.chars().filter(char::is_ascii_digit));
    digits.extend(std::iter::repeat_n('0', power));
    let point = digits.len().saturating_sub(decimals.len());
    let (whole, decimals) = digits.split_at_checked(point).unwrap_or_default();
    let (whole, decimals) = (
        whole.trim_start_matches('0'),
        decimals.trim_end_matches('0'),
    );
    let kind = match whole.len() {
        0 | 1 if decimals.is_empty() => Kind::Slight,
        2 if decimals.is_empty() => Kind::Term,
        _ if is_year(number.text) => Kind::Slight,
        _ => Kind::Value,
    };
    found(&format!("number {whole}.{decimals}"), kind);
}

/// The last digits of phone numbers, card numbers and long ids, however they are grouped.
fn long_numbers(text: &str, found: &mut impl FnMut(&str, Kind)) {
    let mut digits = String::new();
    let mut gap = 0;
    for c in text.chars().chain(['\n']) {
        if c.is_ascii_digit() {
            digits.push(c);
            gap = 0;
            continue;
        }
        gap += 1;
        if gap > 2 || !matches!(c, '-' | ' ' | '(' | ')' | '+' | '.' | '‐' | '−') {
            let start = digits.len().checked_sub(LONG_NUMBER);
            if let Some(last) = start.and_then(|start| digits.get(start..)) {
                found(&format!("long {last}"), Kind::Value);
            }
            digits.clear();
        }
    }
}
