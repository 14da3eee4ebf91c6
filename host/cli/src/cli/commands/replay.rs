//! `myao replay`: makes a recorded memory again.

use myao_bot::reading::memories::{number, texts};
use myao_plugin::Place;
use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_plugin::explain::explain;
use myao_plugin::printable::line;
use myao_plugin::recording::{Asked, Difference, Ending, Head, ImportCall, Replayed};
use myao_plugin::state::view::{MemoryFilter, StoredMemory, View};
use myao_plugin::{CallError, MemoryType, Scope, names};
use serde_json::{Value, json};
use similar::TextDiff;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::ReplayArgs;
use crate::cli::newest::{place_of, resolve};
use crate::cli::{output, remarks};

/// Lines shown around a change.
const CONTEXT_LINES: usize = 3;

/// Runs the command. The exit code is a failure if the text differs.
pub(crate) async fn run(app: &App, arguments: &ReplayArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let view = workspace.view(Place::Operator);
    let wanted = find(app, &*view, arguments).await?;
    let id = wanted.stored.memory.id;
    let recording = view.recording_of(id).await.explained()?.with_context(|| {
        format!(
            "memory {id} was not recorded: set `memory.recording: true` in the configuration, and the memories \
             made from then on can be replayed"
        )
    })?;
    let plugin = app.plugin()?.build()?;
    let (head, length) = (recording.head.clone(), recording.calls.len());
    let replayed = plugin.replay(recording).await?;
    let result = Replay {
        is_other_component: head.component != plugin.component_digest(),
        wanted,
        head,
        length,
        replayed,
    };
    if app.json {
        output::print_json(&result.json())?;
    } else {
        result.print(app, arguments.prompts)?;
    }
    Ok(if result.is_same() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// A memory, and the name of its version for people.
struct Wanted {
    stored: StoredMemory,
    number: u32,
}

async fn find(app: &App, view: &dyn View, arguments: &ReplayArgs) -> anyhow::Result<Wanted> {
    let (scope, scope_id) = match resolve(view, &arguments.memory).await {
        Ok(found) => found,
        // The name of a channel may be a number.
        Err(error) => match (arguments.memory.parse(), arguments.version) {
            (Ok(id), None) => return find_by_id(app, view, id).await,
            _ => return Err(error),
        },
    };
    let memory_type = match scope {
        Scope::Workspace => MemoryType::LongTerm,
        Scope::Channel if arguments.long_term => MemoryType::LongTerm,
        Scope::Channel | Scope::Thread => MemoryType::ShortTerm,
    };
    let numbered = numbered(
        texts(view, scope, &scope_id, memory_type, true)
            .await
            .explained()?,
    );
    let found = match arguments.version {
        None => numbered.into_iter().last(),
        Some(version) => numbered.into_iter().find(|wanted| wanted.number == version),
    };
    found.with_context(|| {
        let version = arguments
            .version
            .map(|version| format!(" with version {version}"));
        format!(
            "{} has no {} memory{}; `{}` and `history` show what there is",
            arguments.memory,
            names::memory_type(memory_type),
            version.unwrap_or_default(),
            app.command("memory list")
        )
    })
}

async fn find_by_id(app: &App, view: &dyn View, id: u64) -> anyhow::Result<Wanted> {
    for superseded in [false, true] {
        let filter = MemoryFilter {
            superseded,
            ..MemoryFilter::default()
        };
        let found = view.memories(filter).await.explained()?;
        if let Some(found) = found.iter().find(|stored| stored.memory.id == id) {
            let memory = &found.memory;
            let texts = texts(
                view,
                memory.scope,
                &memory.scope_id,
                memory.memory_type,
                true,
            )
            .await
            .explained()?;
            if let Some(wanted) = numbered(texts)
                .into_iter()
                .find(|wanted| wanted.stored.memory.id == id)
            {
                return Ok(wanted);
            }
        }
    }
    anyhow::bail!(
        "there is no channel and no memory {id}; `{}` lists the ids of memories",
        app.command("memory show")
    )
}

fn numbered(texts: Vec<StoredMemory>) -> Vec<Wanted> {
    texts
        .into_iter()
        .enumerate()
        .map(|(n, stored)| Wanted {
            number: number(n, &stored),
            stored,
        })
        .collect()
}

/// A replay, and the memory to compare it with.
struct Replay {
    wanted: Wanted,
    head: Head,
    /// How many calls to the host the recording holds.
    length: usize,
    replayed: Replayed,
    is_other_component: bool,
}

impl Replay {
    fn is_same(&self) -> bool {
        matches!(&self.replayed.ending, Ending::Saved(text) if *text == self.wanted.stored.memory.content)
    }

    fn print(&self, app: &App, prompts: bool) -> anyhow::Result<()> {
        let memory = &self.wanted.stored.memory;
        let mut out = output::stdout();
        writeln!(
            out,
            "## {} {}, {} (memory {})",
            place_of(&self.wanted.stored),
            names::memory_type(memory.memory_type),
            remarks::version(self.wanted.number),
            memory.id
        )?;
        writeln!(
            out,
            "recorded {} in {}: {} to the host",
            output::time(app.local_time(self.head.started_at / 1000)),
            self.head.export.name(),
            output::count(self.length as u64, "call"),
        )?;
        if prompts {
            for (n, asked) in self.replayed.asked.iter().enumerate() {
                print_asked(&mut out, n + 1, asked)?;
            }
        }
        writeln!(out)?;
        match &self.replayed.ending {
            Ending::Saved(text) => {
                writeln!(out, "{text}\n")?;
                if self.is_same() {
                    writeln!(out, "The same as what is stored, byte for byte.")?;
                } else {
                    writeln!(out, "Different from what is stored:")?;
                    write!(out, "{}", diff(&memory.content, text, "stored"))?;
                }
            }
            Ending::Differed(difference) => self.print_difference(&mut out, difference)?,
            Ending::Over(error) => writeln!(out, "Different: {}.", line(&over(error.as_ref())))?,
            _ => writeln!(out, "Different: this program does not know how it ended.")?,
        }
        if self.is_other_component {
            writeln!(out, "note: it was recorded with another component")?;
        }
        Ok(())
    }

    fn print_difference(
        &self,
        out: &mut impl std::io::Write,
        difference: &Difference,
    ) -> anyhow::Result<()> {
        let Difference {
            number,
            recorded,
            now,
        } = difference;
        write!(
            out,
            "Different: at call {number} of {} to the host ",
            self.length
        )?;
        if recorded.import == now.import {
            writeln!(out, "({}) the component asks something else.", now.import)?;
        } else {
            let (then, now) = (&recorded.import, &now.import);
            writeln!(out, "the component asks for {now}, where it was {then}.")?;
        }
        let texts = (readable(recorded), readable(now));
        let (then, now) = if texts.0 == texts.1 {
            (all(recorded), all(now))
        } else {
            texts
        };
        write!(out, "{}", diff(&then, &now, "recorded"))?;
        Ok(())
    }

    fn json(&self) -> Value {
        let memory = &self.wanted.stored.memory;
        let (mut text, mut parted, mut failure) = (None, None, None);
        match &self.replayed.ending {
            Ending::Saved(saved) => text = Some(saved),
            Ending::Differed(difference) => parted = Some(difference_json(difference)),
            Ending::Over(error) => failure = Some(over(error.as_ref())),
            _ => failure = Some("this program does not know how it ended".to_owned()),
        }
        json!({
            "id": memory.id,
            "scope": names::scope(memory.scope),
            "scope_id": memory.scope_id,
            "memory_type": names::memory_type(memory.memory_type),
            "number": self.wanted.number,
            "same": self.is_same(),
            "same_component": !self.is_other_component,
            "text": text,
            "stored_text": memory.content,
            "parted": parted,
            "failure": failure,
            "asked": self.replayed.asked.iter().map(asked_json).collect::<Vec<_>>(),
        })
    }
}

fn print_asked(out: &mut impl std::io::Write, n: usize, asked: &Asked) -> anyhow::Result<()> {
    writeln!(out, "\n### prompt {n}\n\n{}", asked.prompt.trim_end())?;
    match &asked.answer {
        Ok(answer) => writeln!(out, "\n### answer {n}\n\n{}", answer.trim_end())?,
        Err(error) => writeln!(out, "\n### no answer {n}: {}", line(error))?,
    }
    Ok(())
}

fn asked_json(asked: &Asked) -> Value {
    json!({
        "prompt": asked.prompt,
        "answer": asked.answer.as_ref().ok(),
        "error": asked.answer.as_ref().err(),
    })
}

fn difference_json(difference: &Difference) -> Value {
    let call = |call: &ImportCall| json!({ "import": call.import, "arguments": call.arguments });
    json!({
        "call": difference.number,
        "recorded": call(&difference.recorded),
        "now": call(&difference.now),
    })
}

/// Why a replay did not reach its save.
fn over(error: Option<&CallError>) -> String {
    match error {
        None => "the call is over now before it saves this memory".to_owned(),
        Some(CallError::Refused(error)) => explain(error),
        Some(error) => error.to_string(),
    }
}

fn diff(before: &str, after: &str, name: &str) -> String {
    let (before, after) = (with_end(before), with_end(after));
    TextDiff::from_lines(before.as_str(), after.as_str())
        .unified_diff()
        .context_radius(CONTEXT_LINES)
        .header(name, "now")
        .to_string()
}

fn with_end(text: &str) -> String {
    format!("{}\n", text.trim_end_matches('\n'))
}

/// All arguments of a call, as JSON.
fn all(call: &ImportCall) -> String {
    serde_json::to_string_pretty(&call.arguments).unwrap_or_default()
}

/// The arguments in a form that people can compare: prompts and texts as they are, everything else as JSON.
fn readable(call: &ImportCall) -> String {
    let texts: Vec<&str> = match call.import.as_str() {
        "llm.complete" => call.arguments.get("system_prompt").into_iter().collect(),
        "llm.complete-all" => {
            let requests = call.arguments.as_array().into_iter().flatten();
            requests
                .filter_map(|request| request.get("system_prompt"))
                .collect()
        }
        "llm.count-tokens" => {
            let texts = call.arguments.pointer("/1").and_then(Value::as_array);
            texts.into_iter().flatten().collect()
        }
        "storage.save-memory" => call.arguments.get("content").into_iter().collect(),
        _ => Vec::new(),
    }
    .into_iter()
    .filter_map(Value::as_str)
    .collect();
    if texts.is_empty() {
        return all(call);
    }
    texts.join("\n")
}
