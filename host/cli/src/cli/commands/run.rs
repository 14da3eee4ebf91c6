//! `myao run`: the bots of all workspaces, side by side.

mod bot;
mod connect;
mod page;
mod threads;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context as _;
use bot::{Prepared, Surroundings};
use connect::{listen, patiently};
use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use myao_bot::health::{Report, serve_health};
use myao_bot::metrics::Metrics;
use myao_bot::stop::Stop;
use threads::Threads;
use tokio::sync::mpsc;

use crate::cli::app::App;
use crate::cli::in_one_line;
use crate::cli::signals::signals;

pub(crate) async fn run(app: &App) -> anyhow::Result<ExitCode> {
    let workspaces = app.of_each_workspace();
    let are_several = workspaces.len() > 1;
    let mut prepared = Vec::new();
    for app in workspaces {
        let name = app.config.workspace.clone();
        let bot = match Prepared::new(app).await {
            Err(error) if are_several => return Err(error.context(format!("workspace `{name}`"))),
            bot => bot?,
        };
        prepared.push((name, bot));
    }
    let health = &app.config.health_check;
    let address = SocketAddr::new(health.address, health.port);
    let listener = listen(address, "health_check.port").await?;
    let (ask_stop, mut stop) = Stop::new();
    let (ask_reload, asked_to_reload) = mpsc::channel(1);
    let signals = tokio::spawn(signals(ask_stop, Some(ask_reload))?);
    let bots: Vec<_> = prepared
        .into_iter()
        .map(|(workspace, bot)| {
            let metrics = Arc::new(match are_several {
                true => Metrics::of_workspace(&workspace),
                false => Metrics::default(),
            });
            let health = Report::new(&workspace, metrics.clone());
            (workspace, bot, metrics, health)
        })
        .collect();
    let reports = bots
        .iter()
        .map(|(_, _, _, health)| health.clone())
        .collect();
    let telling = tokio::spawn(serve_health(reports, listener, stop.clone()));

    let database = app.database();
    let store = match are_several || database.is_on_server() {
        true => match patiently(async || database.store(), &mut stop).await? {
            None => return Ok(ExitCode::SUCCESS),
            store => store,
        },
        false => None,
    };
    let running = FuturesUnordered::new();
    let mut reloads = Vec::new();
    let count = bots.len();
    for (workspace, bot, metrics, health) in bots {
        let (reload, asked) = mpsc::channel(1);
        reloads.push(reload);
        let around = Surroundings {
            store: store.clone(),
            metrics,
            health: health.clone(),
            reload: asked,
            stop: stop.clone(),
        };
        let threads = Threads {
            workspace: workspace.clone(),
            of: count,
        };
        let ended = threads.run(move || async move {
            let ended = bot.run(around).await;
            if let (Err(error), true) = (&ended, are_several) {
                tracing::error!("the bot has ended: {}", in_one_line(error));
            }
            ended
        })?;
        running.push(async move {
            let ended = ended.await.context("the bot's thread ended");
            let ended = ended.flatten();
            if let Err(error) = &ended {
                health.has_ended(in_one_line(error));
            }
            (workspace, ended)
        });
    }
    drop(store);
    let reloading = tokio::spawn(reload_all(asked_to_reload, reloads));
    let ended: Vec<_> = running.collect().await;
    for task in [signals, reloading, telling] {
        task.abort();
    }
    outcome(ended)?;
    tracing::info!("stopped");
    Ok(ExitCode::SUCCESS)
}

/// Has every bot read its configuration and component again.
async fn reload_all(mut asked: mpsc::Receiver<()>, bots: Vec<mpsc::Sender<()>>) {
    while asked.recv().await.is_some() {
        for bot in &bots {
            // If a request already waits, it will reload everything. A bot that has ended reloads nothing.
            let _ = bot.try_send(());
        }
    }
}

/// An error if no bot ended as it was asked to. What stopped one of several was logged, and the others ran on.
fn outcome(ended: Vec<(String, anyhow::Result<()>)>) -> anyhow::Result<()> {
    let are_several = ended.len() > 1;
    if are_several && ended.iter().any(|(_, ended)| ended.is_ok()) {
        return Ok(());
    }
    let mut told = Vec::new();
    for (name, ended) in ended {
        match ended {
            Err(error) if are_several => told.push(format!("`{name}`: {}", in_one_line(&error))),
            only => return only,
        }
    }
    anyhow::bail!("no bot runs any more: {}", told.join("; "))
}
