//! `myao config`: what the configuration file may hold.

use std::io::Write as _;
use std::process::ExitCode;

use myao::config::{keys, schema};
use serde_json::json;

use super::app::App;
use super::args::ConfigCommand;
use super::output;

pub(crate) fn run(app: &App, command: &ConfigCommand) -> anyhow::Result<ExitCode> {
    match command {
        ConfigCommand::Schema => output::print_json(&schema().to_value())?,
        ConfigCommand::Keys if app.json => {
            let keys: Vec<_> = keys()
                .into_iter()
                .map(|key| {
                    json!({
                        "key": key.path,
                        "default": key.default,
                        "description": key.description,
                    })
                })
                .collect();
            output::print_json(&json!(keys))?;
        }
        ConfigCommand::Keys => {
            let mut table = output::table(&["key", "default", "what it does"]);
            for key in keys() {
                table.add_row([key.path, key.default, key.description]);
            }
            writeln!(output::stdout(), "{table}")?;
        }
    }
    Ok(ExitCode::SUCCESS)
}
