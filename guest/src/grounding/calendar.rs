//! Whether a date, a weekday, a month or a year follows from the dates of the sources.

use std::collections::BTreeSet;

use chrono::{Datelike as _, Months, NaiveDate, NaiveDateTime};

use super::Support;
use super::dates::shifted;
use super::evidence::Evidence;
use super::months;
use super::weekdays::weekdays;
use crate::values::numbers::Point;
use crate::values::{Amount, Found, Unit, Value};

/// A date without a year is meant to be at most so many days away.
const FAR: i64 = 300;
/// So many of the newest dates, and so many lengths, are added.
const MOST: usize = 60;
/// The thirds of a month.
const THIRDS: [(&str, std::ops::Range<u32>); 3] =
    [("上旬", 1..11), ("中旬", 11..21), ("下旬", 21..32)];

/// How well a date of a line is supported. `leads` is whether the line begins with it.
pub(super) fn date(evidence: &Evidence<'_>, point: Point, leads: bool) -> Support {
    let Point::Date { year, month, day } = point else {
        return Support::None;
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
    if evidence.values().any(is_said) || evidence.meant().any(|date| is_it(&date)) {
        return Support::Said;
    }
    let of_message = |is_alone: bool| {
        evidence.said.iter().any(|said| {
            let is_day = said.time.is_some_and(|time| is_it(&time.date()));
            is_day && (!is_alone || said.dates().meant.is_empty())
        })
    };
    if of_message(!(leads && year.is_some())) {
        return Support::Said;
    }
    let possible = possible(evidence);
    if of_message(false) || possible.iter().any(is_it) {
        return Support::Calculated;
    }
    Support::None
}

/// Whether the year of a date is one that was meant when nobody said it. Without the times of messages it is not known.
fn is_near(evidence: &Evidence<'_>, year: Option<u32>, month: u32, day: u32) -> bool {
    let year = year.and_then(|year| i32::try_from(year).ok());
    let date = year.and_then(|year| NaiveDate::from_ymd_opt(year, month, day));
    let Some(date) = date else { return false };
    let days = |time: NaiveDateTime| (date - time.date()).num_days().abs();
    let mut times = evidence.times().peekable();
    times.peek().is_none() || times.any(|time| days(time) < FAR)
}

/// The dates that the sources may mean, and those that are as far from one of their dates as they say.
fn possible(evidence: &Evidence<'_>) -> BTreeSet<NaiveDate> {
    let mut possible: BTreeSet<NaiveDate> = evidence
        .said
        .iter()
        .flat_map(|said| said.dates().possible.iter().copied())
        .collect();
    let times = evidence.times().map(|time| time.date());
    let bases: BTreeSet<NaiveDate> = evidence.meant().chain(times).collect();
    let bases: Vec<NaiveDate> = bases.into_iter().rev().take(MOST).collect();
    let lengths: BTreeSet<&Amount> = evidence
        .amounts()
        .filter(|amount| matches!(amount.unit, Some(Unit("day" | "week" | "month"))))
        .collect();
    for amount in lengths.into_iter().take(MOST) {
        let number = amount.thousandths().map(|number| number / 1000);
        let Some(number) = number.and_then(|number| u32::try_from(number).ok()) else {
            continue;
        };
        let days = match amount.unit {
            Some(Unit("day")) => i64::from(number),
            Some(Unit("week")) => i64::from(number) * 7,
            Some(Unit("month")) => {
                let months = Months::new(number);
                possible.extend(
                    bases
                        .iter()
                        .filter_map(|base| base.checked_add_months(months)),
                );
                possible.extend(
                    bases
                        .iter()
                        .filter_map(|base| base.checked_sub_months(months)),
                );
                continue;
            }
            _ => continue,
        };
        for base in &bases {
            possible.extend(
                [-days, days]
                    .into_iter()
                    .filter_map(|by| shifted(*base, by)),
            );
        }
    }
    possible
}

/// How well a day of a month, a month or a year is supported; [`Support::None`] for every other number.
pub(super) fn number(evidence: &Evidence<'_>, own: &Amount, after: &str) -> Support {
    let Some(number) = own.thousandths().map(|number| number / 1000) else {
        return Support::None;
    };
    match own.unit {
        Some(Unit("day" | "ordinal")) => day(evidence, number),
        Some(Unit("month-name")) => month(evidence, number, after),
        Some(Unit("year")) | None if (1900..2100).contains(&number) => year(evidence, number),
        _ => Support::None,
    }
}

fn day(evidence: &Evidence<'_>, number: u64) -> Support {
    let is_it = |date: NaiveDate| u64::from(date.day()) == number;
    if evidence.meant().any(is_it) {
        Support::Said
    } else if evidence.times().any(|time| is_it(time.date()))
        || possible(evidence).into_iter().any(is_it)
    {
        Support::Calculated
    } else {
        Support::None
    }
}

fn month(evidence: &Evidence<'_>, number: u64, after: &str) -> Support {
    let texts: Vec<String> = evidence.said.iter().map(|said| said.text.clone()).collect();
    let times: Vec<NaiveDateTime> = evidence.times().collect();
    let is_said = evidence.amounts().any(|amount| {
        let is_number = amount.thousandths() == Some(number * 1000);
        amount.unit == Some(Unit("month-name")) && is_number
    });
    let is_month = |date: &NaiveDate| u64::from(date.month()) == number;
    let is_meant = evidence.meant().any(|date| is_month(&date));
    if !is_said && !is_meant && !months::months(&texts, &times).contains(&number) {
        let of_message = times.iter().any(|time| is_month(&time.date()));
        return if of_message {
            Support::Calculated
        } else {
            Support::None
        };
    }
    let after = after.trim_start_matches('月');
    let third = THIRDS.iter().find(|(word, _)| after.starts_with(word));
    let is_third = third.is_none_or(|(word, days)| {
        texts.iter().any(|text| text.contains(word))
            && !evidence
                .meant()
                .any(|date| is_month(&date) && !days.contains(&date.day()))
            || evidence
                .meant()
                .any(|date| is_month(&date) && days.contains(&date.day()))
    });
    if is_third {
        Support::Said
    } else {
        Support::Calculated
    }
}

fn year(evidence: &Evidence<'_>, number: u64) -> Support {
    let of = |date: NaiveDate| u64::try_from(date.year()).unwrap_or(0);
    let has = |words: &[&str]| {
        let mut said = evidence.said.iter();
        said.any(|said| words.iter().any(|word| said.text.contains(word)))
    };
    let times: BTreeSet<u64> = evidence.times().map(|time| of(time.date())).collect();
    let is_said = evidence.meant().any(|date| of(date) == number)
        || times.contains(&number)
        || times.contains(&(number - 1)) && has(&["来年", "next year"])
        || times.contains(&(number + 1)) && has(&["去年", "昨年", "last year"]);
    if is_said {
        Support::Said
    } else {
        Support::None
    }
}

/// Whether a number of days is the distance of two dates of the sources, with both of them or without.
pub(super) fn is_between(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let days = match own.unit {
        Some(Unit("day")) => 1,
        Some(Unit("week")) => 7,
        _ => return false,
    };
    let Some(number) = own
        .thousandths()
        .and_then(|number| i64::try_from(number / 1000).ok())
    else {
        return false;
    };
    let times = evidence.times().map(|time| time.date());
    let dates: BTreeSet<NaiveDate> = evidence.meant().chain(times).collect();
    dates.iter().any(|a| {
        dates.iter().any(|b| {
            let distance = (*b - *a).num_days();
            distance > 0 && [distance, distance + 1].contains(&(number * days))
        })
    })
}

/// The weekdays of a line that no date of the line or the sources has.
pub(super) fn wrong_weekdays(
    evidence: &Evidence<'_>,
    line: &str,
    all: &[Found],
) -> Vec<&'static str> {
    let named = weekdays(line);
    if named.is_empty() {
        return Vec::new();
    }
    let said = evidence.said.iter().flat_map(|said| weekdays(&said.text));
    let said: BTreeSet<u32> = said.map(|(day, _)| day).collect();
    let possible = possible(evidence);
    let times = || evidence.times().map(|time| time.date());
    let own = times().flat_map(|day| dates_of(all, day.year()));
    let meant: BTreeSet<u32> = evidence
        .meant()
        .chain(possible)
        .chain(times())
        .chain(own)
        .map(|date| date.weekday().num_days_from_monday())
        .collect();
    let wrong = |(day, _): &(u32, &str)| !said.contains(day) && !meant.contains(day);
    named
        .into_iter()
        .filter(wrong)
        .map(|(_, word)| word)
        .collect()
}

/// The dates of a line in a year, if it gives none.
fn dates_of(all: &[Found], year: i32) -> Vec<NaiveDate> {
    let dates = all.iter().filter_map(|found| match found.value {
        Value::Point(Point::Date {
            year: own,
            month,
            day,
        }) => {
            let year = own
                .and_then(|year| i32::try_from(year).ok())
                .unwrap_or(year);
            NaiveDate::from_ymd_opt(year, month, day)
        }
        _ => None,
    });
    dates.collect()
}
