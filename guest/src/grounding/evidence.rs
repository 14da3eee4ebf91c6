//! What the sources of a line say.

use std::collections::BTreeSet;

use chrono::{Datelike as _, NaiveDate, NaiveDateTime, Timelike as _};

use super::{Given, dates, numbers};
use crate::extractive::text::{flatten, strip_markers};
use crate::phrases::{Phrases, contains_words, phrases};
use crate::values::numbers::Point;
use crate::values::{Amount, Found, Unit, Value, normal, read};

/// The number of a weekday, and how it is written.
const WEEKDAYS: Phrases = phrases!("weekdays.txt");

/// What the sources of a line say, and what follows from it.
#[derive(Default)]
pub(super) struct Evidence {
    texts: Vec<String>,
    values: Vec<Value>,
    /// The local times of the messages.
    times: Vec<NaiveDateTime>,
    /// The dates that relative dates mean.
    relative: BTreeSet<NaiveDate>,
    authors: BTreeSet<String>,
    /// The numbers of things that messages list.
    lists: BTreeSet<usize>,
    /// How many people wrote messages that share a word with the line, and how many messages that are.
    related: (usize, usize),
}

impl Evidence {
    pub(super) fn of(cited: &[Given<'_>]) -> Self {
        let mut evidence = Self::default();
        for given in cited {
            let text = normal(given.text);
            let values = read(&text);
            let time = given.time.and_then(crate::now::local);
            if let Some(time) = time {
                dates::relative(&text, &values, time.date(), &mut evidence.relative);
            }
            evidence.times.extend(time);
            evidence.authors.extend(given.author.map(normal));
            evidence.lists.extend(lists(given.text));
            evidence
                .values
                .extend(values.into_iter().map(|found| found.value));
            evidence.texts.push(text);
        }
        evidence
    }

    /// Also counts the people and messages of sources that share a word with the line.
    pub(super) fn count(&mut self, related: &[Given<'_>]) {
        let authors: Vec<&str> = related.iter().filter_map(|given| given.author).collect();
        let people: BTreeSet<&&str> = authors.iter().collect();
        self.related = (people.len(), authors.len());
    }

    /// Whether one of the sources is by this person, or names them.
    pub(super) fn names(&self, name: &str) -> bool {
        self.authors.contains(name) || self.texts.iter().any(|text| text.contains(name))
    }

    /// Whether a value of a line follows. `all` are the values of the line, `line` is its text.
    pub(super) fn founds(&self, found: &Found, all: &[Found], line: &str) -> bool {
        match &found.value {
            Value::Address(address) => self.has_words(address),
            Value::Code(code) => self.has_code(code),
            Value::Long(digits) => self.has_digits(digits),
            Value::Point(Point::Date { year, month, day }) => self.has_date(*year, *month, *day),
            Value::Point(point) => self.has_time(*point),
            Value::Number(amount) => {
                // `十分` is no number, and `one` is often none.
                let is_word = amount.in_words && amount.thousandths() <= Some(1_000);
                is_word
                    || (amount.digits.0.len() > 2 && self.has_digits(&amount.digits.0))
                    || self.has_calendar_number(amount)
                    || self.numbers().founds(amount, all, line)
            }
        }
    }

    /// Whether a value that does not follow is certainly wrong: nobody calculates an address or an id, and a number that
    /// differs in one digit from one of the sources is a slip.
    pub(super) fn is_certain(&self, value: &Value) -> bool {
        match value {
            Value::Address(_) | Value::Code(_) | Value::Long(_) => true,
            Value::Number(amount) => !amount.in_words && self.numbers().is_slip(amount),
            Value::Point(_) => false,
        }
    }

    fn numbers(&self) -> numbers::Given<'_> {
        numbers::Given {
            values: &self.values,
            texts: &self.texts,
            people: [self.authors.len(), self.related.0],
            messages: [self.texts.len(), self.related.1],
            lists: &self.lists,
        }
    }

    /// Whether a source has this word as a whole.
    fn has_words(&self, word: &str) -> bool {
        let is_boundary = |c: char| !c.is_ascii_alphanumeric() && !matches!(c, '/' | '_');
        self.texts.iter().any(|text| {
            text.match_indices(word).any(|(at, _)| {
                let before = text.get(..at).and_then(|head| head.chars().next_back());
                let tail = text.get(at + word.len()..).unwrap_or_default();
                let tail = tail.strip_prefix('/').unwrap_or(tail);
                let mut after = tail.chars();
                let next = after.next();
                let continues = matches!(
                    next,
                    Some('.' | '-' | '?' | '#' | '=' | '&' | '%' | ':' | '@')
                ) && after.next().is_some_and(|c| c.is_ascii_alphanumeric());
                let begins = before.is_none_or(|c| is_boundary(c) || c == '/')
                    && !before.is_some_and(|c| matches!(c, '-' | '.' | '@'));
                begins && !continues && next.is_none_or(is_boundary)
            })
        })
    }

    fn has_code(&self, code: &str) -> bool {
        let short = code.strip_prefix('v').unwrap_or(code);
        let is_version = short.starts_with(|c: char| c.is_ascii_digit());
        let letters =
            |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
        self.has_words(code)
            || (code.len() > 8
                && self
                    .texts
                    .iter()
                    .any(|text| letters(text).contains(&letters(code))))
            || is_version && (self.has_words(short) || self.has_words(&format!("v{short}")))
            || code.strip_prefix('#').is_some_and(|id| self.has_words(id))
    }

    fn has_digits(&self, digits: &str) -> bool {
        let digits = digits.trim_start_matches('0');
        self.values.iter().any(|value| match value {
            Value::Long(own) => own.ends_with(digits),
            Value::Number(own) => own.digits.0 == digits && own.digits.1.is_empty(),
            Value::Code(own) => own.trim_start_matches(['#', 'v', '.']) == digits,
            Value::Address(own) => own == digits,
            Value::Point(_) => false,
        })
    }

    fn has_date(&self, year: Option<u32>, month: u32, day: u32) -> bool {
        let is_it = |date: &NaiveDate| {
            let same_year = year.is_none_or(|year| i32::try_from(year) == Ok(date.year()));
            same_year && (date.month(), date.day()) == (month, day)
        };
        let own = Value::Point(Point::Date { year, month, day });
        let is_said = |value: &Value| {
            let dated = matches!(value, Value::Point(Point::Date { year: Some(_), .. }));
            value.is_same(&own) && (year.is_none() || dated || self.is_near(year, month, day))
        };
        self.values.iter().any(is_said)
            || self.relative.iter().any(is_it)
            || self.times.iter().any(|time| is_it(&time.date()))
    }

    /// Whether the year of a date is one that was meant when nobody said it. Without the times of messages it is not known.
    fn is_near(&self, year: Option<u32>, month: u32, day: u32) -> bool {
        let year = year.and_then(|year| i32::try_from(year).ok());
        let date = year.and_then(|year| NaiveDate::from_ymd_opt(year, month, day));
        let Some(date) = date else { return false };
        let days = |time: &NaiveDateTime| (date - time.date()).num_days().abs();
        self.times.is_empty() || self.times.iter().any(|time| days(time) < 300)
    }

    fn has_time(&self, point: Point) -> bool {
        let own = Value::Point(point);
        let Point::Time {
            hour,
            minute,
            afternoon,
        } = point
        else {
            return false;
        };
        let clock = if afternoon { hour + 12 } else { hour };
        let has = |words: &[&str]| {
            let mut texts = self.texts.iter();
            texts.any(|text| words.iter().any(|word| contains_words(text, word)))
        };
        let by_name = minute == 0
            && (hour == 12 && has(&["正午", "noon", "お昼", "昼12時"])
                || matches!(hour, 0 | 24) && has(&["深夜", "midnight", "零時", "0時"]));
        let is_bare = |value: &Value| {
            matches!(value, Value::Number(Amount { digits, unit: None, .. })
                if minute == 0 && digits.1.is_empty() && digits.0 == hour.to_string())
        };
        let no_times = !self
            .values
            .iter()
            .any(|value| matches!(value, Value::Point(Point::Time { .. })));
        self.values.iter().any(|value| value.is_same(&own))
            || by_name
            || (no_times && self.values.iter().any(is_bare))
            || self
                .times
                .iter()
                .any(|time| (time.hour(), time.minute()) == (clock, minute))
    }

    /// Every date that the sources say or mean.
    fn dates(&self) -> impl Iterator<Item = NaiveDate> {
        let years: BTreeSet<i32> = self.times.iter().map(|time| time.year()).collect();
        let said = self.values.iter().flat_map(move |value| {
            let Value::Point(Point::Date { year, month, day }) = value else {
                return Vec::new();
            };
            let own = year.and_then(|year| i32::try_from(year).ok());
            let years: Vec<i32> = match own {
                Some(year) => vec![year],
                None => years.iter().flat_map(|year| [*year, year + 1]).collect(),
            };
            let dates = years
                .into_iter()
                .filter_map(|year| NaiveDate::from_ymd_opt(year, *month, *day));
            dates.collect()
        });
        let times = self.times.iter().map(NaiveDateTime::date);
        said.chain(self.relative.iter().copied()).chain(times)
    }

    /// A day of a month, a month or a year that is one of a date.
    fn has_calendar_number(&self, amount: &Amount) -> bool {
        let Some(number) = amount.thousandths().map(|number| number / 1000) else {
            return false;
        };
        let of = |part: fn(&NaiveDate) -> u64| self.dates().any(|date| part(&date) == number);
        let year = |date: &NaiveDate| u64::try_from(date.year()).unwrap_or(0);
        match amount.unit {
            Some(Unit("day" | "ordinal")) => of(|date| date.day().into()),
            Some(Unit("month-name")) => {
                of(|date| date.month().into())
                    || dates::months(&self.texts, &self.times).contains(&number)
            }
            Some(Unit("year")) | None if (1900..2100).contains(&number) => {
                let next =
                    |text: &String, words: &[&str]| words.iter().any(|word| text.contains(word));
                let has = |words: &[&str]| self.texts.iter().any(|text| next(text, words));
                let times = self.times.iter().map(|time| year(&time.date()));
                of(|date| u64::try_from(date.year()).unwrap_or(0))
                    || times.clone().any(|year| year + 1 == number) && has(&["来年", "next year"])
                    || times.clone().any(|year| year == number + 1)
                        && has(&["去年", "昨年", "last year"])
            }
            _ => false,
        }
    }

    /// The weekdays of a line that no date of the line or the sources has.
    pub(super) fn wrong_weekdays(&self, line: &str, all: &[Found]) -> Vec<String> {
        let said: BTreeSet<u32> = self
            .texts
            .iter()
            .flat_map(|text| weekdays(text))
            .map(|(day, _)| day)
            .collect();
        let meant: BTreeSet<u32> = self
            .dates()
            .chain(
                self.times
                    .iter()
                    .flat_map(|time| dates_of(all, time.year())),
            )
            .map(|date| date.weekday().num_days_from_monday())
            .collect();
        weekdays(line)
            .into_iter()
            .filter(|(day, _)| !said.contains(day) && !meant.contains(day))
            .map(|(_, word)| word.to_owned())
            .collect()
    }
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

/// The weekdays that a text names, from Monday on, and how.
pub(super) fn weekdays(text: &str) -> Vec<(u32, &'static str)> {
    let mut found = Vec::new();
    for line in WEEKDAYS.iter() {
        let mut words = line.split(' ');
        let day = words.next().and_then(|day| day.parse().ok());
        // `sat` and `sun` are words of their own, too.
        let word = words.find(|word| contains_words(text, word) && !matches!(*word, "sat" | "sun"));
        if let (Some(day), Some(word)) = (day, word) {
            found.push((day, word));
        }
    }
    found
}

/// The numbers of things that a text lists: lines with a list mark, and words between commas.
pub(super) fn lists(text: &str) -> Vec<usize> {
    let bullets = text
        .lines()
        .filter(|line| strip_markers(&flatten(line)).1.list)
        .count();
    let mut lists: Vec<usize> = text
        .split(['。', '\n', '.', ':', '：', '（', '('])
        .map(items)
        .collect();
    lists.push(bullets);
    lists.retain(|count| *count > 1);
    lists
}

/// The number of things between commas.
fn items(sentence: &str) -> usize {
    let joints = [
        sentence.matches(['、', '・', '，', '／']).count(),
        sentence.matches(", ").count()
            + usize::from(sentence.contains(" and ") && !sentence.contains(", and ")),
        sentence.matches('と').count(),
    ];
    joints.into_iter().max().unwrap_or(0) + 1
}
