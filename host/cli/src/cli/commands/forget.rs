//! `myao forget`: removes messages with everything made from them, and prints a receipt.

use std::io::Write as _;
use std::process::ExitCode;

use anyhow::Context as _;
use myao_plugin::printable::line;
use myao_plugin::state::Workspace;
use myao_plugin::state::forgetting::{Erased, Forget, MIN_SEARCHED_CHARS, Mode, Receipt, Search};
use myao_plugin::ts::TsKey;
use myao_slack::permalink;
use serde_json::{Value, json};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::{ForgetArgs, ForgetWhat};
use crate::cli::dates::beginning;
use crate::cli::find::{find_any_channel, find_user};
use crate::cli::output;

/// The log that `forget` keeps, and the copies that it cannot reach.
const NOT_REACHED: &str = "Kept: the audit log, which has ids and counts and no text.\nNot reached: backups and copies of the database, what the model's provider keeps, and people's own messages in Slack.";

pub(crate) async fn run(app: &App, arguments: &ForgetArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let (what, name) = what(app, &*workspace, &arguments.what).await?;
    let now = app.time(None).unix_seconds;
    let waiting = output::waiting("forgetting");
    let mode = if arguments.dry_run {
        Mode::DryRun
    } else {
        Mode::EraseAndSearch
    };
    let receipt = workspace.forget(what, now, mode).await.explained();
    drop(waiting);
    let receipt = receipt?;
    if app.json {
        output::print_json(&receipt_json(&receipt))?;
    } else {
        print(app, &name, &receipt)?;
    }
    Ok(ExitCode::SUCCESS)
}

/// The target of an argument, and its name in the output.
async fn what(
    app: &App,
    workspace: &dyn Workspace,
    arguments: &ForgetWhat,
) -> anyhow::Result<(Forget, String)> {
    if let Some(message) = &arguments.message {
        let (channel, ts) = message_of(message)?;
        let channel = find_any_channel(workspace, &channel).await?;
        let name = format!("message {ts} of #{}", channel.name);
        let channel_id = channel.id;
        return Ok((Forget::Message { channel_id, ts }, name));
    }
    if let Some(user) = &arguments.user {
        let user = find_user(workspace, user).await?;
        let name = format!("what {} ({}) said", user.name, user.id);
        return Ok((Forget::User(user.id), name));
    }
    if let Some(channel) = &arguments.channel {
        let channel = find_any_channel(workspace, channel).await?;
        let name = format!("channel #{}", channel.name);
        return Ok((Forget::Channel(channel.id), name));
    }
    if arguments.credentials {
        return Ok((Forget::Credentials, "credentials in messages".to_owned()));
    }
    let before = arguments.before.context("name what to forget")?;
    let seconds = beginning(app, before).div_euclid(1000);
    let name = format!(
        "everything before {}",
        output::time(app.local_time(seconds))
    );
    Ok((Forget::Before(TsKey::first_of(seconds)), name))
}

/// The channel and the id of a message.
pub(super) fn message_of(text: &str) -> anyhow::Result<(String, TsKey)> {
    if let Some(found) = permalink::parse(text) {
        return Ok(found);
    }
    let (channel, ts) = text.rsplit_once(':').with_context(|| {
        format!(
            "`{text}` names no message: give the link that Slack copies, or CHANNEL:TS, as in C0123:1709287200.000100"
        )
    })?;
    let ts = TsKey::parse(ts)
        .with_context(|| format!("`{text}` names no message: its id is like 1709287200.000100"))?;
    Ok((channel.to_owned(), ts))
}

fn print(app: &App, name: &str, receipt: &Receipt) -> anyhow::Result<()> {
    let mut out = output::stdout();
    let heading = match &receipt.search {
        Some(_) => "Forgotten",
        None => "Would be forgotten",
    };
    writeln!(out, "{heading}: {}", line(name))?;
    for (thing, n) in rows(&receipt.erased) {
        writeln!(out, "{n:>8}  {thing}")?;
    }
    let Some(search) = &receipt.search else {
        writeln!(out, "Nothing was changed: this was a dry run.")?;
        return Ok(());
    };
    print_search(search)?;
    if receipt.erased.remembered_anew > 0 {
        writeln!(
            out,
            "The rest of what the lost lines said is remembered anew by the next run. Next: {}",
            app.command("generate")
        )?;
    }
    writeln!(out, "{NOT_REACHED}")?;
    Ok(())
}

fn print_search(search: &Search) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if search.texts > 0 {
        let looked_for = output::count(search.texts as u64, "text");
        if search.found.is_empty() {
            writeln!(
                out,
                "Looked for {looked_for} in everything that is stored: none is left."
            )?;
        } else {
            writeln!(
                out,
                "Looked for {looked_for} in everything that is stored. Others have said the same, or it was made from what others said:"
            )?;
            for found in &search.found {
                writeln!(out, "{:>8}  in {}", found.rows, line(&found.place))?;
            }
        }
    }
    if search.left_out > 0 {
        writeln!(
            out,
            "Not looked for: {}, too many or shorter than {MIN_SEARCHED_CHARS} characters.",
            output::count(search.left_out as u64, "text")
        )?;
    }
    if let Some(why) = &search.kept_pages {
        writeln!(
            out,
            "warning: {}; it may hold old pages until that program ends, or until you forget again",
            line(why)
        )?;
    }
    Ok(())
}

/// The layers from which something went; the messages are always listed.
fn rows(erased: &Erased) -> Vec<(&'static str, usize)> {
    let rows = [
        ("messages", erased.messages),
        ("lines of memories", erased.lines),
        ("memories that these lines stood in", erased.memories),
        (
            "posts of the bot, replaced in Slack by a note",
            erased.posts,
        ),
        ("recordings of calls of the model", erased.recordings),
        ("stored answers of the model", erased.model_answers),
        (
            "parts of answers that were not sent yet",
            erased.unsent_parts,
        ),
        ("events that could not be applied", erased.events),
        (
            "other messages that are remembered anew",
            erased.remembered_anew,
        ),
    ];
    rows.into_iter()
        .filter(|(thing, n)| *n > 0 || *thing == "messages")
        .collect()
}

fn receipt_json(receipt: &Receipt) -> Value {
    let erased = &receipt.erased;
    json!({
        "dry_run": receipt.search.is_none(),
        "erased": {
            "messages": erased.messages,
            "lines": erased.lines,
            "memories": erased.memories,
            "posts": erased.posts,
            "recordings": erased.recordings,
            "model_answers": erased.model_answers,
            "unsent_parts": erased.unsent_parts,
            "events": erased.events,
        },
        "remembered_anew": erased.remembered_anew,
        "search": receipt.search.as_ref().map(|search| json!({
            "texts": search.texts,
            "left_out": search.left_out,
            "found": search.found.iter().map(|found| json!({
                "place": found.place,
                "rows": found.rows,
            })).collect::<Vec<_>>(),
            "kept_pages": search.kept_pages,
        })),
    })
}
