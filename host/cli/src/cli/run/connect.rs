//! How a bot is reached, and how it reaches Slack.

use std::net::SocketAddr;

use anyhow::Context as _;
use myao::config;
use myao_bot::Connection;
use myao_slack::client::SlackClient;
use myao_slack::token::Token;
use tokio::net::TcpListener;

use crate::cli::app::App;

/// Where to read more.
const HOW_TO: &str =
    "`myao slack manifest` prints the app's manifest, docs/slack.md explains the rest";

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
