//! Completions for shells and pages for `man`, from the definitions of the arguments.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::cli::args::Cli;
use crate::cli::output;

/// Prints the script by which a shell completes commands and options.
pub(crate) fn completions(shell: Shell) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    let mut command = Cli::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(shell, &mut command, name, &mut script);
    output::raw_stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a manual page for each command into a folder.
pub(crate) fn man(folder: &Path) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .with_context(|| format!("cannot write manual pages into {}", folder.display()))?;
    Ok(ExitCode::SUCCESS)
}
