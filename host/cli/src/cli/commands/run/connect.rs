//! How a bot is reached, and how it reaches Slack and its database.

use std::fmt::Display;
use std::net::SocketAddr;
use std::time::Duration;

use anyhow::Context as _;
use myao::config;
use myao_bot::Connection;
use myao_bot::stop::Stop;
use myao_plugin::Retry;
use myao_plugin::explain::explain_storage;
use myao_slack::client::SlackClient;
use myao_slack::token::Token;
use tokio::net::TcpListener;

use crate::cli::app::App;
use crate::cli::database::Store;
use crate::cli::output;

/// The wait before the next attempt doubles from the first to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// Where to read more.
const HOW_TO: &str =
    "`myao slack manifest` prints the app's manifest, docs/running.md explains the rest";

/// Waits for something that cannot be reached at the start.
pub(super) struct Attempts(Duration);

impl Attempts {
    pub(super) fn new() -> Self {
        Self(FIRST_WAIT)
    }

    /// Says why, and waits before the next attempt; shorter if the bot is asked to stop.
    pub(super) async fn wait(&mut self, why: &impl Display, stop: &mut Stop) {
        let Self(wait) = self;
        tracing::warn!("{why}; the bot tries again in {}", output::duration(*wait));
        stop.sleep(*wait).await;
        *wait = LONGEST_WAIT.min(*wait * 2);
    }
}

/// Takes a step of the start, again and again while the database's server cannot be reached; `None` if the bot is asked to stop
/// meanwhile.
pub(super) async fn patiently<T>(
    step: impl AsyncFn() -> anyhow::Result<T>,
    stop: &mut Stop,
) -> anyhow::Result<Option<T>> {
    let mut attempts = Attempts::new();
    while !stop.is_requested() {
        let error = match step().await {
            Ok(done) => return Ok(Some(done)),
            Err(error) => error,
        };
        let retry = Store::retry(&error);
        let error = match error.downcast() {
            Ok(error) => anyhow::Error::msg(explain_storage(&error)),
            Err(error) => error,
        };
        if retry != Some(Retry::Later) {
            return Err(error);
        }
        attempts.wait(&error, stop).await;
    }
    Ok(None)
}

/// The client, with the bot's token.
pub(super) fn client(slack: &config::Slack) -> anyhow::Result<SlackClient> {
    let token = secret(slack.bot_token.as_deref(), || {
        format!("slack.bot_token is not set: the bot needs the app's bot token (xoxb-…); {HOW_TO}")
    })?;
    Ok(SlackClient::new(&slack.api_url, token)?)
}

fn secret(text: Option<&str>, missing: impl Fn() -> String) -> anyhow::Result<Token> {
    let text = text.filter(|text| !text.trim().is_empty());
    Ok(Token::new(text.with_context(missing)?)?)
}

pub(super) async fn connection(slack: &config::Slack) -> anyhow::Result<Connection> {
    let Some(address) = slack.listen else {
        let app_token = secret(slack.app_token.as_deref(), || {
            format!(
                "slack.app_token is not set: Socket Mode needs the app's token (xapp-…); or set slack.listen to take events over HTTP; {HOW_TO}"
            )
        })?;
        return Ok(Connection::Socket { app_token });
    };
    let signing_secret = secret(slack.signing_secret.as_deref(), || {
        format!(
            "slack.signing_secret is not set: with slack.listen the bot checks with it that events come from Slack; {HOW_TO}"
        )
    })?;
    let listener = listen(address, "slack.listen").await?;
    Ok(Connection::Http {
        listener,
        signing_secret,
    })
}

pub(super) async fn page_listener(app: &App) -> anyhow::Result<Option<TcpListener>> {
    Ok(match app.config.page.listen {
        Some(address) => Some(listen(address, "page.listen").await?),
        None => None,
    })
}

pub(super) async fn listen(address: SocketAddr, key: &str) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| {
        format!("cannot listen at {address}: set another {key} in the configuration")
    })
}
