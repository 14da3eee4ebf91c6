//! Units of numbers.

use super::CURRENCIES;
use crate::phrases::{Phrases, phrases};

/// One unit a line: its name, and how it is written.
const UNITS: Phrases = phrases!("units.txt");

/// A unit, by its name in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Unit(pub(crate) &'static str);

/// Units with their spellings.
fn spellings() -> impl Iterator<Item = (Unit, &'static str)> {
    UNITS.iter().flat_map(|line| {
        let (name, spellings) = line.split_once(' ').unwrap_or((line, ""));
        spellings.split(' ').map(move |word| (Unit(name), word))
    })
}

/// The unit of an ASCII word, or of a sign.
fn named(word: &str) -> Option<Unit> {
    spellings()
        .find(|(_, spelling)| *spelling == word)
        .map(|(unit, _)| unit)
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
    let longest = spellings()
        .filter(|(_, spelling)| !spelling.is_ascii() && trimmed.starts_with(spelling))
        .max_by_key(|(_, spelling)| spelling.len());
    longest.map(|(unit, _)| unit)
}

/// The sign of money before a number.
pub(crate) fn unit_before(before: &str) -> Option<Unit> {
    let sign = before
        .chars()
        .next_back()
        .filter(|c| CURRENCIES.contains(c))?;
    named(sign.encode_utf8(&mut [0; 4]))
}
