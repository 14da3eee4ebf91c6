//! The relative dates of a text of which it is certain what they mean, and where they stand.
//!
//! [`Dates`](super::Dates) holds every day that a text may mean, to judge what somebody wrote. Here a date is
//! written, so what may mean two days is left out: a wrong date is worse than none. `today` and its like are left out
//! too, because a line gives its own day.

use std::ops::Range;

use chrono::{Months, NaiveDate};

use super::months::last_day;
use super::weekdays::weekdays;
use super::{BESIDE_TODAY, beside, day_words, days_of, number, shifted};
use crate::phrases::{Phrases, contains_words, phrases, word_matches};
use crate::text::values::numbers::Point;
use crate::text::values::reading;
use crate::text::values::{Found, Unit, Value, normal};

/// Words of what is still to come, and of what is over.
const COMING: Phrases = phrases!("english/coming.txt", "japanese/coming.txt");
const OVER: Phrases = phrases!("english/over.txt", "japanese/over.txt");
/// The day after a day that is not today.
const ELSEWHERE: [&str; 2] = ["翌日", "翌々日"];
/// A name, with 明日 as its first part.
const PARTS_OF_NAMES: [char; 4] = ['香', '葉', '奈', '美'];
/// Words before a weekday that is one of many, a name, or counted from another day.
const OF_MANY: [&str; 21] = [
    "every",
    "each",
    "black",
    "good",
    "week from",
    "weeks from",
    "week on",
    "first",
    "second",
    "third",
    "last of",
    "毎週",
    "隔週",
    "毎",
    "翌週",
    "次",
    "前",
    "第一",
    "第二",
    "第三",
    "第四",
];
/// So near a date, a phrase is explained by it already.
const NEAR: usize = 8;
/// Ends of months, and how many months away.
const ENDS: [(&str, u32); 7] = [
    ("来月末", 1),
    ("今月末", 0),
    ("月末", 0),
    ("end of next month", 1),
    ("end of this month", 0),
    ("end of the month", 0),
    ("end of month", 0),
];
/// Months by their distance, and how many months away.
const MONTHS: [(&str, i32); 3] = [("来月", 1), ("今月", 0), ("先月", -1)];

/// Where the relative dates of a text end, in bytes, and what they mean in a text of that day; in order.
pub(super) fn relative(text: &str, today: NaiveDate) -> Vec<(usize, NaiveDate)> {
    let (lower, places) = normal_with_places(text);
    let values = reading::read(&lower);
    let mut found = Vec::new();
    days(&lower, today, &mut found);
    named_weekdays(&lower, &values, today, &mut found);
    counted(&lower, &values, today, &mut found);
    ends_of_months(&lower, today, &mut found);
    // Of two that overlap, the longer one is meant.
    found.sort_by_key(|(range, _)| (range.start, usize::MAX - range.end));
    let mut end = 0;
    let mut relative = Vec::new();
    for (range, date) in found {
        if range.start >= end && !is_explained(&lower, &range, date, &values) {
            end = range.end;
            let place = places.partition_point(|(normal, _)| *normal < range.end);
            relative.extend(places.get(place).map(|(_, own)| (*own, date)));
        }
    }
    relative
}

/// A text in the form of [`normal`], and where its characters begin in it and in the text.
fn normal_with_places(text: &str) -> (String, Vec<(usize, usize)>) {
    let mut lower = String::with_capacity(text.len());
    let mut places = Vec::with_capacity(text.len() + 1);
    for (at, c) in text.char_indices() {
        places.push((lower.len(), at));
        lower.push_str(&normal(c.encode_utf8(&mut [0; 4])));
    }
    places.push((lower.len(), text.len()));
    (lower, places)
}

/// `tomorrow`, `明後日`.
fn days(text: &str, today: NaiveDate, found: &mut Vec<(Range<usize>, NaiveDate)>) {
    let words = day_words().chain(BESIDE_TODAY);
    for (word, by) in words.filter(|(word, by)| *by != 0 && !ELSEWHERE.contains(word)) {
        let Some(at) = word_matches(text, word).find(|at| is_word(text, word, *at)) else {
            continue;
        };
        let end = with_possessive(text, at + word.len());
        found.extend(shifted(today, by).map(|date| (at..end, date)));
    }
}

/// Returns true if a Japanese word is not a part of another one.
fn is_word(text: &str, word: &str, at: usize) -> bool {
    let is_hiragana = crate::text::is_hiragana;
    let before = text.get(..at).and_then(|head| head.chars().next_back());
    let after = text
        .get(at + word.len()..)
        .and_then(|tail| tail.chars().next());
    let is_plain = word.chars().all(is_hiragana) && before.is_some_and(is_hiragana);
    !is_plain && !after.is_some_and(|c| PARTS_OF_NAMES.contains(&c))
}

fn with_possessive(text: &str, end: usize) -> usize {
    let after = text.get(end..).unwrap_or_default();
    let is_possessive = after.starts_with("'s") || after.starts_with("’s");
    let length = after.find('s').unwrap_or(0) + 1;
    if is_possessive { end + length } else { end }
}

/// `next Friday`, `来週の金曜`; `by Friday` and `金曜に…します`, but no day that may be over already.
fn named_weekdays(
    text: &str,
    values: &[Found],
    today: NaiveDate,
    found: &mut Vec<(Range<usize>, NaiveDate)>,
) {
    let named = weekdays(text);
    let is_one = named.len() == 1;
    for (weekday, word) in named {
        let mut places = word_matches(text, word);
        // `(金)` stands behind its date. Of a word that is there twice only one has the words before it.
        let (Some(at), None) = (places.next(), places.next()) else {
            continue;
        };
        if word.starts_with('(') || word.ends_with("days") || is_of_many(text, at, values) {
            continue;
        }
        let of_this_week = i64::from(weekday) - i64::from(number(today));
        let mut days = days_of(text, word, of_this_week);
        days.dedup();
        let coming = of_this_week.rem_euclid(7);
        let by = match *days.as_slice() {
            [day] => Some(day),
            // `next Friday`, said on a Wednesday, is not the coming one.
            [first, second] if first == coming && second == coming + 7 => Some(second),
            [first, second] if second == coming && first == coming - 7 => {
                text.contains("今週").then_some(first)
            }
            [first, _] if first == coming && is_one && is_to_come(text) => Some(first),
            _ => None,
        };
        let end = end_of_weekday(text, at + word.len());
        let date = by.and_then(|by| shifted(today, by));
        found.extend(date.map(|date| (at..end, date)));
    }
}

/// Returns true if a weekday is one of many, a name, or counted from another day: `every Friday`, `Black Friday`, `第二金曜`.
fn is_of_many(text: &str, at: usize, values: &[Found]) -> bool {
    let before = text.get(..at).unwrap_or_default();
    let before = before.trim_end_matches([' ', 'の']);
    let is_ordinal = |found: &Found| match &found.value {
        Value::Number(own) if found.range.end <= at && at - found.range.end < NEAR => {
            own.in_words || own.unit == Some(Unit("ordinal"))
        }
        _ => false,
    };
    OF_MANY.iter().any(|word| before.ends_with(word)) || values.iter().any(is_ordinal)
}

/// Returns true if a sentence is about what is still to come.
fn is_to_come(text: &str) -> bool {
    let has = |phrases: Phrases| phrases.iter().any(|word| contains_words(text, word));
    has(COMING) && !has(OVER) && beside(text).next().is_none()
}

/// The end of a weekday with what belongs to it: `金曜日`, `Friday's`, `Friday next week`.
fn end_of_weekday(text: &str, end: usize) -> usize {
    let after = text.get(end..).unwrap_or_default();
    let behind = ["日", " next week", " last week", " of next week"];
    let found = behind.iter().find(|word| after.starts_with(*word));
    match found {
        Some(word) => end + word.len(),
        None => with_possessive(text, end),
    }
}

/// `3 days ago`, `3日後`, `来月15日`.
fn counted(
    text: &str,
    values: &[Found],
    today: NaiveDate,
    found: &mut Vec<(Range<usize>, NaiveDate)>,
) {
    for value in values {
        let Value::Number(amount) = &value.value else {
            continue;
        };
        let number = amount.thousandths().filter(|number| number % 1000 == 0);
        let Some(number) = number.and_then(|number| i64::try_from(number / 1000).ok()) else {
            continue;
        };
        let before = text.get(..value.range.start).unwrap_or_default();
        let after = text.get(value.range.end..).unwrap_or_default();
        let behind = [
            (" days ago", -1),
            (" day ago", -1),
            ("日前", -1),
            ("日後", 1),
        ];
        if let Some((word, sign)) = behind.iter().find(|(word, _)| after.starts_with(word)) {
            let is_from_elsewhere = ["の", "から", "より", "毎"];
            if !is_from_elsewhere.iter().any(|word| before.ends_with(word)) {
                let range = value.range.start..value.range.end + word.len();
                found.extend(shifted(today, sign * number).map(|date| (range, date)));
            }
        } else if after.starts_with('日') && !after.starts_with("日間") {
            let before = before.trim_end_matches('の');
            let months = MONTHS.iter().find(|(word, _)| before.ends_with(word));
            let date = months.and_then(|(_, ahead)| day_of_month(today, *ahead, number));
            let range = value.range.start..value.range.end + "日".len();
            found.extend(date.map(|date| (range, date)));
        }
    }
}

fn day_of_month(today: NaiveDate, ahead: i32, day: i64) -> Option<NaiveDate> {
    use chrono::Datelike as _;
    let by = Months::new(ahead.unsigned_abs());
    let month = if ahead < 0 {
        today.with_day(1)?.checked_sub_months(by)
    } else {
        today.with_day(1)?.checked_add_months(by)
    };
    month?.with_day(u32::try_from(day).ok()?)
}

/// `月末`, `end of next month`; not the end of every month, or of one that has its name.
fn ends_of_months(text: &str, today: NaiveDate, found: &mut Vec<(Range<usize>, NaiveDate)>) {
    if ["every", "each", "monthly"]
        .iter()
        .any(|word| contains_words(text, word))
    {
        return;
    }
    for (phrase, ahead) in ENDS {
        let Some(at) = word_matches(text, phrase).next() else {
            continue;
        };
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let is_plain = phrase != "月末"
            || !before.is_some_and(|c| {
                c.is_ascii_digit() || "来今毎各先翌一二三四五六七八九十".contains(c)
            });
        let month = today.checked_add_months(Months::new(ahead));
        let date = month.filter(|_| is_plain).and_then(last_day);
        found.extend(date.map(|date| (at..at + phrase.len(), date)));
    }
}

/// Returns true if the text gives the date itself, or any date beside the phrase.
fn is_explained(text: &str, range: &Range<usize>, date: NaiveDate, values: &[Found]) -> bool {
    use chrono::Datelike as _;
    values.iter().any(|found| {
        let gap = if found.range.start >= range.end {
            text.get(range.end..found.range.start)
        } else {
            text.get(found.range.end..range.start)
        };
        let is_beside = gap.is_some_and(|gap| gap.len() < NEAR);
        match &found.value {
            Value::Point(Point::Date { month, day, .. }) => {
                is_beside || (*month, *day) == (date.month(), date.day())
            }
            Value::Number(own) => {
                let is_day = matches!(own.unit, Some(Unit("ordinal" | "month-name")));
                is_beside && is_day && found.range.start >= range.end
            }
            _ => false,
        }
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A text of Wednesday, 25 November 2026, with the date that it means after each phrase.
    fn dated(text: &str) -> String {
        let today = NaiveDate::from_ymd_opt(2026, 11, 25).unwrap();
        let mut dated = text.to_owned();
        for (at, date) in relative(text, today).into_iter().rev() {
            dated.insert_str(at, &format!("<{}>", date.format("%m-%d")));
        }
        dated
    }

    #[test]
    fn relative_dates_are_counted_from_the_day_of_the_text() {
        for text in [
            "The demo is tomorrow<11-26> at 3pm",
            "Yesterday's<11-24> build",
            "It opens the day after tomorrow<11-27>",
            "Release next Friday<12-04>, please",
            "I will send it by Friday<11-27>",
            "We'll meet on Monday<11-30>",
            "It broke last Friday<11-20>",
            "Let us meet Tuesday next week<12-01>",
            "The lease ended 3 days ago<11-22>",
            "Due at the end of the month<11-30>",
            "明日<11-26>の10時に納品",
            "ＡＢＣは明後日<11-27>から",
            "一昨日<11-23>の障害",
            "来週の金曜<12-04>に公開",
            "再来週の月曜日<12-07>まで",
            "先週の火曜<11-17>に決めた",
            "今週の月曜<11-23>に話した",
            "金曜<11-27>までに出します",
            "3日後<11-28>に監査",
            "来月の15日<12-15>が締切",
            "月末<11-30>までに払う",
        ] {
            assert_eq!(dated(&strip(text)), text);
        }
    }

    fn strip(text: &str) -> String {
        let mut plain = String::new();
        let mut inside = false;
        for c in text.chars() {
            inside |= c == '<';
            if !inside {
                plain.push(c);
            }
            inside &= c != '>';
        }
        plain
    }

    #[test]
    fn what_may_mean_two_days_has_no_date() {
        for text in [
            "We meet today",
            "We met on Friday",
            "It broke last Tuesday",
            "Every Friday we will meet",
            "Black Friday will be loud",
            "It ships a week from Friday, please",
            "The second Friday will be free",
            "Office hours will be Monday to Friday",
            "The day before Friday will be fine",
            "Will it be Wednesday?",
            "毎週金曜に出します",
            "第二金曜に集まります",
            "金曜に出しました",
            "金曜から休んでいます",
            "公開の翌日に確認",
            "締切の3日前に出す",
            "毎月末に払う",
            "3月末に払う",
            "明日香さんが来ます",
            "これであしたけ",
            "来週は忙しい",
        ] {
            assert_eq!(dated(text), text);
        }
    }

    #[test]
    fn what_gives_its_date_gets_no_other() {
        for text in [
            "next Friday, 4 December",
            "next Friday (2026-12-04)",
            "on Friday the 27th we will go",
            "来週の金曜（12/4）に公開",
            "12月4日、来週の金曜に公開",
            "tomorrow (Nov 26)",
        ] {
            assert_eq!(dated(text), text);
        }
    }
}
