//! The values of a text, each in a form that does not depend on how it was written.

use super::features::Kind;
use crate::text::values::numbers::{Point, is_year};
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
            Value::Point(Point::Date { month, day, .. }) => {
                found(&format!("date {month}-{day}"), Kind::Value);
            }
            Value::Point(Point::Time {
                hour,
                minute,
                afternoon,
                ..
            }) => {
                found(&format!("time {hour}:{minute}"), Kind::Value);
                if afternoon {
                    found(&format!("time {}:{minute}", hour + 12), Kind::Value);
                }
            }
            Value::Number(amount) => number(&amount, found),
            Value::Long(digits) => long(&digits, found),
        }
    }
}

/// A number without its unit, `300万` and `3 million` and `3,000,000` are one, and with it.
fn number(amount: &Amount, found: &mut impl FnMut(&str, Kind)) {
    let (whole, decimals) = &amount.digits;
    let kind = match whole.len() {
        0 | 1 if decimals.is_empty() => Kind::Slight,
        _ if is_year(whole) => Kind::Slight,
        2 if decimals.is_empty() => Kind::Term,
        _ => Kind::Value,
    };
    found(&format!("number {whole}.{decimals}"), kind);
    if let (Kind::Term, Some(unit)) = (kind, amount.unit) {
        found(&format!("number {whole} {}", unit.0), Kind::Value);
    }
    long(whole, found);
}

/// The last digits of phone numbers, card numbers and long ids, however they are grouped.
fn long(digits: &str, found: &mut impl FnMut(&str, Kind)) {
    let start = digits.len().checked_sub(LONG_NUMBER);
    if let Some(last) = start.and_then(|start| digits.get(start..)) {
        found(&format!("long {last}"), Kind::Value);
    }
}
