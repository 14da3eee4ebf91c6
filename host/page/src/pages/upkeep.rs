//! The runs: memories made, skipped and failed, with reasons; and the cost of the calls of models.

mod runs;
mod skipped;
mod usage;

use maud::{Markup, html};
use myao_bot::reading::memory_json::deferral_json;
use myao_plugin::state::upkeep::StoredDeferral;
use myao_plugin::{Scope, names};
use serde_json::{Value, json};

use self::runs::Run;
use self::skipped::Skipped;
use self::usage::Usage;
use super::Shown;
use crate::failure::Failure;
use crate::html::{Frame, Look, name, time, words};
use crate::language::Language;
use crate::reader::Reader;
use crate::route::Route;
use crate::texts::{self, Text};

/// Failures that are shown, of each kind.
const FAILURES: usize = 50;

struct Upkeep {
    runs: Vec<Run>,
    skipped: Vec<Skipped>,
    deferrals: Vec<StoredDeferral>,
    usage: Usage,
}

pub(super) async fn read(reader: &Reader) -> Result<impl Shown + use<>, Failure> {
    Ok(Upkeep {
        runs: runs::read(reader).await?,
        skipped: skipped::read(reader).await?,
        deferrals: reader.deferrals().await?,
        usage: usage::read(reader).await?,
    })
}

impl Shown for Upkeep {
    fn html(&self, look: Look) -> Markup {
        let language = look.language;
        let title = texts::UPKEEP.of(language);
        let skipped = self.skipped.iter().map(|of| of.html(language));
        let deferred = self.deferrals.iter().map(|of| deferral(of, language));
        let failed = self.usage.failed.iter().map(|of| of.html(language));
        let main = html! {
            h1 { (title) }
            h2 { (texts::RUNS.of(language)) }
            @if self.runs.is_empty() { p { (texts::NO_RUNS.of(language)) } }
            @for run in &self.runs { (run.html(language)) }
            h2 { (texts::SKIPPED.of(language)) }
            (list(skipped, skipped::SHOWN, texts::NONE_SKIPPED, language))
            h2 { (texts::FAILURES.of(language)) }
            (list(deferred, FAILURES, texts::NO_FAILURES, language))
            h2 { (texts::FAILED_CALLS.of(language)) }
            (list(failed, FAILURES, texts::NO_FAILURES, language))
            h2 id="usage" { (texts::USAGE.of(language)) }
            (self.usage.html(language))
        };
        Frame {
            look,
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
        let failed = self.usage.failed.iter().map(usage::FailedCalls::json);
        json!({
            "runs": self.runs.iter().map(Run::json).collect::<Value>(),
            "skipped": self.skipped.iter().map(Skipped::json).collect::<Value>(),
            "deferrals": deferrals.collect::<Value>(),
            "failed_calls": failed.collect::<Value>(),
            "days": self.usage.json(),
        })
    }
}

/// A list of at most so many things, or that there are none.
fn list(
    items: impl ExactSizeIterator<Item = Markup>,
    most: usize,
    none: Text,
    language: Language,
) -> Markup {
    let left_out = items.len().saturating_sub(most);
    html! {
        @if items.len() == 0 {
            p { (none.of(language)) }
        } @else {
            ul { @for item in items.take(most) { li { (item) } } }
            @if left_out > 0 {
                p class="note" { (texts::more(language, left_out)) ": " (texts::MORE_IN_JSON.of(language)) }
            }
        }
    }
}

/// The name of a channel, a thread or the workspace.
fn name_of(scope: Scope, channel: Option<&str>, language: Language) -> Markup {
    match (scope, channel) {
        (Scope::Thread, Some(channel)) => name(&texts::thread(language, channel)),
        (_, Some(channel)) => name(&format!("#{channel}")),
        (Scope::Workspace, None) => html! { (texts::WORKSPACE.of(language)) },
        (_, None) => html! { (texts::CHANNEL.of(language)) },
    }
}

fn deferral(stored: &StoredDeferral, language: Language) -> Markup {
    let channel = stored.channel_name.as_deref();
    let layer = texts::memory_type(stored.deferral.memory_type).of(language);
    html! {
        (name_of(stored.scope, channel, language)) ": "
        (layer) ", " (texts::failed(language, stored.deferral.failures)) ": "
        (words(&stored.deferral.reason)) " "
        small { (texts::TRIED_AGAIN.of(language)) " " (time(stored.deferral.until)) }
    }
}
