//! `myao config`: the keys of the configuration file.

use std::process::ExitCode;

use myao::config::{keys, schema};
use serde_json::json;

use crate::cli::app::App;
use crate::cli::args::ConfigCommand;
use crate::cli::output;

pub(crate) fn run(app: &App, command: &ConfigCommand) -> anyhow::Result<ExitCode> {
    let component = app.load_component()?;
    let settings = &component.about().settings;
    match command {
        ConfigCommand::Schema => output::print_json(&schema(settings).to_value())?,
        ConfigCommand::Keys if app.json => {
            let keys: Vec<_> = keys(settings)
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
            // A key that is broken over two lines can neither be searched nor copied.
            table.keep_first_column_whole();
            for key in keys(settings) {
                table.add_row_of_lines([key.path, key.default, without_links(&key.description)]);
            }
            output::print_table(&table)?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Markdown with the text of links only: their targets are headings of the document.
fn without_links(markdown: &str) -> String {
    let mut plain = String::new();
    let mut rest = markdown;
    while let Some((before, link)) = rest.split_once('[') {
        let Some((words, (_, after))) = link
            .split_once("](")
            .and_then(|(words, target)| Some((words, target.split_once(')')?)))
        else {
            break;
        };
        plain.push_str(before);
        plain.push_str(words);
        rest = after;
    }
    plain + rest
}
