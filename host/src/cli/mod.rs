//! The commands: what they read, do and print.

pub(crate) mod args;
mod app;
mod generate;
mod import;
mod memory;
mod output;
mod prompt;

use std::process::ExitCode;

use anyhow::Context as _;

use args::{Cli, Command};

/// Runs a command. Some commands end well but with a failure to report, as their exit code says.
pub(crate) fn run(arguments: Cli) -> anyhow::Result<ExitCode> {
    let app = app::App::new(&arguments)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("cannot start the asynchronous runtime")?;
    runtime.block_on(async {
        match arguments.command {
            Command::Import { path } => import::run(&app, &path),
            Command::Backfill(arguments) => generate::backfill(&app, &arguments).await,
            Command::Generate { now } => generate::generate(&app, now).await,
            Command::Memory(command) => memory::run(&app, &command),
            Command::Prompt(arguments) => prompt::prompt(&app, &arguments).await,
            Command::Summarize(arguments) => prompt::summarize(&app, &arguments).await,
        }
    })
}

/// Whether the reader of our output went away, as `head` does; that is no failure of ours.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<std::io::Error>())
        .any(|error| error.kind() == std::io::ErrorKind::BrokenPipe)
}
