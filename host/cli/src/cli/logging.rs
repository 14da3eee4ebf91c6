//! The log on standard error.

use std::fmt::Debug;
use std::io::IsTerminal as _;

use myao::config::{LogFormat, LogLevel, Logging};
use myao_plugin::printable;
use myao_plugin::printable::{Printable, line};
use tracing::Metadata;
use tracing::field::Field;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::field::MakeExt as _;
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::fmt::format::{Writer, debug_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;

use super::output;
use super::traces::{Traces, is_span};

/// The target of the span that names the workspace in log lines.
pub(super) const LABEL_TARGET: &str = "myao::workspace";

/// Returns true if this is that span. It is enabled at every log level.
fn is_label(metadata: &Metadata<'_>) -> bool {
    metadata.is_span() && metadata.target() == LABEL_TARGET
}

/// Logs to standard error. `RUST_LOG` overrides the configuration. A server logs what it does; other commands print that
/// themselves, so they log only warnings unless more is asked for.
pub(super) fn start_logging(logging: Logging, is_server: bool, traces: Option<&Traces>) {
    let default = match logging.level {
        LogLevel::Debug => "warn,myao=debug",
        LogLevel::Info if is_server => "warn,myao=info",
        LogLevel::Info | LogLevel::Warning => "warn",
        LogLevel::Error => "error",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default));
    let lines = tracing_subscriber::fmt::layer();
    let lines = match logging.format {
        LogFormat::Text => lines
            .with_writer(output::raw_stderr)
            .with_ansi(output::raw_stderr().is_terminal() && output::wants_colours())
            .fmt_fields(debug_fn(write_field).delimited(" "))
            .boxed(),
        LogFormat::Json => lines
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .with_writer(|| Printable::new(output::raw_stderr(), printable::json))
            .boxed(),
    };
    let is_line = filter_fn(|metadata| !is_span(metadata));
    tracing_subscriber::registry()
        .with(traces.map(Traces::layer))
        .with(lines.with_filter(filter.or(filter_fn(is_label)).and(is_line)))
        .init();
}

/// Writes a field of a log line, or its message, on one line.
fn write_field(out: &mut Writer<'_>, field: &Field, value: &dyn Debug) -> std::fmt::Result {
    let value = format!("{value:?}");
    match field.name() {
        "message" => write!(out, "{}", line(&value)),
        name => write!(out, "{name}={}", line(&value)),
    }
}
