//! How well a value of a line is supported.

use super::evidence::Evidence;
use super::{Support, calendar, clock, numbers};
use crate::values::numbers::Point;
use crate::values::{Amount, Found, Value};

/// Numbers in words up to this are often counted or estimated by the writer; in thousandths.
const MOST_IN_WORDS: u64 = 100_000;

pub(super) fn support(evidence: &Evidence<'_>, found: &Found, line: &str) -> Support {
    let after = line.get(found.range.end..).unwrap_or_default();
    match &found.value {
        Value::Address(address) => Support::if_said(evidence.has_words(address)),
        Value::Code(code) => Support::if_said(evidence.has_code(code)),
        Value::Long(digits) => Support::if_said(evidence.has_digits(digits)),
        Value::Point(point @ Point::Date { .. }) => {
            calendar::date(evidence, *point, found.range.start == 0)
        }
        Value::Point(point) => clock::time(evidence, *point),
        // `十分` is no number, and `one` and zero are often none.
        Value::Number(own) if is_slight(own) => Support::Said,
        Value::Number(own) if own.in_words && own.thousandths() <= Some(MOST_IN_WORDS) => {
            // `both options`, `the second point`, `within the hour`.
            number(evidence, own, line, after).max(Support::Calculated)
        }
        Value::Number(own) => number(evidence, own, line, after),
    }
}

fn number(evidence: &Evidence<'_>, own: &Amount, line: &str, after: &str) -> Support {
    let in_digits = own.digits.0.len() > 2 && evidence.has_digits(&own.digits.0);
    Support::if_said(in_digits)
        .max(calendar::number(evidence, own, after))
        .max(numbers::support(evidence, own, line))
}

fn is_slight(own: &Amount) -> bool {
    let number = own.thousandths();
    number == Some(0) || own.in_words && number <= Some(1_000)
}
