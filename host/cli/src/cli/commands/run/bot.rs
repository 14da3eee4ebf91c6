//! The bot of one workspace.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use anyhow::Context as _;
use myao_bot::budget::Budget;
use myao_bot::clock::Clock;
use myao_bot::current::{Current, Load};
use myao_bot::health::Report;
use myao_bot::metrics::Metrics;
use myao_bot::slack::live::LiveSlack;
use myao_bot::stop::Stop;
use myao_bot::{Bot, Connection};
use myao_plugin::state::Workspace;
use myao_slack::client::{AuthTest, SlackClient};
use myao_slack::events::BotIdentity;
use myao_slack::installation::Installation;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::connect::{Attempts, client, connection, page_listener, patiently};
use super::page;
use crate::cli::app::App;
use crate::cli::database::Store;
use crate::cli::in_one_line;

/// How long start-up waits for the app's id.
const APP_ID_TIMEOUT: Duration = Duration::from_secs(5);

/// A bot that may start: its keys are there, and it has its ports.
pub(super) struct Prepared {
    app: App,
    client: SlackClient,
    connection: Connection,
    team: Option<page::TeamKeys>,
    page: Option<TcpListener>,
}

/// The parts that a bot gets from its process.
pub(super) struct Surroundings {
    /// The database, if it is on a server, or several workspaces share it.
    pub(super) store: Option<Store>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) health: Report,
    pub(super) reload: mpsc::Receiver<()>,
    pub(super) stop: Stop,
}

impl Prepared {
    pub(super) async fn new(app: App) -> anyhow::Result<Self> {
        let slack = &app.config.slack;
        Ok(Self {
            client: client(slack)?,
            connection: connection(slack).await?,
            team: page::TeamKeys::of(&app.config)?,
            page: page_listener(&app).await?,
            app,
        })
    }

    /// Runs the bot until it is asked to stop.
    pub(super) async fn run(self, around: Surroundings) -> anyhow::Result<()> {
        let Self {
            app,
            client,
            connection,
            team,
            page,
        } = self;
        let Surroundings {
            store,
            metrics,
            health,
            reload,
            mut stop,
        } = around;
        let open = async || {
            let workspace = match &store {
                Some(store) => app.database().open_in(store)?,
                None => app.workspace()?,
            };
            let shared = app.database().share(&workspace, store.as_ref())?;
            anyhow::Ok((workspace, shared))
        };
        let Some((workspace, (leases, lock))) = patiently(open, &mut stop).await? else {
            return Ok(());
        };
        let Some(me) = who_am_i(&client, &mut stop).await? else {
            return Ok(());
        };
        tracing::info!("Slack workspace {}, as {}", me.team_id, me.user_id);
        if !me.url.is_empty() {
            let set = async || Ok(workspace.set_address(&me.url).await?);
            patiently(set, &mut stop).await?;
        }
        let installation = Installation {
            app_id: app_id(&client, me.bot_id.as_deref()).await,
            enterprise_id: me.enterprise_id.filter(|_| me.is_enterprise_install),
            team_id: me.team_id.clone(),
        };
        let identity = BotIdentity {
            user_id: me.user_id,
            bot_id: me.bot_id,
            team_id: me.team_id,
        };
        let clock = Clock::at_slack(app.config.timezone, client.clone());
        let live = LiveSlack::new(client, workspace.clone(), identity.clone(), clock.clone())
            .counting(metrics.left_out.clone())
            .with_page(team.as_ref().map(page::TeamKeys::asking));
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
        let page = match page {
            Some(listener) => {
                let running = page::RunningBot {
                    workspace: &workspace,
                    slack: &live,
                    team_id: &installation.team_id,
                    current: &current,
                    clock: &clock,
                };
                Some((page::page(&app, &running, &listener, team).await?, listener))
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
        ended?;
        drop(lock);
        Ok(())
    }
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
    let mut attempts = Attempts::new();
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
        attempts.wait(&error, stop).await;
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

/// Loads configuration and component as their files are now.
fn load(
    app: App,
    workspace: Arc<dyn Workspace>,
    slack: Arc<LiveSlack>,
    metrics: Arc<Metrics>,
    budget: Arc<Budget>,
) -> Load {
    let last = Arc::new(Mutex::new(app.clone()));
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
                for key in needs_restart(&last, &app) {
                    tracing::warn!(
                        "{key} has changed; that takes effect when the bot is started again"
                    );
                }
                *last = app;
                budget.set(terms);
                anyhow::Ok((settings, plugin))
            };
            loaded.await.map_err(|error| in_one_line(&error))
        })
    })
}

/// Changed keys that are read only once, at the start.
fn needs_restart(before: &App, after: &App) -> Vec<&'static str> {
    let is_same_list = before.listed == after.listed;
    let (before, after) = (&before.config, &after.config);
    let keys = [
        ("workspaces", is_same_list),
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
