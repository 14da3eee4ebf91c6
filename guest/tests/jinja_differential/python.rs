//! The other side: `tests/jinja/render.py`, which gets the escaped texts and names.

use std::borrow::Cow;
use std::io::Write;
use std::process::{Command, Stdio};

use chrono::DateTime;
use myao_memory::bindings::types::{
    Context, ItemKind, KeptText, MemoryType, Message, Notes, Scope, ThreadMemory, Timestamp, User,
};
use myao_memory::prompt::harmless;
use serde_json::{Map, Value, json};

use crate::Case;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/jinja/render.py");

/// Jinja2's result for each case, or its error.
pub(crate) fn render(cases: &[Case]) -> Vec<Result<String, String>> {
    let python = std::env::var_os("MYAO_TEST_PYTHON").expect(
        "MYAO_TEST_PYTHON must name a Python with Jinja2 (tests/jinja/requirements.txt): \
         run `make test`, which sets it up",
    );
    let mut child = Command::new(&python)
        .arg(SCRIPT)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap_or_else(|error| panic!("{python:?} does not start: {error}; run `make test`"));
    let input: String = cases
        .iter()
        .map(|case| request(case).to_string() + "\n")
        .collect();
    // If the script ends early, standard error says why.
    let written = child.stdin.take().unwrap().write_all(input.as_bytes());
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && written.is_ok(),
        "{SCRIPT} failed under {python:?}; `make test` installs what it needs:\n{errors}"
    );
    String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(answer)
        .collect()
}

fn answer(line: &str) -> Result<String, String> {
    let answer: Value = serde_json::from_str(line).unwrap();
    match answer["prompt"].as_str() {
        Some(prompt) => Ok(prompt.to_owned()),
        None => Err(answer["error"].as_str().unwrap().to_owned()),
    }
}

fn request(case: &Case) -> Value {
    let templates = case
        .templates
        .iter()
        .map(|t| (t.name.clone(), json!(t.source)));
    json!({
        "context": context(case),
        "scope": match case.scope {
            Scope::Thread => "thread",
            Scope::Channel => "channel",
            Scope::Workspace => "workspace",
        },
        "memory_type": match case.memory_type {
            MemoryType::ShortTerm => "short_term",
            MemoryType::LongTerm => "long_term",
        },
        "existing_memory": shown(case.existing_memory.as_ref()),
        "legacy_workspace_short_term": case.legacy_workspace_short_term,
        "templates": templates.collect::<Map<_, _>>(),
    })
}

fn shown(text: Option<&String>) -> Option<Cow<'_, str>> {
    text.map(|text| harmless::text(text))
}

/// The context in the shape of `tests/goldens/context.json`.
fn context(case: &Case) -> Value {
    let context = &case.context;
    let history = &context.conversation_history;
    let threads = history
        .threads
        .iter()
        .map(|t| (t.thread_ts.clone(), messages(&t.messages)));
    let channels = context.channel_memories.iter().map(|channel| {
        let history = channel.short_term_memory_history.iter();
        let memory = json!({
            "channel_id": channel.channel_id,
            "channel_name": harmless::name(&channel.channel_name),
            "long_term_memory": shown(channel.long_term_memory.as_ref()),
            "short_term_memory": shown(channel.short_term_memory.as_ref()),
            "short_term_memory_history": history.filter_map(|text| shown(Some(text))).collect::<Vec<_>>(),
        });
        (channel.channel_id.clone(), memory)
    });
    json!({
        "persona": {
            "name": context.persona.name,
            "system_prompt": context.persona.system_prompt,
        },
        "workspace_long_term_memory": shown(context.workspace_long_term_memory.as_ref()),
        "workspace_short_term_memory": shown(context.workspace_short_term_memory.as_ref()),
        "channel_memories": channels.collect::<Map<_, _>>(),
        "conversation_history": {
            "channel_id": history.channel_id,
            "channel_name": harmless::name(&history.channel_name),
            "top_level_messages": messages(&history.top_level_messages),
            "thread_messages": threads.collect::<Map<_, _>>(),
        },
        "target_thread_ts": context.target_thread_ts,
        "thread_summaries": thread_summaries(context),
        "late_messages": late_messages(context),
        "programs": programs(context),
        "program_lines": program_lines(case),
        "records": kept(context, |notes| &notes.records),
        "pinned": kept(context, |notes| &notes.pinned),
        "corrections": kept(context, |notes| &notes.corrections),
        "today": today(context),
        "asks_for_items": context.notes.as_ref().is_some_and(|notes| notes.items.is_some()),
        "items": items(context),
    })
}

fn items(context: &Context) -> Value {
    let items = context
        .notes
        .as_ref()
        .and_then(|notes| notes.items.as_deref());
    let shown = (1..).zip(items.unwrap_or_default()).map(|(number, item)| {
        json!({
            "number": number,
            "kind": if item.kind == ItemKind::Task { "task" } else { "decision" },
            "title": harmless::line(&item.title.text),
            "owner": item.owner.as_ref().map(|owner| harmless::name(&owner.name)),
            "due": item.due,
        })
    });
    shown.collect()
}

fn kept(context: &Context, of: impl Fn(&Notes) -> &Vec<KeptText>) -> Value {
    let records = context.notes.as_ref().map_or(&[][..], |notes| of(notes));
    let shown = records.iter().map(|record| {
        json!({
            "user": {
                "id": record.user.id,
                "name": harmless::name(&record.user.name),
                "is_bot": record.user.is_bot,
            },
            "text": harmless::line(&record.text),
            "timestamp": iso(record.timestamp),
            "edited_at": null,
        })
    });
    shown.collect()
}

/// `2024-03-01 (金, Fri)`.
fn today(context: &Context) -> Option<String> {
    let now = context.notes.as_ref()?.now?;
    let seconds = now.unix_seconds + i64::from(now.utc_offset_seconds);
    let date = DateTime::from_timestamp(seconds, 0)?.date_naive();
    let day = date.format("%a").to_string();
    let japanese = match day.as_str() {
        "Mon" => "月",
        "Tue" => "火",
        "Wed" => "水",
        "Thu" => "木",
        "Fri" => "金",
        "Sat" => "土",
        _ => "日",
    };
    Some(format!("{date} ({japanese}, {day})"))
}

fn thread_summaries(context: &Context) -> Value {
    let summaries = context.thread_memories.iter();
    let summary = |memory: &ThreadMemory| {
        json!({
            "thread_ts": harmless::name(&memory.thread_ts),
            "content": harmless::text(&memory.content),
        })
    };
    let shown = summaries.filter(|_| context.notes.is_some());
    shown.map(summary).collect()
}

fn late_messages(context: &Context) -> Value {
    let late = context.notes.as_ref().map_or(&[][..], |notes| &notes.late);
    let history = &context.conversation_history;
    let threads = history.threads.iter().flat_map(|thread| &thread.messages);
    let all = history.top_level_messages.iter().chain(threads);
    let is_late = |message: &&Message| late.iter().any(|late| late.ts == message.ts);
    let late: Vec<Message> = all.filter(is_late).cloned().collect();
    messages(&late)
}

fn programs(context: &Context) -> Value {
    let notes = context.notes.as_ref();
    if !notes.is_some_and(|notes| notes.programs) {
        return json!([]);
    }
    let history = &context.conversation_history;
    let threads = history.threads.iter().flat_map(|thread| &thread.messages);
    let messages = history.top_level_messages.iter().chain(threads);
    let records = notes.into_iter().flat_map(|notes| {
        let marks = notes.pinned.iter().chain(&notes.corrections);
        notes.records.iter().chain(marks)
    });
    let all: Vec<(&User, Timestamp)> = messages
        .map(|message| (&message.user, message.timestamp))
        .chain(records.map(|record| (&record.user, record.timestamp)))
        .collect();
    let of_programs = || all.iter().filter(|(user, _)| user.is_bot);
    let mut names: Vec<&str> = Vec::new();
    for (user, _) in of_programs() {
        let name = user.name.as_str();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let program = |name: &str| {
        let is_shared = all
            .iter()
            .any(|(user, _)| !user.is_bot && user.name == name);
        let own = of_programs().filter(|(user, _)| is_shared && user.name == name);
        let times: Vec<String> = own.map(|(_, timestamp)| iso(*timestamp)).collect();
        json!({ "name": harmless::name(name), "times": times })
    };
    names.into_iter().map(program).collect()
}

/// The lines of notes that are in a memory of the prompt.
fn program_lines(case: &Case) -> Value {
    let context = &case.context;
    let all = context.channel_memories.iter();
    let long_terms = all
        .clone()
        .filter_map(|channel| channel.long_term_memory.as_ref());
    let histories = all
        .clone()
        .flat_map(|channel| &channel.short_term_memory_history);
    let newest = all.filter_map(|channel| {
        let history = channel.short_term_memory_history.last();
        Some((
            &channel.channel_id,
            history.or(channel.short_term_memory.as_ref())?,
        ))
    });
    let own = &context.conversation_history.channel_id;
    let own = newest
        .clone()
        .find(|(id, _)| *id == own)
        .map(|(_, text)| text);
    let overview = context.workspace_long_term_memory.iter();
    let existing = case.existing_memory.iter();
    let shown: Vec<&String> = match (case.scope, case.memory_type) {
        (Scope::Thread, _) => {
            let workspace = overview.chain(&context.workspace_short_term_memory);
            workspace.chain(long_terms).chain(histories).collect()
        }
        (Scope::Channel, MemoryType::ShortTerm) => {
            let threads = context.thread_memories.iter().map(|memory| &memory.content);
            overview.chain(threads).collect()
        }
        (Scope::Channel, MemoryType::LongTerm) => overview.chain(existing).chain(own).collect(),
        (Scope::Workspace, MemoryType::LongTerm) => existing.chain(long_terms).collect(),
        (Scope::Workspace, MemoryType::ShortTerm) => {
            existing.chain(newest.map(|(_, text)| text)).collect()
        }
    };
    let notes = context.notes.iter().flat_map(|notes| &notes.program_lines);
    let lines = notes.filter(|line| shown.iter().any(|text| text.contains(line.as_str())));
    let beginning = |line: &String| -> String {
        let first = line.split('\n').next().unwrap();
        harmless::text(&first.chars().take(60).collect::<String>()).into_owned()
    };
    lines.map(beginning).collect()
}

fn messages(messages: &[Message]) -> Value {
    let message = |message: &Message| {
        json!({
            "ts": message.ts,
            "user": {
                "id": message.user.id,
                "name": harmless::name(&message.user.name),
                "is_bot": message.user.is_bot,
            },
            "text": harmless::text(&message.text),
            "timestamp": iso(message.timestamp),
            "thread_ts": message.thread_ts,
        })
    };
    messages.iter().map(message).collect()
}

fn iso(time: Timestamp) -> String {
    let offset = time.utc_offset_seconds;
    let local = DateTime::from_timestamp(time.unix_seconds + i64::from(offset), 0).unwrap();
    let sign = if offset < 0 { '-' } else { '+' };
    let minutes = offset.unsigned_abs() / 60;
    format!(
        "{}{sign}{:02}:{:02}",
        local.format("%Y-%m-%dT%H:%M:%S"),
        minutes / 60,
        minutes % 60
    )
}
