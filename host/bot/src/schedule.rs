//! When a digest is posted, and which time it is about.

use std::fmt;

use chrono::{DateTime, Datelike as _, Days, NaiveDate, NaiveTime, Weekday};
use schemars::JsonSchema;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::clock::Clock;

/// A digest that was not posted for so long, in seconds, is left out: the bot was away.
const LATEST_SECONDS: i64 = 6 * 3600;
/// A week has so many days.
const WEEK: u64 = 7;

/// One of `slack.digests`: a channel gets what was decided, done and left open there since the digest before; a person the same of
/// public channels that they are in, since then or since they last wrote there. Either `channel` or `person` is needed.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct DigestConfig {
    /// The channel, by its name without `#` or by its id.
    #[serde(default)]
    pub channel: Option<String>,
    /// The person, by name with or without `@`, or by id. They must have written to the bot once.
    #[serde(default)]
    pub person: Option<String>,
    /// When, in `timezone`: `09:00`.
    #[serde(deserialize_with = "time_of_day")]
    #[schemars(with = "String")]
    pub at: NaiveTime,
    /// On which days: `mon`, `tue`, `wed`, `thu`, `fri`, `sat`, `sun`. Default: every day.
    #[serde(default, deserialize_with = "weekdays")]
    #[schemars(with = "Vec<String>")]
    pub days: Vec<Weekday>,
}

/// The key `slack.digests`, in which each digest goes either to a channel or to a person.
///
/// # Errors
/// As the deserializer.
pub fn digests<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<DigestConfig>, D::Error> {
    let digests: Vec<DigestConfig> = Deserialize::deserialize(deserializer)?;
    if digests.iter().any(|digest| digest.to().is_none()) {
        return Err(D::Error::custom(
            "expected either `channel` or `person` in each digest",
        ));
    }
    let is_twice = |(number, digest): (usize, &DigestConfig)| {
        let mut others = digests.iter().take(number);
        others.any(|other| other.meets(digest))
    };
    if digests.iter().enumerate().any(is_twice) {
        return Err(D::Error::custom(
            "two digests of one channel or person have the same time on one day: only one of them could be posted",
        ));
    }
    Ok(digests)
}

/// Who gets a digest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DigestTo<'c> {
    Channel(&'c str),
    Person(&'c str),
}

impl fmt::Display for DigestTo<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Channel(channel) => write!(f, "in {channel}"),
            Self::Person(person) => write!(f, "for {person}"),
        }
    }
}

/// A digest that is due.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Due {
    /// When it was to be posted, in Unix seconds. It is about what was until then,
    pub(crate) scheduled: i64,
    /// from the second after this on, when the one before was to be posted.
    pub(crate) previous: i64,
}

impl DigestConfig {
    /// Returns true if another one is due for the same at the same time.
    fn meets(&self, other: &Self) -> bool {
        let is_every = |of: &Self| of.days.is_empty();
        let on_same_day = is_every(self)
            || is_every(other)
            || self.days.iter().any(|day| other.days.contains(day));
        self.to() == other.to() && self.at == other.at && on_same_day
    }

    /// Who gets it; `None` if that is not clear.
    pub(crate) fn to(&self) -> Option<DigestTo<'_>> {
        match (&self.channel, &self.person) {
            (Some(channel), None) => Some(DigestTo::Channel(channel)),
            (None, Some(person)) => Some(DigestTo::Person(person)),
            _ => None,
        }
    }

    /// The newest digest that should have been posted; `None` if there is none, or it is too late for it.
    pub(crate) fn due(&self, clock: &Clock) -> Option<Due> {
        let now = clock.seconds();
        let offset = i64::from(clock.now().utc_offset_seconds);
        let today = DateTime::from_timestamp(now + offset, 0)?.date_naive();
        let days = (0..=2 * WEEK).filter_map(|back| today.checked_sub_days(Days::new(back)));
        let days = days.filter(|day| self.days.is_empty() || self.days.contains(&day.weekday()));
        let mut times = days.map(|day| self.seconds(day, clock));
        let scheduled = times.find(|scheduled| *scheduled <= now)?;
        let previous = times.next()?;
        (now - scheduled <= LATEST_SECONDS).then_some(Due {
            scheduled,
            previous,
        })
    }

    /// When a day has this time, in Unix seconds. Where the clock is put forward over it, soon after.
    fn seconds(&self, day: NaiveDate, clock: &Clock) -> i64 {
        let local = day.and_time(self.at).and_utc().timestamp();
        let at = |unix_seconds: i64| i64::from(clock.local(unix_seconds).utc_offset_seconds);
        // The offset at about that time tells the exact one.
        local - at(local - at(local))
    }
}

fn time_of_day<'de, D: Deserializer<'de>>(deserializer: D) -> Result<NaiveTime, D::Error> {
    let text = String::deserialize(deserializer)?;
    NaiveTime::parse_from_str(text.trim(), "%H:%M")
        .map_err(|_| D::Error::custom("expected a time of day in quotes, as in \"09:00\""))
}

fn weekdays<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Weekday>, D::Error> {
    let names: Vec<String> = Deserialize::deserialize(deserializer)?;
    let day = |name: &String| {
        name.parse().map_err(|_| {
            D::Error::custom("expected days as in [mon, tue, wed, thu, fri, sat, sun]")
        })
    };
    names.iter().map(day).collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::time::Duration;

    use super::*;

    /// The digest that is due at a time in Tokyo.
    fn due(days: &[Weekday], now: &str) -> Option<(String, String)> {
        let digest = DigestConfig {
            channel: Some("general".to_owned()),
            person: None,
            at: NaiveTime::from_hms_opt(9, 0, 0).unwrap(),
            days: days.to_vec(),
        };
        let now = DateTime::parse_from_rfc3339(&format!("{now}:00+09:00")).unwrap();
        let now = u64::try_from(now.timestamp()).unwrap();
        let clock = Clock::new(chrono_tz::Asia::Tokyo, move || Duration::from_secs(now));
        let due = digest.due(&clock)?;
        let local = |seconds: i64| {
            let at = DateTime::from_timestamp(seconds + 9 * 3600, 0).unwrap();
            at.format("%Y-%m-%dT%H:%M").to_string()
        };
        Some((local(due.scheduled), local(due.previous)))
    }

    #[test]
    fn two_digests_of_one_channel_at_one_time_are_refused() {
        #[derive(Deserialize)]
        struct Slack {
            #[serde(deserialize_with = "digests")]
            digests: Vec<DigestConfig>,
        }
        let read = |days: &str| {
            let text = format!(
                "{{\"digests\": [{{\"channel\": \"a\", \"at\": \"09:00\", \"days\": [\"mon\"]}}, \
                 {{\"channel\": \"a\", \"at\": \"09:00\", \"days\": [{days}]}}]}}"
            );
            serde_json::from_str::<Slack>(&text).map(|slack| slack.digests.len())
        };
        assert_eq!(read("\"tue\"").unwrap(), 2);
        for days in ["", "\"tue\", \"mon\""] {
            let refused = read(days).unwrap_err().to_string();
            assert!(refused.contains("the same time"), "{refused}");
        }
    }

    fn of(at: &str, previous: &str) -> Option<(String, String)> {
        Some((format!("{at}T09:00"), format!("{previous}T09:00")))
    }

    #[test]
    fn a_digest_is_about_the_time_since_the_one_before() {
        let workdays = [
            Weekday::Mon,
            Weekday::Tue,
            Weekday::Wed,
            Weekday::Thu,
            Weekday::Fri,
        ];
        for (days, now, expected) in [
            (&[][..], "2026-03-04T08:59", None),
            (&[], "2026-03-04T09:00", of("2026-03-04", "2026-03-03")),
            (&[], "2026-03-04T14:59", of("2026-03-04", "2026-03-03")),
            (&[], "2026-03-04T15:01", None),
            // On Monday, what was said since Friday.
            (
                &workdays,
                "2026-03-09T09:30",
                of("2026-03-09", "2026-03-06"),
            ),
            (
                &[Weekday::Mon],
                "2026-03-09T10:00",
                of("2026-03-09", "2026-03-02"),
            ),
            (&[Weekday::Mon], "2026-03-10T10:00", None),
        ] {
            assert_eq!(due(days, now), expected, "{days:?} {now}");
        }
    }

    #[test]
    fn a_digest_goes_to_a_channel_or_to_a_person() {
        let to = |channel: Option<&str>, person: Option<&str>| {
            let digest = DigestConfig {
                channel: channel.map(str::to_owned),
                person: person.map(str::to_owned),
                at: NaiveTime::MIN,
                days: Vec::new(),
            };
            digest.to().map(|to| to.to_string())
        };
        assert_eq!(to(Some("general"), None).as_deref(), Some("in general"));
        assert_eq!(to(None, Some("@akari")).as_deref(), Some("for @akari"));
        assert_eq!(to(None, None), None);
        assert_eq!(to(Some("general"), Some("akari")), None);
    }

    #[test]
    fn the_time_is_that_of_the_place_when_its_clock_changes() {
        let digest = DigestConfig {
            channel: Some("general".to_owned()),
            person: None,
            at: NaiveTime::from_hms_opt(9, 0, 0).unwrap(),
            days: Vec::new(),
        };
        // On 29 March 2026 summer time begins in Berlin: 9:00 is 7:00 in UTC, and 8:00 the day before.
        for (day, hour) in [("2026-03-28", 8), ("2026-03-29", 7), ("2026-03-30", 7)] {
            let day: NaiveDate = day.parse().unwrap();
            let expected = day.and_hms_opt(hour, 0, 0).unwrap().and_utc().timestamp();
            let clock = Clock::new(chrono_tz::Europe::Berlin, || Duration::ZERO);
            assert_eq!(digest.seconds(day, &clock), expected);
        }
    }
}
