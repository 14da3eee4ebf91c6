//! `myao run`: the bot.

use std::net::SocketAddr;
use std::pin::pin;
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use myao::config::{self, Config};
use myao_bot::budget::Budget;
use myao_bot::clock::Clock;
use myao_bot::current::{Current, Load};
use myao_bot::metrics::Metrics;
use myao_bot::slack::live::LiveSlack;
use myao_bot::stop::Stop;
use myao_bot::{Bot, Connection};
use myao_plugin::state::Workspace;
use myao_slack::client::{AuthTest, SlackClient};
use myao_slack::events::BotIdentity;
use myao_slack::installation::Installation;
use myao_slack::token::Token;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::app::{App, Explained as _};
use super::signals::signals;
use super::{output, page};

/// Where to read more.
const HOW_TO: &str =
    "`myao slack manifest` prints the app's manifest, docs/slack.md explains the rest";

/// While Slack cannot be reached at the start, the wait before the next attempt doubles from the first to the longest.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
/// How long start-up waits for the app's id.
const APP_ID_TIMEOUT: Duration = Duration::from_secs(5);

pub(crate) async fn run(app: &App) -> anyhow::Result<ExitCode> {
    let slack = &app.config.slack;
    let client = client(slack)?;
    let connection = connection(slack).await?;
    let health = &app.config.health_check;
    let health = listen(
        SocketAddr::new(health.address, health.port),
        "health_check.port",
    )
    .await?;
    let team = page::TeamKeys::of(&app.config)?;
    let page_listener = page_listener(app).await?;
    let (ask_stop, mut stop) = Stop::new();
    let (ask_reload, reload) = mpsc::channel(1);
    let signals = tokio::spawn(signals(ask_stop, Some(ask_reload))?);
    let metrics = Arc::new(Metrics::default());
    let workspace = app.workspace()?;
    let (leases, hold) = app.database().share(&workspace)?;
    let Some(me) = who_am_i(&client, &mut stop).await? else {
        return Ok(ExitCode::SUCCESS);
    };
    tracing::info!("Slack workspace {}, as {}", me.team_id, me.user_id);
    if !me.url.is_empty() {
        workspace.set_address(&me.url).await.explained()?;
    }
    let installation = Installation {
        app_id: app_id(&client, me.bot_id.as_deref()).await,
        enterprise_id: me.enterprise_id.filter(|_| me.is_enterprise_install),
        team_id: me.team_id,
    };
    let identity = BotIdentity {
        user_id: me.user_id,
        bot_id: me.bot_id,
    };
    let clock = Clock::system(app.config.timezone);
    let live = LiveSlack::new(client, workspace.clone(), identity.clone(), clock.clone())
        .counting(metrics.left_out.clone());
    let live = Arc::new(live);
    let budget = app.budget(&workspace)?;
    let load = load(
        app.clone(),
        workspace.clone(),
        live.clone(),
        metrics.clone(),
        budget.clone(),
    );
    let current = Current::load(load).await.map_err(anyhow::Error::msg)?;
    let page = match page_listener {
        Some(listener) => {
            let running = page::RunningBot {
                workspace: &workspace,
                slack: &live,
                team_id: &installation.team_id,
                current: &current,
                clock: &clock,
            };
            Some((page::page(app, &running, &listener, team).await?, listener))
        }
        None => None,
    };
    let bot = Bot {
        workspace,
        leases,
        slack: live,
        identity,
        installation,
        current,
        clock,
        metrics,
        budget,
        component: app.component.clone(),
    };
    let page = page.map(|(page, listener)| page.serve(listener, stop.clone()));
    let bot = bot.run(connection, health, reload, stop);
    let ended = match page {
        Some(page) => beside(bot, page).await,
        None => bot.await,
    };
    signals.abort();
    ended?;
    drop(hold);
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Runs the bot, and the page until the bot ends.
async fn beside<T>(bot: impl Future<Output = T>, page: impl Future<Output = ()>) -> T {
    let mut bot = pin!(bot);
    tokio::select! {
        ended = &mut bot => ended,
        () = page => bot.await,
    }
}

/// Asks Slack who the bot is, again and again while Slack cannot be reached; `None` if the bot is asked to stop meanwhile.
async fn who_am_i(client: &SlackClient, stop: &mut Stop) -> anyhow::Result<Option<AuthTest>> {
    let mut wait = FIRST_WAIT;
    loop {
        let asked = tokio::select! {
            asked = client.auth_test() => asked,
            () = stop.requested() => return Ok(None),
        };
        let error = match asked {
            Ok(me) => return Ok(Some(me)),
            Err(error) => error,
        };
        if !error.is_transient() {
            let is_token = error.refusal().is_some();
            let key = if is_token {
                "slack.bot_token"
            } else {
                "slack.api_url"
            };
            return Err(error).context(format!("{key} is of no use"));
        }
        tracing::warn!("{error}; the bot tries again in {}", output::duration(wait));
        stop.sleep(wait).await;
        wait = LONGEST_WAIT.min(wait * 2);
    }
}

/// The app of a bot; `None` if Slack does not return it. It is only one check of many, so the wait is short.
async fn app_id(client: &SlackClient, bot: Option<&str>) -> Option<String> {
    let answer = tokio::time::timeout(APP_ID_TIMEOUT, client.bot_info(bot?)).await;
    match answer {
        Ok(Ok(bot)) => bot.app_id,
        Ok(Err(error)) => {
            tracing::debug!("the app's id is not known: {error}");
            None
        }
        Err(_) => None,
    }
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

async fn connection(slack: &config::Slack) -> anyhow::Result<Connection> {
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

async fn page_listener(app: &App) -> anyhow::Result<Option<TcpListener>> {
    Ok(match app.config.page.listen {
        Some(address) => Some(listen(address, "page.listen").await?),
        None => None,
    })
}

async fn listen(address: SocketAddr, key: &str) -> anyhow::Result<TcpListener> {
    let listener = TcpListener::bind(address).await;
    listener.with_context(|| {
        format!("cannot listen at {address}: set another {key} in the configuration")
    })
}

/// Loads configuration and component as their files are now.
fn load(
    app: App,
    workspace: Arc<dyn Workspace>,
    slack: Arc<LiveSlack>,
    metrics: Arc<Metrics>,
    budget: Arc<Budget>,
) -> Load {
    let last = Arc::new(Mutex::new(app.config.clone()));
    Arc::new(move || {
        let (app, workspace, last) = (app.clone(), workspace.clone(), last.clone());
        let (slack, metrics, budget) = (slack.clone(), metrics.clone(), budget.clone());
        Box::pin(async move {
            let loaded = async {
                let app = app.reloaded()?;
                let plugin = app.plugin()?.chat(slack).call_observer(metrics);
                let terms = app.config.budget_terms()?;
                let plugin = app.bind(plugin, &workspace, Some(budget.clone())).await?;
                let settings = app.config.bot_settings();
                let mut last = last.lock().unwrap_or_else(PoisonError::into_inner);
                for key in needs_restart(&last, &app.config) {
                    tracing::warn!(
                        "{key} has changed; that takes effect when the bot is started again"
                    );
                }
                *last = app.config;
                budget.set(terms);
                anyhow::Ok((settings, plugin))
            };
            loaded.await.map_err(|error| super::in_one_line(&error))
        })
    })
}

/// Changed keys that are read only once, at the start.
fn needs_restart(before: &Config, after: &Config) -> Vec<&'static str> {
    let keys = [
        ("slack", before.slack == after.slack),
        ("health_check", before.health_check == after.health_check),
        ("page", before.page == after.page),
        ("workspace", before.workspace == after.workspace),
        ("timezone", before.timezone == after.timezone),
        (
            "memory.database_path",
            before.memory.database_path == after.memory.database_path,
        ),
        (
            "memory.database_url",
            before.memory.database_url == after.memory.database_url,
        ),
        (
            "memory.lease_seconds",
            before.memory.lease_seconds == after.memory.lease_seconds,
        ),
        ("logging", before.logging == after.logging),
    ];
    let changed = keys.iter().filter(|(_, same)| !same);
    changed.map(|(key, _)| *key).collect()
}
