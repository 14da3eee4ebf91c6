//! Units of numbers.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use super::CURRENCIES;
use crate::phrases::{Phrases, phrases};

/// One unit a line: its name, and how it is written.
const UNITS: Phrases = phrases!("units.txt");

/// No spelling of other letters than ASCII has more characters.
const LONGEST: usize = 8;

/// A unit, by its name in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unit(pub(crate) &'static str);

/// The units by their spellings.
static SPELLINGS: LazyLock<BTreeMap<&'static str, Unit>> = LazyLock::new(|| {
    let spellings = UNITS.iter().flat_map(|line| {
        let (name, spellings) = line.split_once(' ').unwrap_or((line, ""));
        spellings.split(' ').map(move |word| (word, Unit(name)))
    });
    spellings.collect()
});

/// The unit of an ASCII word, or of a sign.
fn named(word: &str) -> Option<Unit> {
    SPELLINGS.get(word).copied()
}

/// Returns true if an ASCII word is a unit or multiplies a number.
pub(super) fn is_unit(word: &str) -> bool {
    matches!(word, "k" | "m" | "bn" | "mio") || named(word).is_some()
}

/// The unit behind a number.
pub(crate) fn unit_after(after: &str) -> Option<Unit> {
    let trimmed = after.trim_start_matches([' ', '-']);
    if trimmed.starts_with('%') {
        return named("%");
    }
    let word: &str = trimmed
        .split(|c: char| !c.is_ascii_alphabetic())
        .next()
        .unwrap_or_default();
    if !word.is_empty() {
        return named(word);
    }
    if trimmed.starts_with(|c: char| c.is_ascii()) {
        return None;
    }
    let ends = trimmed.char_indices().map(|(at, c)| at + c.len_utf8());
    ends.take(LONGEST)
        .filter_map(|end| named(trimmed.get(..end)?))
        .last()
}

/// The sign of money before a number.
pub(crate) fn unit_before(before: &str) -> Option<Unit> {
    let sign = before
        .chars()
        .next_back()
        .filter(|c| CURRENCIES.contains(c))?;
    named(sign.encode_utf8(&mut [0; 4]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_found_behind_a_number() {
        for (spelling, unit) in SPELLINGS.iter() {
            assert!(spelling.is_ascii() || spelling.chars().count() <= LONGEST);
            let is_sign = CURRENCIES.iter().any(|sign| spelling.starts_with(*sign));
            let found = if is_sign {
                unit_before(spelling)
            } else {
                unit_after(spelling)
            };
            assert_eq!(found, Some(*unit), "{spelling}");
        }
    }
}
