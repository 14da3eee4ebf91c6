//! `myao catch-up`: has the bot read Slack again.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::ensure;
use myao_plugin::printable::line;
use myao_plugin::state::catch_up::Gap;
use serde_json::json;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::MomentArg;
use crate::cli::find::find_any_channel;
use crate::cli::{dates, output};

pub(crate) async fn run(
    app: &App,
    since: MomentArg,
    channel: Option<&str>,
) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let since = dates::beginning(app, since).div_euclid(1000);
    let now = app.time(None).unix_seconds;
    ensure!(since <= now, "--since is in the future");
    let channel = match channel {
        Some(channel) => Some(find_any_channel(&*workspace, channel).await?),
        None => None,
    };
    let place = match &channel {
        None => {
            let until = now.saturating_sub(Gap::LONGEST_SECONDS).max(since);
            workspace.open_gap(Gap { since, until }).await.explained()?;
            "all channels".to_owned()
        }
        Some(channel) => {
            let known = workspace.known_channel(&channel.id).await.explained()?;
            let is_present = known.is_some_and(|known| known.is_present);
            ensure!(is_present, "the bot is not in #{}", line(&channel.name));
            // It is retried a minute after it was put off.
            workspace
                .put_off_channel(&channel.id, Some(since), now - 60)
                .await
                .explained()?;
            format!("#{}", channel.name)
        }
    };
    if app.json {
        let id = channel.map(|channel| channel.id);
        output::print_json(&json!({ "since": since, "channel": id }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let time = output::time(app.local_time(since));
    writeln!(
        output::stdout(),
        "Read again since {time}: {}. A running bot begins within a minute, another one when `{}` starts it. \
         Its log says when it has caught up.",
        line(&place),
        app.command("run")
    )?;
    Ok(ExitCode::SUCCESS)
}
