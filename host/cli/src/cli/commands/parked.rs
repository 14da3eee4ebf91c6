//! `myao parked`: lists work that is not tried again by itself, tries it again, or drops it.

use std::io::Write as _;
use std::process::ExitCode;

use myao_plugin::printable::line;
use myao_plugin::state::parked::{EndOfParking, Parked, ParkedWork};
use serde_json::{Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::output;

/// More than this is not listed.
const MOST: u32 = 1000;

pub(crate) async fn run(app: &App, retry: bool, drop: bool) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let end = match (retry, drop) {
        (true, _) => Some(EndOfParking::Retry),
        (_, true) => Some(EndOfParking::Drop),
        _ => None,
    };
    let ended = match end {
        Some(end) => {
            let now = app.time(None).unix_seconds;
            Some(workspace.end_parking(end, now).await.explained()?)
        }
        None => None,
    };
    let parked = workspace.parked(MOST).await.explained()?;
    if app.json {
        let list: Vec<Value> = parked.iter().map(parked_json).collect();
        output::print_json(&json!({ "ended": ended.unwrap_or(0), "parked": list }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    match (end, ended) {
        (Some(EndOfParking::Retry), Some(ended)) => {
            writeln!(out, "Tried again when the bot runs: {ended}")?;
        }
        (_, Some(ended)) => writeln!(out, "Dropped: {ended}")?,
        _ => {}
    }
    for work in &parked {
        let mark = if work.can_be_retried {
            ""
        } else {
            " (cannot be tried again: what it held was erased)"
        };
        writeln!(
            out,
            "{}: {}{mark}",
            line(&describe(&work.what)),
            line(&work.error)
        )?;
    }
    if parked.is_empty() {
        writeln!(out, "Nothing is parked.")?;
    } else if ended.is_none() {
        let [retry, drop] = ["parked --retry", "parked --drop"].map(|command| app.command(command));
        writeln!(
            out,
            "To try all of it again: {retry}. To give it up: {drop}"
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The work in words, as in "event Ev1".
pub(crate) fn describe(work: &ParkedWork) -> String {
    match work {
        ParkedWork::Event(id) => format!("event {id}"),
        ParkedWork::Retraction(channel_id, ts) => {
            format!("the retracted post {ts} in {channel_id}, which Slack still shows")
        }
    }
}

fn parked_json(work: &Parked) -> Value {
    let (kind, id) = match &work.what {
        ParkedWork::Event(id) => ("event", id.clone()),
        ParkedWork::Retraction(channel_id, ts) => ("retraction", format!("{channel_id} {ts}")),
    };
    json!({ "kind": kind, "id": id, "error": work.error, "can_be_retried": work.can_be_retried })
}
