//! Decides whether a date, or a part of one, follows from the sources of a line.

use std::collections::BTreeSet;

use chrono::{Datelike as _, Months, NaiveDate};

use super::evidence::{Evidence, Said};
use crate::text::dates::{next_days, shifted};
use crate::text::values::numbers::{Point, month};
use crate::text::values::{Amount, Unit, Value};

/// A date without a year is meant to be at most so many days away.
const FAR: i64 = 300;
/// So many of the newest dates, and so many lengths, are added.
const MOST: usize = 60;
/// Words so near behind a number, in characters, say in which direction it counts.
const NEAR: usize = 16;

/// Returns true if a date is said or meant, or is a day's arithmetic away from one that is.
pub(super) fn is_date(evidence: &Evidence<'_>, point: Point, line: &str) -> bool {
    let Point::Date { year, month, day } = point else {
        return false;
    };
    let is_it = |date: &NaiveDate| {
        let same_year = year.is_none_or(|year| i32::try_from(year) == Ok(date.year()));
        same_year && (date.month(), date.day()) == (month, day)
    };
    let own = Value::Point(point);
    let is_said = |value: &Value| {
        let dated = matches!(value, Value::Point(Point::Date { year: Some(_), .. }));
        value.is_same(&own) && (year.is_none() || dated || is_near(evidence, year, month, day))
    };
    evidence.values().any(is_said)
        || evidence.meant().any(|date| is_it(&date))
        || evidence.times().any(|time| is_it(&time.date()))
        || possible(evidence, line).iter().any(is_it)
}

/// Returns true if the year of a date is one that was meant when nobody said it. Without the times of messages it is not
/// known.
fn is_near(evidence: &Evidence<'_>, year: Option<u32>, month: u32, day: u32) -> bool {
    let year = year.and_then(|year| i32::try_from(year).ok());
    let date = year.and_then(|year| NaiveDate::from_ymd_opt(year, month, day));
    let Some(date) = date else { return false };
    let mut times = evidence.times().peekable();
    times.peek().is_none() || times.any(|time| (date - time.date()).num_days().abs() < FAR)
}

/// The dates that the sources may mean, and those that are as far from one of their dates as they say: so many days, or the
/// last of them, or the day beside it.
fn possible(evidence: &Evidence<'_>, line: &str) -> BTreeSet<NaiveDate> {
    let said = evidence.said.iter();
    let mut possible: BTreeSet<NaiveDate> = said
        .flat_map(|said| said.dates().possible.iter().copied())
        .collect();
    let times = evidence.times().map(|time| time.date());
    let firm = evidence.said.iter().flat_map(|said| &said.dates().firm);
    let bases: BTreeSet<NaiveDate> = firm.copied().chain(times).collect();
    let texts = evidence.said.iter().map(|said| said.text.as_str());
    let mut days: BTreeSet<i64> = texts.chain([line]).flat_map(next_days).collect();
    let mut months: BTreeSet<i64> = BTreeSet::new();
    let counted = evidence.said.iter().flat_map(|said| distances(said));
    for (unit, by) in counted.take(MOST) {
        match unit {
            "week" => days.extend(by.checked_mul(7)),
            "month" => drop(months.insert(by)),
            _ => drop(days.insert(by)),
        }
    }
    for base in bases.into_iter().rev().take(MOST) {
        possible.extend(days.iter().filter_map(|by| shifted(base, *by)));
        possible.extend(months.iter().filter_map(|by| {
            let count = Months::new(u32::try_from(by.unsigned_abs()).ok()?);
            match *by < 0 {
                true => base.checked_sub_months(count),
                false => base.checked_add_months(count),
            }
        }));
    }
    possible
}

/// How many days, weeks or months a source counts from a date: `3日前` back, `3 days` on; of `2日間` and of two days the last
/// one is the next day.
fn distances(said: &Said) -> Vec<(&'static str, i64)> {
    let mut distances = Vec::new();
    for found in &said.values {
        let Value::Number(Amount {
            unit: Some(Unit(unit @ ("day" | "week" | "month"))),
            ..
        }) = &found.value
        else {
            continue;
        };
        let Some(number) = whole(&found.value) else {
            continue;
        };
        let after = said.text.get(found.range.end..).unwrap_or_default();
        let after: String = after.chars().take(NEAR).collect();
        let has = |words: &[&str]| words.iter().any(|word| after.contains(word));
        let is_whole = has(&["日間", "日目"]);
        if has(&["前", "ago", "before", "earlier"]) {
            distances.push((*unit, -number));
            continue;
        }
        if !is_whole {
            distances.push((*unit, number));
        }
        if *unit == "day" && !has(&["後", "later", "after"]) {
            distances.push((*unit, number - 1));
        }
    }
    distances
}

/// A number without decimals.
fn whole(value: &Value) -> Option<i64> {
    let Value::Number(amount) = value else {
        return None;
    };
    let number = amount.thousandths().filter(|number| number % 1000 == 0)?;
    i64::try_from(number / 1000).ok()
}

/// Returns true for a day of the month, a month or a year of a date that is meant.
pub(super) fn is_of_calendar(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let number = own.thousandths().map(|number| number / 1000);
    let Some(Ok(number)) = number.map(u32::try_from) else {
        return false;
    };
    let times = evidence.times().map(|time| time.date());
    let mut dates = evidence.meant().chain(times);
    match own.unit {
        Some(Unit("day" | "ordinal")) => {
            dates.any(|date| date.day() == number)
                || possible(evidence, "")
                    .iter()
                    .any(|date| date.day() == number)
        }
        Some(Unit("month-name")) if (1..=12).contains(&number) => {
            // `来月` and `last month` are the ones beside it.
            let beside = |date: NaiveDate| (date.month() + 12 - number) % 12;
            dates.any(|date| [0, 1, 11].contains(&beside(date))) || names_month(evidence, number)
        }
        Some(Unit("year")) | None if (1900..2100).contains(&number) => dates.any(|date| {
            let year = u32::try_from(date.year()).unwrap_or(0);
            year.abs_diff(number) < 2
        }),
        None => evidence.meant().any(|date| date.day() == number),
        _ => false,
    }
}

fn names_month(evidence: &Evidence<'_>, number: u32) -> bool {
    let mut said = evidence.said.iter();
    said.any(|said| {
        let words = said.text.split(|c: char| !c.is_ascii_alphabetic());
        words.filter_map(month).any(|month| month == number)
    })
}
