//! `myao memory`: the memories, their versions, sources and times.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::{Context as _, bail};
use serde_json::{Value, json};
use similar::{ChangeTag, TextDiff};

use myao::bindings::types::{MemoryType, Scope};
use myao::config::WORKSPACE_SCOPE_ID;
use myao::names;
use myao::storage::sqlite::SqliteWorkspace;
use myao::storage::sqlite::inspect::{MemoryFilter, Sources, StoredMemory};
use myao::ts::TsKey;

use super::app::App;
use super::args::MemoryCommand;
use super::memory_json::{memory_json, memory_with_sources_json};
use super::output;
use super::prompt::find_channel;

/// The display width of an excerpt in a table.
const EXCERPT_WIDTH: usize = 60;
/// How many source messages are shown; `--json` shows all.
const SOURCES_SHOWN: usize = 5;

pub(crate) fn run(app: &App, command: &MemoryCommand) -> anyhow::Result<ExitCode> {
    let workspace = app.workspace(&app.open_existing_store()?)?;
    match command {
        MemoryCommand::List => list(app, &workspace),
        MemoryCommand::Show { scope_id } => show(app, &workspace, scope_id),
        MemoryCommand::History { channel, long_term } => {
            history(app, &workspace, channel, *long_term)
        }
        MemoryCommand::Diff {
            channel,
            v1,
            v2,
            long_term,
        } => diff(app, &workspace, channel, (*v1, *v2), *long_term),
    }?;
    Ok(ExitCode::SUCCESS)
}

fn list(app: &App, workspace: &SqliteWorkspace) -> anyhow::Result<()> {
    let filter = MemoryFilter {
        with_text: true,
        ..MemoryFilter::default()
    };
    let newest = newest(app, workspace, &filter)?;
    if app.json {
        return output::print_json(&newest.iter().map(memory_json).collect());
    }
    if newest.is_empty() {
        writeln!(
            output::stdout(),
            "There are no memories yet. Next: myao backfill"
        )?;
        return Ok(());
    }
    let mut table = output::table(&["memory of", "type", "version", "made", "begins with"]);
    let rows: Vec<[String; 4]> = newest.iter().map(list_row).collect();
    let excerpt_width = output::room_beside(&rows);
    for (stored, [place, memory_type, version, made]) in newest.iter().zip(rows) {
        let excerpt = output::excerpt(&stored.memory.content, excerpt_width);
        table.add_row([place, memory_type, version, made, excerpt]);
    }
    output::print_table(&table)
}

fn list_row(stored: &StoredMemory) -> [String; 4] {
    let memory = &stored.memory;
    [
        place(stored),
        names::memory_type(memory.memory_type).to_owned(),
        memory.version.to_string(),
        output::time(memory.updated_at),
    ]
}

/// The newest version of each memory; they come in order of versions. The retired short-term
/// memory of a workspace is kept, and shown only where it is asked for.
fn newest(
    app: &App,
    workspace: &SqliteWorkspace,
    filter: &MemoryFilter,
) -> anyhow::Result<Vec<StoredMemory>> {
    let mut newest: Vec<StoredMemory> = Vec::new();
    for stored in workspace.stored_memories(filter)? {
        match newest.last_mut() {
            Some(last) if is_same_memory(last, &stored) => *last = stored,
            _ => newest.push(stored),
        }
    }
    if !app.config.memory.legacy_workspace_short_term {
        newest.retain(|stored| {
            let memory = &stored.memory;
            (memory.scope, memory.memory_type) != (Scope::Workspace, MemoryType::ShortTerm)
        });
    }
    Ok(newest)
}

fn is_same_memory(a: &StoredMemory, b: &StoredMemory) -> bool {
    let (a, b) = (&a.memory, &b.memory);
    (a.scope, &a.scope_id, a.memory_type) == (b.scope, &b.scope_id, b.memory_type)
}

fn show(app: &App, workspace: &SqliteWorkspace, scope_id: &str) -> anyhow::Result<()> {
    let (scope, scope_id) = resolve(workspace, scope_id)?;
    let filter = MemoryFilter {
        scope: Some(scope),
        scope_id: Some(scope_id.clone()),
        with_text: true,
        ..MemoryFilter::default()
    };
    let memories = newest(app, workspace, &filter)?;
    if memories.is_empty() {
        bail!("nothing is remembered of {scope_id} yet; `myao memory list` shows what there is");
    }
    let mut shown = Vec::new();
    for stored in memories {
        let sources = workspace.sources(stored.memory.id)?;
        if app.json {
            shown.push(memory_with_sources_json(&stored, &sources));
        } else {
            print_memory(&stored, &sources)?;
        }
    }
    if app.json {
        output::print_json(&Value::Array(shown))
    } else {
        Ok(())
    }
}

/// The scope that a scope id, or the name of a channel, stands for.
fn resolve(workspace: &SqliteWorkspace, scope_id: &str) -> anyhow::Result<(Scope, String)> {
    // `list` calls it by its scope.
    if [WORKSPACE_SCOPE_ID, names::scope(Scope::Workspace)].contains(&scope_id) {
        return Ok((Scope::Workspace, WORKSPACE_SCOPE_ID.to_owned()));
    }
    if let Some((channel, thread)) = scope_id.split_once(':') {
        let channel = find_channel(workspace, channel)?;
        TsKey::parse(thread)?;
        return Ok((Scope::Thread, format!("{channel}:{thread}")));
    }
    Ok((Scope::Channel, find_channel(workspace, scope_id)?))
}

fn print_memory(stored: &StoredMemory, sources: &Sources) -> anyhow::Result<()> {
    let memory = &stored.memory;
    let mut out = output::stdout();
    writeln!(
        out,
        "## {} {}, version {}",
        place(stored),
        names::memory_type(memory.memory_type),
        memory.version
    )?;
    writeln!(
        out,
        "made {} by the engine {}, from {}{}",
        output::time(memory.updated_at),
        names::engine(memory.engine),
        output::count(memory.source_message_count.into(), "message"),
        memory
            .source_latest_message_ts
            .as_ref()
            .map(|ts| format!(" up to {ts}"))
            .unwrap_or_default()
    )?;
    writeln!(out, "\n{}\n", memory.content)?;
    print_sources(&mut out, sources)
}

fn print_sources(out: &mut impl std::io::Write, sources: &Sources) -> anyhow::Result<()> {
    for memory in &sources.memories {
        writeln!(
            out,
            "from memory {}: {} {} {}, version {}, of {}{}",
            memory.id,
            names::scope(memory.scope),
            memory.scope_id,
            names::memory_type(memory.memory_type),
            memory.version,
            output::time(memory.updated_at),
            if memory.superseded {
                ", since replaced"
            } else {
                ""
            }
        )?;
    }
    let hidden = sources.messages.len().saturating_sub(SOURCES_SHOWN);
    if hidden > 0 {
        writeln!(out, "from {hidden} older messages (--json names all), and")?;
    }
    for message in sources.messages.iter().skip(hidden) {
        let line = format!("{}: {}", message.author, message.text.replace('\n', " "));
        let line = if message.deleted {
            "(deleted)".to_owned()
        } else {
            line
        };
        writeln!(
            out,
            "from {}  {}",
            message.ts,
            output::excerpt(&line, EXCERPT_WIDTH)
        )?;
    }
    writeln!(out)?;
    Ok(())
}

fn history(
    app: &App,
    workspace: &SqliteWorkspace,
    channel: &str,
    long_term: bool,
) -> anyhow::Result<()> {
    let channel = find_channel(workspace, channel)?;
    let texts = texts(workspace, &channel, long_term)?;
    if app.json {
        let mut values = Vec::new();
        for (n, stored) in texts.iter().enumerate() {
            let sources = workspace.sources(stored.memory.id)?;
            let mut value = memory_with_sources_json(stored, &sources);
            if let Value::Object(fields) = &mut value {
                fields.insert("number".to_owned(), number(n, stored, long_term).into());
            }
            values.push(value);
        }
        return output::print_json(&Value::Array(values));
    }
    let mut out = output::stdout();
    if texts.is_empty() {
        writeln!(
            out,
            "Nothing is remembered of {channel} yet. Next: myao backfill"
        )?;
    }
    for (n, stored) in texts.iter().enumerate() {
        writeln!(
            out,
            "## version {}, made {} from {} ({})",
            number(n, stored, long_term),
            output::time(stored.memory.updated_at),
            output::count(stored.memory.source_message_count.into(), "message"),
            names::engine(stored.memory.engine)
        )?;
        writeln!(out, "{}", stored.memory.content)?;
        let sources = workspace.sources(stored.memory.id)?.messages;
        if let (Some(first), Some(last)) = (sources.first(), sources.last()) {
            writeln!(out, "(messages {} to {})", first.ts, last.ts)?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// The versions of a short-term memory, or the texts that a long-term memory has had, oldest first.
fn texts(
    workspace: &SqliteWorkspace,
    channel: &str,
    long_term: bool,
) -> anyhow::Result<Vec<StoredMemory>> {
    let filter = |superseded| MemoryFilter {
        scope: Some(Scope::Channel),
        scope_id: Some(channel.to_owned()),
        memory_type: Some(if long_term {
            MemoryType::LongTerm
        } else {
            MemoryType::ShortTerm
        }),
        superseded,
        with_text: true,
    };
    let mut texts = Vec::new();
    if long_term {
        texts.extend(workspace.stored_memories(&filter(true))?);
    }
    texts.extend(workspace.stored_memories(&filter(false))?);
    Ok(texts)
}

/// Versions are numbered; the texts of a long-term memory, which is always version 1, are counted.
fn number(n: usize, stored: &StoredMemory, long_term: bool) -> u32 {
    if long_term {
        u32::try_from(n + 1).unwrap_or(u32::MAX)
    } else {
        stored.memory.version
    }
}

fn diff(
    app: &App,
    workspace: &SqliteWorkspace,
    channel: &str,
    versions: (u32, u32),
    long_term: bool,
) -> anyhow::Result<()> {
    let channel = find_channel(workspace, channel)?;
    let texts = texts(workspace, &channel, long_term)?;
    let text = |version| {
        texts
            .iter()
            .enumerate()
            .find(|(n, stored)| number(*n, stored, long_term) == version)
            .map(|(_, stored)| stored.memory.content.as_str())
            .with_context(|| {
                format!(
                    "{channel} has no version {version}; `myao memory history {channel}` lists them"
                )
            })
    };
    let (old, new) = (text(versions.0)?, text(versions.1)?);
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
            "channel_id": channel,
            "from": versions.0,
            "to": versions.1,
            "lines": changes.iter().map(change).collect::<Vec<_>>(),
        }));
    }
    let mut out = output::stdout();
    writeln!(
        out,
        "--- version {}\n+++ version {}",
        versions.0, versions.1
    )?;
    for (sign, line) in changes {
        writeln!(out, "{sign} {line}")?;
    }
    Ok(())
}

/// `#general`, `#general:1709280000.000001` or `workspace`.
fn place(stored: &StoredMemory) -> String {
    let scope_id = &stored.memory.scope_id;
    let name = stored
        .channel_name
        .as_deref()
        .filter(|name| !name.is_empty());
    match (stored.memory.scope, name) {
        (Scope::Workspace, _) => "workspace".to_owned(),
        (Scope::Channel, Some(name)) => format!("#{name}"),
        (Scope::Thread, Some(name)) => {
            let thread = scope_id.rsplit_once(':').map_or("", |(_, thread)| thread);
            format!("#{name}:{thread}")
        }
        (_, None) => scope_id.clone(),
    }
}
