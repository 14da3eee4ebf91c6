//! What relative dates mean.

use std::collections::BTreeSet;

use chrono::{Datelike as _, Days, Months, NaiveDate, NaiveDateTime};

use super::evidence::weekdays;
use crate::phrases::{Phrases, contains_words, phrases};
use crate::values::numbers::month;
use crate::values::{Found, Unit, Value};

/// Words and how many days they are from today.
const DAYS: Phrases = phrases!("relative-days.txt");

/// Adds the dates that a text of that day may mean with relative dates.
pub(super) fn relative(
    text: &str,
    values: &[Found],
    today: NaiveDate,
    dates: &mut BTreeSet<NaiveDate>,
) {
    let mut add = |days: i64| dates.extend(shifted(today, days));
    for (word, days) in DAYS.iter().filter_map(|line| line.rsplit_once(' ')) {
        if contains_words(text, word) {
            add(days.parse().unwrap_or(0));
        }
    }
    if contains_words(text, "day after tomorrow") {
        add(2);
    }
    if contains_words(text, "day before yesterday") {
        add(-2);
    }
    named_weekdays(text, today, &mut add);
    weeks(text, today, &mut add);
    for found in values {
        counted(text, found, today, dates);
    }
    ends_of_months(text, values, today, dates);
}

fn shifted(date: NaiveDate, days: i64) -> Option<NaiveDate> {
    let by = Days::new(days.unsigned_abs());
    if days < 0 {
        date.checked_sub_days(by)
    } else {
        date.checked_add_days(by)
    }
}

/// `Friday` is the one before or after; `next Friday` the one after, or the one of next week.
fn named_weekdays(text: &str, today: NaiveDate, add: &mut impl FnMut(i64)) {
    let own = i64::from(today.weekday().num_days_from_monday());
    for (weekday, word) in weekdays(text) {
        let of_this_week = i64::from(weekday) - own;
        let coming = of_this_week.rem_euclid(7);
        let is_after = |words: &[&str]| {
            words.iter().any(|before| {
                text.match_indices(before).any(|(at, _)| {
                    let rest = text.get(at + before.len()..).unwrap_or_default();
                    rest.trim_start_matches([' ', 'の', '\'', 's'])
                        .starts_with(word)
                })
            })
        };
        if is_after(&["再来週"]) || contains_words(text, "week after next") {
            add(of_this_week + 14);
        } else if is_after(&["来週", "翌週", "next week"])
            || text.contains(&format!("{word} next week"))
        {
            add(of_this_week + 7);
        } else if is_after(&["先週", "前週", "last week"])
            || text.contains(&format!("{word} last week"))
        {
            add(of_this_week - 7);
        } else if is_after(&["今週", "this"]) {
            add(of_this_week);
            add(coming);
        } else if is_after(&["next"]) {
            add(if coming == 0 { 7 } else { coming });
            add(of_this_week + 7);
        } else if is_after(&["last", "この前の", "前の"]) {
            add(if coming == 0 { -7 } else { coming - 7 });
            add(of_this_week - 7);
        } else {
            add(coming);
            add(coming - 7);
            // Said on that very day, it may be the next one.
            if coming == 0 {
                add(7);
            }
        }
    }
}

/// The beginnings and ends of weeks.
fn weeks(text: &str, today: NaiveDate, add: &mut impl FnMut(i64)) {
    let monday = -i64::from(today.weekday().num_days_from_monday());
    let weeks: [(&[&str], i64); 4] = [
        (&["来週", "翌週", "next week"], 7),
        (&["今週", "this week", "eow", "end of the week", "週内"], 0),
        (&["先週", "last week"], -7),
        (&["再来週", "week after next"], 14),
    ];
    for (words, from) in weeks {
        if words.iter().any(|word| contains_words(text, word)) {
            for day in [0, 4, 5, 6] {
                add(monday + from + day);
            }
        }
    }
    if ["週末", "weekend"].iter().any(|word| text.contains(word)) {
        add(monday + 5);
        add(monday + 6);
    }
    if ["週明け", "来週頭"].iter().any(|word| text.contains(word)) {
        add(monday + 7);
    }
}

/// `in 3 days`, `2週間前`, `the 15th`, `来月15日`.
fn counted(text: &str, found: &Found, today: NaiveDate, dates: &mut BTreeSet<NaiveDate>) {
    let Value::Number(amount) = &found.value else {
        return;
    };
    let (Some(number), Some(Unit(unit))) = (amount.thousandths(), amount.unit) else {
        return;
    };
    let Ok(number) = i64::try_from(number / 1000) else {
        return;
    };
    let after = text.get(found.range.end..).unwrap_or_default();
    let after: String = after.chars().take(16).collect();
    let is_past = ["前", "ago", "earlier"]
        .iter()
        .any(|word| after.contains(word));
    let signed = if is_past { -number } else { number };
    match unit {
        "day" => dates.extend(shifted(today, signed)),
        "week" => dates.extend(shifted(today, signed.saturating_mul(7))),
        "month" => {
            let months = Months::new(u32::try_from(number).unwrap_or(0));
            dates.extend(if is_past {
                today.checked_sub_months(months)
            } else {
                today.checked_add_months(months)
            });
        }
        _ => {}
    }
    let is_length = ["後", "前", "間", "以内", "連続", "目"]
        .iter()
        .any(|word| after.starts_with(&format!("日{word}")) || after.starts_with(word))
        || unit == "day" && !after.starts_with('日');
    if matches!(unit, "day" | "ordinal") && !is_length && (1..=31).contains(&number) {
        let day = u32::try_from(number).unwrap_or(0);
        let near = [
            today.checked_sub_months(Months::new(1)),
            Some(today),
            today.checked_add_months(Months::new(1)),
        ];
        let near = near.into_iter().flatten();
        let is_next = text.contains("来月") || text.contains("next month");
        let is_last = text.contains("先月") || text.contains("last month");
        let wanted = match (is_next, is_last) {
            (true, false) => 2..3,
            (false, true) => 0..1,
            _ => 0..3,
        };
        let of_month = near.enumerate().filter(|(at, _)| wanted.contains(at));
        dates.extend(of_month.filter_map(|(_, date)| date.with_day(day)));
    }
}

/// `月末`, `end of March`, `3月末`.
fn ends_of_months(text: &str, values: &[Found], today: NaiveDate, dates: &mut BTreeSet<NaiveDate>) {
    let first = |date: NaiveDate| date.with_day(1);
    let last = |date: NaiveDate| {
        let next = first(date)?.checked_add_months(Months::new(1));
        next?.pred_opt()
    };
    let next = today.checked_add_months(Months::new(1));
    let said_end = [
        "月末",
        "end of the month",
        "end of this month",
        "end of month",
    ];
    if said_end.iter().any(|word| text.contains(word)) {
        dates.extend(last(today));
    }
    if ["来月末", "end of next month"]
        .iter()
        .any(|word| text.contains(word))
    {
        dates.extend(next.and_then(last));
    }
    if ["月初", "来月頭", "start of next month"]
        .iter()
        .any(|word| text.contains(word))
    {
        dates.extend(next.and_then(first));
        dates.extend(first(today));
    }
    let mut of_month = |month: u32| {
        for year in [today.year(), today.year() + 1] {
            dates.extend(NaiveDate::from_ymd_opt(year, month, 1).and_then(last));
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

/// The months that texts of those times mean with relative words.
pub(super) fn months(texts: &[String], times: &[NaiveDateTime]) -> BTreeSet<u64> {
    let mut months = BTreeSet::new();
    let words: [(&[&str], u32); 3] = [
        (&["再来月"], 2),
        (&["来月", "翌月", "next month"], 1),
        (&["今月", "当月", "this month"], 0),
    ];
    for time in times {
        for (words, ahead) in words {
            let is_said = texts
                .iter()
                .any(|text| words.iter().any(|word| text.contains(word)));
            let month = time.date().checked_add_months(Months::new(ahead));
            months.extend(
                month
                    .filter(|_| is_said)
                    .map(|date| u64::from(date.month())),
            );
        }
        let is_last = |text: &String| text.contains("先月") || text.contains("last month");
        if texts.iter().any(is_last) {
            let month = time.date().checked_sub_months(Months::new(1));
            months.extend(month.map(|date| u64::from(date.month())));
        }
    }
    for text in texts {
        let words = text.split(|c: char| !c.is_ascii_alphabetic());
        months.extend(words.filter_map(month).map(u64::from));
    }
    months
}
