//! `myao import`.

use std::io::Write as _;
use std::path::Path;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_import::{Closed, ImportReport, Options, Source};
use myao_plugin::printable::line;
use myao_plugin::storage::records::{ImportTally, Tally};
use serde_json::{Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::commands::embed::embed_imported;
use crate::cli::output;

pub(crate) async fn run(app: &App, path: &Path, options: Options) -> anyhow::Result<ExitCode> {
    take_in(app, path, options).await?;
    if !app.json {
        writeln!(output::stdout(), "Next: {}", app.command("backfill"))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Imports an export or a database: all of it, or nothing. A database that was created for the import is kept if the
/// import fails: another process may have started to use it.
pub(super) async fn take_in(app: &App, path: &Path, options: Options) -> anyhow::Result<()> {
    if myao_import::detect(path)? == Source::PythonBot {
        myao_import::python_bot::limit_memory()?;
    }
    let (report, tally) = read(app, path, options)
        .await
        .context("nothing was imported")?;
    if app.json {
        let left_out = left_out_conversations(&report);
        output::print_json(
            &json!({ "read": report, "stored": tally, "left_out_conversations": left_out }),
        )?;
    } else {
        print(app, path, &report, &tally)?;
    }
    // The import has succeeded: what is missing is made later.
    if let Err(error) = embed_imported(app).await {
        tracing::warn!("messages are found by their words alone: {error:#}");
    }
    Ok(())
}

async fn read(
    app: &App,
    path: &Path,
    options: Options,
) -> anyhow::Result<(ImportReport, ImportTally)> {
    let now = app.clock().now().unix_seconds;
    let target = app.import_target()?;
    let mut sink = target.begin_import(now).await.explained()?;
    let bar = output::progress_bar(0, "{bar:30} {pos}/{len} files, {msg}");
    tokio::task::block_in_place(|| {
        let report = myao_import::import(path, options, &mut *sink, &mut |progress| {
            bar.set_length(progress.files_total);
            bar.set_position(progress.files_done);
            bar.set_message(output::count(progress.messages, "message"));
        });
        bar.finish_and_clear();
        Ok((report?, sink.commit().explained()?))
    })
}

fn print(app: &App, path: &Path, report: &ImportReport, tally: &ImportTally) -> anyhow::Result<()> {
    let path = path.display().to_string();
    writeln!(output::stdout(), "Imported {}", line(&path))?;
    let mut table = output::table(&["", "new", "changed", "unchanged"]);
    let rows = [
        ("users", tally.users),
        ("channels", tally.channels),
        ("messages", tally.messages),
        ("memories", tally.memories),
    ];
    for (
        name,
        Tally {
            new,
            changed,
            unchanged,
            ..
        },
    ) in rows
    {
        if new + changed + unchanged > 0 {
            table.add_row([
                format!(" {name}"),
                new.to_string(),
                changed.to_string(),
                unchanged.to_string(),
            ]);
        }
    }
    output::print_table(&table)?;
    let mut out = output::stdout();
    for (reason, n) in &report.left_out {
        writeln!(out, "left out: {n} {}", line(&reason.to_string()))?;
    }
    for (what, n) in [
        ("message", tally.messages.forgotten),
        ("memory", tally.memories.forgotten),
    ] {
        if n > 0 {
            writeln!(
                out,
                "left out: {} that was to be forgotten",
                output::count(n, what)
            )?;
        }
    }
    for (kind, n) in &report.left_out_conversations {
        let option = option_of(*kind);
        writeln!(out, "left out: {n} {kind}; {option} takes them")?;
    }
    for warning in &report.warnings {
        writeln!(out, "warning: {}", line(warning))?;
    }
    if let Some(text) = app.about_unknown_audiences(report.unknown_audiences) {
        writeln!(out, "{text}")?;
    }
    Ok(())
}

/// The option with which conversations of a kind are taken.
fn option_of(kind: Closed) -> &'static str {
    match kind {
        Closed::PrivateChannels => "--include-private",
        _ => "--include-direct-messages",
    }
}

/// The conversations that were left out, with the options that include them.
fn left_out_conversations(report: &ImportReport) -> Vec<Value> {
    let left_out = report.left_out_conversations.iter();
    left_out
        .map(|(kind, n)| json!({ "kind": kind, "conversations": n, "option": option_of(*kind) }))
        .collect()
}
