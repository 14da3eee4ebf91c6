//! The times that a question names: `since Friday`, `on 26 December`, `先週の火曜`, `3月3日時点`.

mod calendar;
mod english;
mod japanese;

use std::ops::Range;

use chrono::{Months, NaiveDate};

const YEAR_DIGITS: usize = 4;

/// Days in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Days {
    /// The first day.
    pub(crate) first: NaiveDate,
    /// The day after the last one.
    pub(crate) end: NaiveDate,
}

/// How messages stand to the days that a question names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Relation {
    /// Not before them.
    Since,
    /// The same, or part of what is asked.
    From,
    /// After them.
    After,
    /// As it was known at their end.
    AsOf,
    /// Not after them.
    Until,
    /// Before them.
    Before,
    /// In all likelihood on one of them.
    On,
}

/// Days that a question names.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Named {
    days: Days,
    relation: Relation,
    /// Where it stands in the question, in bytes.
    at: Range<usize>,
    /// True if messages may name them with the same words.
    is_date: bool,
}

impl Named {
    /// Returns true if nothing outside this time is asked for.
    fn is_bound(&self, question: &str, today: NaiveDate) -> bool {
        match self.relation {
            Relation::Since => true,
            Relation::AsOf => !self.may_be_ahead(question, today),
            _ => false,
        }
    }

    /// Returns true if the date, which has no year, comes again sooner than it was.
    fn may_be_ahead(&self, question: &str, today: NaiveDate) -> bool {
        let name = question.get(self.at.clone()).unwrap_or_default();
        let mut numbers = name.split(|c: char| !c.is_ascii_digit());
        let has_year = numbers.any(|digits| digits.len() >= YEAR_DIGITS);
        let first = self.days.first;
        let coming = first.checked_add_months(Months::new(12));
        let is_sooner = coming.is_some_and(|coming| coming - today < today - first);
        self.is_date && !has_year && is_sooner
    }
}

/// When the messages that are asked for were written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AskedTime {
    /// Not before this day.
    pub(crate) since: Option<NaiveDate>,
    /// Before this day.
    pub(crate) end: Option<NaiveDate>,
    /// In all likelihood then.
    pub(crate) likely: Option<Days>,
    /// True if the question may mean the days of the coming year instead: `the deadline of 24 July`, asked in June.
    pub(crate) may_be_ahead: bool,
    /// The same bounds, and those that may be part of what is asked: `the plan after Friday`, `the deadline before March`. They
    /// count if the question asks for nothing else.
    pub(crate) widest: (Option<NaiveDate>, Option<NaiveDate>),
    /// The question without the words that name the time. Days stay that messages may name, too.
    pub(crate) rest: String,
    /// The question without any words that name a time.
    pub(crate) subject: String,
}

/// Reads a question that was asked on a day. Full-width digits are not understood: fold the question first.
pub(crate) fn read(question: &str, today: NaiveDate) -> AskedTime {
    let in_japanese = japanese::named(question, today);
    let mut named = english::named(question, today);
    // A date in digits belongs to the words behind it.
    let is_japanese = |found: &Named| {
        let mut known = in_japanese.iter();
        known.any(|known| known.at.contains(&found.at.start))
    };
    named.retain(|found| !is_japanese(found));
    named.extend(in_japanese);
    let mut asked = AskedTime::default();
    for named in &named {
        let Named { days, relation, .. } = named;
        let (since, end) = match relation {
            Relation::Since | Relation::From => (Some(days.first), None),
            Relation::After => (Some(days.end), None),
            Relation::AsOf | Relation::Until => (None, Some(days.end)),
            Relation::Before => (None, Some(days.first)),
            Relation::On => {
                if asked.likely.is_none() {
                    asked.likely = Some(*days);
                    asked.may_be_ahead = named.may_be_ahead(question, today);
                }
                continue;
            }
        };
        asked.widest = (asked.widest.0.max(since), least(asked.widest.1, end));
        if named.is_bound(question, today) {
            asked.since = asked.since.max(since);
            asked.end = least(asked.end, end);
        }
    }
    let is_gone = |named: &&Named| !named.is_date || named.is_bound(question, today);
    let gone = named.iter().filter(is_gone);
    asked.rest = without(question, gone);
    asked.subject = without(question, named.iter());
    asked
}

/// A question with spaces in place of these times.
fn without<'n>(question: &str, gone: impl Iterator<Item = &'n Named> + Clone) -> String {
    let is_gone = |at: usize| gone.clone().any(|named| named.at.contains(&at));
    let chars = question.char_indices();
    chars
        .map(|(at, c)| if is_gone(at) { ' ' } else { c })
        .collect()
}

fn least(a: Option<NaiveDate>, b: Option<NaiveDate>) -> Option<NaiveDate> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

#[cfg(test)]
mod tests;
