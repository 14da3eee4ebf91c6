//! The weekdays that a text names.

use chrono::Weekday;

use crate::phrases::{Phrases, contains_words, phrases};

/// The number of a weekday, and how it is written.
const WEEKDAYS: Phrases = phrases!("weekdays.txt");

/// The weekdays that a text names, from Monday on, and how.
pub(super) fn weekdays(text: &str) -> Vec<(u32, &'static str)> {
    let mut found = Vec::new();
    for line in WEEKDAYS.iter() {
        let mut words = line.split(' ');
        let day = words.next().and_then(|day| day.parse().ok());
        // `sat` and `sun` are words of their own, too.
        let word = words.find(|word| contains_words(text, word) && !matches!(*word, "sat" | "sun"));
        if let (Some(day), Some(word)) = (day, word) {
            found.push((day, word));
        }
    }
    found
}

/// The weekday that a word is, in the singular: `fri`, `金曜`.
pub(crate) fn weekday(word: &str) -> Option<Weekday> {
    let line = WEEKDAYS
        .iter()
        .find(|line| line.split(' ').skip(1).any(|own| own == word));
    let (day, _) = line.filter(|_| !word.ends_with("days"))?.split_once(' ')?;
    Weekday::try_from(day.parse::<u8>().ok()?).ok()
}

/// The weekday with which a text begins.
pub(super) fn leading_weekday(text: &str) -> Option<u32> {
    let endings = ["st ", "nd ", "rd ", "th "];
    let rest = endings.iter().find_map(|ending| text.strip_prefix(ending));
    let text = rest.unwrap_or(text).trim_start();
    let of_text = weekdays(text).into_iter();
    let mut first = of_text.filter(|(_, word)| text.starts_with(word));
    first.next().map(|(weekday, _)| weekday)
}
