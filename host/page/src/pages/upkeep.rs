//! What could not be made and why, and what the calls of models took, day by day.

use std::collections::BTreeMap;

use chrono::{DateTime, Days, NaiveDate, Utc};
use maud::{Markup, html};
use myao_bot::reading::memory_json::deferral_json;
use myao_plugin::journal::{CallsOfMemory, StoredCall};
use myao_plugin::names;
use myao_plugin::state::upkeep::StoredDeferral;
use serde_json::{Value, json};

use super::Shown;
use crate::Taken;
use crate::failure::Failure;
use crate::html::{self, Frame, time, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts;

/// The days that are shown, today included.
const DAYS: u64 = 30;
const DAY_MILLISECONDS: i64 = 86_400_000;
/// Failures that are shown.
const DEFERRALS: usize = 50;
/// The plot, in its own units.
const BAR: u64 = 20;
const HEIGHT: u64 = 100;

/// What the calls of a day took.
struct Day {
    date: NaiveDate,
    tokens: u64,
    taken: Taken,
}

struct Upkeep {
    deferrals: Vec<StoredDeferral>,
    today: NaiveDate,
    /// The days with calls, the newest first.
    days: Vec<Day>,
}

pub(super) async fn read(reader: &Reader) -> Result<impl Shown + use<>, Failure> {
    let now = reader.site.clock.milliseconds();
    let days = i64::try_from(DAYS).unwrap_or(i64::MAX);
    let calls = reader.calls(now - days * DAY_MILLISECONDS).await?;
    let date = |milliseconds: i64| local_date(reader, milliseconds);
    let mut by_day: BTreeMap<NaiveDate, Vec<StoredCall>> = BTreeMap::new();
    for call in calls {
        by_day.entry(date(call.started_at)).or_default().push(call);
    }
    let taken = |(date, calls): (NaiveDate, Vec<StoredCall>)| {
        let known = |call: &StoredCall| {
            u64::from(call.input_tokens.unwrap_or(0)) + u64::from(call.output_tokens.unwrap_or(0))
        };
        let tokens = calls.iter().map(known).sum();
        let calls = CallsOfMemory {
            calls,
            input_digest: None,
        };
        let taken = (reader.site.taken)(&calls)?;
        Some(Day {
            date,
            tokens,
            taken,
        })
    };
    Ok(Upkeep {
        deferrals: reader.deferrals().await?,
        today: date(now),
        days: by_day.into_iter().rev().filter_map(taken).collect(),
    })
}

/// The day of a time in the configured time zone.
fn local_date(reader: &Reader, milliseconds: i64) -> NaiveDate {
    let seconds = milliseconds.div_euclid(1000);
    let offset = i64::from(reader.site.clock.local(seconds).utc_offset_seconds);
    let local = DateTime::<Utc>::from_timestamp(seconds.saturating_add(offset), 0);
    local.unwrap_or_default().date_naive()
}

impl Shown for Upkeep {
    fn html(&self, language: Language) -> Markup {
        let title = texts::UPKEEP.of(language);
        let main = html! {
            h1 { (title) }
            h2 { (texts::FAILURES.of(language)) }
            @if self.deferrals.is_empty() {
                p { (texts::NO_FAILURES.of(language)) }
            } @else {
                ul { @for stored in self.deferrals.iter().take(DEFERRALS) { li { (deferral(stored, language)) } } }
                @if self.deferrals.len() > DEFERRALS {
                    p class="note" { (texts::more(language, self.deferrals.len() - DEFERRALS)) }
                }
            }
            h2 id="usage" { (texts::USAGE.of(language)) }
            @if self.days.is_empty() {
                p { (texts::NO_USAGE.of(language)) }
            } @else {
                (self.plot(language))
                (self.table(language))
            }
        };
        Frame {
            language,
            title,
            route: Some(&Route::Upkeep),
        }
        .around(&main)
    }

    fn json(&self) -> Value {
        let deferrals = self.deferrals.iter().map(|stored| {
            let mut value = deferral_json(&stored.deferral);
            if let Value::Object(fields) = &mut value {
                fields.insert("scope".to_owned(), names::scope(stored.scope).into());
                fields.insert("scope_id".to_owned(), stored.scope_id.as_str().into());
                fields.insert("channel_name".to_owned(), json!(stored.channel_name));
            }
            value
        });
        let days = self.days.iter().map(|day| {
            let mut value = json!({ "day": day.date.to_string() });
            if let (Value::Object(fields), Value::Object(taken)) = (&mut value, &day.taken.json) {
                fields.extend(taken.clone());
                fields.remove("input_digest");
            }
            value
        });
        json!({ "deferrals": deferrals.collect::<Value>(), "days": days.collect::<Value>() })
    }
}

fn deferral(stored: &StoredDeferral, language: Language) -> Markup {
    let name = stored.channel_name.as_deref();
    let layer = texts::memory_type(stored.deferral.memory_type).of(language);
    html! {
        @match name {
            Some(name) => { (html::name(&format!("#{name}"))) ": " }
            None => { (texts::WORKSPACE.of(language)) ": " }
        }
        (layer) ", " (texts::failed(language, stored.deferral.failures)) ": "
        (words(&stored.deferral.reason)) " "
        small { (texts::TRIED_AGAIN.of(language)) " " (time(stored.deferral.until)) }
    }
}

impl Upkeep {
    /// A bar for each day, as high as its tokens; the table below has the numbers.
    fn plot(&self, language: Language) -> Markup {
        let highest = self
            .days
            .iter()
            .map(|day| day.tokens)
            .max()
            .unwrap_or(0)
            .max(1);
        let bars = self.days.iter().filter_map(|day| {
            let ago = u64::try_from((self.today - day.date).num_days()).ok()?;
            let x = DAYS.checked_sub(ago + 1)? * BAR;
            let height = (day.tokens * HEIGHT).div_ceil(highest);
            Some((x, height, day))
        });
        html! {
            figure {
                svg class="plot" role="img" aria-label=(texts::TOKENS_BY_DAY.of(language))
                    viewBox={ "0 0 " (DAYS * BAR) " " (HEIGHT) } {
                    @for (x, height, day) in bars {
                        rect x=(x + 2) y=(HEIGHT.saturating_sub(height)) width=(BAR - 4) height=(height) {
                            title { (day.date.to_string()) ": " (day.tokens) }
                        }
                    }
                }
                figcaption {
                    (self.first_day().to_string()) " – " (self.today.to_string()) ": " (texts::TOKENS_BY_DAY.of(language))
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
                    @for Day { date, taken, .. } in &self.days {
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
