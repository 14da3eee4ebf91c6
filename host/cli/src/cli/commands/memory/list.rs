//! `myao memory list`: the newest version of each memory, in a table for people, and with whole texts for programs.

use std::collections::HashMap;
use std::io::Write as _;

use myao_bot::reading::memory_json::memory_json;
use myao_plugin::printable::line;
use myao_plugin::state::upkeep::StoredDeferral;
use myao_plugin::state::view::{MemoryFilter, StoredMemory};
use myao_plugin::ts::TsKey;
use myao_plugin::{Scope, names};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::ListArgs;
use crate::cli::find::find_channel;

use crate::cli::newest::{newest, place, place_of};
use crate::cli::seen::Seen;
use crate::cli::{output, remarks};

/// The display width of the first words of a thread.
const NAME_WIDTH: usize = 30;
/// Of more threads the first words are not looked up, which takes a query for each.
const NAMED_THREADS: usize = 500;

pub(super) async fn list(app: &App, seen: &Seen<'_>, arguments: &ListArgs) -> anyhow::Result<()> {
    let filter = MemoryFilter {
        scope: arguments.scope.map(Scope::from),
        with_text: true,
        ..MemoryFilter::default()
    };
    let mut listed = newest(app, &*seen.view, &filter).await?;
    let channel = match &arguments.channel {
        Some(channel) => Some(find_channel(&*seen.view, channel).await?.id),
        None => None,
    };
    let is_wanted = |scope: Scope, scope_id: &str| {
        filter.scope.is_none_or(|wanted| scope == wanted)
            && channel.as_ref().is_none_or(|channel| {
                scope != Scope::Workspace && scope_id.split(':').next() == Some(channel.as_str())
            })
    };
    let since = arguments
        .since
        .map(|since| since.beginning(app.config.timezone).div_euclid(1000));
    listed.retain(|stored| {
        let memory = &stored.memory;
        is_wanted(memory.scope, &memory.scope_id)
            && since.is_none_or(|since| memory.updated_at.unix_seconds >= since)
    });
    if app.json {
        return output::print_json(&listed.iter().map(memory_json).collect());
    }
    if listed.is_empty() {
        let is_narrowed = filter.scope.is_some() || channel.is_some() || since.is_some();
        let text = if is_narrowed {
            let all = app.command("memory list");
            format!("No memory fits these options; `{all}` lists all")
        } else {
            format!(
                "There are no memories yet. Next: {}",
                app.command("backfill")
            )
        };
        writeln!(output::stdout(), "{text}")?;
    } else {
        let threads = thread_names(app, seen, &listed).await?;
        if output::in_terminal() {
            print_table(&listed, &threads)?;
        } else {
            print_texts(&listed, &threads)?;
        }
    }
    print_deferrals(app, seen, |stored| {
        is_wanted(stored.scope, &stored.scope_id)
    })
    .await
}

/// When each thread began, and its first words, by the ids of the memories.
async fn thread_names(
    app: &App,
    seen: &Seen<'_>,
    listed: &[StoredMemory],
) -> anyhow::Result<HashMap<u64, String>> {
    let mut threads: Vec<&StoredMemory> = listed.iter().collect();
    threads.retain(|stored| stored.memory.scope == Scope::Thread);
    let are_few = threads.len() <= NAMED_THREADS;
    let mut named = HashMap::new();
    for stored in threads {
        let memory = &stored.memory;
        let thread = memory.scope_id.rsplit_once(':').map_or("", |(_, ts)| ts);
        let Ok(thread) = TsKey::parse(thread) else {
            continue;
        };
        let mut name = output::time(app.local_time(thread.unix_seconds()));
        if are_few {
            let sources = seen.view.sources(memory.id).await.explained()?;
            let first = sources.messages.iter().find(|message| message.ts == thread);
            if let Some(first) = first.filter(|first| !first.text.is_empty()) {
                let words = output::excerpt(&first.text, NAME_WIDTH);
                name = format!("{name} “{words}”");
            }
        }
        named.insert(memory.id, name);
    }
    Ok(named)
}

fn print_table(listed: &[StoredMemory], threads: &HashMap<u64, String>) -> anyhow::Result<()> {
    let mut table = output::table(&["memory of", "type", "version", "made", "begins with"]);
    let rows: Vec<[String; 4]> = listed.iter().map(list_row).collect();
    let excerpt_width = output::room_beside(&rows);
    for (stored, [place, memory_type, version, made]) in listed.iter().zip(rows) {
        let mut excerpt = output::excerpt(remarks::text(&stored.memory), excerpt_width);
        if let Some(thread) = threads.get(&stored.memory.id) {
            excerpt = format!("{}\n{excerpt}", output::excerpt(thread, excerpt_width));
        }
        table.add_row_of_lines([place, memory_type, version, made, excerpt]);
    }
    output::print_table(&table)
}

fn list_row(stored: &StoredMemory) -> [String; 4] {
    let memory = &stored.memory;
    [
        place_of(stored),
        names::memory_type(memory.memory_type).to_owned(),
        remarks::version_cell(memory.version, stored.truncated == Some(true)),
        output::time(memory.updated_at),
    ]
}

fn print_texts(listed: &[StoredMemory], threads: &HashMap<u64, String>) -> anyhow::Result<()> {
    let mut out = output::stdout();
    for stored in listed {
        let [place, memory_type, _, made] = list_row(stored);
        let version = remarks::version(stored.memory.version);
        writeln!(out, "## {place} {memory_type}, {version}, made {made}")?;
        if let Some(thread) = threads.get(&stored.memory.id) {
            writeln!(out, "thread of {}", line(thread))?;
        }
        let truncated = stored.truncated == Some(true);
        if let Some(remarks) = remarks::remarks(truncated, stored.coverage.as_ref()) {
            writeln!(out, "({remarks})")?;
        }
        writeln!(out, "{}\n", remarks::text(&stored.memory))?;
    }
    Ok(())
}

/// Prints the deferred memories, and how to retry them at once.
pub(super) async fn print_deferrals(
    app: &App,
    seen: &Seen<'_>,
    is_wanted: impl Fn(&StoredDeferral) -> bool,
) -> anyhow::Result<()> {
    let mut deferrals = seen.workspace.deferrals().await.explained()?;
    deferrals.retain(|stored| seen.owns(stored.scope, &stored.scope_id) && is_wanted(stored));
    let mut out = output::stdout();
    for stored in &deferrals {
        let place = place(
            stored.scope,
            &stored.scope_id,
            stored.channel_name.as_deref(),
        );
        writeln!(out, "{}", remarks::deferral(&place, &stored.deferral))?;
    }
    if !deferrals.is_empty() {
        writeln!(out, "{}", remarks::retry(app))?;
    }
    Ok(())
}
