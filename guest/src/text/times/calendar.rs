//! Days, weeks, months and years around a day.

use chrono::{Datelike as _, Days as Count, Months, NaiveDate, Weekday};

use super::Days;

impl Days {
    /// One day.
    pub(super) fn one(day: NaiveDate) -> Option<Self> {
        Self::from(day, 1)
    }

    fn from(first: NaiveDate, count: u64) -> Option<Self> {
        let end = first.checked_add_days(Count::new(count))?;
        Some(Self { first, end })
    }

    /// The day so many days ago.
    pub(super) fn days_ago(today: NaiveDate, count: u64) -> Option<Self> {
        Self::one(today.checked_sub_days(Count::new(count))?)
    }

    /// So many days up to today.
    pub(super) fn last(today: NaiveDate, count: u64) -> Option<Self> {
        let first = today.checked_sub_days(Count::new(count))?;
        let end = today.succ_opt()?;
        Some(Self { first, end })
    }

    /// The week, from Monday on, so many weeks ago.
    pub(super) fn weeks_ago(today: NaiveDate, count: u64) -> Option<Self> {
        let since_monday = u64::from(today.weekday().num_days_from_monday());
        let back = count.checked_mul(7)?.checked_add(since_monday)?;
        Self::from(today.checked_sub_days(Count::new(back))?, 7)
    }

    /// The month so many months ago.
    pub(super) fn months_ago(today: NaiveDate, count: u32) -> Option<Self> {
        let first = today.with_day(1)?.checked_sub_months(Months::new(count))?;
        let end = first.checked_add_months(Months::new(1))?;
        Some(Self { first, end })
    }

    /// The year so many years ago.
    pub(super) fn years_ago(today: NaiveDate, count: i32) -> Option<Self> {
        Self::year(today.year().checked_sub(count)?)
    }

    /// A year.
    pub(super) fn year(year: i32) -> Option<Self> {
        let first = NaiveDate::from_ymd_opt(year, 1, 1)?;
        let end = NaiveDate::from_ymd_opt(year.checked_add(1)?, 1, 1)?;
        Some(Self { first, end })
    }

    /// The newest such day that is not after today.
    pub(super) fn weekday(today: NaiveDate, day: Weekday) -> Option<Self> {
        let back = today.weekday().days_since(day);
        Self::days_ago(today, back.into())
    }

    /// A day of a week.
    pub(super) fn weekday_of(week: Self, day: Weekday) -> Option<Self> {
        let after_monday = u64::from(day.num_days_from_monday());
        Self::one(week.first.checked_add_days(Count::new(after_monday))?)
    }

    /// A date. Without a year it is the newest such day that is not after today.
    pub(super) fn date(today: NaiveDate, year: Option<i32>, month: u32, day: u32) -> Option<Self> {
        if let Some(year) = year {
            return Self::one(NaiveDate::from_ymd_opt(year, month, day)?);
        }
        // 29 February comes every four years, or eight.
        let years = (0..=8).filter_map(|back| today.year().checked_sub(back));
        let mut days = years.filter_map(|year| NaiveDate::from_ymd_opt(year, month, day));
        Self::one(days.find(|day| *day <= today)?)
    }

    /// A month. Without a year it is the newest that has begun.
    pub(super) fn month(today: NaiveDate, year: Option<i32>, month: u32) -> Option<Self> {
        let is_later = month > today.month();
        let year = year.or_else(|| today.year().checked_sub(is_later.into()))?;
        let first = NaiveDate::from_ymd_opt(year, month, 1)?;
        let end = first.checked_add_months(Months::new(1))?;
        Some(Self { first, end })
    }
}
