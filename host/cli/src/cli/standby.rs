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

/// Opens the workspace and begins the bot's work on it, when no other host does it any more. `None` if the bot is asked to stop
/// meanwhile. Returns the listener for health, on which a bot that stands by says so.
pub(super) async fn begin(
    app: &App,
    health: TcpListener,
    metrics: &Arc<Metrics>,
    stop: &mut Stop,
) -> anyhow::Result<(TcpListener, Option<(Arc<dyn Workspace>, Hold)>)> {
    let workspace = app.workspace()?;
    let mut standing_by = None;
    let health = health.into_std()?;
    let listener = || TcpListener::from_std(health.try_clone()?);
    loop {
        let holder = match app.database().begin(Work::Bot, workspace.clone()) {
            Ok(Begun::Held(workspace, hold)) => {
                if standing_by.is_some() {
                    tracing::info!("the workspace is this bot's now");
                }
                return Ok((listener()?, Some((workspace, hold))));
            }
            Ok(Begun::Taken(holder)) => holder,
            // The database may be away as long as it likes, as for the bot that runs.
            Err(error) if standing_by.is_some() => {
                tracing::warn!("{error:#}");
                "not known".to_owned()
            }
            Err(error) => return Err(error),
        };
        if standing_by.is_none() {
            tracing::info!(
                "another bot ({holder}) runs on the workspace: this one stands by, and takes over when it gives no sign of life"
            );
            let listener = listener().context("health cannot be told")?;
            let told = stand_by(listener, metrics.clone(), stop.clone());
            standing_by = Some(AbortOnDrop(tokio::spawn(told)));
        }
        stop.sleep(app.database().standby_wait()).await;
        if stop.is_requested() {
            return Ok((listener()?, None));
        }
    }
}

/// Asks everything to stop when the work is another host's.
pub(super) async fn stop_if(mut lost: watch::Receiver<bool>, ask_stop: watch::Sender<bool>) {
    if lost.wait_for(|lost| *lost).await.is_ok() {
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
