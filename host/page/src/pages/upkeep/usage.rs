//! The calls of models, day by day, with their cost, and the calls without an answer.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, Utc};
use maud::{Markup, html};
use myao_bot::reading::times::rfc3339;
use myao_plugin::journal::{CallsOfMemory, StoredCall};
use myao_plugin::{Scope, Timestamp, names};
use serde_json::{Value, json};

use super::name_of;
use crate::Taken;
use crate::failure::Failure;
use crate::html::{time, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::texts::{self, Text};

/// The days that are shown, today included.
const DAYS: u64 = 30;
const DAY_MILLISECONDS: i64 = 86_400_000;
/// A plot, in its own units.
const BAR: u64 = 20;
const HEIGHT: f64 = 100.0;

/// The sum of the calls of a day.
struct Day {
    date: NaiveDate,
    taken: Taken,
}

impl Day {
    fn number(&self, key: &str) -> f64 {
        let value = self.taken.json.get(key);
        value.and_then(Value::as_f64).unwrap_or(0.0)
    }
}

/// Calls about one thing that got no answer for one reason.
pub(super) struct FailedCalls {
    scope: Scope,
    scope_id: String,
    channel_name: Option<String>,
    error: String,
    count: u32,
    last: Timestamp,
}

pub(super) struct Usage {
    today: NaiveDate,
    /// The days with calls, the newest first.
    days: Vec<Day>,
    /// The newest first.
    pub(super) failed: Vec<FailedCalls>,
}

pub(super) async fn read(reader: &Reader) -> Result<Usage, Failure> {
    let now = reader.site.clock.milliseconds();
    let days = i64::try_from(DAYS).unwrap_or(i64::MAX);
    let calls = reader.calls(now - days * DAY_MILLISECONDS).await?;
    let failed = failed(reader, &calls);
    let date = |milliseconds: i64| local_date(reader, milliseconds);
    let mut by_day: BTreeMap<NaiveDate, Vec<StoredCall>> = BTreeMap::new();
    for call in calls {
        by_day.entry(date(call.started_at)).or_default().push(call);
    }
    let taken = |(date, calls): (NaiveDate, Vec<StoredCall>)| {
        let calls = CallsOfMemory {
            calls,
            input_digest: None,
        };
        let taken = (reader.site.taken)(&calls)?;
        Some(Day { date, taken })
    };
    Ok(Usage {
        today: date(now),
        days: by_day.into_iter().rev().filter_map(taken).collect(),
        failed,
    })
}

/// Each channel, thread or workspace with each error, the newest first.
fn failed(reader: &Reader, calls: &[StoredCall]) -> Vec<FailedCalls> {
    let mut failed: Vec<FailedCalls> = Vec::new();
    for call in calls.iter().rev() {
        let Some(error) = &call.error else {
            continue;
        };
        let mut known = failed.iter_mut();
        let is_same = |of: &&mut FailedCalls| of.scope_id == call.scope_id && of.error == *error;
        match known.find(is_same) {
            Some(of) => of.count += 1,
            None => failed.push(FailedCalls {
                scope: call.scope,
                scope_id: call.scope_id.clone(),
                channel_name: call.channel_name.clone(),
                error: error.clone(),
                count: 1,
                last: reader.site.clock.local(call.started_at.div_euclid(1000)),
            }),
        }
    }
    failed
}

/// The day of a time in the configured time zone.
fn local_date(reader: &Reader, milliseconds: i64) -> NaiveDate {
    let seconds = milliseconds.div_euclid(1000);
    let offset = i64::from(reader.site.clock.local(seconds).utc_offset_seconds);
    let local = DateTime::<Utc>::from_timestamp(seconds.saturating_add(offset), 0);
    local.unwrap_or_default().date_naive()
}

impl FailedCalls {
    pub(super) fn html(&self, language: Language) -> Markup {
        let channel = self.channel_name.as_deref();
        html! {
            (name_of(self.scope, channel, language)) ": " code { (words(&self.error)) } ", "
            (texts::failed(language, self.count)) " "
            small { (texts::LAST.of(language)) " " (time(self.last)) }
        }
    }

    pub(super) fn json(&self) -> Value {
        json!({
            "scope": names::scope(self.scope),
            "scope_id": self.scope_id,
            "channel_name": self.channel_name,
            "error": self.error,
            "count": self.count,
            "last": rfc3339(self.last),
        })
    }
}

impl Usage {
    pub(super) fn html(&self, language: Language) -> Markup {
        let tokens = |day: &Day| day.number("input_tokens") + day.number("output_tokens");
        let cost = |day: &Day| day.number("cost");
        html! {
            @if self.days.is_empty() {
                p { (texts::NO_USAGE.of(language)) }
            } @else {
                (self.plot(texts::TOKENS_BY_DAY, language, tokens, |day| {
                    format!("{} + {}", day.taken.input_tokens, day.taken.output_tokens)
                }))
                @if self.days.iter().any(|day| cost(day) > 0.0) {
                    (self.plot(texts::COST_BY_DAY, language, cost, |day| day.taken.cost.clone()))
                }
                (self.table(language))
            }
        }
    }

    pub(super) fn json(&self) -> Value {
        let days = self.days.iter().map(|day| {
            let mut value = json!({ "day": day.date.to_string() });
            if let (Value::Object(fields), Value::Object(taken)) = (&mut value, &day.taken.json) {
                fields.extend(taken.clone());
                fields.remove("input_digest");
            }
            value
        });
        days.collect()
    }

    /// A bar for each day, as high as its number; the table below has all of them.
    fn plot(
        &self,
        label: Text,
        language: Language,
        number: impl Fn(&Day) -> f64,
        shown: impl Fn(&Day) -> String,
    ) -> Markup {
        let highest = self.days.iter().map(&number).fold(0.0, f64::max);
        let bars = self.days.iter().filter_map(|day| {
            let ago = u64::try_from((self.today - day.date).num_days()).ok()?;
            let x = DAYS.checked_sub(ago + 1)? * BAR;
            let height = match highest > 0.0 {
                true => number(day) / highest * HEIGHT,
                false => 0.0,
            };
            Some((x, height, day))
        });
        html! {
            figure {
                svg class="plot" role="img" aria-label=(label.of(language))
                    viewBox={ "0 0 " (DAYS * BAR) " " (HEIGHT) } {
                    @for (x, height, day) in bars {
                        rect x=(x + 2) y=(format!("{:.1}", HEIGHT - height)) width=(BAR - 4)
                            height=(format!("{height:.1}")) {
                            title { (day.date.to_string()) ": " (words(&shown(day))) }
                        }
                    }
                }
                figcaption {
                    (self.first_day().to_string()) " – " (self.today.to_string()) ": " (label.of(language))
                }
            }
        }
    }

    fn first_day(&self) -> NaiveDate {
        let first = self.today.checked_sub_days(Days::new(DAYS - 1));
        first.unwrap_or(self.today)
    }

    fn table(&self, language: Language) -> Markup {
        html! {
            table aria-labelledby="usage" {
                thead {
                    tr {
                        th scope="col" { (texts::DAY.of(language)) }
                        th scope="col" class="number" { (texts::CALLS.of(language)) }
                        th scope="col" class="number" { (texts::INPUT_TOKENS.of(language)) }
                        th scope="col" class="number" { (texts::OUTPUT_TOKENS.of(language)) }
                        th scope="col" class="number" { (texts::DURATION.of(language)) }
                        th scope="col" class="number" { (texts::COST.of(language)) }
                    }
                }
                tbody {
                    @for Day { date, taken } in &self.days {
                        tr {
                            th scope="row" { time datetime=(date.to_string()) { (date.to_string()) } }
                            td class="number" {
                                (taken.calls)
                                @if taken.failed > 0 { " (" (texts::failed_calls(language, taken.failed)) ")" }
                            }
                            td class="number" { (taken.input_tokens) }
                            td class="number" { (taken.output_tokens) }
                            td class="number" { (taken.duration) }
                            td class="number" { (words(&taken.cost)) }
                        }
                    }
                }
            }
        }
    }
}
