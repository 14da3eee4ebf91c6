//! A bot that stands by while another host runs one on the same workspace, and takes over when that one gives no sign of life.

use std::sync::Arc;

use anyhow::Context as _;
use myao_bot::health::stand_by;
use myao_bot::metrics::Metrics;
use myao_bot::stop::Stop;
use myao_plugin::state::Workspace;
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::app::App;
use super::database::{Begun, Hold, Work};

/// What a bot has that works: the workspace, the hold on it, where it tells its health, and the listeners, unless it stood by.
type Working<L> = (Arc<dyn Workspace>, Hold, TcpListener, Option<L>);

/// Opens the workspace and begins the bot's work on it, when no other host does it any more. `None` if the bot is asked to stop
/// meanwhile. A bot that stands by says so where it tells its health, and closes `listeners`.
pub(super) async fn begin<L>(
    app: &App,
    listeners: L,
    health: TcpListener,
    metrics: &Arc<Metrics>,
    stop: &mut Stop,
) -> anyhow::Result<Option<Working<L>>> {
    let workspace = app.workspace()?;
    let mut store = None;
    let begun = app
        .database()
        .begin(Work::Bot, workspace.clone(), &mut store)?;
    let mut holder = match begun {
        Begun::Held(workspace, hold) => {
            return Ok(Some((workspace, hold, health, Some(listeners))));
        }
        Begun::Taken(holder) => holder,
    };
    drop(listeners);
    tracing::info!(
        "another bot ({holder}) runs on the workspace: this one stands by, and takes over when it gives no sign of life"
    );
    let health = health.into_std().context("health cannot be told")?;
    let listener = || TcpListener::from_std(health.try_clone()?);
    let told = stand_by(listener()?, metrics.clone(), stop.clone());
    let _told = AbortOnDrop(tokio::spawn(told));
    loop {
        stop.sleep(app.database().standby_wait()).await;
        if stop.is_requested() {
            return Ok(None);
        }
        match app
            .database()
            .begin(Work::Bot, workspace.clone(), &mut store)
        {
            Ok(Begun::Held(workspace, hold)) => {
                tracing::info!("the workspace is this bot's now; before, it was that of {holder}");
                return Ok(Some((workspace, hold, listener()?, None)));
            }
            Ok(Begun::Taken(now)) => holder = now,
            // The database may be away as long as it likes, as for the bot that works.
            Err(error) => tracing::warn!("{error:#}"),
        }
    }
}

/// Asks everything to stop when the work is another host's.
pub(super) async fn stop_if(mut lost: watch::Receiver<bool>, ask_stop: watch::Sender<bool>) {
    let is_lost = lost.wait_for(|lost| *lost).await.is_ok();
    if is_lost {
        tracing::error!("another host has taken over the workspace: this bot ends");
        ask_stop.send_replace(true);
    }
}

/// Ends a task with its owner.
struct AbortOnDrop(tokio::task::JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}
