//! `myao audit`: who did what takes effect for others, by ids.

use std::io::Write as _;
use std::process::ExitCode;

use myao_plugin::printable::line;
use myao_plugin::state::audit::{AuditEntry, Target};
use serde_json::{Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::MomentArg;
use crate::cli::dates::beginning;
use crate::cli::output;

pub(crate) async fn run(app: &App, since: Option<MomentArg>) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    // A time may have parts of a second, and an entry has none.
    let since = since.map_or(0, |since| (beginning(app, since) + 999).div_euclid(1000));
    let entries = workspace.audit(since).await.explained()?;
    if app.json {
        for entry in &entries {
            output::print_json_line(&entry_json(app, entry))?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    if entries.is_empty() {
        writeln!(out, "Nothing is in the audit log.")?;
    }
    for entry in &entries {
        // No table: an id that is broken into lines cannot be copied.
        let time = output::time(app.local_time(entry.at));
        let who = entry.actor.id.as_deref().unwrap_or("?");
        let (door, action) = (entry.actor.door.name(), entry.action.name());
        let of = [of(&entry.target), gone(entry)].concat();
        let shown = format!("{time}  {door:<5}  {who:<11}  {action:<15}  {of}");
        writeln!(out, "{}", line(shown.trim_end()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The target, as other commands take it.
fn of(target: &Target) -> String {
    let message = match (&target.channel_id, target.ts) {
        (Some(channel_id), Some(ts)) => Some(format!("{channel_id}:{ts}")),
        (Some(channel_id), None) => Some(channel_id.clone()),
        (None, Some(ts)) => Some(format!("before {ts}")),
        (None, None) => None,
    };
    let parts = [
        message,
        target.user_id.clone(),
        target.memory.map(|id| format!("memory {id}")),
        target.token.map(|id| format!("token {id}")),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn gone(entry: &AuditEntry) -> String {
    let Some(gone) = entry.erased else {
        return String::new();
    };
    let [messages, lines] = [(gone.messages, "message"), (gone.lines, "line")]
        .map(|(count, thing)| output::count(count as u64, thing));
    format!(" ({messages}, {lines} of memories)")
}

fn entry_json(app: &App, entry: &AuditEntry) -> Value {
    let (actor, target) = (&entry.actor, &entry.target);
    json!({
        "time": output::rfc3339(app.local_time(entry.at)),
        "actor": actor.id,
        "door": actor.door.name(),
        "action": entry.action.name(),
        "channel_id": target.channel_id,
        "ts": target.ts.map(|ts| ts.to_string()),
        "user_id": target.user_id,
        "memory": target.memory,
        "token": target.token,
        "erased": entry.erased.map(|gone| json!({
            "messages": gone.messages,
            "lines": gone.lines,
            "memories": gone.memories,
        })),
    })
}
