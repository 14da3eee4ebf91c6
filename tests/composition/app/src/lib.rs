//! Reads a talk from standard input, a message a line, and prints its summary. `talk.rs` reads the lines.

mod bindings;
mod talk;

use std::fmt::{self, Display, Formatter};
use std::io::{Read as _, Write as _};

use bindings::myao::memory::errors::Error;
use bindings::myao::memory::memory_summarizer::summarize;
use bindings::myao::memory::types::{MemoryType, Scope};
use talk::BadLine;

struct App;

impl wasip2::exports::cli::run::Guest for App {
    fn run() -> Result<(), ()> {
        summary().map_err(|fault| eprintln!("error: {fault}"))
    }
}

/// Why there is no summary.
enum Fault {
    /// Standard input or output.
    Stream(std::io::Error),
    /// A line of the talk.
    Line(BadLine),
    /// The summarizer.
    Summary(Error),
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stream(error) => write!(f, "{error}"),
            Self::Line(line) => write!(f, "{line}"),
            // The contract's error, with all that it holds.
            Self::Summary(error) => write!(f, "no summary: {error:?}"),
        }
    }
}

fn summary() -> Result<(), Fault> {
    let mut text = String::new();
    std::io::stdin()
        .read_to_string(&mut text)
        .map_err(Fault::Stream)?;
    let context = talk::context(&text).map_err(Fault::Line)?;
    let summary =
        summarize(&context, Scope::Channel, MemoryType::ShortTerm, None).map_err(Fault::Summary)?;
    writeln!(std::io::stdout(), "{}", summary.text).map_err(Fault::Stream)
}

#[allow(unsafe_code, reason = "generated code")]
mod export {
    wasip2::cli::command::export!(App);
    use super::App;
}
