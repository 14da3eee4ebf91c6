//! Times in English.

use std::ops::Range;

use chrono::{Datelike as _, NaiveDate};

use super::{Days, Named, Relation};
use crate::text::dates::weekday;
use crate::text::values::numbers::month;

/// The words before a time that say how messages stand to it; the longest first.
const RELATIONS: [(&[&str], Relation); 13] = [
    (&["as", "of"], Relation::AsOf),
    (&["as", "at"], Relation::AsOf),
    (&["up", "to"], Relation::Until),
    (&["since"], Relation::Since),
    (&["from"], Relation::From),
    (&["between"], Relation::From),
    (&["after"], Relation::After),
    (&["until"], Relation::Until),
    (&["till"], Relation::Until),
    (&["before"], Relation::Before),
    (&["on"], Relation::On),
    (&["in"], Relation::On),
    (&["during"], Relation::On),
];

struct Word {
    text: String,
    at: Range<usize>,
}

/// Words that name days: how many, and whether messages may name the days with them.
struct Found {
    days: Days,
    words: usize,
    is_date: bool,
}

/// The times that a question names, in order.
pub(super) fn named(question: &str, today: NaiveDate) -> Vec<Named> {
    let words = words(question);
    let mut named: Vec<Named> = Vec::new();
    let mut at = 0;
    while at < words.len() {
        let rest = words.get(at..).unwrap_or_default();
        let (relation, before) = relation(rest);
        let has_preposition = before > 0;
        let days = rest.get(before..).unwrap_or_default();
        let Some(found) = days_of(days, today, has_preposition) else {
            at += 1;
            continue;
        };
        let used = before + found.words;
        let span = rest.get(..used).unwrap_or_default();
        let ends_range = named.last().is_some_and(|last| {
            matches!(last.relation, Relation::Since | Relation::From)
                && is_joint(question.get(last.at.end..span_of(span).start))
        });
        named.push(Named {
            days: found.days,
            relation: if ends_range && !has_preposition {
                Relation::Until
            } else {
                relation
            },
            at: span_of(span),
            is_date: found.is_date,
        });
        at += used;
    }
    named
}

/// Returns true if this joins the two ends of a time: `from Monday to Friday`.
fn is_joint(between: Option<&str>) -> bool {
    let joint = between.unwrap_or_default().trim().to_lowercase();
    matches!(
        joint.as_str(),
        "to" | "and" | "until" | "-" | "–" | "through"
    )
}

fn span_of(words: &[Word]) -> Range<usize> {
    let start = words.first().map_or(0, |word| word.at.start);
    let end = words.last().map_or(start, |word| word.at.end);
    start..end
}

/// Words in lower case, with the dots and strokes inside dates.
fn words(text: &str) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    for (at, c) in text.char_indices() {
        if !(c.is_ascii_alphanumeric() || c == '-' || c == '/') {
            continue;
        }
        match words.last_mut() {
            Some(word) if word.at.end == at => {
                word.text.push(c.to_ascii_lowercase());
                word.at.end += 1;
            }
            _ => words.push(Word {
                text: c.to_ascii_lowercase().to_string(),
                at: at..at + 1,
            }),
        }
    }
    words
}

fn word(words: &[Word], at: usize) -> &str {
    words.get(at).map_or("", |word| word.text.as_str())
}

fn relation(words: &[Word]) -> (Relation, usize) {
    let starts = |phrase: &[&str]| {
        let mut pairs = phrase.iter().enumerate();
        pairs.all(|(number, part)| word(words, number) == *part)
    };
    let found = RELATIONS.iter().find(|(phrase, _)| starts(phrase));
    let (relation, length) = found.map_or((Relation::On, 0), |(phrase, relation)| {
        (*relation, phrase.len())
    });
    let has_article = length > 0 && word(words, length) == "the";
    (relation, length + usize::from(has_article))
}

/// The days that the first words name.
fn days_of(words: &[Word], today: NaiveDate, has_preposition: bool) -> Option<Found> {
    relative(words, today)
        .or_else(|| weekday_alone(words, today, has_preposition))
        .or_else(|| date(words, today))
        .or_else(|| month_alone(words, today, has_preposition))
        .or_else(|| year_alone(words, today, has_preposition))
}

fn relative(words: &[Word], today: NaiveDate) -> Option<Found> {
    let found = |days: Option<Days>, words| {
        let is_date = false;
        days.map(|days| Found {
            days,
            words,
            is_date,
        })
    };
    let count = word(words, 1).parse::<u64>().ok();
    match (word(words, 0), word(words, 1), word(words, 2)) {
        ("today", ..) => found(Days::days_ago(today, 0), 1),
        ("yesterday", ..) => found(Days::days_ago(today, 1), 1),
        ("day", "before", "yesterday") => found(Days::days_ago(today, 2), 3),
        ("this", unit, _) => found(unit_ago(today, unit, 0), 2),
        ("last" | "past", unit @ ("week" | "month" | "year"), _) => {
            found(unit_ago(today, unit, 1), 2)
        }
        ("last" | "past", day, _) if weekday(day).is_some() => {
            let before = today.pred_opt()?;
            found(Days::weekday(before, weekday(day)?), 2)
        }
        ("last" | "past", _, "day" | "days") => found(Days::last(today, count?), 3),
        ("last" | "past", _, "week" | "weeks") => {
            found(Days::last(today, count?.checked_mul(7)?), 3)
        }
        (count, unit, "ago") => {
            let count = match count {
                "a" | "an" | "one" => 1,
                "two" => 2,
                "three" => 3,
                count => count.parse().ok()?,
            };
            found(unit_ago(today, unit.trim_end_matches('s'), count), 3)
        }
        _ => None,
    }
}

/// A weekday. Some abbreviations are words, too.
fn weekday_alone(words: &[Word], today: NaiveDate, has_preposition: bool) -> Option<Found> {
    let name = word(words, 0);
    if !has_preposition && !name.ends_with("day") {
        return None;
    }
    Some(Found {
        days: Days::weekday(today, weekday(name)?)?,
        words: 1,
        is_date: true,
    })
}

fn unit_ago(today: NaiveDate, unit: &str, count: u32) -> Option<Days> {
    match unit {
        "day" | "morning" | "afternoon" => Days::days_ago(today, count.into()),
        "week" => Days::weeks_ago(today, count.into()),
        "month" => Days::months_ago(today, count),
        "year" => Days::years_ago(today, count.try_into().ok()?),
        _ => None,
    }
}

/// `2026-03-03`, `3/3`, `3 March`, `3rd of March 2026`, `March 3, 2026`.
fn date(words: &[Word], today: NaiveDate) -> Option<Found> {
    let found = |year: Option<i32>, month, day, words: usize| {
        let days = Days::date(today, year, month, day)?;
        let words = words + usize::from(year.is_some());
        let is_date = true;
        Some(Found {
            days,
            words,
            is_date,
        })
    };
    let numbers: Vec<&str> = word(words, 0).split(['-', '/']).collect();
    match numbers.as_slice() {
        [year, month, day] if year.len() == 4 => {
            let year = Some(year.parse().ok()?);
            return found(year, month.parse().ok()?, day.parse().ok()?, 0);
        }
        [month, day] => return found(None, month.parse().ok()?, day.parse().ok()?, 1),
        _ => {}
    }
    if let Some(month) = month(word(words, 0)) {
        let day = day_number(word(words, 1))?;
        return found(year(word(words, 2)), month, day, 2);
    }
    let day = day_number(word(words, 0))?;
    let joint = usize::from(word(words, 1) == "of");
    let month = month(word(words, 1 + joint))?;
    found(year(word(words, 2 + joint)), month, day, 2 + joint)
}

/// A month without a day. Some are names and verbs, too.
fn month_alone(words: &[Word], today: NaiveDate, has_preposition: bool) -> Option<Found> {
    let number = month(word(words, 0))?;
    let year = year(word(words, 1));
    if !has_preposition && year.is_none() {
        return None;
    }
    Some(Found {
        days: Days::month(today, year, number)?,
        words: 1 + usize::from(year.is_some()),
        is_date: true,
    })
}

/// A year without a month. Other numbers look like years that are to come.
fn year_alone(words: &[Word], today: NaiveDate, has_preposition: bool) -> Option<Found> {
    let number = year(word(words, 0)).filter(|year| *year <= today.year())?;
    let days = Days::year(number).filter(|_| has_preposition)?;
    let (words, is_date) = (1, true);
    Some(Found {
        days,
        words,
        is_date,
    })
}

/// `3`, `3rd`.
fn day_number(word: &str) -> Option<u32> {
    let digits = word.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let ending = word.get(digits.len()..)?;
    let is_day = matches!(ending, "" | "st" | "nd" | "rd" | "th");
    digits
        .parse()
        .ok()
        .filter(|day| is_day && (1..=31).contains(day))
}

fn year(word: &str) -> Option<i32> {
    word.parse()
        .ok()
        .filter(|year| (1970..=9999).contains(year))
}
