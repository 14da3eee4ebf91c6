//! One wait as text.

use myao_plugin::waits::WaitKind;

/// One wait as text.
pub(super) struct WaitLine {
    /// True if this is not an error: a conversation was judged.
    pub(super) is_usual: bool,
    pub(super) text: String,
}

impl WaitLine {
    pub(super) fn new(kind: &str, what: &str, until: &str, why: &str) -> Self {
        Self {
            is_usual: kind == WaitKind::Judgment.name(),
            text: format!("{what} waits until {until}: {why}"),
        }
    }
}
