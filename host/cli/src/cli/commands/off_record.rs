//! `myao off` and `myao on`: whose messages are not remembered.

use std::io::Write as _;
use std::process::ExitCode;

use myao_bot::marking;
use myao_plugin::printable::line;
use myao_plugin::state::Workspace;
use myao_plugin::state::off_record::Speaker;
use myao_plugin::ts::TsKey;
use serde_json::json;

use crate::cli::app::{App, Explained as _};
use crate::cli::args::SpeakerArgs;
use crate::cli::find::{find_any_channel, find_user};
use crate::cli::output;

/// A channel or person, with the name that is shown.
struct Named {
    speaker: Speaker,
    name: String,
}

/// Takes somebody's messages off the record, or puts them back on it; lists who is off it if nobody is named.
pub(crate) async fn switch(
    app: &App,
    arguments: &SpeakerArgs,
    is_off: bool,
) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let Some(named) = named(&*workspace, arguments).await? else {
        list(app, &*workspace).await?;
        return Ok(ExitCode::SUCCESS);
    };
    let (speaker, clock) = (named.speaker.clone(), app.clock());
    let changed = marking::off_record(&*workspace, &clock, speaker, is_off);
    let has_changed = changed.await.explained()?;
    if app.json {
        let (key, id) = named.speaker_id();
        let done = json!({ key: id, "off_record": is_off, "changed": has_changed });
        output::print_json(&done)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::stdout();
    let name = line(&named.name);
    match (is_off, has_changed) {
        (true, true) => writeln!(out, "From now on nothing is remembered of {name}")?,
        (false, true) => writeln!(out, "Remembered from now on: {name}")?,
        (true, false) => writeln!(out, "Already off the record: {name}")?,
        (false, false) => writeln!(out, "Was not off the record: {name}")?,
    }
    if is_off {
        let (option, id) = match &named.speaker {
            Speaker::Channel(id) => ("--channel", id),
            Speaker::User(id) => ("--user", id),
        };
        let forget = app.command(&format!("forget {option} {id}"));
        writeln!(out, "What was said before stays. To remove it: {forget}")?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn named(
    workspace: &dyn Workspace,
    arguments: &SpeakerArgs,
) -> anyhow::Result<Option<Named>> {
    if let Some(channel) = &arguments.channel {
        let channel = find_any_channel(workspace, channel).await?;
        return Ok(Some(Named {
            name: format!("#{}", channel.name),
            speaker: Speaker::Channel(channel.id),
        }));
    }
    let Some(user) = &arguments.user else {
        return Ok(None);
    };
    let user = find_user(workspace, user).await?;
    Ok(Some(Named {
        name: format!("{} ({})", user.name, user.id),
        speaker: Speaker::User(user.id),
    }))
}

async fn list(app: &App, workspace: &dyn Workspace) -> anyhow::Result<()> {
    let channels = workspace.all_channels().await.explained()?;
    let users = workspace.users().await.explained()?;
    let mut listed: Vec<(Named, TsKey)> = Vec::new();
    for (speaker, since) in workspace.all_off_record().await.explained()? {
        // Of somebody who has never written, only the id may be known.
        let name = match &speaker {
            Speaker::Channel(id) => {
                let known = channels.iter().find(|channel| channel.id == *id);
                format!("#{}", known.map_or(id, |channel| &channel.name))
            }
            Speaker::User(id) => match users.iter().find(|user| user.id == *id) {
                Some(user) => format!("{} ({id})", user.name),
                None => id.clone(),
            },
        };
        listed.push((Named { speaker, name }, since));
    }
    let time = |since: TsKey| app.local_time(since.unix_seconds());
    if app.json {
        let listed = listed.iter().map(|(named, since)| {
            let (key, id) = named.speaker_id();
            json!({ key: id, "since": output::rfc3339(time(*since)) })
        });
        return output::print_json(&listed.collect());
    }
    let mut out = output::stdout();
    if listed.is_empty() {
        writeln!(out, "Everybody and every channel is remembered.")?;
    }
    for (named, since) in &listed {
        let since = output::time(time(*since));
        writeln!(out, "{}, since {since}", line(&named.name))?;
    }
    Ok(())
}

impl Named {
    /// The id, and its key in JSON.
    fn speaker_id(&self) -> (&'static str, &str) {
        match &self.speaker {
            Speaker::Channel(id) => ("channel_id", id),
            Speaker::User(id) => ("user_id", id),
        }
    }
}
