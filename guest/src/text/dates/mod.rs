//! The meaning of relative dates.

mod dated;
mod months;
mod relative;
mod weekdays;

use std::collections::BTreeSet;

use chrono::{Datelike as _, Days, Months, NaiveDate};

use crate::phrases::{Phrases, contains_words, phrases};
use crate::text::values::numbers::Point;
use crate::text::values::{Found, Unit, Value};
pub(crate) use dated::dated;
use months::{ends_of_months, months};
pub(crate) use weekdays::weekday;
use weekdays::{leading_weekday, weekdays};

/// Words and how many days they are from today.
const DAYS: Phrases = phrases!("relative-days.txt");
/// The days of which another word is a part.
pub(crate) const BESIDE_TODAY: [(&str, i64); 2] =
    [("day after tomorrow", 2), ("day before yesterday", -2)];
/// Words for what is before another date, and for the day or night itself.
const BEFORE: [&str; 3] = ["前の", "before", "previous"];
const DAY_BEFORE: [&str; 7] = [
    "前日",
    "前夜",
    "day before",
    "night before",
    "evening before",
    "eve",
    "previous day",
];
/// Words for what is after another date, and for the day or morning itself.
const AFTER: [&str; 3] = ["次の", "after", "following"];
const DAY_AFTER: [&str; 6] = [
    "翌日",
    "翌朝",
    "day after",
    "next day",
    "following day",
    "morning after",
];

/// In which direction a text names a day beside another date: -1 for the day before it, 1 for the day after it.
pub(crate) fn next_days(text: &str) -> impl Iterator<Item = i64> {
    sides(text, [&DAY_BEFORE, &DAY_AFTER])
}

/// In which direction a text names anything beside another date.
pub(crate) fn beside(text: &str) -> impl Iterator<Item = i64> {
    let far = sides(text, [&BEFORE, &AFTER]);
    next_days(text)
        .chain(far)
        .collect::<BTreeSet<i64>>()
        .into_iter()
}

fn sides(text: &str, words: [&[&str]; 2]) -> impl Iterator<Item = i64> {
    let is_said = words.map(|words| words.iter().any(|word| contains_words(text, word)));
    let sides = [-1, 1].into_iter().zip(is_said);
    sides.filter_map(|(side, is_said)| is_said.then_some(side))
}

/// The dates that a text means.
#[derive(Default)]
pub(crate) struct Dates {
    /// Those that are said or meant.
    pub(crate) meant: BTreeSet<NaiveDate>,
    /// Those of them that are not counted from another one, and that others may be counted from.
    pub(crate) firm: BTreeSet<NaiveDate>,
    /// Those that may be meant: days of a week, one of many Tuesdays, a day beside another.
    pub(crate) possible: BTreeSet<NaiveDate>,
}

impl Dates {
    /// The dates of a text of that day.
    pub(crate) fn of(text: &str, values: &[Found], today: NaiveDate) -> Self {
        let mut dates = Self::default();
        for found in values {
            if let Value::Point(Point::Date { year, month, day }) = found.value {
                dates.meant.extend(with_year(year, month, day, today));
            }
        }
        // `The day after tomorrow` is not tomorrow.
        let plain = text
            .replace("day after tomorrow", "")
            .replace("day before yesterday", "");
        for (word, days) in day_words() {
            if contains_words(&plain, word) {
                dates.meant.extend(shifted(today, days));
            }
        }
        for (word, days) in BESIDE_TODAY {
            if contains_words(text, word) {
                dates.meant.extend(shifted(today, days));
            }
        }
        named_weekdays(text, today, &mut dates);
        weekdays_of_months(text, values, today, &mut dates.meant);
        weeks(text, today, &mut dates.possible);
        dates.firm = dates.meant.clone();
        for found in values {
            counted(text, found, today, &mut dates.meant);
        }
        ends_of_months(text, values, today, &mut dates.meant);
        let bases: Vec<NaiveDate> = dates.meant.iter().copied().collect();
        for (word, by) in [("前週", -7), ("翌週", 7)] {
            let is_said = text.contains(word);
            let days = bases.iter().filter(|_| is_said);
            dates
                .possible
                .extend(days.filter_map(|base| shifted(*base, by)));
        }
        for side in next_days(text) {
            let days = bases.iter().filter_map(|base| shifted(*base, side));
            dates.possible.extend(days);
        }
        for side in beside(text) {
            for base in &bases {
                // The Sunday before.
                for (weekday, _) in weekdays(text) {
                    let near = (0..=7).filter_map(|by| shifted(*base, side * by));
                    dates
                        .possible
                        .extend(near.filter(|date| number(*date) == weekday));
                }
            }
        }
        dates
    }
}

/// Words for days, and how many days they are from today.
pub(crate) fn day_words() -> impl Iterator<Item = (&'static str, i64)> {
    let lines = DAYS.iter().filter_map(|line| line.rsplit_once(' '));
    lines.filter_map(|(word, days)| Some((word, days.parse().ok()?)))
}

pub(crate) fn number(date: NaiveDate) -> u32 {
    date.weekday().num_days_from_monday()
}

/// A date that may not give its year.
fn with_year(year: Option<u32>, month: u32, day: u32, today: NaiveDate) -> Option<NaiveDate> {
    let of = |year| NaiveDate::from_ymd_opt(year, month, day);
    if let Some(year) = year {
        return of(i32::try_from(year).ok()?);
    }
    let years = [today.year() - 1, today.year(), today.year() + 1];
    let distance = |date: &NaiveDate| (*date - today).num_days().abs();
    years.into_iter().filter_map(of).min_by_key(distance)
}

pub(crate) fn shifted(date: NaiveDate, days: i64) -> Option<NaiveDate> {
    let by = Days::new(days.unsigned_abs());
    if days < 0 {
        date.checked_sub_days(by)
    } else {
        date.checked_add_days(by)
    }
}

/// `Friday` is the one before or after; `next Friday` the one after, or the one of next week.
fn named_weekdays(text: &str, today: NaiveDate, dates: &mut Dates) {
    let own = i64::from(number(today));
    for (weekday, word) in weekdays(text) {
        let of_this_week = i64::from(weekday) - own;
        let coming = of_this_week.rem_euclid(7);
        let on = |days: &[i64]| -> Vec<NaiveDate> {
            days.iter().filter_map(|by| shifted(today, *by)).collect()
        };
        if word.ends_with("days") || text.contains("毎週") {
            // One of many.
            dates.possible.extend(on(&[coming - 7, coming, coming + 7]));
        } else {
            let days = on(&days_of(text, word, of_this_week));
            dates.meant.extend(days);
        }
    }
}

/// How many days away a weekday may be that is so many days away in this week.
pub(crate) fn days_of(text: &str, word: &str, of_this_week: i64) -> Vec<i64> {
    let coming = of_this_week.rem_euclid(7);
    let next = if coming == 0 { 7 } else { coming };
    let last = if coming == 0 { -7 } else { coming - 7 };
    let is_after = |words: &[&str]| {
        words.iter().any(|before| {
            text.match_indices(before).any(|(at, _)| {
                let rest = text.get(at + before.len()..).unwrap_or_default();
                let rest = rest.strip_prefix("'s").unwrap_or(rest);
                rest.trim_start_matches([' ', 'の']).starts_with(word)
            })
        })
    };
    let is_before = |week: &str| text.contains(&format!("{word} {week}"));
    if is_after(&["再来週"]) || contains_words(text, "week after next") {
        vec![of_this_week + 14]
    } else if is_after(&["来週", "翌週", "next week"]) || is_before("next week") {
        vec![of_this_week + 7]
    } else if is_after(&["先週", "前週", "last week"]) || is_before("last week") {
        vec![of_this_week - 7]
    } else if is_after(&["今週", "this"]) {
        vec![of_this_week, coming]
    } else if is_after(&["next"]) {
        vec![next, of_this_week + 7]
    } else if is_after(&["last", "この前の", "前の"]) {
        vec![last, of_this_week - 7]
    } else if is_after(&["since "]) {
        vec![last]
    } else if is_after(&["by ", "until ", "till "]) {
        vec![coming, next]
    } else if coming == 0 {
        // Said on that very day, it may be the next one.
        vec![0, -7, 7]
    } else {
        vec![coming, coming - 7]
    }
}

/// `8月第一土曜`, `the second Friday of December`.
fn weekdays_of_months(
    text: &str,
    values: &[Found],
    today: NaiveDate,
    dates: &mut BTreeSet<NaiveDate>,
) {
    for found in values {
        let Value::Number(amount) = &found.value else {
            continue;
        };
        let after = text.get(found.range.end..).unwrap_or_default();
        let (Some(Unit("ordinal")), Some(which)) = (amount.unit, amount.thousandths()) else {
            continue;
        };
        let Some(weekday) = leading_weekday(after) else {
            continue;
        };
        let of_values = values.iter().filter_map(|found| match &found.value {
            Value::Number(month) if month.unit == Some(Unit("month-name")) => {
                u32::try_from(month.thousandths()? / 1000).ok()
            }
            _ => None,
        });
        for month in months(text, today).into_iter().chain(of_values) {
            let Some(first) = with_year(None, month, 1, today) else {
                continue;
            };
            let until = (i64::from(weekday) - i64::from(number(first))).rem_euclid(7);
            let weeks = i64::try_from(which / 1000).unwrap_or(1) - 1;
            dates.extend(shifted(first, until + 7 * weeks));
        }
    }
}

/// The days of weeks that are named without a weekday.
fn weeks(text: &str, today: NaiveDate, dates: &mut BTreeSet<NaiveDate>) {
    let monday = -i64::from(number(today));
    let weeks: [(&[&str], i64); 4] = [
        (&["来週", "翌週", "next week", "週明け"], 7),
        (
            &[
                "今週",
                "this week",
                "eow",
                "end of the week",
                "週内",
                "週末",
                "weekend",
            ],
            0,
        ),
        (&["先週", "last week"], -7),
        (&["再来週", "week after next"], 14),
    ];
    for (words, from) in weeks {
        if words.iter().any(|word| is_alone(text, word)) {
            dates.extend((0..7).filter_map(|day| shifted(today, monday + from + day)));
        }
    }
}

/// Returns true if a text names a week without one of its days.
fn is_alone(text: &str, word: &str) -> bool {
    contains_words(text, word)
        && text.match_indices(word).any(|(at, _)| {
            let after = text.get(at + word.len()..).unwrap_or_default();
            let after = after.trim_start_matches([' ', 'の', '、']);
            let before = text.get(..at).unwrap_or_default().trim_end();
            let is_beside =
                |(_, day): &(u32, &str)| after.starts_with(day) || before.ends_with(day);
            !weekdays(text).iter().any(is_beside)
        })
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
    if matches!(unit, "day" | "ordinal") && !is_length(&after, unit) {
        days_of_months(text, number, today, dates);
    }
}

/// Returns true if a number of days is a length: not `15日` and `the 15th`.
fn is_length(after: &str, unit: &str) -> bool {
    let words = ["後", "前", "間", "以内", "連続", "目"];
    let of_length =
        |word: &&str| after.starts_with(&format!("日{word}")) || after.starts_with(*word);
    words.iter().any(of_length) || unit == "day" && !after.starts_with('日')
}

/// That day of this month and of those beside it.
fn days_of_months(text: &str, day: i64, today: NaiveDate, dates: &mut BTreeSet<NaiveDate>) {
    let Ok(day) = u32::try_from(day) else { return };
    let near = [
        today.checked_sub_months(Months::new(1)),
        Some(today),
        today.checked_add_months(Months::new(1)),
    ];
    let is_next = text.contains("来月") || text.contains("next month");
    let is_last = text.contains("先月") || text.contains("last month");
    let wanted = match (is_next, is_last) {
        (true, false) => 2..3,
        (false, true) => 0..1,
        _ => 0..3,
    };
    let of_month = near.into_iter().enumerate();
    let of_month = of_month.filter(|(at, _)| wanted.contains(at));
    dates.extend(of_month.filter_map(|(_, month)| month?.with_day(day)));
}
