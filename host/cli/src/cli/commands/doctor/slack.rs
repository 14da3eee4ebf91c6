//! Slack: tokens, scopes, clock, and how events arrive.

use std::net::SocketAddr;
use std::time::Duration;

use chrono::DateTime;
use myao::config::Slack;
use myao_bot::clock::Clock;
use myao_slack::client::{AuthTest, MOST_SKEW, SlackClient};
use myao_slack::manifest::REQUIRED_SCOPES;
use myao_slack::token::Token;
use tokio::net::TcpListener;

use super::Finding;

const TOKEN: &str = "Slack token";
const SCOPES: &str = "Slack scopes";
const CLOCK: &str = "clock";
const EVENTS: &str = "Slack events";
/// How long to wait for Slack's answer, retries included.
const PATIENCE: Duration = Duration::from_secs(20);
/// Where to find the tokens.
const APP_PAGES: &str = "the app's pages at https://api.slack.com/apps";

/// The findings about Slack. `bot_runs` is true if a running bot may be using the port for events.
pub(super) async fn check(slack: &Slack, bot_runs: bool) -> Vec<Finding> {
    let (bot_token, app_token) = (set(&slack.bot_token), set(&slack.app_token));
    if bot_token.is_none() && app_token.is_none() && slack.listen.is_none() {
        let how = "`myao run` needs it: `myao slack manifest` prints the app to make, docs/running.md explains the rest";
        return vec![Finding::unset("Slack", "not configured").with_advice(how)];
    }
    let mut findings = Vec::new();
    let auth = match authenticated(&slack.api_url, bot_token).await {
        Ok((client, auth)) => {
            let name = auth.user.as_deref().unwrap_or(&auth.user_id);
            let found = format!("{} ({}), as {name}", auth.team, auth.url);
            findings.push(Finding::good(TOKEN, found));
            Some((client, auth))
        }
        Err(finding) => {
            findings.push(finding);
            None
        }
    };
    if let Some((client, auth)) = &auth {
        findings.push(match auth.scopes.as_deref() {
            Some(granted) => scopes(granted),
            None => unreported_scopes(client).await,
        });
        findings.extend(clock(auth.date.as_deref()));
    }
    findings.push(match slack.listen {
        Some(address) => http(address, set(&slack.signing_secret), bot_runs).await,
        None => socket_mode(&slack.api_url, app_token).await,
    });
    findings
}

fn set(text: &Option<String>) -> Option<&str> {
    text.as_deref()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

/// Checks a token of a given kind; its text is never shown.
fn token(check: &'static str, key: &str, text: &str, kind: &str) -> Result<Token, Finding> {
    let token = Token::new(text).map_err(|error| Finding::bad(check, format!("{key}: {error}")))?;
    if text.starts_with(kind) {
        return Ok(token);
    }
    let found = format!("{key} does not begin with {kind}");
    let other = match text.split('-').next() {
        Some("xapp") => ": an app-level token is there, which belongs in slack.app_token",
        Some("xoxb") => ": a bot token is there, which belongs in slack.bot_token",
        Some("xoxp") => ": a person's token is there",
        _ => "",
    };
    Err(Finding::bad(check, found + other).with_advice(format!("copy it from {APP_PAGES}")))
}

/// Calls Slack with the token of a key, and reports an error if the answer takes too long.
async fn patiently<T>(
    check: &'static str,
    key: &str,
    call: impl Future<Output = Result<T, myao_slack::error::ClientError>>,
) -> Result<T, Finding> {
    match tokio::time::timeout(PATIENCE, call).await {
        // Without a connection nothing is known about the token.
        Ok(Err(error)) if error.is_transient() => Err(Finding::bad(check, error.to_string())),
        Ok(answer) => answer.map_err(|error| Finding::bad(check, format!("{key}: {error}"))),
        Err(_) => {
            let found = format!("Slack did not answer within {} s", PATIENCE.as_secs());
            let advice = "check the network, slack.api_url, and https://slack-status.com";
            Err(Finding::bad(check, found).with_advice(advice))
        }
    }
}

async fn authenticated(
    api_url: &str,
    bot_token: Option<&str>,
) -> Result<(SlackClient, AuthTest), Finding> {
    let Some(text) = bot_token else {
        return Err(
            Finding::bad(TOKEN, "slack.bot_token is not set").with_advice(format!(
                "install the app, and copy its bot token (xoxb-…) from {APP_PAGES}"
            )),
        );
    };
    let token = token(TOKEN, "slack.bot_token", text, "xoxb-")?;
    let client = SlackClient::new(api_url, token);
    let client = client.map_err(|error| Finding::bad(TOKEN, error.to_string()))?;
    let auth = patiently(TOKEN, "slack.bot_token", client.auth_test()).await?;
    Ok((client, auth))
}

/// If Slack does not report the scopes, tries a call that needs one.
async fn unreported_scopes(client: &SlackClient) -> Finding {
    match patiently(SCOPES, "slack.bot_token", client.channels()).await {
        Ok(_) => Finding::warning(
            SCOPES,
            "Slack did not say what the token may do, but it lists channels",
        ),
        Err(finding) => finding,
    }
}

fn scopes(granted: &[String]) -> Finding {
    let missing: Vec<String> = REQUIRED_SCOPES
        .iter()
        .filter(|(scope, _)| granted.iter().all(|granted| granted != scope))
        .map(|(scope, without)| format!("{scope}: without it {without}"))
        .collect();
    if missing.is_empty() {
        return Finding::good(
            SCOPES,
            format!("all {} that are needed", REQUIRED_SCOPES.len()),
        );
    }
    let found = format!("missing are\n{}", missing.join("\n"));
    Finding::bad(SCOPES, found).with_advice(format!(
        "add them under \"OAuth & Permissions\" on {APP_PAGES}, or paste the manifest of `myao slack manifest` again, and reinstall the app"
    ))
}

/// Checks this machine's clock against Slack's; `None` if Slack did not send its time.
fn clock(date: Option<&str>) -> Option<Finding> {
    let slack = DateTime::parse_from_rfc2822(date?).ok()?.timestamp();
    let ahead = Clock::system(chrono_tz::UTC).seconds() - slack;
    if ahead.abs() <= MOST_SKEW {
        return Some(Finding::good(CLOCK, "as Slack's"));
    }
    let by = super::output::duration(Duration::from_secs(ahead.unsigned_abs()));
    let side = if ahead > 0 { "ahead of" } else { "behind" };
    let found =
        format!("this machine's is {by} {side} Slack's: what commands write has wrong times");
    Some(Finding::bad(CLOCK, found).with_advice("let the machine set its clock (NTP)"))
}

async fn socket_mode(api_url: &str, app_token: Option<&str>) -> Finding {
    let Some(text) = app_token else {
        return Finding::bad(EVENTS, "neither slack.app_token nor slack.listen is set: no event reaches the bot").with_advice(format!(
            "make an app-level token (xapp-…) with the scope connections:write on {APP_PAGES}, for Socket Mode; or set slack.listen to take events over HTTP"
        ));
    };
    let opened = async {
        let token = token(EVENTS, "slack.app_token", text, "xapp-")?;
        let client = SlackClient::new(api_url, token.clone());
        let client = client.map_err(|error| Finding::bad(EVENTS, error.to_string()))?;
        // The address is not used: no connection is opened, so no events are taken away from a running bot.
        patiently(EVENTS, "slack.app_token", client.open_connection(&token)).await
    };
    match opened.await {
        Ok(_) => Finding::good(EVENTS, "Socket Mode: Slack lets the bot connect"),
        Err(finding) => finding,
    }
}

async fn http(address: SocketAddr, signing_secret: Option<&str>, bot_runs: bool) -> Finding {
    let Some(secret) = signing_secret else {
        let found = "over HTTP, and slack.signing_secret is not set: nothing proves that events come from Slack";
        return Finding::bad(EVENTS, found)
            .with_advice(format!("copy it from \"Basic Information\" on {APP_PAGES}"));
    };
    if let Err(error) = Token::new(secret) {
        return Finding::bad(EVENTS, format!("slack.signing_secret: {error}"));
    }
    match TcpListener::bind(address).await {
        Ok(_) => Finding::good(
            EVENTS,
            format!("over HTTP: {address} is free, and there is a signing secret"),
        ),
        Err(_) if bot_runs => Finding::good(
            EVENTS,
            format!("over HTTP: {address} is taken, as a bot runs"),
        ),
        Err(error) => Finding::bad(
            EVENTS,
            format!("over HTTP: cannot listen at {address}: {error}"),
        )
        .with_advice("set another slack.listen, or stop the program that has it"),
    }
}
