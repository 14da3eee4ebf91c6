//! Decides whether a value of a line follows from its sources.

use std::collections::BTreeSet;

use chrono::Timelike as _;

use super::days::{is_date, is_of_calendar};
use super::evidence::{Evidence, Said, digits};
use crate::phrases::{Phrases, contains_words, phrases};
use crate::text::values::numbers::Point;
use crate::text::values::reading;
use crate::text::values::{Amount, Found, Unit, Value};

/// Numbers in words up to this are often counted by the writer; in thousandths.
const MOST_IN_WORDS: u64 = 100_000;
/// The minutes of half a day.
const HALF_DAY: u32 = 12 * 60;
/// Marks that may stand between two values that are read as one.
const JOINTS: [char; 12] = [':', '(', ')', ',', ';', '=', '*', '→', '~', '@', '#', '/'];
/// Words by which a line says that a number is a result.
const RESULTS: Phrases = phrases!("english/results.txt", "japanese/results.txt");
/// Words before a number that is rounded, by a twentieth at most.
const ESTIMATES: Phrases = phrases!("english/estimates.txt", "japanese/estimates.txt");
const ROUNDED: u64 = 20;
/// Units of the parts of dates and times.
const CALENDAR: [&str; 6] = ["day", "month-name", "month", "year", "clock", "ordinal"];
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

/// Returns true if a value follows: as it is written or read, or each of its parts, or its numbers.
pub(super) fn follows(evidence: &Evidence<'_>, found: &Found, line: &str) -> bool {
    let written = line.get(found.range.clone()).unwrap_or_default();
    let after = line.get(found.range.end..).unwrap_or_default();
    if is_said(evidence, &found.value, line, after) || evidence.has_word(written) {
        return true;
    }
    let numbers = digits(written);
    let has_all = |said: &&&Said| numbers.iter().all(|number| said.digits().contains(number));
    let mut together = evidence.said.iter().filter(has_all);
    match &found.value {
        Value::Address(_) if written.contains(['/', '.']) => false,
        Value::Code(_) | Value::Address(_) => {
            // `4,000rpm`
            let letters = written.split(|c: char| !c.is_ascii_alphabetic());
            let long: Vec<&str> = letters.filter(|letters| letters.len() > 2).collect();
            let has_long = |said: &&Said| long.iter().all(|letters| said.text.contains(letters));
            let is_amount = numbers.len() == 1 && !written.contains(['-', '_']);
            in_parts(evidence, written, line) || is_amount && together.any(has_long)
        }
        Value::Long(_) => numbers.iter().all(|number| evidence.has_digits(number)),
        Value::Point(_) => false,
        Value::Number(own) => {
            is_result(evidence, line)
                || is_between(evidence, own)
                || is_rounded(evidence, found, line)
        }
    }
}

/// Returns true if each part of what was read as one value follows.
fn in_parts(evidence: &Evidence<'_>, written: &str, line: &str) -> bool {
    let parts = written.split(JOINTS).filter(|part| !part.is_empty());
    let parts: Vec<&str> = parts.collect();
    let follows = |part: &&str| {
        let values = reading::read(part);
        let mut values = values.iter();
        let is_said = |found: &Found| {
            let after = part.get(found.range.end..).unwrap_or_default();
            is_said(evidence, &found.value, line, after)
        };
        evidence.has_word(part) || values.all(is_said)
    };
    parts != [written] && parts.iter().all(follows)
}

/// Returns true if the line itself says that its numbers were calculated, in a word that no source has.
fn is_result(evidence: &Evidence<'_>, line: &str) -> bool {
    RESULTS
        .words_in(line)
        .any(|word| !evidence.has_any(&[word]))
}

/// Returns true if a number is near one that a source says, and the line says that it is no more than that.
fn is_rounded(evidence: &Evidence<'_>, found: &Found, line: &str) -> bool {
    let before = line.get(..found.range.start).unwrap_or_default();
    let before = before.trim_end_matches([' ', '€', '$', '£', '¥']);
    let near = |said: u64, own: u64| said.abs_diff(own).saturating_mul(ROUNDED) <= said;
    let Value::Number(own) = &found.value else {
        return false;
    };
    let mut said = evidence.amounts().filter_map(Amount::thousandths);
    (before.ends_with(['~', '≈']) || ESTIMATES.ends(before))
        && own
            .thousandths()
            .is_some_and(|own| said.any(|said| near(said, own)))
}

/// Returns true if a length of time is the distance of two times that one source, or two, say.
fn is_between(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let length = own.thousandths().map(|number| match own.unit {
        Some(Unit("minute")) => number / 1000,
        Some(Unit("hour")) => number * 60 / 1000,
        _ => 0,
    });
    let points = evidence.values().filter_map(|value| match value {
        Value::Point(point) => Some(*point),
        _ => None,
    });
    let times: BTreeSet<u32> = points.flat_map(minutes).collect();
    let mut later = length
        .and_then(|length| u32::try_from(length).ok())
        .filter(|length| *length > 0)
        .into_iter()
        .flat_map(|length| {
            times
                .iter()
                .map(move |time| (time + length) % (2 * HALF_DAY))
        });
    later.any(|time| times.contains(&time))
}

fn is_said(evidence: &Evidence<'_>, value: &Value, line: &str, after: &str) -> bool {
    match value {
        Value::Address(address) => evidence.has_word(address),
        Value::Code(code) => evidence.has_code(code),
        Value::Long(digits) => evidence.has_long(digits),
        Value::Point(point @ Point::Date { .. }) => is_date(evidence, *point, line),
        Value::Point(point) => is_time(evidence, *point) || is_length(evidence, *point),
        Value::Number(own) => {
            let is_day = ["日間", "日前", "日後"]
                .iter()
                .all(|length| !after.starts_with(length));
            is_number(evidence, own) || is_day && is_of_calendar(evidence, own)
        }
    }
}

/// The minutes of the day that a time may mean.
fn minutes(point: Point) -> Vec<u32> {
    let Point::Time {
        hour,
        minute,
        afternoon,
        morning,
    } = point
    else {
        return Vec::new();
    };
    let written = (hour * 60 + minute) % (2 * HALF_DAY);
    if afternoon {
        vec![written % HALF_DAY + HALF_DAY]
    } else if morning {
        vec![written % HALF_DAY]
    } else if hour == 0 || hour > 12 {
        vec![written]
    } else {
        vec![written, (written + HALF_DAY) % (2 * HALF_DAY)]
    }
}

fn is_time(evidence: &Evidence<'_>, point: Point) -> bool {
    let own = minutes(point);
    let noon = ["正午", "noon", "midday", "お昼"].as_slice();
    let midnight = ["深夜0時", "midnight", "零時"].as_slice();
    let is_it = |said: &&Said| {
        let mut points = said.values.iter().filter_map(|found| match found.value {
            Value::Point(point) => Some(point),
            _ => None,
        });
        let named = [(HALF_DAY, noon), (0, midnight)];
        let mut named = named.into_iter();
        let of_message = said.time.map(|time| time.hour() * 60 + time.minute());
        points.any(|point| minutes(point).iter().any(|time| own.contains(time)))
            || of_message.is_some_and(|time| own.contains(&time))
            || named.any(|(time, words)| {
                own.contains(&time) && words.iter().any(|word| contains_words(&said.text, word))
            })
    };
    let is_bare = |amount: &Amount| {
        let hour = amount
            .unit
            .is_none()
            .then(|| amount.digits.0.parse::<u32>().ok());
        hour.flatten().is_some_and(|hour| {
            let times = [hour, hour + 12].map(|hour| hour * 60);
            hour < 24 && own.iter().any(|own| times.contains(own))
        })
    };
    evidence.said.iter().any(is_it) || evidence.amounts().any(is_bare)
}

/// Returns true if what looks like a time is a length that is said: `1:30` for a minute and a half.
fn is_length(evidence: &Evidence<'_>, point: Point) -> bool {
    let Point::Time { hour, minute, .. } = point else {
        return false;
    };
    let (decimals, digits) = (String::new(), (hour * 60 + minute).to_string());
    let length = |unit| Amount {
        digits: (digits.clone(), decimals.clone()),
        unit: Some(Unit(unit)),
        in_words: false,
    };
    let lengths = ["second", "minute"].map(length);
    let mut said = evidence.amounts().filter(|said| said.unit.is_some());
    said.any(|said| lengths.iter().any(|length| is_converted(length, said)))
}

fn is_number(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let (whole, decimals) = &own.digits;
    let number = own.thousandths();
    let may_be_date = own.unit.is_none_or(|unit| CALENDAR.contains(&unit.0));
    let has_digits = match may_be_date {
        true => evidence.has_digits(whole),
        false => evidence.has_count(whole),
    };
    // `十分` is no number, and `both options` and `within the hour` are no values.
    number == Some(0)
        || own.in_words && number <= Some(MOST_IN_WORDS)
        || decimals.is_empty() && (has_digits || whole.len() > 2 && evidence.has_long(whole))
        || evidence.amounts().any(|other| is_same(own, other))
        || in_other_words(evidence, own)
}

/// Returns true if two numbers are the same, perhaps in another unit.
fn is_same(own: &Amount, other: &Amount) -> bool {
    own.digits == other.digits || is_converted(own, other)
}

/// Returns true if two amounts are the same in units of one dimension.
fn is_converted(own: &Amount, other: &Amount) -> bool {
    let (Some(a), Some(b)) = (own.unit, other.unit) else {
        return false;
    };
    let scaled = |amount: &Amount, by: u64| amount.thousandths()?.checked_mul(by);
    let is_equal = |by: u64, other_by: u64| {
        let own = scaled(own, by);
        own.is_some() && own == scaled(other, other_by)
    };
    match [a.0, b.0] {
        ["percent", "tenth"] => is_equal(1, 10),
        ["tenth", "percent"] => is_equal(10, 1),
        _ => {
            matches!((scale(a), scale(b)), (Some((of, a)), Some((other_of, b))) if of == other_of && is_equal(a, b))
        }
    }
}

fn scale(unit: Unit) -> Option<(usize, u64)> {
    let mut dimensions = (0..).zip(DIMENSIONS);
    dimensions.find_map(|(dimension, units)| {
        let (_, scale) = units.iter().find(|(name, _)| *name == unit.0)?;
        Some((dimension, *scale))
    })
}

/// `half` and `double`, in all their words.
fn in_other_words(evidence: &Evidence<'_>, own: &Amount) -> bool {
    match (own.unit, own.thousandths()) {
        (Some(Unit("percent")), Some(50_000)) => evidence.has_any(&["半分", "半数", "half"]),
        (Some(Unit("percent")), Some(100_000)) => evidence.has_any(&["全", "すべて", "all"]),
        (Some(Unit("fold" | "time")), Some(2_000)) => evidence.has_any(&["倍", "double", "twice"]),
        _ => false,
    }
}
