//! The program `myao`.

#![deny(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr)]

mod cli;

use std::process::ExitCode;

use cli::output::complain;

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        complain(&format!("a fault of this program: {panic}"))
    }));
    let arguments = match cli::args::Cli::of_process() {
        Ok(arguments) => arguments,
        Err(error) => return cli::refuse(&error),
    };
    match cli::run(arguments) {
        Ok(code) => code,
        Err(error) if cli::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            for text in cli::in_lines(&error) {
                complain(&text);
            }
            ExitCode::FAILURE
        }
    }
}
