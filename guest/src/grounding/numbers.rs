//! Whether a number of a line follows from the numbers of its sources.

use std::collections::BTreeSet;

use super::Support;
use super::arithmetic::{Term, follows};
use super::evidence::{Evidence, lists};
use super::{calendar, clock};
use crate::phrases::contains_words;
use crate::values::{Amount, Unit};

/// Units of one dimension, and how many of the smallest each is.
const DIMENSIONS: [&[(&str, u64)]; 6] = [
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
    &[
        ("milligram", 1),
        ("gram", 1_000),
        ("kilogram", 1_000_000),
        ("tonne", 1_000_000_000),
    ],
    &[("metre", 1), ("kilometre", 1_000)],
    &[("millilitre", 1), ("litre", 1_000)],
];
/// Units of things that are counted.
const COUNTED: [&str; 8] = [
    "person", "count", "piece", "time", "unit", "user", "point", "seat",
];

/// How well a number is supported.
pub(super) fn support(evidence: &Evidence<'_>, own: &Amount, line: &str) -> Support {
    if evidence.amounts().any(|other| is_same(own, other)) || in_other_words(evidence, own) {
        return Support::Said;
    }
    let is_found = evidence.amounts().any(|other| own.digits == other.digits)
        || evidence.has_part(&own.digits);
    // Nobody calculates the number of a room.
    let is_label = own.unit == Some(Unit("ordinal"));
    let is_calculated = is_found || !is_label && may_follow(evidence, own, line);
    if is_calculated {
        Support::Calculated
    } else {
        Support::None
    }
}

/// Whether it may follow by a count or a calculation.
fn may_follow(evidence: &Evidence<'_>, own: &Amount, line: &str) -> bool {
    is_half(evidence, own)
        || is_count(evidence, own, line)
        || clock::is_between(evidence, own)
        || calendar::is_between(evidence, own)
        || is_rounded(evidence, own)
        || may_be_calculated(evidence, own)
}

/// `half` and `double`, in all their words.
fn in_other_words(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let has = |words: &[&str]| {
        let mut said = evidence.said.iter();
        said.any(|said| words.iter().any(|word| contains_words(&said.text, word)))
    };
    let number = own.thousandths();
    match own.unit {
        Some(Unit("percent")) if number == Some(50_000) => has(&["半分", "半数", "half"]),
        Some(Unit("percent")) if number == Some(100_000) => {
            has(&["全部", "全員", "すべて", "全て", "all", "every"])
        }
        Some(Unit("fold" | "time")) if number == Some(2_000) => {
            has(&["倍", "double", "doubled", "doubles", "twice", "二度"])
        }
        _ => false,
    }
}

/// Whether it is half of a number, and a source says something of a half.
fn is_half(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let double = own.thousandths().and_then(|own| own.checked_mul(2));
    let mut said = evidence.said.iter();
    said.any(|said| ["半", "half"].iter().any(|word| said.text.contains(word)))
        && evidence
            .amounts()
            .any(|other| other.thousandths() == double)
}

/// Whether it is a number of people, messages or things.
fn is_count(evidence: &Evidence<'_>, own: &Amount, line: &str) -> bool {
    let number = own.thousandths().filter(|number| number % 1000 == 0);
    let Some(Ok(number)) = number.map(|number| usize::try_from(number / 1000)) else {
        return false;
    };
    let is_counted = own.unit.is_none_or(|unit| COUNTED.contains(&unit.0));
    let authors = evidence
        .said
        .iter()
        .filter_map(|said| said.author.as_deref());
    let people: BTreeSet<&str> = authors.clone().collect();
    let mut listed = evidence.said.iter().flat_map(|said| &said.lists);
    is_counted
        && ([people.len(), authors.count(), evidence.messages].contains(&number)
            || listed.any(|count| *count == number)
            || lists(line).contains(&number))
}

/// Whether it follows from numbers of the sources by a short calculation.
fn may_be_calculated(evidence: &Evidence<'_>, own: &Amount) -> bool {
    // As they are written, and in the smallest unit of each dimension.
    [written as fn(&Amount) -> Option<Term>, scaled]
        .into_iter()
        .any(|term| {
            let terms: BTreeSet<Term> = evidence.amounts().filter_map(term).collect();
            term(own).is_some_and(|own| follows(own, &terms))
        })
}

fn written(amount: &Amount) -> Option<Term> {
    let value = i128::from(amount.thousandths()?);
    let is_tenth = amount.unit == Some(Unit("tenth"));
    Some(Term {
        value: if is_tenth { value * 10 } else { value },
        kind: amount.unit.map(|unit| unit.0),
        is_percent: is_tenth || amount.unit == Some(Unit("percent")),
    })
}

fn scaled(amount: &Amount) -> Option<Term> {
    let term = written(amount)?;
    let Some((dimension, scale)) = amount.unit.and_then(scale) else {
        return Some(term);
    };
    let smallest = DIMENSIONS.get(dimension)?.first()?;
    Some(Term {
        value: term.value * i128::from(scale),
        kind: Some(smallest.0),
        ..term
    })
}

/// Whether it is another number without its last digits, up or down.
fn is_rounded(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let alike =
        |other: &&Amount| other.unit == own.unit || other.unit.is_none() || own.unit.is_none();
    let Some(number) = own.thousandths() else {
        return false;
    };
    let mut others = evidence
        .amounts()
        .filter(alike)
        .filter_map(Amount::thousandths);
    others.any(|other| {
        let units = (1..18).map(|power| 10_u64.pow(power));
        // At least the first digit stays, and of a number below a hundred both.
        let most = if other < 100_000 { other / 10 } else { other };
        let mut rounding = units.take_while(|unit| *unit <= most);
        rounding.any(|unit| {
            let down = other / unit * unit;
            other != down && (number == down || number == down.saturating_add(unit))
        })
    })
}

/// Whether two numbers are the same, as far as both have units.
fn is_same(own: &Amount, other: &Amount) -> bool {
    let (Some(a), Some(b)) = (own.unit, other.unit) else {
        return own.digits == other.digits;
    };
    if a == b {
        return own.digits == other.digits;
    }
    if let (Some((dimension, a)), Some((other_dimension, b))) = (scale(a), scale(b)) {
        let scaled = |amount: &Amount, by: u64| amount.thousandths()?.checked_mul(by);
        return dimension == other_dimension
            && scaled(own, a).is_some()
            && scaled(own, a) == scaled(other, b);
    }
    match [a.0, b.0] {
        ["percent", "tenth"] => times_ten(own, other),
        ["tenth", "percent"] => times_ten(other, own),
        ["ordinal", "time" | "day" | "floor"] | ["time" | "day" | "floor", "ordinal"] => {
            own.digits == other.digits
        }
        [a, b] => COUNTED.contains(&a) && COUNTED.contains(&b) && own.digits == other.digits,
    }
}

/// `30%` is `3割`.
fn times_ten(percent: &Amount, tenths: &Amount) -> bool {
    let tenths = tenths
        .thousandths()
        .and_then(|tenths| tenths.checked_mul(10));
    tenths.is_some() && percent.thousandths() == tenths
}

fn scale(unit: Unit) -> Option<(usize, u64)> {
    let mut dimensions = (0..).zip(DIMENSIONS);
    dimensions.find_map(|(dimension, units)| {
        let (_, scale) = units.iter().find(|(name, _)| *name == unit.0)?;
        Some((dimension, *scale))
    })
}
