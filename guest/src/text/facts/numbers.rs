//! The type of a fact, and facts with a digit in them: dates, times, amounts, versions and ids.

use crate::phrases::{Phrases, phrases, weighted};
use crate::text::is_kanji;

/// One fact.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fact {
    /// Its text in lower case; the same fact in another sentence has the same key.
    pub(crate) key: String,
    /// Its value to a reader, about 1.
    pub(crate) weight: f64,
}

/// Signs of money.
pub(crate) const CURRENCIES: &[char] = &['$', '€', '£', '¥', '￥'];
/// Counters after a number in Japanese, and the weight of the two together.
const COUNTERS: Phrases = phrases!("japanese/counters.txt");
/// Units after a number in English.
const UNITS: Phrases = phrases!("english/units.txt");
/// Longer chunks of letters and digits are hashes and dumps rather than ids.
const MAX_ID_LENGTH: usize = 24;

/// A fact, with its key in lower case.
pub(crate) fn fact(key: &str, weight: f64) -> Option<Fact> {
    Some(Fact {
        key: key.to_lowercase(),
        weight,
    })
}

/// The fact in a chunk with a digit; `tail` is the text after it.
pub(crate) fn number_fact(chunk: &str, lower: &str, tail: &str) -> Option<Fact> {
    if is_date(chunk) {
        return fact(chunk, 1.0);
    }
    if is_time(lower) {
        return fact(chunk, 0.7);
    }
    let digits = chunk.chars().filter(char::is_ascii_digit).count();
    let number = chunk.trim_start_matches(CURRENCIES).trim_end_matches('%');
    if number
        .chars()
        .all(|c| c.is_ascii_digit() || matches!(c, '.' | ','))
    {
        let marked = number.len() < chunk.len();
        let amount = fact(chunk, if digits > 1 { 1.2 } else { 0.7 });
        return if marked {
            amount
        } else {
            Some(counted(number, digits, tail))
        };
    }
    if is_version(number) || is_amount(number) || chunk.starts_with('#') {
        return fact(chunk, 1.0);
    }
    if !chunk.contains(|c: char| c.is_ascii_alphabetic()) {
        return fact(chunk, 0.3);
    }
    // Ids and codes: `INC-204`, `E0502`, `3fa9c1d`.
    fact(
        chunk,
        if chunk.len() <= MAX_ID_LENGTH {
            0.9
        } else {
            0.4
        },
    )
}

fn all_numbers(parts: &[&str]) -> bool {
    parts
        .iter()
        .all(|part| (1..=4).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit()))
}

/// `2024-03-15`, `3/15`.
fn is_date(chunk: &str) -> bool {
    let parts: Vec<&str> = chunk.split(['-', '/']).collect();
    (2..=3).contains(&parts.len()) && all_numbers(&parts)
}

/// `10:30`, `9:00-10:30`, `3pm`.
fn is_time(lower: &str) -> bool {
    let clock = lower.trim_end_matches("am").trim_end_matches("pm");
    let parts: Vec<&str> = clock.split([':', '-']).collect();
    let has_mark = clock.len() < lower.len() || lower.contains(':');
    has_mark && parts.get(1).is_none_or(|minutes| minutes.len() == 2) && all_numbers(&parts)
}

/// `v2.0`, `1.2.3-rc1`.
fn is_version(number: &str) -> bool {
    number.contains('.')
        && number
            .trim_start_matches(['v', 'V'])
            .starts_with(|c: char| c.is_ascii_digit())
}

/// `180ms`, `12k`, `5GB/s`.
fn is_amount(number: &str) -> bool {
    let unit =
        number.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '~'));
    unit.len() <= 4
        && unit
            .chars()
            .all(|c| c.is_ascii_alphabetic() || matches!(c, '%' | '/'))
}

/// A number with its unit: `300万円`, `3月`, `200 GB`, or alone.
fn counted(number: &str, digits: usize, tail: &str) -> Fact {
    if let Some((counter, weight)) = COUNTERS
        .iter()
        .filter(|line| line.starts_with(|c| tail.starts_with(c)))
        .filter_map(weighted)
        .find(|(counter, _)| tail.starts_with(counter))
    {
        let kanji: String = tail.chars().take_while(|c| is_kanji(*c)).take(2).collect();
        let unit = if kanji.is_empty() {
            counter
        } else {
            kanji.as_str()
        };
        return Fact {
            key: format!("{number}{unit}"),
            weight,
        };
    }
    let word = tail
        .trim_start()
        .split(|c: char| !c.is_ascii_alphabetic() && c != '%')
        .next();
    let unit = word.unwrap_or_default().to_lowercase();
    if UNITS.has(&unit) {
        return Fact {
            key: format!("{number} {unit}"),
            weight: 0.9,
        };
    }
    let weight = match digits {
        1 => 0.15,
        2 => 0.4,
        _ => 0.6,
    };
    Fact {
        key: number.to_owned(),
        weight,
    }
}
