//! Whether a time, or a length of time, follows from the times of the sources.

use std::collections::BTreeSet;

use chrono::Timelike as _;

use super::Support;
use super::evidence::{Evidence, Said};
use crate::phrases::{Phrases, contains_words, phrases};
use crate::values::numbers::Point;
use crate::values::{Amount, Unit, Value};

/// Words that say that a time is in the afternoon or at night.
const LATE: Phrases = phrases!("afternoon.txt");
/// The minutes of a day.
const DAY: i64 = 24 * 60;
/// So many lengths of time are added to times.
const MOST_LENGTHS: usize = 12;

/// A time as minutes of the day, and the other time that it may be if it does not say which half of the day it is in.
#[derive(Clone, Copy)]
struct Reading {
    minute: i64,
    other: Option<i64>,
}

impl Reading {
    fn of(point: Point) -> Option<Self> {
        let Point::Time {
            hour,
            minute,
            afternoon,
            morning,
        } = point
        else {
            return None;
        };
        let written = (i64::from(hour) * 60 + i64::from(minute)).rem_euclid(DAY);
        let exact = |minute: i64| Self {
            minute: minute.rem_euclid(DAY),
            other: None,
        };
        Some(if afternoon {
            exact(written % (DAY / 2) + DAY / 2)
        } else if morning {
            exact(written % (DAY / 2))
        } else if hour == 0 || hour > 12 {
            exact(written)
        } else {
            Self {
                minute: written,
                other: Some((written + DAY / 2).rem_euclid(DAY)),
            }
        })
    }

    fn all(self) -> impl Iterator<Item = i64> {
        [Some(self.minute), self.other].into_iter().flatten()
    }
}

/// The times that a source says.
fn times(said: &Said) -> impl Iterator<Item = Reading> {
    let read = said.values.iter().filter_map(|found| match found.value {
        Value::Point(point) => Reading::of(point),
        _ => None,
    });
    let named = [
        (12 * 60, ["正午", "noon", "midday", "お昼"].as_slice()),
        (0, ["深夜0時", "midnight", "零時"].as_slice()),
    ];
    let named = named.into_iter().filter_map(|(minute, words)| {
        let is_said = words.iter().any(|word| contains_words(&said.text, word));
        is_said.then_some(Reading {
            minute,
            other: None,
        })
    });
    read.chain(named)
}

fn of_message(said: &Said) -> Option<i64> {
    let time = said.time?;
    Some(i64::from(time.hour() * 60 + time.minute()))
}

/// How well a time of a line is supported.
pub(super) fn time(evidence: &Evidence<'_>, point: Point) -> Support {
    let Some(own) = Reading::of(point) else {
        return Support::None;
    };
    let mut support = Support::None;
    for said in &evidence.said {
        let late = LATE.iter().any(|word| contains_words(&said.text, word));
        for time in times(said) {
            let is_written = time.minute == own.minute;
            let is_other = time.all().any(|time| own.all().any(|own| own == time));
            // Seven in a message without a word about it is more likely in the morning, two in the afternoon.
            let is_usual = own.other.is_some()
                || time.other.is_none()
                || late
                || (1..7).contains(&(time.minute / 60));
            support = support.max(match (is_written, is_other) {
                (true, _) => Support::Said,
                (_, true) if is_usual => Support::Said,
                (_, true) => Support::Calculated,
                _ => Support::None,
            });
        }
        if of_message(said).is_some_and(|time| own.all().any(|own| own == time)) {
            support = support.max(Support::Said);
        }
    }
    if support == Support::None && (is_bare(evidence, own) || is_moved(evidence, own)) {
        return Support::Calculated;
    }
    support
}

/// Whether a source has the hour as a number without a unit: `between 7 and 9`.
fn is_bare(evidence: &Evidence<'_>, own: Reading) -> bool {
    evidence.amounts().filter_map(bare).any(|bare| {
        let mut times = bare.all();
        times.any(|time| own.all().any(|own| own == time))
    })
}

/// The full hour that a number without a unit may be.
fn bare(amount: &Amount) -> Option<Reading> {
    let number = amount.thousandths().filter(|number| number % 1000 == 0)?;
    let hour = u32::try_from(number / 1000).ok();
    let hour = hour.filter(|hour| amount.unit.is_none() && (1..24).contains(hour))?;
    Reading::of(Point::Time {
        hour,
        minute: 0,
        afternoon: false,
        morning: false,
    })
}

/// Whether it is a time of the sources, later or earlier by one or two lengths of time that they say.
fn is_moved(evidence: &Evidence<'_>, own: Reading) -> bool {
    let lengths: BTreeSet<i64> = evidence.amounts().filter_map(minutes).collect();
    let lengths: Vec<i64> = lengths.into_iter().take(MOST_LENGTHS).collect();
    let near = |time: i64| {
        own.all().any(|own| {
            let distance = (own - time).rem_euclid(DAY);
            // `about 13:30`
            distance == 0 || own % 5 == 0 && (distance <= 2 || distance >= DAY - 2)
        })
    };
    all_times(evidence).into_iter().any(|time| {
        lengths.iter().any(|a| {
            near(time + a)
                || near(time - a)
                || lengths
                    .iter()
                    .any(|b| near(time + a + b) || near(time - a - b))
        })
    })
}

/// The times that the sources say and those of the messages.
fn all_times(evidence: &Evidence<'_>) -> BTreeSet<i64> {
    let of = |said: &&Said| times(said).flat_map(Reading::all).collect::<Vec<_>>();
    let said = evidence.said.iter().flat_map(of);
    let messages = evidence.said.iter().filter_map(|said| of_message(said));
    let bare = evidence.amounts().filter_map(bare).flat_map(Reading::all);
    said.chain(messages).chain(bare).collect()
}

/// A length of time in minutes; `None` if it is none, or not of whole minutes.
fn minutes(amount: &Amount) -> Option<i64> {
    let thousandths = i64::try_from(amount.thousandths()?).ok()?;
    let minutes = match amount.unit? {
        Unit("minute") => thousandths,
        Unit("hour") => thousandths.checked_mul(60)?,
        Unit("second") if thousandths % 60 == 0 => thousandths / 60,
        _ => return None,
    };
    (minutes % 1000 == 0).then_some(minutes / 1000)
}

/// Whether a length of time is the distance of two times of the sources.
pub(super) fn is_between(evidence: &Evidence<'_>, own: &Amount) -> bool {
    let Some(own) = minutes(own).filter(|own| *own > 0) else {
        return false;
    };
    let times = all_times(evidence);
    times.iter().any(|a| {
        times
            .iter()
            .any(|b| a != b && (b - a).rem_euclid(DAY) == own)
    })
}
