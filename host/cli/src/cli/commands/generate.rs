//! `myao generate`, `myao backfill` and `myao rebuild`.

mod estimate;
mod report_json;
mod report_text;

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use myao_bot::backfill;
use myao_bot::backfill::{Options, Outcomes};
use myao_bot::retention::{self, Expiry};
use myao_plugin::state::Workspace;
use myao_plugin::storage::Due;
use myao_plugin::{Entry, MemoryPlugin, Outcome, Place, Report, Scope, SkipReason, Timestamp, run};
use serde_json::Value;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::{BackfillArgs, GenerateArgs, RebuildArgs};
use crate::cli::database::Work;
use crate::cli::find::find_channel;
use crate::cli::output;
use report_json::{backfill_json, report_json};
use report_text::{failure, print_backfill, print_report};

/// Makes one generation run. The exit code is a failure if something failed.
pub(crate) async fn generate(app: &App, arguments: &GenerateArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let now = app.time(arguments.now);
    if arguments.estimate {
        let work = async |workspace: &Arc<dyn Workspace>, plugin: &MemoryPlugin| {
            clear_deferrals(&**workspace, arguments.retry).await?;
            let report = run_once(app, plugin, now).await?;
            let failed = report
                .entries
                .iter()
                .filter(|entry| failure(entry).is_some());
            Ok(failed.count())
        };
        return estimate::print(app, work).await;
    }
    let mut plugin = app.plugin_over(&workspace).await?;
    if let Some(leases) = app.database().step_leases()? {
        plugin = plugin.with_leases(leases);
    }
    clear_deferrals(&*workspace, arguments.retry).await?;
    if arguments.now.is_none() {
        workspace
            .bring_back_times(now.unix_seconds)
            .await
            .explained()?;
    }
    let keeping = (app.config.retention, app.config.audit);
    let given = arguments.now.map(|_| now.unix_seconds);
    let expired = retention::expire(&*workspace, keeping, now.unix_seconds, given).await;
    if expired.explained()? == Expiry::ClockNotTrusted {
        output::tell(
            "warning: nothing was removed for `retention`, because nobody has written for a month and the clock may be ahead; \
             if it is right, say so with `--now`",
        );
    }
    let window = plugin.settings().window_seconds();
    let window_start = now.unix_seconds - window;
    let leaves_out_history = has_history(&*workspace, window_start).await?;
    let mut report = run_once(app, &plugin, now).await?;
    let waiting = backfill::waiting(&plugin, &*workspace, now).await?;
    add_waiting(&mut report, waiting);
    if app.json {
        output::print_json(&report_json(&report))?;
    } else {
        print_report(app, &report)?;
        if leaves_out_history {
            print_left_out(app, &*workspace, window_start).await?;
        }
    }
    Ok(exit_code(
        report.entries.iter().any(|entry| failure(entry).is_some()),
    ))
}

async fn clear_deferrals(workspace: &dyn Workspace, retry: bool) -> anyhow::Result<()> {
    if retry {
        workspace.clear_deferrals().await.explained()?;
    }
    Ok(())
}

async fn run_once(app: &App, plugin: &MemoryPlugin, now: Timestamp) -> anyhow::Result<Report> {
    let bar = output::progress_bar(0, "{bar:30} {pos}/{len} threads and channels");
    let in_flight = app.config.memory.steps_in_flight();
    let report = run::generate(plugin, now, in_flight, &|progress| {
        bar.set_length(progress.total as u64);
        bar.set_position(progress.done as u64);
    })
    .await;
    bar.finish_and_clear();
    Ok(report?)
}

/// Returns true if a channel has messages from before the window that only a backfill reads.
async fn has_history(workspace: &dyn Workspace, window_start: i64) -> anyhow::Result<bool> {
    let oldest = workspace.oldest_history_message().await.explained()?;
    Ok(oldest.is_some_and(|oldest| oldest.unix_seconds() < window_start))
}

/// Prints the messages that the run left out, for a backfill.
async fn print_left_out(
    app: &App,
    workspace: &dyn Workspace,
    window_start: i64,
) -> anyhow::Result<()> {
    if has_history(workspace, window_start).await? {
        writeln!(
            output::stdout(),
            "note: some channels have older messages of which nothing is remembered; `{}` takes them in",
            app.command("backfill"),
        )?;
    }
    Ok(())
}

/// Adds the channels that a run skips because their conversations are still active.
fn add_waiting(report: &mut Report, waiting: Due) {
    let seen: BTreeSet<String> = report
        .entries
        .iter()
        .map(|entry| entry.scope_id.clone())
        .collect();
    let skipped = waiting
        .channels
        .into_iter()
        .filter(|backlog| !seen.contains(&backlog.channel.id));
    report.entries.extend(skipped.map(|backlog| Entry {
        scope: Scope::Channel,
        scope_id: backlog.channel.id,
        channel_name: backlog.channel.name,
        made: Vec::new(),
        outcome: Outcome::Skipped(SkipReason::NotDue),
    }));
}

/// Goes through all stored messages with a simulated clock.
pub(crate) async fn backfill(app: &App, arguments: &BackfillArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let until = app.time(arguments.until);
    let keep_going = arguments.keep_going;
    if arguments.estimate {
        let work = async |workspace: &Arc<dyn Workspace>, plugin: &MemoryPlugin| {
            let filled = fill(app, &**workspace, plugin, until, keep_going).await;
            Ok(filled?.failed.len())
        };
        return estimate::print(app, work).await;
    }
    let outcomes = fill_locked(app, workspace, until, keep_going).await?;
    report_backfill(app, &outcomes, keep_going, None)
}

/// Makes the memories up to now, and prints which. Returns the exit code, a failure if one failed.
pub(super) async fn make_all(app: &App) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let outcomes = fill_locked(app, workspace, app.time(None), true).await?;
    print_backfill(app, &outcomes, true)?;
    Ok(exit_code(!outcomes.failed.is_empty()))
}

async fn fill_locked(
    app: &App,
    workspace: Arc<dyn Workspace>,
    until: Timestamp,
    keep_going: bool,
) -> anyhow::Result<Outcomes> {
    let (workspace, _only_one) = app.lock(Work::Backfill, workspace)?;
    let plugin = app.plugin_over(&workspace).await?;
    fill(app, &*workspace, &plugin, until, keep_going).await
}

/// Sets memories aside and makes them anew.
pub(crate) async fn rebuild(app: &App, arguments: &RebuildArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let now = app.time(None);
    let channel = match &arguments.channel {
        Some(channel) => {
            let view = workspace.view(Place::Operator);
            Some(find_channel(&*view, channel).await?.id)
        }
        None => None,
    };
    if arguments.estimate {
        let work = async |workspace: &Arc<dyn Workspace>, plugin: &MemoryPlugin| {
            let set_aside = workspace.begin_again(channel, now.unix_seconds);
            set_aside.await.explained()?;
            let filled = fill(app, &**workspace, plugin, now, false).await;
            Ok(filled?.failed.len())
        };
        return estimate::print(app, work).await;
    }
    let (workspace, _only_one) = app.lock(Work::Backfill, workspace)?;
    let plugin = app.plugin_over(&workspace).await?;
    let set_aside = workspace.begin_again(channel, now.unix_seconds);
    let set_aside = set_aside.await.explained()?;
    if !app.json {
        let memories = output::memories(set_aside as u64);
        writeln!(output::stdout(), "Set aside {memories}, to be made anew.")?;
    }
    let outcomes = fill(app, &*workspace, &plugin, now, false).await?;
    report_backfill(app, &outcomes, false, Some(set_aside))
}

/// Runs the simulated clock, with a progress bar.
async fn fill(
    app: &App,
    workspace: &dyn Workspace,
    plugin: &MemoryPlugin,
    until: Timestamp,
    keep_going: bool,
) -> anyhow::Result<Outcomes> {
    let options = Options::until(until).with(|options| {
        options.interval_seconds = app.config.memory.long_term_update_interval_seconds;
        options.in_flight = app.config.memory.steps_in_flight();
        options.keep_going = keep_going;
    });
    let bar = output::progress_bar(1000, "{bar:30} {percent:>3} %  {msg}");
    let outcomes = backfill::backfill(
        plugin,
        workspace,
        options,
        &|unix_seconds| app.local_time(unix_seconds),
        &|progress| {
            let span = (progress.end - progress.start).max(1);
            let done = (progress.tick - progress.start) * 1000 / span;
            bar.set_position(u64::try_from(done).unwrap_or(0));
            let time = output::time(app.local_time(progress.tick));
            bar.set_message(format!(
                "{time}, {}",
                output::memories(progress.made as u64)
            ));
        },
    )
    .await;
    bar.finish_and_clear();
    Ok(outcomes?)
}

/// Prints the memories that were made. The exit code is a failure if something failed.
fn report_backfill(
    app: &App,
    outcomes: &Outcomes,
    keep_going: bool,
    set_aside: Option<usize>,
) -> anyhow::Result<ExitCode> {
    if app.json {
        let mut report = backfill_json(app, outcomes);
        if let (Some(set_aside), Value::Object(fields)) = (set_aside, &mut report) {
            fields.insert("set_aside".to_owned(), set_aside.into());
        }
        output::print_json(&report)?;
    } else {
        print_backfill(app, outcomes, keep_going)?;
        if !outcomes.made.is_empty() && outcomes.failed.is_empty() {
            writeln!(output::stdout(), "Next: {}", app.command("memory list"))?;
        }
    }
    Ok(exit_code(!outcomes.failed.is_empty()))
}

fn exit_code(failed: bool) -> ExitCode {
    if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    }
}
