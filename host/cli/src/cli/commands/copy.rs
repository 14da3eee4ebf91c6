//! `myao database prepare`: the tables; `myao database copy`: all that is stored, in another database, perhaps of another engine.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use indicatif::ProgressBar;
use serde_json::json;

use crate::cli::app::App;
use crate::cli::args::DatabaseCommand;
use crate::cli::database::{Copied, CopyProgress, Named, Stage, copy_all};
use crate::cli::output;

pub(crate) fn run(app: &App, command: &DatabaseCommand) -> anyhow::Result<ExitCode> {
    match command {
        DatabaseCommand::Prepare => prepare(app),
        DatabaseCommand::Copy { from, to } => copy(app, &Named::read(from)?, &Named::read(to)?),
    }
}

fn prepare(app: &App) -> anyhow::Result<ExitCode> {
    let database = app.database();
    tokio::task::block_in_place(|| database.store())?;
    if app.json {
        output::print_json(&json!({ "database": database.shown() }))?;
    } else {
        writeln!(output::stdout(), "{} is prepared.", database.shown())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn copy(app: &App, from: &Named, to: &Named) -> anyhow::Result<ExitCode> {
    let begun = Instant::now();
    let mut shown: Option<(Stage, ProgressBar)> = None;
    let copied = tokio::task::block_in_place(|| {
        copy_all(from, to, &mut |progress| show(&mut shown, progress))
    });
    if let Some((_, bar)) = &shown {
        bar.finish_and_clear();
    }
    let copied = copied?;
    if app.json {
        output::print_json(&json!({
            "from": from.shown(),
            "to": to.shown(),
            "is_complete": copied.is_complete(),
            "workspaces": copied.workspaces,
            "tables": copied.tables.iter().map(|(name, rows)| json!({ "name": name, "rows": rows })).collect::<Vec<_>>(),
            "rows": copied.rows(),
            "rows_before": copied.before,
            "differences": copied.differences,
            "more_differences": copied.more_differences,
            "milliseconds": u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
        }))?;
    }
    if !copied.is_complete() {
        anyhow::bail!(
            "{} is not as {}, so do not use it; if nobody has written to either meanwhile, remove it and copy again: {}",
            to.shown(),
            from.shown(),
            differences(&copied)
        );
    }
    if !app.json {
        print(&copied, from, to, begun.elapsed())?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Shows how far it is, with a bar for each stage.
fn show(shown: &mut Option<(Stage, ProgressBar)>, progress: CopyProgress) {
    let bar = match shown {
        Some((stage, bar)) if *stage == progress.stage => bar,
        _ => {
            if let Some((_, bar)) = shown {
                bar.finish_and_clear();
            }
            let template = match progress.stage {
                Stage::Copying => "{bar:30} {pos} of {len} rows copied",
                _ => "{bar:30} {pos} of {len} rows compared",
            };
            let bar = output::progress_bar(progress.total, template);
            &mut shown.insert((progress.stage, bar)).1
        }
    };
    bar.set_position(progress.done);
}

fn differences(copied: &Copied) -> String {
    let mut text = copied.differences.join("; ");
    if copied.more_differences > 0 {
        text.push_str(&format!("; and {} more", copied.more_differences));
    }
    text
}

fn print(copied: &Copied, from: &Named, to: &Named, took: Duration) -> anyhow::Result<()> {
    let mut table = output::table(&["table", "rows"]);
    for (name, rows) in copied.tables.iter().filter(|(_, rows)| *rows > 0) {
        table.add_row([name.clone(), output::number((*rows).into())]);
    }
    table.align_right_from(1);
    output::print_table(&table)?;
    let mut out = output::stdout();
    if copied.before > 0 {
        let before = output::number(copied.before.into());
        writeln!(out, "{before} rows had been copied before.")?;
    }
    writeln!(
        out,
        "Copied {} to {} and compared every row: {} tables, {} rows of {}, in {}.",
        from.shown(),
        to.shown(),
        copied.tables.len(),
        output::number(copied.rows().into()),
        output::count(copied.workspaces.len().try_into()?, "workspace"),
        output::duration(took),
    )?;
    let password = match to {
        Named::File(_) => "",
        Named::Server(_) => ", with the password",
    };
    let other = match to {
        Named::File(_) => "memory.database_url",
        Named::Server(_) => "memory.database_path",
    };
    writeln!(
        out,
        "Next: set `{}` to {}{password} in the configuration, and take `{other}` out of it.",
        to.key(),
        to.shown()
    )?;
    Ok(())
}
