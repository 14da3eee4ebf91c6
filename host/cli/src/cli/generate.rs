//! `myao generate`, `myao backfill` and `myao rebuild`.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::process::ExitCode;
use std::sync::Arc;

use myao_bot::backfill;
use myao_bot::backfill::{Options, Outcomes};
use myao_bot::retention::{self, Expiry};
use myao_plugin::explain::explain;
use myao_plugin::printable::line;
use myao_plugin::state::Workspace;
use myao_plugin::storage::{Due, STAND_IN_VERSION};
use myao_plugin::{
    Entry, Made, MemoryPlugin, Outcome, Place, Report, Scope, SkipReason, Timestamp, names, run,
};
use serde_json::Value;

use super::app::{App, Explained as _};
use super::args::{BackfillArgs, GenerateArgs, RebuildArgs};
use super::find::find_channel;
use super::report_json::{backfill_json, report_json};
use super::{estimate, output, remarks};

/// Makes one generation run. The exit code tells whether something failed.
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
    let plugin = app.plugin_over(&workspace).await?;
    clear_deferrals(&*workspace, arguments.retry).await?;
    let retention = app.config.retention;
    let given = arguments.now.map(|now| now.timestamp());
    let expired = retention::expire(&*workspace, retention, now.unix_seconds, given).await;
    if expired.explained()? == Expiry::ClockNotTrusted {
        output::tell(
            "warning: nothing was removed for `retention`, because nobody has written for a month and the clock may be ahead; \
             if it is right, say so with `--now`",
        );
    }
    let window = i64::from(plugin.settings().short_term_window_hours) * 3600;
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

/// Whether a channel has messages from before the window that only a backfill takes in.
async fn has_history(workspace: &dyn Workspace, window_start: i64) -> anyhow::Result<bool> {
    let oldest = workspace.oldest_history_message().await.explained()?;
    Ok(oldest.is_some_and(|oldest| oldest.unix_seconds() < window_start))
}

/// Prints what the run left out, for a backfill.
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
    let plugin = app.plugin_over(&workspace).await?;
    let outcomes = fill(app, &*workspace, &plugin, until, keep_going).await?;
    report_backfill(app, &outcomes, keep_going, None)
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
    let plugin = app.plugin_over(&workspace).await?;
    let set_aside = workspace.begin_again(channel, now.unix_seconds);
    let set_aside = set_aside.await.explained()?;
    if !app.json {
        let memories = memories(set_aside);
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
            bar.set_message(format!("{time}, {}", memories(progress.made)));
        },
    )
    .await;
    bar.finish_and_clear();
    Ok(outcomes?)
}

/// Prints what was made. The exit code tells whether something failed.
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

fn memories(n: usize) -> String {
    output::memories(n as u64)
}

fn failure(entry: &Entry) -> Option<String> {
    match &entry.outcome {
        Outcome::Failed(error) => Some(explain(error)),
        Outcome::Done | Outcome::Skipped(_) | Outcome::Deferred(_) => None,
    }
}

/// `#general`, `#general, thread 1709280000.000001` or `the workspace`.
fn place(entry: &Entry) -> String {
    let name = if entry.channel_name.is_empty() {
        entry
            .scope_id
            .split(':')
            .next()
            .unwrap_or_default()
            .to_owned()
    } else {
        format!("#{}", entry.channel_name)
    };
    let place = match (entry.scope, entry.scope_id.split_once(':')) {
        (Scope::Workspace, _) => "the workspace".to_owned(),
        (Scope::Thread, Some((_, thread))) => format!("{name}, thread {thread}"),
        _ => name,
    };
    line(&place).into_owned()
}

fn print_report(app: &App, report: &Report) -> anyhow::Result<()> {
    let made: usize = report.entries.iter().map(|entry| entry.made.len()).sum();
    writeln!(
        output::stdout(),
        "{}: made {}",
        output::time(report.now),
        memories(made)
    )?;
    if made > 0 {
        let mut table = output::table(&["", "of", "memory", "version", "messages", "engine"]);
        for entry in &report.entries {
            for made in &entry.made {
                table.add_row([
                    " ",
                    &place(entry),
                    names::memory_type(made.memory_type),
                    &remarks::version_cell(made.version, made.truncated),
                    &made.source_message_count.to_string(),
                    names::engine(made.engine),
                ]);
            }
        }
        output::print_table(&table)?;
        print_remarks(report)?;
    }
    let mut skipped: BTreeMap<String, usize> = BTreeMap::new();
    for entry in report
        .entries
        .iter()
        .filter(|entry| entry.scope != Scope::Workspace)
    {
        if let Outcome::Skipped(reason) = &entry.outcome {
            *skipped.entry(skip_reason(app, reason)).or_default() += 1;
        }
    }
    let mut out = output::stdout();
    for (reason, n) in skipped {
        writeln!(out, "skipped {n}: {reason}")?;
    }
    for entry in &report.entries {
        if let Some(failure) = failure(entry) {
            writeln!(out, "failed: {}: {}", place(entry), line(&failure))?;
        }
    }
    print_deferred(app, &mut out, &report.entries)
}

/// Prints a note for each truncated, chunked or partial memory.
fn print_remarks(report: &Report) -> anyhow::Result<()> {
    let mut out = output::stdout();
    for entry in &report.entries {
        for made in &entry.made {
            if let Some(remarks) = remarks::remarks(made.truncated, Some(&made.coverage)) {
                writeln!(
                    out,
                    "note: {} {}, {}: {remarks}",
                    place(entry),
                    names::memory_type(made.memory_type),
                    remarks::version(made.version)
                )?;
            }
        }
    }
    Ok(())
}

/// Prints what is deferred, and how to retry it at once.
fn print_deferred(
    app: &App,
    out: &mut impl std::io::Write,
    entries: &[Entry],
) -> anyhow::Result<()> {
    let mut some = false;
    for entry in entries {
        if let Outcome::Deferred(deferral) = &entry.outcome {
            writeln!(out, "{}", remarks::deferral(&place(entry), deferral))?;
            some = true;
        }
    }
    if some {
        writeln!(out, "{}", remarks::retry(app))?;
    }
    Ok(())
}

fn skip_reason(app: &App, reason: &SkipReason) -> String {
    let reason = match reason {
        SkipReason::NoNewMessages => "no new messages",
        SkipReason::NotDue => {
            "the conversation goes on; a version is made when it is over, or longer"
        }
        SkipReason::OutsideWindow => {
            let backfill = app.command("backfill");
            return format!("only old messages; `{backfill}` makes memories of the past");
        }
        SkipReason::NothingToSummarize => "nothing to summarise",
        SkipReason::Unchanged => "unchanged",
        SkipReason::Other(other) => &other.text,
    };
    reason.to_owned()
}

fn print_backfill(app: &App, outcomes: &Outcomes, keep_going: bool) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let Some((first, last)) = outcomes.ticks else {
        writeln!(
            out,
            "Nothing to do: there are no messages of which no memory was made yet."
        )?;
        return Ok(());
    };
    let time = |unix_seconds| output::time(app.local_time(unix_seconds));
    writeln!(
        out,
        "From {} to {}: made {}",
        time(first),
        time(last),
        memories(outcomes.made.len())
    )?;
    for ((scope, memory_type), n) in tally(&outcomes.made) {
        writeln!(out, "  {n:>6}  {scope} {memory_type}")?;
    }
    for (n, remark) in peculiar(&outcomes.made) {
        writeln!(out, "  {n:>6}  of them {remark}")?;
    }
    for ((place, failure), times) in failures(&outcomes.failed) {
        let times = if times == 1 {
            String::new()
        } else {
            format!(" ({times} times)")
        };
        writeln!(out, "failed: {place}{times}: {}", line(&failure))?;
    }
    print_deferred(app, &mut out, &outcomes.deferred)?;
    if outcomes.failed.is_empty() {
        writeln!(out, "Next: {}", app.command("memory list"))?;
    } else if !keep_going {
        writeln!(
            out,
            "Stopped at {}. What was made is saved; `{}` goes on from here, and with --keep-going past failures.",
            time(last),
            app.command("backfill")
        )?;
    }
    Ok(())
}

/// What failed and how often, each reason once.
fn failures(failed: &[Entry]) -> BTreeMap<(String, String), usize> {
    let mut failures = BTreeMap::new();
    for entry in failed {
        if let Some(failure) = failure(entry) {
            *failures.entry((place(entry), failure)).or_default() += 1;
        }
    }
    failures
}

fn tally(made: &[Made]) -> BTreeMap<(&'static str, &'static str), usize> {
    let mut tally = BTreeMap::new();
    for made in made {
        let key = (
            names::scope(made.scope),
            names::memory_type(made.memory_type),
        );
        *tally.entry(key).or_default() += 1;
    }
    tally
}

/// The notes on memories, each with the number of memories that it applies to.
fn peculiar(made: &[Made]) -> Vec<(usize, &'static str)> {
    let count =
        |is_peculiar: &dyn Fn(&Made) -> bool| made.iter().filter(|m| is_peculiar(m)).count();
    let mut peculiar = vec![
        (
            count(&|made| made.version == STAND_IN_VERSION),
            "stand-ins, which the model makes anew",
        ),
        (
            count(&|made| made.truncated),
            "cut off at their token limit",
        ),
        (
            count(&|made| made.coverage.chunks > 1),
            "made in several parts",
        ),
        (
            count(&|made| remarks::has_left_out(&made.coverage)),
            "made without all that was to be shown",
        ),
    ];
    peculiar.retain(|(n, _)| *n > 0);
    peculiar
}
