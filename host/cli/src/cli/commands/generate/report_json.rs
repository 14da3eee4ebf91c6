//! Reports of generation runs and backfills as JSON.

use myao_bot::backfill::Outcomes;
use myao_bot::reading::memory_json::{coverage_json, deferral_json};
use myao_plugin::explain::explain;
use myao_plugin::{Entry, Made, Outcome, Report, SkipReason, names};
use serde_json::{Value, json};

use crate::cli::app::App;
use crate::cli::output;

pub(super) fn report_json(report: &Report) -> Value {
    json!({
        "now": output::rfc3339(report.now),
        "entries": report.entries.iter().map(entry_json).collect::<Vec<_>>(),
    })
}

pub(super) fn backfill_json(app: &App, outcomes: &Outcomes) -> Value {
    let time = |unix_seconds| output::rfc3339(app.local_time(unix_seconds));
    json!({
        "first_tick": outcomes.ticks.map(|(first, _)| time(first)),
        "last_tick": outcomes.ticks.map(|(_, last)| time(last)),
        "made": outcomes.made.iter().map(made_json).collect::<Vec<_>>(),
        "failed": outcomes.failed.iter().map(entry_json).collect::<Vec<_>>(),
        "deferred": outcomes.deferred.iter().map(entry_json).collect::<Vec<_>>(),
    })
}

fn entry_json(entry: &Entry) -> Value {
    let (outcome, reason, deferral) = match &entry.outcome {
        Outcome::Done => ("done", None, None),
        Outcome::Skipped(reason) => ("skipped", Some(skip_key(reason).to_owned()), None),
        Outcome::Deferred(deferral) => (
            "deferred",
            Some(deferral.reason.clone()),
            Some(deferral_json(deferral)),
        ),
        Outcome::Failed(error) => ("failed", Some(explain(error)), None),
    };
    json!({
        "scope": names::scope(entry.scope),
        "scope_id": entry.scope_id,
        "channel_name": entry.channel_name,
        "outcome": outcome,
        "reason": reason,
        "deferral": deferral,
        "made": entry.made.iter().map(made_json).collect::<Vec<_>>(),
    })
}

fn made_json(made: &Made) -> Value {
    json!({
        "scope": names::scope(made.scope),
        "scope_id": made.scope_id,
        "memory_type": names::memory_type(made.memory_type),
        "version": made.version,
        "engine": names::engine(made.engine),
        "source_message_count": made.source_message_count,
        "truncated": made.truncated,
        "coverage": coverage_json(&made.coverage),
    })
}

fn skip_key(reason: &SkipReason) -> &'static str {
    match reason {
        SkipReason::NoNewMessages => "no_new_messages",
        SkipReason::NotDue => "not_due",
        SkipReason::OutsideWindow => "outside_window",
        SkipReason::NothingToSummarize => "nothing_to_summarize",
        SkipReason::Unchanged => "unchanged",
        SkipReason::Other(_) => "other",
    }
}
