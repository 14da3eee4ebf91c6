//! Work that waits for the bot, and work that it gave up.

use anyhow::anyhow;
use myao_plugin::Place;
use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::replies::{NOT_WANTED, ReplyState, StoredReply, TOO_MANY};
use myao_plugin::state::view::MemoryFilter;
use myao_plugin::storage::StorageError;

use super::super::parked::describe;
use super::health::Running;
use super::wait_line::WaitLine;
use super::{Finding, budget};
use crate::cli::app::App;
use crate::cli::{in_one_line, output};

/// Counting stops here.
const MOST: u32 = 1000;
/// How many waits are shown.
const SHOWN_WAITS: usize = 20;
/// How many errors are shown.
const SHOWN: usize = 3;

/// Findings for events, for answers, and for scheduled waits, if there are any; or a single finding if the database
/// cannot be read.
pub(super) async fn check(app: &App, bot: Option<Running>) -> Vec<Finding> {
    match look(app, bot).await {
        Ok(findings) => findings,
        Err(error) => vec![Finding::bad("waiting work", in_one_line(&error))],
    }
}

async fn look(app: &App, bot: Option<Running>) -> anyhow::Result<Vec<Finding>> {
    let workspace = app.workspace()?;
    let failed = |error: StorageError| anyhow!(explain_storage(&error));
    let bot_runs = bot.is_some();
    let mut findings = vec![
        events(&*workspace, bot_runs).await.map_err(failed)?,
        answers(app, &*workspace, bot_runs).await.map_err(failed)?,
    ];
    findings.extend(budget::check(app, &workspace).await?);
    findings.extend(parked(app, &*workspace).await.map_err(failed)?);
    findings.extend(gap(app, &*workspace, bot_runs).await.map_err(failed)?);
    if app.config.slack.bot_token.is_some() {
        findings.extend(swept(&*workspace).await.map_err(failed)?);
    }
    findings.extend(set_aside(app, &*workspace).await.map_err(failed)?);
    // A running bot knows all that its store knows, and more.
    let waits = match bot {
        Some(bot) => bot.waits,
        None => stored_waits(app, &*workspace).await.map_err(failed)?,
    };
    findings.extend(waits_finding(app, &waits));
    Ok(findings)
}

/// The finding for a time of which messages may be missing; `None` if there is none.
async fn gap(
    app: &App,
    workspace: &dyn Workspace,
    bot_runs: bool,
) -> Result<Option<Finding>, StorageError> {
    let gap = workspace.gap().await?;
    Ok(gap.map(|gap| {
        let since = output::time(app.local_time(gap.since));
        let found = format!("what Slack sent since {since} could not be stored, or was left out");
        Finding::warning("missed messages", found).with_advice(when_it_runs(bot_runs))
    }))
}

/// The finding for the comparison of stored messages with Slack's; `None` if no channel has messages.
async fn swept(workspace: &dyn Workspace) -> Result<Option<Finding>, StorageError> {
    const CHECK: &str = "silent deletions";
    let swept = workspace.swept().await?;
    if swept.channels == 0 {
        return Ok(None);
    }
    let (done, all) = (swept.done, swept.channels);
    let found = format!("{done} of {all} channels were compared with Slack, one after the other");
    if let Some((channel, why)) = swept.refused.first() {
        let count = swept.refused.len();
        let found = format!("{found}; Slack refuses {count}, as {channel}: {why}");
        let advice = "invite the bot again; each is tried once an hour";
        return Ok(Some(Finding::warning(CHECK, found).with_advice(advice)));
    }
    if swept.hidden == 0 {
        return Ok(Some(Finding::good(CHECK, found)));
    }
    let hidden = swept.hidden;
    let found = format!("{found}; Slack does not show {hidden} messages any more, which are kept");
    let advice = "`slack.follow_retention: true` removes what Slack does not show";
    Ok(Some(Finding::warning(CHECK, found).with_advice(advice)))
}

/// The finding for memories whose sources are not known; `None` if there are none.
async fn set_aside(app: &App, workspace: &dyn Workspace) -> Result<Option<Finding>, StorageError> {
    let view = workspace.view(Place::Operator);
    let memories = view.memories(MemoryFilter::default()).await?;
    let set_aside = memories.iter().filter(|stored| stored.is_set_aside).count();
    if set_aside == 0 {
        return Ok(None);
    }
    let found = count(
        set_aside,
        "memory of an earlier version or another program is set aside",
        "memories of earlier versions or other programs are set aside",
    );
    let advice = format!(
        "it is not known what they were made from, so nobody is shown them; `{}` makes memories anew from the messages, \
         and `{}` uses these again, if they hold nothing private",
        app.command("rebuild"),
        app.command("memory accept")
    );
    Ok(Some(
        Finding::warning("memories", found).with_advice(advice),
    ))
}

async fn stored_waits(app: &App, workspace: &dyn Workspace) -> Result<Vec<WaitLine>, StorageError> {
    let waits = workspace.waits(app.time(None).unix_seconds).await?;
    let lines = waits.into_iter().map(|found| {
        let until = output::time(app.local_time(found.until));
        WaitLine::new(found.kind.name(), &found.what, &until, &found.why)
    });
    Ok(lines.collect())
}

/// The finding for scheduled waits; `None` if there are none.
fn waits_finding(app: &App, waits: &[WaitLine]) -> Option<Finding> {
    const CHECK: &str = "waits";
    let mut found: Vec<&str> = waits.iter().map(|wait| wait.text.as_str()).collect();
    let more = format!("and {} more", found.len().saturating_sub(SHOWN_WAITS));
    if found.len() > SHOWN_WAITS {
        found.truncate(SHOWN_WAITS);
        found.push(&more);
    }
    if found.is_empty() {
        return None;
    }
    let found = found.join("; ");
    if waits.iter().all(|wait| wait.is_usual) {
        return Some(Finding::good(CHECK, found));
    }
    let retry = app.command("generate --retry");
    let advice = format!("each ends by itself; `{retry}` tries memories at once");
    Some(Finding::warning(CHECK, found).with_advice(advice))
}

async fn events(workspace: &dyn Workspace, bot_runs: bool) -> Result<Finding, StorageError> {
    const CHECK: &str = "events";
    if let Err(error) = workspace.try_keeping().await {
        let found = format!("none can be stored: {}", explain_storage(&error));
        return Ok(Finding::bad(CHECK, found));
    }
    let waiting = workspace.waiting_events(i64::MAX, MOST).await?.len();
    let found = count(waiting, "event waits", "events wait");
    Ok(match waiting {
        0 => Finding::good(CHECK, found),
        _ => Finding::warning(CHECK, found).with_advice(when_it_runs(bot_runs)),
    })
}

/// The finding for parked work; `None` if there is none.
async fn parked(app: &App, workspace: &dyn Workspace) -> Result<Option<Finding>, StorageError> {
    let parked = workspace.parked(MOST).await?;
    if parked.is_empty() {
        return Ok(None);
    }
    let mut found = vec![count(
        parked.len(),
        "piece of work failed and is not tried again",
        "pieces of work failed and are not tried again",
    )];
    let shown = parked.iter().take(SHOWN);
    found.extend(shown.map(|work| format!("{}: {}", describe(&work.what), work.error)));
    let advice = format!(
        "`{}` lists it, tries it again or drops it",
        app.command("parked")
    );
    let finding = Finding::warning("parked work", found.join("; "));
    Ok(Some(finding.with_advice(advice)))
}

async fn answers(
    app: &App,
    workspace: &dyn Workspace,
    bot_runs: bool,
) -> Result<Finding, StorageError> {
    const CHECK: &str = "answers";
    let waiting = workspace
        .list_replies(Some(ReplyState::Waiting), MOST)
        .await?;
    let mut given_up = workspace
        .list_replies(Some(ReplyState::GivenUp), MOST)
        .await?;
    // These were given up because of the configured limits, or of the channel's mode.
    let is_meant =
        |reply: &StoredReply| matches!(reply.error.as_deref(), Some(TOO_MANY | NOT_WANTED));
    given_up.retain(|reply| !is_meant(reply));
    let mut found = vec![count(waiting.len(), "answer waits", "answers wait")];
    if !given_up.is_empty() {
        found.push(count(given_up.len(), "was given up", "were given up"));
    }
    let failed = waiting.iter().chain(&given_up);
    found.extend(failed.filter_map(|reply| failure(app, reply)).take(SHOWN));
    let found = found.join("; ");
    Ok(match (waiting.is_empty(), given_up.is_empty()) {
        (true, true) => Finding::good(CHECK, found),
        (false, _) => Finding::warning(CHECK, found).with_advice(when_it_runs(bot_runs)),
        (true, false) => Finding::warning(CHECK, found)
            .with_advice("once the cause is mended, mention the bot again"),
    })
}

/// Where and why an answer failed.
fn failure(app: &App, reply: &StoredReply) -> Option<String> {
    let asked = output::time(app.local_time(reply.asked_at));
    let error = reply.error.as_ref()?;
    Some(format!("#{}, {asked}: {error}", reply.channel_name))
}

fn when_it_runs(bot_runs: bool) -> &'static str {
    if bot_runs {
        "the running bot works on it; its log shows failures"
    } else {
        "`myao run` goes on with it"
    }
}

/// `no events wait`, `1 event waits`, `2 events wait`.
fn count(n: usize, one: &str, more: &str) -> String {
    let most = usize::try_from(MOST).unwrap_or(usize::MAX);
    match n {
        0 => format!("no {more}"),
        1 => format!("1 {one}"),
        n if n >= most => format!("{n} or more {more}"),
        n => format!("{n} {more}"),
    }
}
