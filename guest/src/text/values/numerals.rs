//! Numbers that are written in words: `twenty-five seats`, `三百席`.

use std::ops::Range;

use super::Amount;
use super::units::unit_after;

/// The words of numbers below a hundred.
const SMALL: [(&str, u64); 28] = [
    ("one", 1),
    ("two", 2),
    ("three", 3),
    ("four", 4),
    ("five", 5),
    ("six", 6),
    ("seven", 7),
    ("eight", 8),
    ("nine", 9),
    ("ten", 10),
    ("eleven", 11),
    ("twelve", 12),
    ("thirteen", 13),
    ("fourteen", 14),
    ("fifteen", 15),
    ("sixteen", 16),
    ("seventeen", 17),
    ("eighteen", 18),
    ("nineteen", 19),
    ("twenty", 20),
    ("thirty", 30),
    ("forty", 40),
    ("fifty", 50),
    ("sixty", 60),
    ("seventy", 70),
    ("eighty", 80),
    ("ninety", 90),
    ("dozen", 12),
];
const LARGE: [(&str, u64); 4] = [
    ("hundred", 100),
    ("thousand", 1000),
    ("million", 1_000_000),
    ("billion", 1_000_000_000),
];
const KANJI_DIGITS: &str = "〇一二三四五六七八九";

/// Calls `found` with every number in words of a text in lower case.
pub(super) fn each_number(normal: &str, found: &mut impl FnMut(Range<usize>, Amount)) {
    english(normal, found);
    japanese(normal, found);
}

fn amount(value: u64, after: &str) -> Amount {
    Amount {
        digits: (value.to_string(), String::new()),
        unit: unit_after(after),
        in_words: true,
    }
}

/// Runs of number words, joined by spaces, hyphens and `and`.
fn english(normal: &str, found: &mut impl FnMut(Range<usize>, Amount)) {
    let mut at = 0;
    while let Some(start) = next_word(normal, at) {
        let mut end = start;
        let mut sum = Sum::default();
        let mut next = Some(start);
        while let Some(from) = next {
            let word = word_at(normal, from);
            let is_joint = word == "and" && end > start;
            if !is_joint && !sum.take(word) {
                break;
            }
            if !is_joint {
                end = from + word.len();
            }
            let after = from + word.len();
            let gap = normal.get(after..).unwrap_or_default();
            let joined = gap.starts_with([' ', '-'])
                && gap
                    .get(1..)
                    .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_alphabetic()));
            next = joined.then_some(after + 1);
        }
        if end > start {
            let after = normal.get(end..).unwrap_or_default();
            found(start..end, amount(sum.value(), after));
            at = end;
        } else {
            at = start + word_at(normal, start).len();
        }
    }
}

/// The number that words add up to.
#[derive(Default)]
struct Sum {
    done: u64,
    current: u64,
    any: bool,
}

impl Sum {
    /// Returns true if the word belongs to the number.
    fn take(&mut self, word: &str) -> bool {
        if let Some((_, value)) = SMALL.iter().find(|(small, _)| *small == word) {
            let is_dozen = word == "dozen";
            self.current = if is_dozen {
                self.current.max(1).saturating_mul(*value)
            } else {
                self.current.saturating_add(*value)
            };
        } else if let Some((_, value)) = LARGE.iter().find(|(large, _)| *large == word) {
            if !self.any {
                return false;
            }
            self.current = self.current.saturating_mul(*value);
            if *value > 100 {
                self.done = self.done.saturating_add(std::mem::take(&mut self.current));
            }
        } else {
            return false;
        }
        self.any = true;
        true
    }

    fn value(&self) -> u64 {
        self.done.saturating_add(self.current)
    }
}

/// Where the next word of ASCII letters begins.
fn next_word(text: &str, at: usize) -> Option<usize> {
    let rest = text.get(at..)?;
    let start = rest.find(|c: char| c.is_ascii_alphabetic())? + at;
    Some(start)
}

fn word_at(text: &str, at: usize) -> &str {
    let rest = text.get(at..).unwrap_or_default();
    let end = rest.find(|c: char| !c.is_ascii_alphabetic());
    rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
}

/// Returns true if a letter is a Japanese numeral. Most letters are ruled out without a search.
fn is_numeral(c: char) -> bool {
    c >= '〇' && (KANJI_DIGITS.contains(c) || "十百千万億".contains(c))
}

/// Runs of Japanese numerals that are more than a single digit, or have a unit behind them.
fn japanese(normal: &str, found: &mut impl FnMut(Range<usize>, Amount)) {
    let mut at = 0;
    while let Some(start) = normal
        .get(at..)
        .and_then(|rest| rest.find(is_numeral))
        .map(|start| start + at)
    {
        let rest = normal.get(start..).unwrap_or_default();
        let length = rest.find(|c: char| !is_numeral(c)).unwrap_or(rest.len());
        let (run, after) = rest.split_at_checked(length).unwrap_or((rest, ""));
        at = start + length.max(1);
        let before = normal.get(..start).unwrap_or_default();
        let follows_digit =
            before.ends_with(|c: char| c.is_ascii_digit() || c == '数' || c == '何');
        if !follows_digit
            && let Some(value) = kanji_value(run)
            && let amount = amount(value, after)
            && amount.unit.is_some()
        {
            found(start..at, amount);
        }
    }
}

/// The values of all runs of Japanese numerals, with a unit or without.
pub(crate) fn numerals(normal: &str) -> Vec<String> {
    let runs = normal
        .split(|c| !is_numeral(c))
        .filter(|run| !run.is_empty());
    runs.filter_map(kanji_value)
        .map(|value| value.to_string())
        .collect()
}

fn kanji_value(run: &str) -> Option<u64> {
    let (mut total, mut section, mut digit) = (0_u64, 0_u64, None::<u64>);
    for c in run.chars() {
        let power = match c {
            '十' => 10,
            '百' => 100,
            '千' => 1000,
            '万' => 10_000,
            '億' => 100_000_000,
            _ => {
                let value = KANJI_DIGITS.chars().position(|digit| digit == c)?;
                let value = u64::try_from(value).ok()?;
                // `二五` is 25.
                digit = Some(digit.unwrap_or(0).checked_mul(10)?.checked_add(value)?);
                continue;
            }
        };
        if power < 10_000 {
            section = section.checked_add(digit.take().unwrap_or(1).checked_mul(power)?)?;
        } else {
            let before = section.checked_add(digit.take().unwrap_or(0))?;
            total = total.checked_add(before.max(1).checked_mul(power)?)?;
            section = 0;
        }
    }
    total.checked_add(section)?.checked_add(digit.unwrap_or(0))
}
