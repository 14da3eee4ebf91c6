//! `myao pin` and `myao correct`: what the operator marks.

use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::process::ExitCode;

use anyhow::Context as _;
use myao_bot::marking;
use myao_plugin::Strikable;
use myao_plugin::printable::line;
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::ts::TsKey;
use serde_json::{Value, json};

use super::forget::message_of;
use super::memory::looking;
use crate::cli::app::{App, Explained as _};
use crate::cli::args::{CorrectArgs, PinArgs};
use crate::cli::find::find_any_channel;
use crate::cli::output;

/// Pins a message, or takes the operator's pin off. What people pinned in Slack stays.
pub(crate) async fn pin(app: &App, arguments: &PinArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let (channel, ts) = message_of(&arguments.message)?;
    let channel = find_any_channel(&*workspace, &channel).await?;
    let author = workspace.author(&channel.id, ts).await.explained()?;
    author.with_context(|| format!("message {ts} of #{} is not stored", line(&channel.name)))?;
    let is_pinned = !arguments.undo;
    let clock = app.clock();
    let pinned = marking::pin(&*workspace, &clock, &channel.id, ts, is_pinned);
    pinned.await.explained()?;
    if app.json {
        let pinned = json!({ "channel_id": channel.id, "ts": ts.to_string(), "pinned": is_pinned });
        output::print_json(&pinned)?;
    } else {
        let done = if is_pinned {
            "Pinned"
        } else {
            "No longer pinned by you"
        };
        writeln!(
            output::stdout(),
            "{done}: message {ts} of #{}",
            line(&channel.name)
        )?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Stores a correction as a message of the operator's in the channel, and strikes what the operator picks. It is not posted.
pub(crate) async fn correct(app: &App, arguments: &CorrectArgs) -> anyhow::Result<ExitCode> {
    let text = arguments.text.trim();
    anyhow::ensure!(!text.is_empty(), "a correction says something");
    let workspace = app.existing_workspace()?;
    let channel = find_any_channel(&*workspace, &arguments.channel).await?;
    let bot = &app.config.persona.name;
    let clock = app.clock();
    let stored = marking::correct(&*workspace, &clock, bot, &channel.id, text);
    let ts = stored.await.explained()?;
    if !app.json {
        let (name, text) = (line(&channel.name), line(text));
        writeln!(output::stdout(), "Corrected in #{name}: {text}")?;
    }
    let (id, now) = (ts.to_string(), clock.now());
    let strikable = looking(app)?.list_strikable(&channel.id, &id, now).await?;
    let picked = picked(app, &strikable, arguments.yes)?;
    let struck: Vec<&str> = picked.iter().map(|of| &*of.said.span.message.ts).collect();
    let keys: Vec<TsKey> = struck.iter().flat_map(|ts| TsKey::parse(ts)).collect();
    if !keys.is_empty() {
        let of = (channel.id.as_str(), ts);
        let kept = marking::strike(&*workspace, &clock, of, (OPERATOR_ID, keys));
        kept.await.explained()?;
    }
    if app.json {
        let strikable = strikable.iter().map(|of| {
            let said = &of.said;
            json!({ "ts": said.span.message.ts, "author": said.user.name, "text": said.text, "is_likely": of.is_likely })
        });
        let strikable: Value = strikable.collect();
        let done =
            json!({ "channel_id": channel.id, "ts": id, "strikable": strikable, "struck": struck });
        output::print_json(&done)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    let count = u64::try_from(struck.len())?;
    writeln!(out, "It strikes {}.", output::count(count, "message"))?;
    let undo = app.command(&format!("forget --message {}:{id}", channel.id));
    writeln!(out, "To undo it: {undo}")?;
    Ok(ExitCode::SUCCESS)
}

/// What is struck: with `--yes` what is likely, or what a person in a terminal picks from a list; else nothing.
fn picked<'s>(
    app: &App,
    strikable: &'s [Strikable],
    yes: bool,
) -> anyhow::Result<Vec<&'s Strikable>> {
    let likely = || strikable.iter().filter(|of| of.is_likely).collect();
    if app.json || strikable.is_empty() {
        return Ok(if yes { likely() } else { Vec::new() });
    }
    let mut out = output::stdout();
    writeln!(out, "It may strike what these say differently:")?;
    for (number, of) in strikable.iter().enumerate() {
        let (tick, said) = (if of.is_likely { 'x' } else { ' ' }, &of.said);
        let (at, author) = (output::time(said.timestamp), line(&said.user.name));
        let (number, text) = (number + 1, line(&said.text));
        writeln!(out, "{number:>3} [{tick}] {at} {author}: {text}")?;
    }
    if yes {
        return Ok(likely());
    }
    if !(std::io::stdin().is_terminal() && output::in_terminal()) {
        writeln!(
            out,
            "Nothing is picked: this is no terminal, and --yes is not given."
        )?;
        return Ok(Vec::new());
    }
    loop {
        write!(out, "Numbers to strike, 0 for none [those with x]> ")?;
        out.flush()?;
        let mut answer = String::new();
        let read = std::io::stdin().lock().read_line(&mut answer);
        anyhow::ensure!(read? > 0, "nothing is struck, as nothing was picked");
        let numbers: Result<Vec<usize>, _> = answer
            .split([' ', ',', '\n'])
            .filter(|number| !number.trim().is_empty())
            .map(str::parse)
            .collect();
        match numbers {
            Ok(numbers) if numbers.is_empty() => return Ok(likely()),
            Ok(numbers) if numbers.iter().all(|number| *number <= strikable.len()) => {
                let picked = numbers
                    .into_iter()
                    .filter_map(|number| number.checked_sub(1));
                return Ok(picked.filter_map(|at| strikable.get(at)).collect());
            }
            _ => writeln!(out, "Numbers of the list, with spaces between them")?,
        }
    }
}
