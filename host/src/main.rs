//! The program `myao`.

mod cli;

use std::io::Write as _;
use std::process::ExitCode;

use clap::Parser as _;

/// The component that is built in.
pub(crate) static BUILT_IN_COMPONENT: &[u8] = include_bytes!(env!("MYAO_COMPONENT"));

fn main() -> ExitCode {
    let arguments = cli::args::Cli::parse();
    match cli::run(arguments) {
        Ok(code) => code,
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            // Where standard error is closed too, the exit code has to do.
            let _ = writeln!(std::io::stderr(), "myao: {}", cli::in_one_line(&error));
            ExitCode::FAILURE
        }
    }
}
