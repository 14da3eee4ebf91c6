//! Lines of memories that are outdated: what they announce is past, or a newer line is about the same.

use std::collections::BTreeMap;

use chrono::{Datelike as _, NaiveDate};

use super::score::Content;

/// The factor for a line whose dates are all past.
const PAST: f64 = 0.4;
/// A line that decides so much says what was decided.
const DECIDED: f64 = 1.0;
/// The factor for a line if a newer one is about the same.
const REPLACED: f64 = 0.5;
/// Two lines are about the same if they share so many words, and this part of the words of the shorter one.
const SHARED_WORDS: usize = 3;
const SHARED_PART: f64 = 0.6;
/// Words in more lines than this say little about what a line is about.
const COMMON: usize = 64;

/// A line of a memory.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Its day, as [`Datelike::num_days_from_ce`].
    pub(super) day: Option<i32>,
    pub(super) content: &'a Content,
}

/// How much each line is worth at the day of the newest one; they are in order of time.
pub(super) fn factors(lines: &[Line<'_>]) -> Vec<f64> {
    let today = lines.iter().filter_map(|line| line.day).max();
    let mut by_term: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (index, line) in lines.iter().enumerate() {
        for term in &line.content.terms {
            by_term.entry(*term).or_default().push(index);
        }
    }
    by_term.retain(|_, holders| holders.len() <= COMMON);
    let of = |(index, line): (usize, &Line<'_>)| {
        // What was decided stands when its day is past.
        let may_pass = line.content.decision < DECIDED;
        let is_past = may_pass && today.is_some_and(|today| is_past(line.text, today));
        let past = if is_past { PAST } else { 1.0 };
        if is_replaced(index, line, lines, &by_term) {
            past * REPLACED
        } else {
            past
        }
    };
    lines.iter().enumerate().map(of).collect()
}

/// Whether a newer line is about the same.
fn is_replaced(
    index: usize,
    line: &Line<'_>,
    lines: &[Line<'_>],
    by_term: &BTreeMap<usize, Vec<usize>>,
) -> bool {
    let mut shared: BTreeMap<usize, usize> = BTreeMap::new();
    for holders in line
        .content
        .terms
        .iter()
        .filter_map(|term| by_term.get(term))
    {
        for newer in holders.iter().filter(|newer| **newer > index) {
            *shared.entry(*newer).or_default() += 1;
        }
    }
    let number = |count: usize| u32::try_from(count).map_or(f64::MAX, f64::from);
    shared.into_iter().any(|(newer, shared)| {
        let newer = lines.get(newer).filter(|newer| !newer.content.question);
        newer.is_some_and(|newer| {
            let shorter = newer.content.terms.len().min(line.content.terms.len());
            shared >= SHARED_WORDS && number(shared) >= SHARED_PART * number(shorter)
        })
    })
}

/// Whether all dates that stand behind relative ones (`next Friday (2026-12-04)`) are past.
fn is_past(text: &str, today: i32) -> bool {
    let dates = text
        .split('(')
        .skip(1)
        .filter_map(|rest| rest.get(..10)?.parse::<NaiveDate>().ok());
    let days: Vec<i32> = dates.map(|date| date.num_days_from_ce()).collect();
    !days.is_empty() && days.iter().all(|day| *day < today)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extractive::names::Names;
    use crate::extractive::score::Vocabulary;

    fn worth(lines: &[(&str, i32)]) -> Vec<f64> {
        let mut vocabulary = Vocabulary::default();
        let contents: Vec<Content> = lines
            .iter()
            .map(|(text, _)| vocabulary.read(text, &Names::default()))
            .collect();
        let lines: Vec<Line<'_>> = lines
            .iter()
            .zip(&contents)
            .map(|((text, day), content)| Line {
                text,
                day: Some(*day),
                content,
            })
            .collect();
        factors(&lines)
    }

    #[test]
    fn what_was_announced_for_a_day_that_is_past_is_worth_less() {
        let today = NaiveDate::from_ymd_opt(2026, 3, 5).map_or(0, |day| day.num_days_from_ce());
        let lines = [
            ("The crane comes tomorrow (2026-03-02)", today - 4),
            ("Paint the pier by next Friday (2026-03-13)", today - 4),
            ("Lunch for everybody (again)", today),
        ];
        assert_eq!(worth(&lines), [PAST, 1.0, 1.0]);
    }

    #[test]
    fn a_newer_line_about_the_same_replaces_the_older_one() {
        let lines = [
            ("The release of Harbour ships on Thursday", 1),
            ("Anna keeps the keys of the workshop", 2),
            ("The release of Harbour ships on Monday instead", 3),
        ];
        assert_eq!(worth(&lines), [REPLACED, 1.0, 1.0]);
        let asked = [
            ("The release of Harbour ships on Thursday", 1),
            ("Which day ships the release of Harbour?", 3),
        ];
        assert_eq!(worth(&asked), [1.0, 1.0]);
    }
}
