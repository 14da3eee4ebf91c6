//! `myao memory sources`: each line of a memory, with the messages that it was made from.

use std::io::Write;

use myao_bot::reading::memory_json::memory_with_sources_json;
use myao_plugin::printable::line;
use myao_plugin::state::view::{SourceMessage, Sources, StoredMemory, View};
use myao_plugin::{Scope, names};
use serde_json::Value;

use super::app::{App, Explained as _};
use super::newest::{newest_of, place_of, resolve};
use super::seen::Seen;
use super::{output, remarks};

/// The display width of a message's beginning.
const EXCERPT_WIDTH: usize = 80;

/// Prints the lines of a channel's, a thread's or the workspace's newest texts with their messages.
pub(super) async fn line_sources(app: &App, seen: &Seen<'_>, scope_id: &str) -> anyhow::Result<()> {
    let (scope, scope_id) = resolve(&*seen.view, scope_id).await?;
    show_line_sources(app, &*seen.view, scope, &scope_id).await
}

/// Prints the lines of the newest texts of a scope with their messages.
pub(super) async fn show_line_sources(
    app: &App,
    view: &dyn View,
    scope: Scope,
    scope_id: &str,
) -> anyhow::Result<()> {
    let mut shown = Vec::new();
    for stored in newest_of(app, view, scope, scope_id).await? {
        let sources = view.sources(stored.memory.id).await.explained()?;
        if app.json {
            shown.push(memory_with_sources_json(&stored, &sources));
        } else {
            print(&stored, &sources)?;
        }
    }
    if app.json {
        return output::print_json(&Value::Array(shown));
    }
    Ok(())
}

fn print(stored: &StoredMemory, sources: &Sources) -> anyhow::Result<()> {
    let memory = &stored.memory;
    let mut out = output::stdout();
    writeln!(
        out,
        "## {} {}, {}\n",
        place_of(stored),
        names::memory_type(memory.memory_type),
        remarks::version(memory.version)
    )?;
    for of in &sources.lines {
        writeln!(out, "{}", of.text)?;
        if of.messages.is_empty() {
            writeln!(out, "    no source is known")?;
        }
        for message in &of.messages {
            write_message(&mut out, message)?;
        }
    }
    writeln!(out)?;
    print_records(&mut out, &sources.records)
}

/// Prints the records kept with a text.
pub(super) fn print_records(out: &mut impl Write, records: &[SourceMessage]) -> anyhow::Result<()> {
    if records.is_empty() {
        return Ok(());
    }
    writeln!(out, "kept beside the text:")?;
    for record in records {
        write_message(out, record)?;
    }
    writeln!(out)?;
    Ok(())
}

fn write_message(out: &mut impl Write, message: &SourceMessage) -> anyhow::Result<()> {
    let said = format!("{}: {}", message.author, message.text);
    let said = said.split_whitespace().collect::<Vec<_>>().join(" ");
    writeln!(
        out,
        "    #{} {}  {}",
        line(&message.channel_name),
        message.ts,
        output::excerpt(&said, EXCERPT_WIDTH)
    )?;
    Ok(())
}
