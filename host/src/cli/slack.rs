//! `myao slack`: what the bot needs from Slack.

use std::process::ExitCode;

use super::app::App;
use super::args::SlackCommand;
use super::output;

pub(crate) fn run(app: &App, command: &SlackCommand) -> anyhow::Result<ExitCode> {
    match command {
        SlackCommand::Manifest { request_url } => {
            let name = &app.config.persona.name;
            let _ = (request_url, name); // TODO manifest
        }
    }
    Ok(ExitCode::SUCCESS)
}
