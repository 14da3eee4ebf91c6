//! Reports of generation runs and backfills as text.

use std::collections::BTreeMap;
use std::io::Write as _;

use myao_bot::backfill::Outcomes;
use myao_bot::budget::Deferred;
use myao_plugin::explain::explain;
use myao_plugin::printable::line;
use myao_plugin::storage::STAND_IN_VERSION;
use myao_plugin::{Entry, Made, Outcome, Report, Scope, SkipReason, names};

use crate::cli::app::App;
use crate::cli::{output, remarks};

/// Why a place failed, as text; `None` if it did not.
pub(super) fn failure(entry: &Entry) -> Option<String> {
    match &entry.outcome {
        Outcome::Failed(error) => Some(explain(error)),
        Outcome::Done | Outcome::Skipped(_) | Outcome::Deferred(_) => None,
    }
}

/// Counts a place that waits for the budget; returns true if it does.
fn waits_for_budget(waiting: &mut Deferred, entry: &Entry) -> bool {
    matches!(&entry.outcome, Outcome::Failed(error) if waiting.takes(error))
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

/// Prints the result of a generation run.
pub(super) fn print_report(app: &App, report: &Report) -> anyhow::Result<()> {
    let made: usize = report.entries.iter().map(|entry| entry.made.len()).sum();
    writeln!(
        output::stdout(),
        "{}: made {}",
        output::time(report.now),
        output::memories(made as u64)
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
    print_failures(&mut out, &report.entries)?;
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

/// Prints the deferred memories, and how to retry them at once.
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

/// Prints the result of a backfill.
pub(super) fn print_backfill(
    app: &App,
    outcomes: &Outcomes,
    keep_going: bool,
) -> anyhow::Result<()> {
    let mut out = output::stdout();
    // Waiting messages may be of threads that need no memory.
    let is_done = outcomes.made.is_empty() && outcomes.failed.is_empty();
    let Some((first, last)) = outcomes.ticks.filter(|_| !is_done) else {
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
        output::memories(outcomes.made.len() as u64)
    )?;
    for ((scope, memory_type), n) in tally(&outcomes.made) {
        writeln!(out, "  {n:>6}  {scope} {memory_type}")?;
    }
    for (n, remark) in peculiar(&outcomes.made) {
        writeln!(out, "  {n:>6}  of them {remark}")?;
    }
    let stopped = print_failures(&mut out, &outcomes.failed)?;
    print_deferred(app, &mut out, &outcomes.deferred)?;
    if !outcomes.failed.is_empty() && (stopped || !keep_going) {
        let past = if stopped {
            ""
        } else {
            ", and with --keep-going past failures"
        };
        writeln!(
            out,
            "Stopped at {}. What was made is saved; `{}` goes on from here{past}.",
            time(last),
            app.command("backfill")
        )?;
    }
    Ok(())
}

/// Prints the failures, each reason once with its places; returns true if the budget stopped some of them.
fn print_failures(out: &mut impl std::io::Write, entries: &[Entry]) -> anyhow::Result<bool> {
    let mut waiting = Deferred::default();
    let failed = entries
        .iter()
        .filter(|entry| !waits_for_budget(&mut waiting, entry));
    for (reason, places) in failures(failed) {
        let places: Vec<String> = places
            .iter()
            .map(|(place, times)| often(place, *times))
            .collect();
        writeln!(out, "failed: {}: {}", places.join("; "), line(&reason))?;
    }
    let waiting = waiting.text();
    if let Some(text) = &waiting {
        writeln!(out, "{}", line(text))?;
    }
    Ok(waiting.is_some())
}

/// Each reason with the places that failed for it, and how often.
fn failures<'e>(
    entries: impl Iterator<Item = &'e Entry>,
) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut failures: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for entry in entries {
        if let Some(reason) = failure(entry) {
            let places = failures.entry(reason).or_default();
            *places.entry(place(entry)).or_default() += 1;
        }
    }
    failures
}

fn often(place: &str, times: usize) -> String {
    match times {
        1 => place.to_owned(),
        n => format!("{place} ({n} times)"),
    }
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
            "excerpts for now, which the model makes anew",
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
