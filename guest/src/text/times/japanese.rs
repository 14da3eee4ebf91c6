//! Times in Japanese.

use chrono::{Datelike as _, NaiveDate, Weekday};

use super::{Days, Named, Relation};
use crate::text::dates;

/// The words behind a time that say how messages stand to it.
const RELATIONS: [(&str, Relation); 10] = [
    ("から", Relation::From),
    ("以降", Relation::Since),
    ("以来", Relation::Since),
    ("より後", Relation::After),
    ("まで", Relation::Until),
    ("以前", Relation::Until),
    ("時点", Relation::AsOf),
    ("の時点", Relation::AsOf),
    ("現在", Relation::AsOf),
    ("より前", Relation::Before),
];
/// The times that a question names, in order.
pub(super) fn named(question: &str, today: NaiveDate) -> Vec<Named> {
    let mut named = Vec::new();
    let mut at = 0;
    while let Some(rest) = question.get(at..).filter(|rest| !rest.is_empty()) {
        // A number is read whole, or not at all.
        let is_inside_number = question
            .get(..at)
            .is_some_and(|head| head.ends_with(|c: char| c.is_ascii_digit()));
        let found = (!is_inside_number).then(|| days_of(rest, today)).flatten();
        let Some((days, length, is_date)) = found else {
            at += rest.chars().next().map_or(1, char::len_utf8);
            continue;
        };
        let behind = rest.get(length..).unwrap_or_default();
        let relation = RELATIONS
            .iter()
            .find(|(words, _)| behind.starts_with(words));
        let (relation, words) = relation.map_or((Relation::On, 0), |(words, relation)| {
            (*relation, words.len())
        });
        let end = at + length + words;
        named.push(Named {
            days,
            relation,
            at: at..end,
            is_date,
        });
        at = end;
    }
    named
}

/// The days that the text begins with, the length of their name, and whether it is a date.
fn days_of(text: &str, today: NaiveDate) -> Option<(Days, usize, bool)> {
    let found = relative(text, today).or_else(|| counted(text, today));
    if let Some((days, rest)) = found {
        return Some((days, text.len() - rest.len(), false));
    }
    let (days, rest) = weekday_alone(text, today)
        .or_else(|| date(text, today))
        .or_else(|| plain_date(text, today))?;
    Some((days, text.len() - rest.len(), true))
}

/// `昨日`, `先週の火曜日`: the days, and the text after their name.
fn relative(text: &str, today: NaiveDate) -> Option<(Days, &str)> {
    let day = |count| Days::days_ago(today, count);
    let names = [
        ("一昨日", day(2)),
        ("おととい", day(2)),
        ("昨日", day(1)),
        ("きのう", day(1)),
        ("今日", day(0)),
        ("本日", day(0)),
        ("先月", Days::months_ago(today, 1)),
        ("今月", Days::months_ago(today, 0)),
        ("去年", Days::years_ago(today, 1)),
        ("昨年", Days::years_ago(today, 1)),
        ("今年", Days::years_ago(today, 0)),
    ];
    for (name, days) in names {
        if let Some(rest) = text.strip_prefix(name) {
            return Some((days?, rest));
        }
    }
    for (name, count) in [("先々週", 2), ("先週", 1), ("今週", 0)] {
        let Some(rest) = text.strip_prefix(name) else {
            continue;
        };
        let week = Days::weeks_ago(today, count)?;
        let behind = rest.strip_prefix('の').unwrap_or(rest);
        return match weekday(behind) {
            Some((day, rest)) => Some((Days::weekday_of(week, day)?, rest)),
            None => Some((week, rest)),
        };
    }
    None
}

fn weekday_alone(text: &str, today: NaiveDate) -> Option<(Days, &str)> {
    let (day, rest) = weekday(text)?;
    Some((Days::weekday(today, day)?, rest))
}

fn weekday(text: &str) -> Option<(Weekday, &str)> {
    let (name, rest) = text.split_at_checked("月曜".len())?;
    let day = dates::weekday(name)?;
    Some((day, rest.strip_prefix('日').unwrap_or(rest)))
}

/// `3日前`, `2週間前`, `過去7日間`.
fn counted(text: &str, today: NaiveDate) -> Option<(Days, &str)> {
    let behind = ["ここ", "過去", "この"].iter();
    let mut behind = behind.filter_map(|word| text.strip_prefix(word));
    if let Some(counted) = behind.next() {
        let (count, rest) = number(counted)?;
        let days = match rest.strip_prefix('日') {
            Some(rest) => (count, rest),
            None => (count.checked_mul(7)?, rest.strip_prefix("週")?),
        };
        let rest = days.1.strip_prefix('間').unwrap_or(days.1);
        return Some((Days::last(today, days.0.into())?, rest));
    }
    let (count, rest) = number(text)?;
    if let Some(rest) = rest.strip_prefix("日前") {
        return Some((Days::days_ago(today, count.into())?, rest));
    }
    let rest = rest.strip_prefix("週間前");
    Some((Days::weeks_ago(today, count.into())?, rest?))
}

/// `2026年3月3日`, `3月3日`, `3月`, `2025年`.
fn date(text: &str, today: NaiveDate) -> Option<(Days, &str)> {
    let (first, behind) = number(text)?;
    let (year, month, rest) = match behind.strip_prefix('年') {
        Some(rest) => {
            let year = i32::try_from(first).ok()?;
            let Some((month, rest)) = number(rest) else {
                return year_alone(year, rest, today);
            };
            (Some(year), month, rest)
        }
        None => (None, first, behind),
    };
    let rest = rest.strip_prefix('月')?;
    let day = number(rest).and_then(|(day, rest)| Some((day, rest.strip_prefix('日')?)));
    match day {
        Some((day, rest)) => Some((Days::date(today, year, month, day)?, rest)),
        None => Some((Days::month(today, year, month)?, rest)),
    }
}

/// `2026-03-03` or `3/3` before a word that says how messages stand to it. Without one it is read as in English.
fn plain_date(text: &str, today: NaiveDate) -> Option<(Days, &str)> {
    let (first, rest) = number(text)?;
    let mark = rest.chars().next().filter(|c| matches!(c, '-' | '/'))?;
    let (second, rest) = number(rest.strip_prefix(mark)?)?;
    let third = rest.strip_prefix(mark).and_then(number);
    let (year, month, day, rest) = match third {
        Some((day, rest)) => (Some(i32::try_from(first).ok()?), second, day, rest),
        None => (None, first, second, rest),
    };
    let has_relation = RELATIONS.iter().any(|(words, _)| rest.starts_with(words));
    let days = Days::date(today, year, month, day).filter(|_| has_relation)?;
    Some((days, rest))
}

/// A year without a month; `3年` and `2025年度` are none.
fn year_alone(year: i32, rest: &str, today: NaiveDate) -> Option<(Days, &str)> {
    let is_year = (1970..=today.year()).contains(&year) && !rest.starts_with('度');
    Days::year(year)
        .filter(|_| is_year)
        .map(|days| (days, rest))
}

fn number(text: &str) -> Option<(u32, &str)> {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = text.get(..text.len() - rest.len())?;
    Some((digits.parse().ok()?, rest))
}
