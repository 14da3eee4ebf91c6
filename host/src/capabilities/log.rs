//! The import `log`: the component's lines go to `tracing`, under the target `myao::component`.

use super::CallState;
use super::budget::Line;
use crate::bindings::log::{Host, Level};

/// A longer line is cut: a component cannot flood the log with one.
const MAX_LINE_BYTES: usize = 4096;

impl Host for CallState {
    async fn write(&mut self, level: Level, line: String) -> wasmtime::Result<()> {
        self.count_import()?;
        // A replay does nothing that there would be to tell of.
        if self.tape.is_playing() {
            return Ok(());
        }
        let line = cut(&line);
        match self.budget.log(line.len()) {
            Line::Written => {}
            Line::LeftOut => return Ok(()),
            Line::FirstLeftOut => {
                tracing::warn!(target: "myao::component", "what else this call of the component says is left out: it said too much");
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

fn cut(line: &str) -> &str {
    line.get(..line.floor_char_boundary(MAX_LINE_BYTES))
        .unwrap_or(line)
}
