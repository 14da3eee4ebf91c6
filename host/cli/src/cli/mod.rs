//! The commands: what they read, do and print.

mod app;
pub(crate) mod args;
mod commands;
mod costs;
mod database;
mod dates;
mod find;
mod line_sources;
mod logging;
mod newest;
pub(crate) mod output;
mod remarks;
mod seen;
mod server_words;
mod signals;
mod traces;

use std::process::ExitCode;

use anyhow::Context as _;
use args::{Cli, Command};
use myao::config::ConfigError;
use myao_plugin::printable;

/// Runs a command. Some commands finish normally but report a failure with their exit code.
pub(crate) fn run(arguments: Cli) -> anyhow::Result<ExitCode> {
    let app = match (app::App::new(&arguments), &arguments.command) {
        (Err(error), Command::Doctor(_)) => {
            return commands::doctor::without_configuration(arguments.json, &error);
        }
        (app, _) => app?,
    };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    let result = runtime.block_on(commands::run(&app, arguments.command));
    app.end();
    match result {
        Err(error) if !is_broken_pipe(&error) => {
            anyhow::bail!(app.servers.beside(&in_one_line(&error)))
        }
        Ok(code) if code != ExitCode::SUCCESS && !app.json => {
            app.servers.tell();
            Ok(code)
        }
        result => result,
    }
}

/// Prints help, the version, or what is wrong with the arguments, as clap writes it. If an argument contains control
/// sequences (a file name may, behind `*`), the text is shown without colours.
pub(crate) fn refuse(error: &clap::Error) -> ExitCode {
    let text = error.render().to_string();
    if !text.contains(|c| printable::steers(c) && c != '\n') {
        error.exit();
    }
    for line in text.lines().filter(|line| !line.is_empty()) {
        output::tell(line);
    }
    u8::try_from(error.exit_code()).map_or(ExitCode::FAILURE, ExitCode::from)
}

/// Returns true if the reader of our output closed it, as `head` does; that is not an error of this program.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}

/// The error for people: a line for each fault of a configuration, and one for every other error.
pub(crate) fn in_lines(error: &anyhow::Error) -> Vec<String> {
    match error.downcast_ref::<ConfigError>() {
        Some(faults @ ConfigError::Invalid { .. }) => {
            faults.to_string().lines().map(str::to_owned).collect()
        }
        _ => vec![in_one_line(error)],
    }
}

/// The error and its causes in one line. A cause that is already part of an error's text is not repeated.
pub(crate) fn in_one_line(error: &anyhow::Error) -> String {
    let mut text = String::new();
    for cause in error.chain().map(ToString::to_string) {
        if !text.contains(&cause) {
            let joint = if text.is_empty() { "" } else { ": " };
            text = text + joint + &cause;
        }
    }
    text.lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::in_one_line;

    #[test]
    fn causes_are_told_once_and_in_one_line() {
        let error = anyhow!("no such file").context("cannot read a.json: no such file");
        assert_eq!(in_one_line(&error), "cannot read a.json: no such file");
        let error = anyhow!("bad magic [\n    0x0,\n]").context("a.wasm");
        assert_eq!(in_one_line(&error), "a.wasm: bad magic [ 0x0, ]");
    }
}
