//! The values of a text as they are compared: numbers that are written in several parts are one.

use crate::text::values::numbers::Point;
use crate::text::values::{Amount, Found, Unit, Value};

/// Words of ordinal numbers.
const ORDINALS: [&str; 10] = [
    "first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
];
/// Lengths of time that are written without a number, in thousandths of a minute.
const LENGTHS: [(&str, u64); 9] = [
    ("an hour", 60_000),
    ("the hour", 60_000),
    ("half an hour", 30_000),
    ("half hour", 30_000),
    ("half-hour", 30_000),
    ("quarter of an hour", 15_000),
    ("three quarters of an hour", 45_000),
    ("hour and a half", 90_000),
    ("minute and a half", 1_500),
];
/// How a time is written by its distance from an hour, and that distance in minutes.
const PASTS: [(&str, i64); 4] = [
    ("half ", 30),
    ("half past ", 30),
    ("quarter past ", 15),
    ("quarter to ", -15),
];

/// The values of a text in normal form, in order.
pub(crate) fn read(text: &str) -> Vec<Found> {
    let mut found: Vec<Found> = Vec::new();
    for value in crate::text::values::read(text) {
        let value = marked(text, value);
        match found.last().and_then(|last| joined(text, last, &value)) {
            Some(whole) => {
                found.pop();
                found.push(whole);
            }
            None => found.push(value),
        }
    }
    for value in &mut found {
        with_half(text, value);
    }
    ranges(text, &mut found);
    found.retain(|found| !is_fraction(text, found));
    in_words(text, &mut found);
    found.sort_by_key(|found| found.range.start);
    found
}

/// `第3` is an ordinal number, `十時` a time.
fn marked(text: &str, mut found: Found) -> Found {
    let before = text.get(..found.range.start).unwrap_or_default();
    if let Value::Number(amount) = &mut found.value {
        let after = text.get(found.range.end..).unwrap_or_default();
        if before.ends_with('第') || amount.unit.is_none() && after.starts_with(['号', '番']) {
            amount.unit = Some(Unit("ordinal"));
        } else if amount.in_words
            && amount.unit == Some(Unit("clock"))
            && let Some(hour) = amount.thousandths()
            && !after.starts_with("時間")
        {
            let said = |words: &[&str]| {
                let before = before.trim_end_matches('の');
                words.iter().any(|word| before.ends_with(word))
            };
            found.value = Value::Point(Point::Time {
                hour: u32::try_from(hour / 1000).unwrap_or(0),
                minute: if after.starts_with("時半") { 30 } else { 0 },
                afternoon: said(&["午後", "昼", "夕方"]),
                morning: said(&["午前", "朝"]),
            });
        }
    }
    found
}

/// Two parts of one number: `4万7千`, `1億2千万`, `2時間15分`, `an hour and ten minutes`.
fn joined(text: &str, first: &Found, second: &Found) -> Option<Found> {
    let (Value::Number(a), Value::Number(b)) = (&first.value, &second.value) else {
        return None;
    };
    let joint = text.get(first.range.end..second.range.start)?.trim();
    let (high, low) = (a.thousandths()?, b.thousandths()?);
    let range = first.range.start..second.range.end;
    let joint_of_amounts = matches!(joint, "億" | "万" | "千" | "百万" | "千万");
    if joint_of_amounts && a.unit.is_none() && low < high && high % 1000 == 0 {
        let value = Value::Number(amount(high.checked_add(low)?, b.unit, false)?);
        return Some(Found { range, value });
    }
    if b.in_words && joint.is_empty() && text.get(second.range.clone()) == Some("dozen") {
        let value = Value::Number(amount(high.checked_mul(12)?, b.unit, false)?);
        return Some(Found { range, value });
    }
    // `6h 40m` and `2 h 30`: alone, `40m` is 40 million.
    let after = text.get(second.range.end..)?;
    let is_end = |rest: &str| !rest.starts_with(|c: char| c.is_ascii_alphanumeric());
    let is_m = after.strip_prefix('m').is_some_and(is_end)
        || b.unit.is_none() && low < 60_000 && joint == "h" && is_end(after);
    let low = match is_m {
        true => text
            .get(second.range.clone())?
            .parse::<u64>()
            .ok()?
            .checked_mul(1000)?,
        false => low,
    };
    let of_hour = a.unit == Some(Unit("hour")) && (is_m || b.unit == Some(Unit("minute")));
    let joint = joint.trim_start_matches(['時', '間', 'と', ' ', 'h', 'r', 'o', 'u', 's']);
    if of_hour && matches!(joint.trim_end(), "" | "and" | ",") {
        let minutes = high.checked_mul(60)?.checked_add(low)?;
        let value = Value::Number(amount(minutes, Some(Unit("minute")), a.in_words)?);
        return Some(Found { range, value });
    }
    None
}

/// An amount of so many thousandths.
fn amount(thousandths: u64, unit: Option<Unit>, in_words: bool) -> Option<Amount> {
    let whole = thousandths / 1000;
    let decimals = format!("{:03}", thousandths % 1000);
    let whole = (whole > 0).then(|| whole.to_string());
    Some(Amount {
        digits: (
            whole.unwrap_or_default(),
            decimals.trim_end_matches('0').to_owned(),
        ),
        unit,
        in_words,
    })
}

/// `June 9 to 13`, `9 to 13 June`, `11月4日から28日`: both are dates.
fn ranges(text: &str, found: &mut [Found]) {
    for at in 1..found.len() {
        let Some((head, [second, ..])) = found.split_at_mut_checked(at) else {
            continue;
        };
        let Some(first) = head.last_mut() else {
            continue;
        };
        let joint = text
            .get(first.range.end..second.range.start)
            .unwrap_or_default();
        let joint = ["日", "st", "nd", "rd", "th"]
            .iter()
            .find_map(|end| joint.strip_prefix(end))
            .unwrap_or(joint);
        let is_span =
            ["to", "-", "–", "~", "〜", "から", "through", "until"].contains(&joint.trim());
        let is_list = ["and", "or", "と", "・", "か"].contains(&joint.trim());
        let after = text.get(second.range.end..).unwrap_or_default();
        let is_last = !after
            .trim_start()
            .starts_with(|c: char| c.is_alphanumeric());
        match (first.value.clone(), second.value.clone()) {
            (Value::Point(Point::Date { year, month, .. }), Value::Number(own))
                if !after.starts_with("日間")
                    && (is_span || is_list && (is_last || own.unit.is_some())) =>
            {
                if let Some(day) = day(&own) {
                    second.value = Value::Point(Point::Date { year, month, day });
                }
            }
            (Value::Number(own), Value::Point(Point::Date { year, month, .. }))
                if is_span || is_list =>
            {
                if let Some(day) = day(&own) {
                    first.value = Value::Point(Point::Date { year, month, day });
                }
            }
            _ => {}
        }
    }
}

/// The day of a month that a number may be.
fn day(amount: &Amount) -> Option<u32> {
    let is_day = amount
        .unit
        .is_none_or(|unit| matches!(unit.0, "day" | "ordinal"));
    let day = amount
        .digits
        .0
        .parse()
        .ok()
        .filter(|day| (1..=31).contains(day));
    day.filter(|_| is_day && !amount.in_words && amount.digits.1.is_empty())
}

/// `3時間半`, `two and a half hours`.
fn with_half(text: &str, found: &mut Found) {
    let after = text.get(found.range.end..).unwrap_or_default();
    let Value::Number(number) = &mut found.value else {
        return;
    };
    let units = [
        "時間半",
        "年半",
        "か月半",
        "ヶ月半",
        "日半",
        "週間半",
        "倍半",
    ];
    let unit = if units.iter().any(|unit| after.starts_with(unit)) {
        number.unit
    } else if let Some(rest) = after.trim_start().strip_prefix("and a half") {
        crate::text::values::unit_after(rest)
    } else {
        return;
    };
    let half = number
        .thousandths()
        .and_then(|number| number.checked_add(500));
    if let Some(more) = half.and_then(|half| amount(half, unit, number.in_words)) {
        *number = more;
    }
}

/// Returns true if a number is a part of a fraction, which is not judged: `4分の3`, `two thirds`.
fn is_fraction(text: &str, found: &Found) -> bool {
    if !matches!(found.value, Value::Number(_)) {
        return false;
    }
    let before = text.get(..found.range.start).unwrap_or_default();
    let after = text.get(found.range.end..).unwrap_or_default();
    let parts = ["thirds", "quarters", "fifths", "sixths", "tenths"];
    let after = after.trim_start_matches([' ', '-']);
    let whole = before.strip_suffix("分の").unwrap_or_default();
    after.starts_with("分の")
        || whole.ends_with(|c: char| c.is_ascii_digit() || "二三四五六七八九十".contains(c))
        || parts.iter().any(|part| after.starts_with(part))
}

/// Adds ordinal numbers, lengths and times that are written without digits.
fn in_words(text: &str, found: &mut Vec<Found>) {
    let mut added: Vec<Found> = Vec::new();
    let mut add = |at: usize, length: usize, value: Value| {
        let range = at..at + length;
        added.push(Found { range, value });
    };
    for (number, word) in (1_u64..).zip(ORDINALS) {
        for at in words(text, word) {
            if let Some(amount) = amount(number * 1000, Some(Unit("ordinal")), true) {
                add(at, word.len(), Value::Number(amount));
            }
        }
    }
    for (at, prefix) in text.match_indices('第') {
        let rest = text.get(at + prefix.len()..).unwrap_or_default();
        let end = rest.find(|c| !"一二三四五六七八九十".contains(c));
        let numeral = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        let value = crate::text::values::numerals(numeral).into_iter().next();
        let value = value.and_then(|value| value.parse::<u64>().ok());
        let ordinal = |value: u64| amount(value.checked_mul(1000)?, Some(Unit("ordinal")), true);
        if let Some(amount) = value.and_then(ordinal) {
            add(at + prefix.len(), numeral.len(), Value::Number(amount));
        }
    }
    for (phrase, length) in LENGTHS {
        for at in words(text, phrase) {
            if let Some(amount) = amount(length, Some(Unit("minute")), true) {
                add(at, phrase.len(), Value::Number(amount));
            }
        }
    }
    for (phrase, minutes) in PASTS {
        for (at, _) in text.match_indices(phrase) {
            let rest = text.get(at + phrase.len()..).unwrap_or_default();
            let word: String = rest
                .chars()
                .take_while(char::is_ascii_alphanumeric)
                .collect();
            let Some(hour) = hour(&word) else { continue };
            let time = i64::from(hour) * 60 + minutes;
            let time = u32::try_from(time).unwrap_or(0);
            let point = Point::Time {
                hour: time / 60,
                minute: time % 60,
                afternoon: false,
                morning: false,
            };
            add(at, phrase.len() + word.len(), Value::Point(point));
        }
    }
    added.sort_by_key(|added| added.range.start);
    found.retain(|other| {
        let at = added.partition_point(|added| added.range.end <= other.range.start);
        added
            .get(at)
            .is_none_or(|added| other.range.end <= added.range.start)
    });
    found.append(&mut added);
}

/// Where a phrase stands as words.
fn words(text: &str, phrase: &str) -> Vec<usize> {
    let is_boundary = |c: Option<char>| c.is_none_or(|c| !c.is_ascii_alphanumeric());
    let matches = text.match_indices(phrase).map(|(at, _)| at);
    matches
        .filter(|at| {
            let before = text.get(..*at).and_then(|head| head.chars().next_back());
            let after = text.get(at + phrase.len()..);
            is_boundary(before) && is_boundary(after.and_then(|tail| tail.chars().next()))
        })
        .collect()
}

/// The hour that a word or digits give.
fn hour(word: &str) -> Option<u32> {
    if let Ok(hour) = word.parse() {
        return Some(hour).filter(|hour| (1..=12).contains(hour));
    }
    let number = crate::text::values::read(word).into_iter().next()?;
    match number.value {
        Value::Number(amount) => u32::try_from(amount.thousandths()? / 1000).ok(),
        _ => None,
    }
    .filter(|hour| (1..=12).contains(hour))
}
