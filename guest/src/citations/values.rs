//! The values of a text, each in a form that does not depend on how it was written.

use super::features::Kind;
use crate::text::values::numbers::{Number, Point, is_year, numbers, point};
use crate::text::values::{Amount, Value, read};

/// A code of one digit and so few bytes says little: `v2`.
const SHORT: usize = 8;
/// Phone numbers and the like are the same if their last digits are.
const LONG_NUMBER: usize = 8;

/// Calls `found` with each value of a text in the form of [`crate::text::values::normal`], and how much it
/// says: a year or a small number says little.
pub(super) fn each_value(normal: &str, found: &mut impl FnMut(&str, Kind)) {
    for of in read(normal) {
        match of.value {
            Value::Address(address) => found(&address, Kind::Value),
            Value::Code(code) => {
                let digits = code.bytes().filter(u8::is_ascii_digit).count();
                let is_slight = digits == 1 && code.len() <= SHORT;
                found(&code, if is_slight { Kind::Slight } else { Kind::Value });
            }
            Value::Number(Amount {
                digits: (whole, decimals),
                unit: Some(unit),
                ..
            }) => {
                let is_slight = whole.len() < 2 && decimals.is_empty() || is_year(&whole);
                let kind = if is_slight { Kind::Slight } else { Kind::Value };
                found(&format!("{whole}.{decimals} {}", unit.0), kind);
            }
            Value::Number(_) | Value::Point(_) | Value::Long(_) => {}
        }
    }
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

/// The date or time that begins with a number; returns how many numbers it has.
fn dated(first: &Number<'_>, more: &[Number<'_>], found: &mut impl FnMut(&str, Kind)) -> usize {
    let Some((point, used)) = point(first, more) else {
        return 0;
    };
    match point {
        Point::Date { month, day, .. } => found(&format!("date {month}-{day}"), Kind::Value),
        Point::Time {
            hour,
            minute,
            afternoon,
            ..
        } => {
            found(&format!("time {hour}:{minute}"), Kind::Value);
            if afternoon {
                found(&format!("time {}:{minute}", hour + 12), Kind::Value);
            }
        }
    }
    used
}

/// A number without its unit: `300万` and `3 million` and `3,000,000` are one.
fn plain(number: &Number<'_>, found: &mut impl FnMut(&str, Kind)) {
    let (whole, decimals) = number.digits();
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
