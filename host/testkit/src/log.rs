//! The lines that the component writes to its log.

use std::fmt::{self, Write as _};
use std::sync::{Arc, Mutex, PoisonError};

use myao_plugin::LogLevel;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Dispatch, Event, Metadata, Subscriber};

/// The target of the component's lines.
const TARGET: &str = "myao::component";

/// Captures the component's lines from calls on this thread, for as long as this value lives; in a `#[tokio::test]`,
/// that is the whole test. During that time the lines go nowhere else.
///
/// ```
/// use myao_testkit::LogLines;
///
/// let log = LogLines::capture();
/// // The host does this with what the component writes.
/// tracing::warn!(target: "myao::component", "cannot defer C1");
/// assert_eq!(log.texts(), ["cannot defer C1"]);
/// ```
pub struct LogLines {
    lines: Arc<Lines>,
    _capturing: DefaultGuard,
    /// A second subscriber. If there is only one, `tracing` asks only its own thread whether a line is wanted. If
    /// another thread without a subscriber then writes the line first, the line would be lost on this thread, too.
    _beside: Dispatch,
}

type Lines = Mutex<Vec<(LogLevel, String)>>;

impl LogLines {
    /// Starts to capture.
    #[must_use]
    pub fn capture() -> Self {
        let lines = Arc::<Lines>::default();
        let beside = Dispatch::new(Capture(Arc::default()));
        Self {
            _capturing: tracing::subscriber::set_default(Capture(lines.clone())),
            _beside: beside,
            lines,
        }
    }

    /// The lines so far, with their levels.
    #[must_use]
    pub fn lines(&self) -> Vec<(LogLevel, String)> {
        self.lines
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// The texts of the lines so far.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        self.lines().into_iter().map(|(_, text)| text).collect()
    }
}

struct Capture(Arc<Lines>);

impl Subscriber for Capture {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.is_event() && metadata.target() == TARGET
    }

    fn event(&self, event: &Event<'_>) {
        let mut message = Message(String::new());
        event.record(&mut message);
        let level = match *event.metadata().level() {
            tracing::Level::ERROR => LogLevel::Error,
            tracing::Level::WARN => LogLevel::Warn,
            tracing::Level::INFO => LogLevel::Info,
            _ => LogLevel::Debug,
        };
        let mut lines = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        lines.push((level, message.0));
    }

    // No span is enabled.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The text of an event.
struct Message(String);

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            // Writing to a string cannot fail.
            let _ = write!(self.0, "{value:?}");
        }
    }
}
