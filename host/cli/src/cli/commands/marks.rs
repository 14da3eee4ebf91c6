//! `myao pin` and `myao correct`: what the operator marks.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_bot::marking;
use myao_plugin::printable::line;
use serde_json::json;

use super::forget::message_of;
use crate::cli::app::{App, Explained as _};
use crate::cli::args::{CorrectArgs, PinArgs};
use crate::cli::find::find_any_channel;
use crate::cli::output;

/// Pins a message, or takes the operator's pin off. What people pinned in Slack stays.
pub(crate) async fn pin(app: &App, arguments: &PinArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let (channel, ts) = message_of(&arguments.message)?;
    let channel = find_any_channel(&*workspace, &channel).await?;
    let author = workspace.author(&channel.id, ts).await.explained()?;
    author.with_context(|| format!("message {ts} of #{} is not stored", line(&channel.name)))?;
    let is_pinned = !arguments.undo;
    let clock = app.clock();
    let pinned = marking::pin(&*workspace, &clock, &channel.id, ts, is_pinned);
    pinned.await.explained()?;
    if app.json {
        let pinned = json!({ "channel_id": channel.id, "ts": ts.to_string(), "pinned": is_pinned });
        output::print_json(&pinned)?;
    } else {
        let done = if is_pinned {
            "Pinned"
        } else {
            "No longer pinned by you"
        };
        writeln!(
            output::stdout(),
            "{done}: message {ts} of #{}",
            line(&channel.name)
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Stores a correction as a message of the operator's in the channel. It is not posted.
pub(crate) async fn correct(app: &App, arguments: &CorrectArgs) -> anyhow::Result<ExitCode> {
    let text = arguments.text.trim();
    anyhow::ensure!(!text.is_empty(), "a correction says something");
    let workspace = app.existing_workspace()?;
    let channel = find_any_channel(&*workspace, &arguments.channel).await?;
    let bot = &app.config.persona.name;
    let clock = app.clock();
    let stored = marking::correct(&*workspace, &clock, bot, &channel.id, text);
    let ts = stored.await.explained()?;
    if app.json {
        output::print_json(&json!({ "channel_id": channel.id, "ts": ts.to_string() }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    writeln!(out, "Corrected in #{}: {}", line(&channel.name), line(text))?;
    let undo = app.command(&format!("forget --message {}:{ts}", channel.id));
    writeln!(out, "To undo it: {undo}")?;
    Ok(ExitCode::SUCCESS)
}
