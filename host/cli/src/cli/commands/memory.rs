//! `myao memory`: the memories, their versions, sources and times.

mod history;
mod list;

use std::io::Write as _;
use std::process::ExitCode;

use myao_bot::corrections::Corrections;
use myao_bot::reading::memory_json::memory_with_sources_json;
use myao_plugin::printable::line;
use myao_plugin::state::view::{Sources, StoredMemory};
use myao_plugin::{KeptText, MemoryPlugin, Scope, names};
use serde_json::{Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::{MemoryArgs, MemoryCommand};
use crate::cli::find::find_channel;
use crate::cli::line_sources::{line_sources, print_records};
use crate::cli::newest::{newest_of, place_of, resolve};
use crate::cli::seen::Seen;
use crate::cli::{costs, output, remarks};
use history::{diff, history};
use list::{list, print_deferrals};

/// The display width of an excerpt in a table.
const EXCERPT_WIDTH: usize = 60;
/// How many source messages are shown; `--json` shows all.
const SOURCES_SHOWN: usize = 5;
/// Printed below the heading of a stand-in.
const STANDS_IN: &str =
    "extracted while the model fails, which makes this memory anew when it is back";

pub(crate) async fn run(app: &App, arguments: &MemoryArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let seen = match &arguments.in_channel {
        Some(channel) => Seen::in_channel(&*workspace, channel).await?,
        None => Seen::by_operator(&*workspace),
    };
    match &arguments.command {
        MemoryCommand::List(arguments) => list(app, &seen, arguments).await,
        MemoryCommand::Show { scope_id } => show(app, &seen, scope_id).await,
        MemoryCommand::Sources { scope_id } => line_sources(app, &seen, scope_id).await,
        MemoryCommand::History {
            scope_id,
            long_term,
        } => history(app, &seen, scope_id, *long_term).await,
        MemoryCommand::Diff {
            scope_id,
            v1,
            v2,
            long_term,
        } => diff(app, &seen, scope_id, [*v1, *v2], *long_term).await,
        MemoryCommand::Accept { channel } => {
            anyhow::ensure!(
                arguments.in_channel.is_none(),
                "`accept` is the operator's: leave out --in, and name the channel behind `accept`"
            );
            accept(app, &seen, channel.as_deref()).await
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

/// The operator states that memories whose sources are not known contain nothing private.
async fn accept(app: &App, seen: &Seen<'_>, channel: Option<&str>) -> anyhow::Result<()> {
    let channel = match channel {
        Some(channel) => Some(find_channel(&*seen.view, channel).await?.id),
        None => None,
    };
    let now = app.time(None).unix_seconds;
    let accepted = seen.workspace.accept_memories(channel, now);
    let accepted = accepted.await.explained()?;
    if app.json {
        return output::print_json(&serde_json::json!({ "accepted": accepted }));
    }
    match accepted {
        0 => writeln!(output::stdout(), "No memory is set aside.")?,
        1 => writeln!(output::stdout(), "1 memory is used again.")?,
        n => writeln!(output::stdout(), "{n} memories are used again.")?,
    }
    Ok(())
}

async fn show(app: &App, seen: &Seen<'_>, scope_id: &str) -> anyhow::Result<()> {
    let (scope, scope_id) = resolve(&*seen.view, scope_id).await?;
    let memories = newest_of(app, &*seen.view, scope, &scope_id).await?;
    let corrections = match scope {
        Scope::Channel => Some(corrections(app, &scope_id).await?),
        Scope::Thread | Scope::Workspace => None,
    };
    let mut shown = Vec::new();
    for stored in memories {
        let sources = seen.view.sources(stored.memory.id).await.explained()?;
        let taken = seen.workspace.calls_of_memory(stored.memory.id);
        let taken = taken.await.explained()?;
        if app.json {
            let mut value = memory_with_sources_json(&stored, &sources);
            if let Value::Object(fields) = &mut value {
                fields.insert("taken".to_owned(), costs::taken_json(app, &taken));
                if let Some(corrections) = &corrections {
                    let said = corrections.said().map(correction_json);
                    fields.insert("corrections".to_owned(), said.collect());
                }
            }
            shown.push(value);
        } else {
            let taken = costs::taken(app, &taken);
            print_memory(&stored, &sources, corrections.as_ref(), &taken)?;
        }
    }
    if app.json {
        return output::print_json(&Value::Array(shown));
    }
    print_deferrals(app, seen, |stored| {
        (stored.scope, &stored.scope_id) == (scope, &scope_id)
    })
    .await
}

/// The corrections of a channel as of now.
async fn corrections(app: &App, channel_id: &str) -> anyhow::Result<Corrections> {
    Ok(Corrections::read(&looking(app)?, channel_id, app.time(None)).await?)
}

/// The component over the store, without models.
pub(super) fn looking(app: &App) -> anyhow::Result<MemoryPlugin> {
    let plugin = MemoryPlugin::builder()
        .component(app.load_component()?)
        .settings(app.config.settings()?)
        .storage(app.existing_workspace()?)
        .build()?;
    Ok(plugin)
}

fn correction_json(said: &KeptText) -> Value {
    json!({
        "ts": said.span.message.ts,
        "author": said.user.name,
        "text": said.text,
    })
}

fn print_memory(
    stored: &StoredMemory,
    sources: &Sources,
    corrections: Option<&Corrections>,
    taken: &[String],
) -> anyhow::Result<()> {
    let memory = &stored.memory;
    let mut out = output::stdout();
    writeln!(
        out,
        "## {} {}, {}",
        place_of(stored),
        names::memory_type(memory.memory_type),
        remarks::version(memory.version)
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
    if stored.is_stand_in() {
        writeln!(out, "{STANDS_IN}")?;
    }
    let truncated = stored.truncated == Some(true);
    if let Some(remarks) = remarks::remarks(truncated, stored.coverage.as_ref()) {
        writeln!(out, "({remarks})")?;
    }
    writeln!(out, "memory {}", memory.id)?;
    for line in taken {
        writeln!(out, "{line}")?;
    }
    let said: Vec<&KeptText> = corrections
        .into_iter()
        .flat_map(Corrections::said)
        .collect();
    match corrections.filter(|_| !said.is_empty()) {
        Some(corrections) => writeln!(out, "\n{}\n", corrections.text(memory))?,
        None => writeln!(out, "\n{}\n", remarks::text(memory))?,
    }
    for correction in said {
        let by = line(&correction.user.name);
        let at = output::time(correction.timestamp);
        writeln!(out, "corrected by {by}, {at}: {}", line(&correction.text))?;
    }
    print_sources(&mut out, sources)
}

fn print_sources(out: &mut impl std::io::Write, sources: &Sources) -> anyhow::Result<()> {
    for memory in &sources.memories {
        writeln!(
            out,
            "from memory {}: {} {} {}, {}, of {}{}",
            memory.id,
            names::scope(memory.scope),
            line(&memory.scope_id),
            names::memory_type(memory.memory_type),
            remarks::version(memory.version),
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
        let said = format!("{}: {}", message.author, message.text).replace('\n', " ");
        let said = if message.deleted {
            "(deleted)".to_owned()
        } else {
            said
        };
        writeln!(
            out,
            "from {}  {}",
            message.ts,
            output::excerpt(&said, EXCERPT_WIDTH)
        )?;
    }
    writeln!(out)?;
    print_records(out, &sources.records)
}
