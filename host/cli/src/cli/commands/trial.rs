//! `myao try`: shows what the memory of an export is worth, and leaves nothing behind.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use myao_plugin::printable::line;
use myao_plugin::state::Workspace;
use myao_plugin::storage::{Keep, Message, MessageQuery};
use myao_plugin::ts::TsKey;
use myao_plugin::{Place, Timestamp};
use myao_slack::blocks::Language;
use tempfile::TempDir;
use tokio::signal::unix::{SignalKind, signal};
use tokio::task::JoinHandle;
use unicode_width::UnicodeWidthStr as _;

use super::{ask, generate, import, init, serve};
use crate::cli::app::{App, Explained as _, model_file, quoted};
use crate::cli::args::{BackfillArgs, TryArgs};
use crate::cli::output;

/// How many of a channel's newest messages are looked through for questions.
const NEWEST: u32 = 200;
/// How long before the last message the time begins of which the first question asks.
const LATELY_SECONDS: i64 = 7 * 24 * 3600;
/// The largest number of people's own questions.
const ASKED: usize = 2;
/// How wide a question of a person's may be, in columns.
const WIDTHS: std::ops::RangeInclusive<usize> = 16..=100;
/// How often a folder is tried to be removed in which others may still be writing.
const ATTEMPTS: usize = 100;
/// The exit code of a program that a signal ended, as shells have it.
const INTERRUPTED: i32 = 130;

pub(crate) async fn run(app: &App, arguments: &TryArgs) -> anyhow::Result<ExitCode> {
    anyhow::ensure!(
        !app.json,
        "`try` is for people: `import`, `backfill`, `ask` and `serve` print JSON"
    );
    let (file, temporary) = match &arguments.keep {
        Some(file) => (kept(file)?, None),
        None => {
            let temporary = temporary()?;
            (temporary.0.path().join("myao.db"), Some(temporary))
        }
    };
    // Memories that were paid for would be lost if the page had no address in the end.
    let listener = serve::listener(arguments.page.listen).await?;
    let mut app = over(app, &file);
    if !arguments.yes {
        app.config.recall.embeddings.model_id = None;
    }
    import::take_in(&app, &arguments.export, arguments.taken.options()).await?;
    let agents = &app.config.agents;
    let asks_models = [&agents.memory, &agents.for_replies()]
        .iter()
        .any(|agent| agent.model_id.is_some());
    if asks_models && !arguments.yes {
        let estimate = BackfillArgs {
            until: None,
            keep_going: false,
            estimate: true,
        };
        generate::backfill(&app, &estimate).await?;
        let next = "Nothing is made yet: with --yes the model makes these memories, and answers up to three questions.";
        writeln!(output::stdout(), "{next}")?;
        return Ok(ExitCode::SUCCESS);
    }
    if app.config.recall.embeddings.model_id.is_none()
        && model_file(&app.config.recall.embeddings).is_none()
    {
        let words = "Messages are found by their words alone: `myao doctor` says how they are found by their meaning, too.";
        writeln!(output::stdout(), "{words}")?;
    }
    let failed = generate::make_all(&app).await?;
    ask_samples(&app).await?;
    let mut out = output::stdout();
    writeln!(out, "\nThe memories, and a box for your own questions:")?;
    drop(out);
    let again = app.command(&format!("try {}", quoted(&arguments.export)));
    let hears = || temporary.iter().for_each(|(_, stopped)| stopped.abort());
    serve::page(&app, listener, again, hears).await?;
    match arguments.keep.as_deref() {
        Some(file) => output::tell(&format!(
            "Kept. In a configuration, `memory: {{ database_path: {} }}` names it.",
            quoted(file)
        )),
        None => {
            drop(temporary);
            output::tell("All of it is removed.");
        }
    }
    Ok(failed)
}

/// The file of a database that is kept.
fn kept(file: &Path) -> anyhow::Result<PathBuf> {
    anyhow::ensure!(
        !file.exists(),
        "{} exists already: name another file with --keep",
        file.display()
    );
    Ok(file.to_owned())
}

/// The same program over that file. Without a configuration, times are those of this machine.
fn over(app: &App, file: &Path) -> App {
    let mut app = app.clone();
    app.config.memory.database_url = None;
    app.config.memory.database_path = file.to_owned();
    if app.config_path.is_none()
        && let Some(zone) = init::local_zone()
    {
        app.config.timezone = zone;
    }
    app
}

/// Makes a folder that is removed when it is dropped, or when a signal ends the program, whatever is under way.
fn temporary() -> anyhow::Result<(TempDir, JoinHandle<()>)> {
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let mut hang_up = signal(SignalKind::hangup())?;
    let folder = tempfile::Builder::new().prefix("myao-try-").tempdir();
    let folder = folder.context("cannot make a folder for the database")?;
    let path = folder.path().to_owned();
    let stopped = tokio::spawn(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
        remove(&path);
        std::process::exit(INTERRUPTED);
    });
    Ok((folder, stopped))
}

/// Removes a folder in which others may still be writing.
fn remove(folder: &Path) {
    let mut removed = Ok(());
    for _ in 0..ATTEMPTS {
        removed = std::fs::remove_dir_all(folder);
        if !folder.exists() {
            return;
        }
    }
    if let Err(error) = removed {
        output::complain(&format!("cannot remove {}: {error}", folder.display()));
    }
}

/// Asks questions of this workspace as of its last message, and prints the answers.
async fn ask_samples(app: &App) -> anyhow::Result<()> {
    let workspace = app.existing_workspace()?;
    let plugin = app.plugin_over(&workspace).await?;
    let Some((questions, now)) = samples(app, &*workspace).await? else {
        return Ok(());
    };
    let address = workspace.address().await.explained()?;
    for question in questions {
        writeln!(output::stdout(), "\n> {}", line(&question))?;
        let waiting = output::waiting("…");
        let response = plugin.ask(Place::Operator, &question, now).await;
        drop(waiting);
        match response {
            Ok(response) => ask::print(&response, address.as_deref())?,
            Err(error) => output::complain(&format!("no answer: {error}")),
        }
    }
    Ok(())
}

/// A channel's newest messages, the oldest first.
struct Talk {
    channel: String,
    messages: Vec<Message>,
}

/// Questions about the channel where most was said lately, and some that people asked themselves; and the time to ask at.
async fn samples(
    app: &App,
    workspace: &dyn Workspace,
) -> anyhow::Result<Option<(Vec<String>, Timestamp)>> {
    let talks = talks(app, workspace).await?;
    let last = talks.iter().filter_map(|talk| talk.messages.last());
    let Some(last) = last.map(|last| last.timestamp.unix_seconds).max() else {
        return Ok(None);
    };
    let since = last - LATELY_SECONDS;
    let recent = |talk: &&Talk| {
        let times = talk.messages.iter().map(|said| said.timestamp.unix_seconds);
        times.filter(|time| *time >= since).count()
    };
    let busiest = talks.iter().max_by_key(recent);
    let since = output::time(app.local_time(since));
    let day = since.split(' ').next().unwrap_or_default();
    let lately = busiest.map(|talk| lately(talk, day));
    let mut asked: Vec<&Message> = talks.iter().filter_map(newest_question).collect();
    asked.sort_by_key(|message| std::cmp::Reverse(message.timestamp.unix_seconds));
    let asked = asked.into_iter().take(ASKED);
    let questions = lately
        .into_iter()
        .chain(asked.map(|said| said.text.clone()));
    Ok(Some((questions.collect(), app.local_time(last + 1))))
}

async fn talks(app: &App, workspace: &dyn Workspace) -> anyhow::Result<Vec<Talk>> {
    let until = TsKey::first_of(app.clock().now().unix_seconds + 1).to_string();
    let seen = workspace.at(Place::Operator);
    let mut talks = Vec::new();
    for channel in seen.list_channels().await.explained()? {
        let query = MessageQuery {
            channel_id: channel.id,
            since: None,
            until: until.clone(),
            limit: NEWEST,
            keep: Keep::Newest,
            whole_thread: None,
            thread_limit: 0,
            only_new: false,
        };
        let messages = seen.list_messages(query).await.explained()?;
        let channel = channel.name;
        talks.push(Talk { channel, messages });
    }
    Ok(talks)
}

/// The question of what happened in a channel since a day, in the language of most of its messages.
fn lately(talk: &Talk, day: &str) -> String {
    let is_japanese = |message: &&Message| Language::of(&message.text) == Some(Language::Japanese);
    let japanese = talk.messages.iter().filter(is_japanese).count();
    let channel = &talk.channel;
    if japanese * 2 > talk.messages.len() {
        format!("{day} から #{channel} で何がありましたか？")
    } else {
        format!("What happened in #{channel} since {day}?")
    }
}

/// The newest question of a person after which somebody else spoke in the same thread, or at the top level.
fn newest_question(talk: &Talk) -> Option<&Message> {
    let mut after = Vec::new();
    for message in talk.messages.iter().rev() {
        let (thread, author) = (&message.thread_ts, &message.user.id);
        let is_answer = |(of, by): &(&Option<String>, &String)| *of == thread && *by != author;
        if is_question(message) && after.iter().any(is_answer) {
            return Some(message);
        }
        after.push((thread, author));
    }
    None
}

/// Returns true if a message is a question that can be asked by itself.
fn is_question(message: &Message) -> bool {
    let text = message.text.trim();
    !message.user.is_bot
        && text.ends_with(['?', '？'])
        && !text.contains(['@', '<', '\n', '`'])
        && WIDTHS.contains(&text.width())
}
