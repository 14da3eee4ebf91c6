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
            Value::Address(address) => {
                found(&address, Kind::Value);
                parts(&address, found);
            }
            Value::Code(code) => {
                let digits = code.bytes().filter(u8::is_ascii_digit).count();
                let is_slight = digits == 1 && code.len() <= SHORT;
                found(&code, if is_slight { Kind::Slight } else { Kind::Value });
                parts(&code, found);
                long(&code.replace(|c: char| !c.is_ascii_digit(), ""), found);
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

/// The numbers in an id or an address: a line may call `INC-204` ticket 204.
fn parts(text: &str, found: &mut impl FnMut(&str, Kind)) {
    let runs = text.split(|c: char| !c.is_ascii_digit());
    for run in runs.filter(|run| run.len() > 2) {
        let kind = if is_year(run) {
            Kind::Slight
        } else {
            Kind::Value
        };
        found(&format!("number {}.", run.trim_start_matches('0')), kind);
        long(run, found);
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn keys(text: &str) -> BTreeSet<String> {
        let mut keys = BTreeSet::new();
        each_value(text, &mut |key, kind| {
            if kind == Kind::Value {
                keys.insert(key.to_owned());
            }
        });
        keys
    }

    #[test]
    fn a_value_is_the_same_in_other_forms_and_inside_of_ids() {
        for (one, other) in [
            ("inc-204 is fixed", "ticket 204 is fixed"),
            ("https://example.com/pull/877", "request 877"),
            ("acct-12345678", "1234 5678"),
            ("call 03.1234.5678", "call 03-1234-5678"),
            ("call 09012345678", "call 090 1234 5678"),
            ("300万円", "3 million yen"),
            ("24台", "24 units"),
        ] {
            assert!(
                !keys(one).is_disjoint(&keys(other)),
                "{one}: {:?}",
                keys(one)
            );
        }
        assert_eq!(keys("in 2026 we had 3"), BTreeSet::new());
    }
}
