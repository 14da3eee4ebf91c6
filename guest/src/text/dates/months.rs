//! Months, and where they begin and end.

use std::collections::BTreeSet;

use chrono::{Datelike as _, Months, NaiveDate};

use crate::text::values::numbers::month;
use crate::text::values::{Found, Unit, Value};

fn first_day(date: NaiveDate) -> Option<NaiveDate> {
    date.with_day(1)
}

/// The last day of a date's month.
pub(super) fn last_day(date: NaiveDate) -> Option<NaiveDate> {
    let next = first_day(date)?.checked_add_months(Months::new(1));
    next?.pred_opt()
}

/// `月末`, `end of March`, `3月末`.
pub(super) fn ends_of_months(
    text: &str,
    values: &[Found],
    today: NaiveDate,
    dates: &mut BTreeSet<NaiveDate>,
) {
    let next = today.checked_add_months(Months::new(1));
    let said_end = [
        "月末",
        "end of the month",
        "end of this month",
        "end of month",
    ];
    if said_end.iter().any(|word| text.contains(word)) {
        dates.extend(last_day(today));
    }
    if ["来月末", "end of next month"]
        .iter()
        .any(|word| text.contains(word))
    {
        dates.extend(next.and_then(last_day));
    }
    if ["月初", "来月頭", "start of next month"]
        .iter()
        .any(|word| text.contains(word))
    {
        dates.extend(next.and_then(first_day));
        dates.extend(first_day(today));
    }
    let years_end = [
        "年内",
        "年末",
        "大晦日",
        "new year's eve",
        "end of the year",
    ];
    if years_end.iter().any(|word| text.contains(word)) {
        dates.extend(NaiveDate::from_ymd_opt(today.year(), 12, 31));
    }
    let mut of_month = |month: u32| {
        for year in [today.year(), today.year() + 1] {
            dates.extend(NaiveDate::from_ymd_opt(year, month, 1).and_then(last_day));
        }
    };
    for found in values {
        let after = text.get(found.range.end..).unwrap_or_default();
        if let Value::Number(amount) = &found.value
            && amount.unit == Some(Unit("month-name"))
            && after.starts_with("月末")
            && let Some(number) = amount.thousandths()
        {
            of_month(u32::try_from(number / 1000).unwrap_or(0));
        }
    }
    for (at, phrase) in text.match_indices("end of ") {
        let rest = text.get(at + phrase.len()..).unwrap_or_default();
        if let Some(month) = month(rest) {
            of_month(month);
        }
    }
}

/// The months that a text of that day names, or means with `来月` and the like.
pub(super) fn months(text: &str, today: NaiveDate) -> BTreeSet<u32> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    let mut months: BTreeSet<u32> = words.filter_map(month).collect();
    let relative = [
        ("来月", 1),
        ("next month", 1),
        ("今月", 0),
        ("this month", 0),
    ];
    for (word, ahead) in relative {
        let month = today.checked_add_months(Months::new(ahead));
        months.extend(
            month
                .filter(|_| text.contains(word))
                .map(|date| date.month()),
        );
    }
    months
}
