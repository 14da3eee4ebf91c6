//! The values of a text: dates, times, numbers with their units, versions, ids and addresses, each in a form that does
//! not depend on how it was written. They decide what is kept beside a memory (`records`) and which messages a line
//! cites (`citations`).

pub(crate) mod numbers;
mod numerals;
pub(crate) mod reading;
mod units;

use std::ops::Range;

use crate::text::chunks::{CURRENCIES, chunks};
use crate::text::{fold_char, is_caseless, is_invisible};
use numbers::{Number, Point};
pub(crate) use numerals::numerals;
pub(crate) use units::{Unit, unit_after, unit_before};

/// A number of fewer digits may be a day, a room or a count; one of more is a phone or card number or an id.
const LONG: usize = 7;

/// The most groups of a long number.
const MOST_GROUPS: usize = 5;

/// A value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    /// A URL without its scheme, an e-mail address, a path, a file.
    Address(String),
    /// An id, a version, a code: `inc-204`, `v1.2.3`.
    Code(String),
    /// A date or a time.
    Point(Point),
    /// A number, in full.
    Number(Amount),
    /// The digits of a long number, such as a phone number, however they are grouped.
    Long(String),
}

/// A number and its unit.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Amount {
    /// The digits before and behind the point, without zeros around them.
    pub(crate) digits: (String, String),
    /// The unit, if one is recognised.
    pub(crate) unit: Option<Unit>,
    /// True if it is written in words.
    pub(crate) in_words: bool,
}

impl Amount {
    /// The number in thousandths; `None` if it is too large or too precise.
    pub(crate) fn thousandths(&self) -> Option<u64> {
        let (whole, decimals) = &self.digits;
        let decimals = format!("{decimals:0<3}");
        (decimals.len() == 3)
            .then(|| format!("{whole}{decimals}").parse().ok())
            .flatten()
    }

    /// Returns true if it says something by itself: a number with a unit, or of at least three digits that are no year.
    fn is_hard(&self) -> bool {
        let (whole, decimals) = &self.digits;
        let year = whole.len() == 4 && numbers::is_year(whole);
        self.unit.is_some() || !decimals.is_empty() || (whole.len() > 2 && !year)
    }
}

impl Value {
    /// Returns true if it may not be lost; a lone small number may.
    pub(crate) fn is_hard(&self) -> bool {
        match self {
            Self::Number(amount) => !amount.in_words && amount.is_hard(),
            _ => true,
        }
    }

    /// Returns true if the other value is the same as this one, as far as both say.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Point(a), Self::Point(b)) => is_same_point(*a, *b),
            (Self::Number(a), Self::Number(b)) => {
                let alike = a.unit.is_none() || b.unit.is_none() || a.unit == b.unit;
                a.digits == b.digits && alike
            }
            (a, b) => a == b,
        }
    }
}

fn is_same_point(a: Point, b: Point) -> bool {
    match (a, b) {
        (
            Point::Date { year, month, day },
            Point::Date {
                year: other_year,
                month: other_month,
                day: other_day,
            },
        ) => {
            let same_year = year.is_none() || other_year.is_none() || year == other_year;
            same_year && (month, day) == (other_month, other_day)
        }
        (
            Point::Time { hour, minute, .. },
            Point::Time {
                hour: other_hour,
                minute: other_minute,
                ..
            },
        ) => {
            // `3時` may be `15:00`, unless both say which half of the day they are in.
            let halves = (half(a), half(b));
            let may_be = halves.0.is_none() || halves.1.is_none() || halves.0 == halves.1;
            (hour % 12, minute) == (other_hour % 12, other_minute) && may_be
        }
        _ => false,
    }
}

/// Returns true if a time is in the second half of the day; `None` if it does not say.
fn half(point: Point) -> Option<bool> {
    match point {
        Point::Time {
            afternoon: true, ..
        } => Some(true),
        Point::Time { morning: true, .. } => Some(false),
        Point::Time { hour, .. } if hour > 12 => Some(hour < 24),
        _ => None,
    }
}

/// A value, and where it is in its text, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    pub(crate) range: Range<usize>,
    pub(crate) value: Value,
}

/// A text in the form in which values are looked for: in lower case, without full-width ASCII and invisible characters.
pub(crate) fn normal(text: &str) -> String {
    let mut normal = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            normal.push(c.to_ascii_lowercase());
        } else if is_caseless(c) {
            normal.push(c);
        } else if !is_invisible(c) {
            normal.extend(fold_char(c).to_lowercase());
        }
    }
    normal
}

/// The values of a text in [`normal`] form, in order.
pub(crate) fn read(normal: &str) -> Vec<Found> {
    let mut found = Vec::new();
    for chunk in chunks(normal) {
        if let Some(value) = named(chunk.text) {
            let range = chunk.start..chunk.start + chunk.text.len();
            found.push(Found { range, value });
        }
    }
    let is_part = |range: &Range<usize>, found: &[Found]| {
        found
            .iter()
            .any(|other| other.range.start <= range.start && range.end <= other.range.end)
    };
    long_numbers(normal, &mut |range, digits| {
        if !is_part(&range, &found) {
            let value = Value::Long(digits);
            found.push(Found { range, value });
        }
    });
    let named = found.len();
    let all: Vec<Number<'_>> = numbers::numbers(normal)
        .into_iter()
        .filter(|number| !is_part(&number.range(), found.get(..named).unwrap_or_default()))
        .collect();
    let mut rest = all.as_slice();
    while let [first, more @ ..] = rest {
        let (value, used) = match numbers::point(first, more) {
            Some((point, used)) => (Value::Point(point), used),
            None => (Value::Number(amount(first)), 1),
        };
        let last = rest.get(used - 1).unwrap_or(first);
        let range = first.range().start..last.range().end;
        found.push(Found { range, value });
        rest = rest.get(used..).unwrap_or_default();
    }
    numerals::each_number(normal, &mut |range, amount| {
        let value = Value::Number(amount);
        found.push(Found { range, value });
    });
    found.sort_by_key(|found| found.range.start);
    found
}

/// The address or code in a chunk; `None` if it is a number, a date or a time, or a word.
fn named(chunk: &str) -> Option<Value> {
    if chunk.starts_with('@') {
        return None;
    }
    let is_address = chunk.contains("://") || chunk.starts_with("www.");
    let is_mail = chunk
        .split_once('@')
        .is_some_and(|(name, domain)| !name.is_empty() && domain.contains('.'));
    if is_address || is_mail {
        let address = chunk.split_once("://").map_or(chunk, |(_, rest)| rest);
        let address = address.strip_prefix("www.").unwrap_or(address);
        return Some(Value::Address(address.trim_end_matches('/').to_owned()));
    }
    let has_digit = chunk.contains(|c: char| c.is_ascii_digit());
    if !has_digit {
        return is_file(chunk).then(|| Value::Address(chunk.trim_end_matches('/').to_owned()));
    }
    is_code(chunk).then(|| Value::Code(chunk.to_owned()))
}

/// Returns true for a file, a path, a channel and a name in code.
fn is_file(chunk: &str) -> bool {
    let letters = chunk.bytes().filter(u8::is_ascii_alphabetic).count();
    let extension = chunk.rsplit_once('.').filter(|(stem, _)| stem.len() > 1);
    let is_extension =
        |end: &str| (2..=5).contains(&end.len()) && end.bytes().all(|b| b.is_ascii_lowercase());
    let is_marked = chunk.starts_with(['/', '~', '#'])
        || chunk.matches('/').count() > 1
        || chunk.contains('_')
        || chunk.contains("::");
    letters > 1 && extension.is_some_and(|(_, end)| is_extension(end)) || letters > 2 && is_marked
}

/// Returns true if a chunk with a digit is an id or a version: not `180ms`, `3pm`, `1,200`, `2024-03-15`, `$5` or `40%`.
fn is_code(chunk: &str) -> bool {
    let body = chunk
        .trim_start_matches(CURRENCIES)
        .trim_start_matches(['~', '+', '-', '=']);
    if body.starts_with('#') {
        return true;
    }
    let is_number =
        |c: char| c.is_ascii_digit() || matches!(c, ',' | '.' | '-' | '/' | ':' | '+' | '~');
    let letters = body.trim_start_matches(is_number);
    if letters.is_empty() {
        // `1.2.3` is a version; `3.5` is a number, and `3.5-3.7` are two.
        let mut parts = body.split('-');
        return parts.any(|part| part.matches('.').count() > 1) && !body.contains(['/', ':']);
    }
    if !body.starts_with(|c: char| c.is_ascii_digit()) {
        let digits_first = body.starts_with(|c: char| !c.is_ascii_alphabetic());
        return !digits_first || letters.contains(|c: char| c.is_ascii_digit());
    }
    // Digits and then a unit, perhaps twice: `9am-10am`, `5gb/s`, `1h30m`.
    let units = body.split(is_number).filter(|part| !part.is_empty());
    let mut units = units.peekable();
    !units.all(|unit| units::is_unit(unit.trim_end_matches('%')) || unit.bytes().all(|b| b == b'%'))
}

fn amount(number: &Number<'_>) -> Amount {
    let multiplier = number.multiplier();
    let after = match multiplier {
        Some((word, _)) => {
            let after = number.after.trim_start();
            after.strip_prefix(word).unwrap_or(after)
        }
        None => number.after,
    };
    Amount {
        digits: number.digits(),
        unit: unit_before(number.before).or_else(|| unit_after(after)),
        in_words: false,
    }
}

/// Calls `found` with numbers of many digits in groups: `090-1234-5678`, `1234 5678 9012`. A list of numbers has shorter
/// groups, or more of them.
fn long_numbers(text: &str, found: &mut impl FnMut(Range<usize>, String)) {
    let mut groups: Vec<Range<usize>> = Vec::new();
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        if c.is_ascii_digit() {
            match groups.last_mut() {
                Some(group) if group.end == at => group.end += 1,
                _ => groups.push(at..at + 1),
            }
            continue;
        }
        if matches!(c, '/' | ':') {
            // A date or a time begins with the last group.
            groups.pop();
        }
        let gap = groups.last().map_or(0, |group| at - group.end);
        if !(matches!(c, '-' | ' ' | '(' | ')' | '‐' | '−') && gap < 4) {
            long_number(text, &groups, found);
            groups.clear();
        }
    }
}

fn long_number(text: &str, groups: &[Range<usize>], found: &mut impl FnMut(Range<usize>, String)) {
    // A single digit may be the code of a country.
    let groups = match groups {
        [first, rest @ ..] if first.len() == 1 => rest,
        groups => groups,
    };
    let (Some(first), Some(last)) = (groups.first(), groups.last()) else {
        return;
    };
    let whole = first.start..last.end;
    let digits: String = groups
        .iter()
        .filter_map(|group| text.get(group.clone()))
        .collect();
    let in_word = text
        .get(..whole.start)
        .is_some_and(|before| before.ends_with(|c: char| c.is_ascii_alphabetic() || c == ','));
    let is_long = (2..=MOST_GROUPS).contains(&groups.len())
        && groups.iter().all(|group| group.len() > 1)
        && digits.len() > LONG;
    if is_long && !in_word && !is_calendar(text.get(whole.clone())) {
        found(whole, digits);
    }
}

/// `2024-03-15`, and `2024-03-15 10` with more digits behind it.
fn is_calendar(text: Option<&str>) -> bool {
    let Some(text) = text else { return true };
    let all = numbers::numbers(text);
    match all.as_slice() {
        [first, more @ ..] => numbers::point(first, more).is_some(),
        [] => true,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let show = |found: Found| match found.value {
            Value::Address(text) => format!("@{text}"),
            Value::Code(text) => format!("#{text}"),
            Value::Long(digits) => format!("long {digits}"),
            Value::Point(Point::Date { year, month, day }) => {
                let year = year.map_or(String::new(), |year| format!("{year}-"));
                format!("{year}{month}-{day}")
            }
            Value::Point(Point::Time { hour, minute, .. }) => format!("{hour}:{minute:02}"),
            Value::Number(Amount { digits, unit, .. }) => {
                let unit = unit.map_or("", |unit| unit.0);
                format!("{}.{} {unit}", digits.0, digits.1)
            }
        };
        read(&normal(text)).into_iter().map(show).collect()
    }

    #[test]
    fn values_of_both_languages_are_read_once_each() {
        assert_eq!(
            shown("３月２２日の10:30に300万円、24台"),
            ["3-22", "10:30", "3000000. money-yen", "24. unit"]
        );
        assert_eq!(
            shown("On March 5, 2024 at 3pm: $1,200 for 2.4 s, 40% of 95 minutes"),
            [
                "2024-3-5",
                "3:00",
                "1200. money-dollar",
                "2.4 second",
                "40. percent",
                "95. minute"
            ]
        );
        assert_eq!(
            shown(
                "See https://example.com/wiki/12/ and INC-204 in v4.8.2, deploy.yaml, a@example.com, E0502"
            ),
            [
                "@example.com/wiki/12",
                "#inc-204",
                "#v4.8.2",
                "@deploy.yaml",
                "@a@example.com",
                "#e0502"
            ]
        );
        assert_eq!(
            shown("call 090-1234-5678 or 03 1234 5678"),
            ["long 09012345678", "long 0312345678"]
        );
        assert_eq!(shown("twenty seats, 三百席"), ["20. seat", "300. seat"]);
        assert_eq!(shown("the plan is for us to talk"), [""; 0]);
    }

    #[test]
    fn times_are_the_same_on_either_clock() {
        let time = |text: &str| read(&normal(text)).into_iter().next().unwrap().value;
        assert!(time("15:00").is_same(&time("3pm")) && time("午後3時").is_same(&time("15時")));
        assert!(!time("15:00").is_same(&time("16:00")));
    }
}
