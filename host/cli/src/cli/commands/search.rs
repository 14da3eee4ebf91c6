//! `myao search`: finds messages by their content.

use std::io::Write as _;
use std::process::ExitCode;

use myao_bot::reading::hits::{self, found_json};
use myao_bot::reading::links::link_or_id;
use myao_plugin::printable::line;
use myao_plugin::{Hit, MemoryPlugin, SearchRequest, SearchResult, Timestamp};

use crate::cli::app::{App, Explained as _};
use crate::cli::args::SearchArgs;
use crate::cli::dates::{as_of, beginning, last_second};
use crate::cli::output;
use crate::cli::seen::place;

/// The colour of the words that were looked for: bold.
const MARK: &str = "\x1b[1m";
const UNMARK: &str = "\x1b[0m";
/// How far the text of a message is set in.
const INDENT: &str = "    ";

pub(crate) async fn run(app: &App, arguments: &SearchArgs) -> anyhow::Result<ExitCode> {
    let workspace = app.existing_workspace()?;
    let place = place(&*workspace, arguments.in_channel.as_deref()).await?;
    let address = workspace.address().await.explained()?;
    let mut plugin = MemoryPlugin::builder()
        .component(app.load_component()?)
        .call_observer(app.servers.clone())
        .settings(app.config.settings()?)
        .storage(workspace.clone());
    if let Some(embedder) = app.embedder(&workspace, Some(app.budget(&workspace)?))? {
        plugin = plugin.embedder(embedder);
    }
    let plugin = plugin.build()?;
    let as_of = arguments.as_of.map(|moment| as_of(app, moment));
    let now = as_of.unwrap_or_else(|| app.time(None));
    let request = SearchRequest {
        text: arguments.words.join(" "),
        since: arguments
            .since
            .map(|since| app.local_time(beginning(app, since).div_euclid(1000))),
        until: arguments.until.map(|until| last_second(app, until)),
        limit: arguments.limit,
    };
    let mut found = plugin.search(place, &request, now).await?;
    if as_of.is_none() {
        // Nobody asked for an end that is now.
        found.until = found
            .until
            .filter(|until| until.unix_seconds < now.unix_seconds);
    }
    if app.json {
        output::print_json(&found_json(&found, address.as_deref()))?;
    } else {
        print(app, &request.text, &found, address.as_deref())?;
    }
    Ok(ExitCode::SUCCESS)
}

fn print(
    app: &App,
    words: &str,
    found: &SearchResult,
    address: Option<&str>,
) -> anyhow::Result<()> {
    let mut out = output::stdout();
    if found.hits.is_empty() {
        let when = asked_time(found).map_or(String::new(), |when| format!(" {when}"));
        writeln!(out, "Nothing is found for {}{when}.", line(words))?;
        writeln!(
            out,
            "Try fewer or other words; `{}` lists the channels that have memories.",
            app.command("memory list")
        )?;
        return Ok(());
    }
    drop(out);
    let marks = output::in_terminal();
    for hit in &found.hits {
        print_hit(hit, address, marks)?;
    }
    Ok(())
}

/// Which time was asked for, in words.
fn asked_time(found: &SearchResult) -> Option<String> {
    let time = |time: Option<Timestamp>| time.map(output::time);
    match (time(found.since), time(found.until)) {
        (Some(since), Some(until)) => Some(format!("from {since} to {until}")),
        (Some(since), None) => Some(format!("since {since}")),
        (None, Some(until)) => Some(format!("up to {until}")),
        (None, None) => None,
    }
}

fn print_hit(hit: &Hit, address: Option<&str>, marks: bool) -> anyhow::Result<()> {
    let message = &hit.message;
    writeln!(
        output::stdout(),
        "{}  #{}  {}  {}",
        output::time(message.timestamp),
        line(&hit.channel_name),
        line(&message.user.name),
        line(&link_or_id(&hit.at, address))
    )?;
    for text in message.text.lines() {
        // Marks are the only control sequences: the text has none left when they are put in.
        let text = line(text);
        let text = if marks {
            marked(&text, &hit.terms)
        } else {
            text.into_owned()
        };
        writeln!(output::raw_stdout(), "{INDENT}{text}")?;
    }
    Ok(())
}

/// A text with these terms marked.
fn marked(text: &str, terms: &[String]) -> String {
    let parts = hits::marked(text, terms).into_iter();
    let shown = parts.map(|(part, is_marked)| match is_marked {
        true => format!("{MARK}{part}{UNMARK}"),
        false => part.to_owned(),
    });
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::marked;

    #[test]
    fn words_that_were_looked_for_are_marked() {
        let marked = |text: &str, terms: &[&str]| {
            let terms: Vec<String> = terms.iter().map(|term| (*term).to_owned()).collect();
            marked(text, &terms)
                .replace("\x1b[1m", "<")
                .replace("\x1b[0m", ">")
        };
        assert_eq!(marked("The Crane comes", &["crane"]), "The <Crane> comes");
        assert_eq!(marked("決済障害の件", &["障害", "害の"]), "決済<障害の>件");
        assert_eq!(marked("see A-1234", &["a-1234", "a"]), "see <A-1234>");
        assert_eq!(marked("none", &["crane"]), "none");
    }
}
