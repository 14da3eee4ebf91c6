//! The import `log`: the component's lines go to `tracing`, under the target `myao::component`.

use super::CallState;
use super::budget::Line;
use crate::bindings::log::{Host, Level};
use crate::printable;

/// A longer line is cut, so that a component cannot flood the log with one line.
const MAX_LINE_BYTES: usize = 4096;

impl Host for CallState {
    async fn write(&mut self, level: Level, line: String) -> wasmtime::Result<()> {
        self.count_import()?;
        // A replay has no effects, so there is nothing to log.
        if self.tape.is_playing() {
            return Ok(());
        }
        let line = shown(&line);
        match self.budget.log(line.len()) {
            Line::Written => {}
            Line::LeftOut => return Ok(()),
            Line::FirstLeftOut => {
                tracing::warn!(target: "myao::component", "this call of the component has logged more than its limit: its further lines are left out");
                return Ok(());
            }
        }
        match level {
            Level::Debug => tracing::debug!(target: "myao::component", "{line}"),
            Level::Info => tracing::info!(target: "myao::component", "{line}"),
            Level::Warn => tracing::warn!(target: "myao::component", "{line}"),
            Level::Error => tracing::error!(target: "myao::component", "{line}"),
        }
        Ok(())
    }
}

/// The component's text as one line. With a line break it could forge log lines of others.
fn shown(line: &str) -> String {
    let shown = printable::line(cut(line));
    cut(&shown).to_owned()
}

fn cut(line: &str) -> &str {
    line.get(..line.floor_char_boundary(MAX_LINE_BYTES))
        .unwrap_or(line)
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE_BYTES, shown};

    #[test]
    fn a_line_of_the_component_is_one_line_and_has_an_end() {
        let forged = "done\n2026-03-02T00:00:00Z  INFO myao: stopped\r\u{1b}[2K\u{85}\u{2028}";
        let line = shown(forged);
        assert!(line.starts_with("done\\n2026"), "{line}");
        assert!(
            !line.contains(|c: char| c.is_control() || c == '\u{2028}'),
            "{line}"
        );
        assert_eq!(shown(&"\u{1b}".repeat(100_000)).len(), MAX_LINE_BYTES);
    }
}
