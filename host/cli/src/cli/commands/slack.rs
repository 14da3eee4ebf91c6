//! `myao slack`: what the bot needs from Slack.

use std::io::Write as _;
use std::process::ExitCode;

use myao_slack::manifest::manifest;

use crate::cli::app::App;
use crate::cli::args::SlackCommand;
use crate::cli::output;

pub(crate) fn run(app: &App, command: &SlackCommand) -> anyhow::Result<ExitCode> {
    match command {
        SlackCommand::Manifest { request_url } => {
            let name = &app.config.persona.name;
            let manifest = manifest(request_url.is_none(), request_url.as_deref(), name);
            output::stdout().write_all(manifest.as_bytes())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
