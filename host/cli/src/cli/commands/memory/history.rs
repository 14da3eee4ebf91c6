//! `myao memory history` and `diff`: earlier versions of a memory.

use std::io::Write as _;

use anyhow::Context as _;
use myao_bot::reading::memories::{number, texts};
use myao_bot::reading::memory_json::memory_with_sources_json;
use myao_plugin::printable::line;
use myao_plugin::{MemoryType, Scope, names};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use crate::cli::app::{App, Explained as _};
use crate::cli::newest::resolve;
use crate::cli::seen::Seen;
use crate::cli::{output, remarks};

/// Colours of `diff`: removed and added lines.
const RED: &str = "\x1b[31m";
const GREEN: &str = "\x1b[32m";
const PLAIN: &str = "\x1b[0m";

/// The versions of a memory with their texts and sources, oldest first.
pub(super) async fn history(
    app: &App,
    seen: &Seen<'_>,
    of: &str,
    long_term: bool,
) -> anyhow::Result<()> {
    let (scope, scope_id) = resolve(&*seen.view, of).await?;
    let memory_type = type_of(app, scope, long_term)?;
    let texts = texts(&*seen.view, scope, &scope_id, memory_type, true)
        .await
        .explained()?;
    if app.json {
        let mut values = Vec::new();
        for (n, stored) in texts.iter().enumerate() {
            let sources = seen.view.sources(stored.memory.id).await.explained()?;
            let mut value = memory_with_sources_json(stored, &sources);
            if let Value::Object(fields) = &mut value {
                fields.insert("number".to_owned(), number(n, stored).into());
            }
            values.push(value);
        }
        return output::print_json(&Value::Array(values));
    }
    let mut out = output::stdout();
    if texts.is_empty() {
        writeln!(
            out,
            "Nothing is remembered of {} yet. Next: {}",
            line(of),
            app.command("backfill")
        )?;
    }
    for (n, stored) in texts.iter().enumerate() {
        writeln!(
            out,
            "## {}, made {} from {} ({})",
            remarks::version(number(n, stored)),
            output::time(stored.memory.updated_at),
            output::count(stored.memory.source_message_count.into(), "message"),
            names::engine(stored.memory.engine)
        )?;
        let truncated = stored.truncated == Some(true);
        if let Some(remarks) = remarks::remarks(truncated, stored.coverage.as_ref()) {
            writeln!(out, "({remarks})")?;
        }
        writeln!(out, "{}", remarks::text(&stored.memory))?;
        let sources = seen.view.sources(stored.memory.id).await.explained()?;
        let sources = sources.messages;
        if let (Some(first), Some(last)) = (sources.first(), sources.last()) {
            writeln!(out, "(messages {} to {})", first.ts, last.ts)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Which memory of a scope is meant: a channel has two, a thread and a workspace have one.
fn type_of(app: &App, scope: Scope, long_term: bool) -> anyhow::Result<MemoryType> {
    let is_retired_kept = app.config.keeps_retired();
    match (scope, long_term) {
        (Scope::Thread, true) => {
            anyhow::bail!("a thread has no long-term memory: leave out --long-term")
        }
        (_, true) => Ok(MemoryType::LongTerm),
        (Scope::Workspace, false) if !is_retired_kept => Ok(MemoryType::LongTerm),
        (_, false) => Ok(MemoryType::ShortTerm),
    }
}

/// Shows the changes between two versions: of the last one, if none are given.
pub(super) async fn diff(
    app: &App,
    seen: &Seen<'_>,
    of: &str,
    versions: [Option<u32>; 2],
    long_term: bool,
) -> anyhow::Result<()> {
    let (scope, scope_id) = resolve(&*seen.view, of).await?;
    let memory_type = type_of(app, scope, long_term)?;
    let texts = texts(&*seen.view, scope, &scope_id, memory_type, true)
        .await
        .explained()?;
    let option = if long_term { " --long-term" } else { "" };
    let history = app.command(&format!("memory history {of}{option}"));
    let numbers = texts.iter().enumerate();
    let numbered: Vec<_> = numbers.map(|(n, text)| (number(n, text), text)).collect();
    let number_at = |from_end: usize| numbered.iter().rev().nth(from_end).map(|(n, _)| *n);
    let [older, newer] = [versions[0].or(number_at(1)), versions[1].or(number_at(0))];
    let (Some(older), Some(newer)) = (older, newer) else {
        anyhow::bail!(
            "{of} has fewer than two versions, so there is no change to show; `{history}` lists them"
        );
    };
    let text = |version| {
        numbered
            .iter()
            .find(|(number, _)| *number == version)
            .map(|(_, stored)| stored.memory.content.as_str())
            .with_context(|| format!("{of} has no version {version}; `{history}` lists them"))
    };
    let (old, new) = (text(older)?, text(newer)?);
    let diff = TextDiff::from_lines(old, new);
    let changes: Vec<(&str, &str)> = diff
        .iter_all_changes()
        .map(|change| {
            let sign = match change.tag() {
                ChangeTag::Delete => "-",
                ChangeTag::Insert => "+",
                ChangeTag::Equal => " ",
            };
            (sign, change.value().trim_end_matches('\n'))
        })
        .collect();
    if app.json {
        let change = |(sign, line): &(&str, &str)| json!({ "change": sign, "line": line });
        return output::print_json(&json!({
            "scope": names::scope(scope),
            "scope_id": scope_id,
            "from": older,
            "to": newer,
            "lines": changes.iter().map(change).collect::<Vec<_>>(),
        }));
    }
    let (from, to) = (remarks::version(older), remarks::version(newer));
    writeln!(output::stdout(), "--- {from}\n+++ {to}")?;
    let has_colours = output::has_colours();
    for (sign, text) in changes {
        // Colours are the only control sequences: the text has none left when they are put around it.
        let text = line(text);
        let (colour, end) = match sign {
            "-" if has_colours => (RED, PLAIN),
            "+" if has_colours => (GREEN, PLAIN),
            _ => ("", ""),
        };
        writeln!(output::raw_stdout(), "{colour}{sign} {text}{end}")?;
    }
    Ok(())
}
