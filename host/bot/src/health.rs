//! Reports the bot's health: `/live`, `/ready` and `/metrics`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::routing::get;
use chrono::{DateTime, SecondsFormat};
use myao_plugin::explain::explain_storage;
use myao_plugin::printable;
use myao_plugin::state::Workspace;
use myao_plugin::waits::Wait;
use myao_slack::socket::ConnectionState;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::metrics::{Metrics, joined};
use super::serve::{ClientLimits, serve};
use super::stop::Stop;
use super::waiting::Waiting;

/// OpenMetrics text.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const LIMITS: ClientLimits = ClientLimits {
    connections: 32,
    exchange: Duration::from_secs(15),
};

/// The state that the endpoints report.
#[derive(Clone)]
pub(super) struct Health {
    pub(super) workspace: Arc<dyn Workspace>,
    /// `None` if events come over HTTP: then there is no connection that could be lost.
    pub(super) connection: Option<watch::Receiver<ConnectionState>>,
    /// Why a database that hosts share takes no writes; `None` if it takes them.
    pub(super) not_written: watch::Receiver<Option<String>>,
    pub(super) waiting: Waiting,
    /// True if this process does the upkeep, which one process does for all.
    pub(super) does_upkeep: Arc<AtomicBool>,
}

impl Health {
    /// Why the bot is not ready; empty if it is ready.
    async fn troubles(&self) -> Vec<String> {
        let mut troubles = Vec::new();
        if let Some(connection) = &self.connection {
            match &*connection.borrow() {
                ConnectionState::Connected { .. } => {}
                ConnectionState::Connecting => {
                    troubles.push("Slack is not connected yet".to_owned())
                }
                ConnectionState::Disconnected { reason, .. } => {
                    troubles.push(format!("Slack is not connected: {reason}"));
                }
                _ => troubles.push("Slack is not connected".to_owned()),
            }
        }
        if let Err(error) = self.workspace.waiting_events(0, 1).await {
            troubles.push(format!(
                "the database does not answer: {}",
                explain_storage(&error)
            ));
        } else if let Some(why) = &*self.not_written.borrow() {
            troubles.push(format!("the database takes no writes: {why}"));
        }
        troubles.extend(self.waiting.troubles());
        troubles
    }

    /// The current waits. If the store cannot be read, the list is empty: `troubles` reports that error.
    async fn waits(&self) -> Vec<Wait> {
        self.waiting.list().await.unwrap_or_default()
    }
}

/// The state that one bot reports, from before it runs until after its end.
#[derive(Clone)]
pub struct Report(Arc<Told>);

struct Told {
    workspace: String,
    metrics: Arc<Metrics>,
    phase: RwLock<Phase>,
}

#[derive(Clone)]
enum Phase {
    Starting,
    Running(Health),
    Ended(String),
}

impl Report {
    /// Of the bot of a workspace, which starts.
    #[must_use]
    pub fn new(workspace: impl Into<String>, metrics: Arc<Metrics>) -> Self {
        Self(Arc::new(Told {
            workspace: workspace.into(),
            metrics,
            phase: RwLock::new(Phase::Starting),
        }))
    }

    /// It has ended, and why.
    pub fn has_ended(&self, why: impl Into<String>) {
        self.set(Phase::Ended(why.into()));
    }

    pub(super) fn runs(&self, health: Health) {
        self.set(Phase::Running(health));
    }

    fn set(&self, phase: Phase) {
        *self.0.phase.write().unwrap_or_else(PoisonError::into_inner) = phase;
    }

    fn phase(&self) -> Phase {
        let phase = self.0.phase.read();
        phase.unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The body of `/ready`, and true if the bot is ready.
    async fn told(&self) -> (bool, Value) {
        let mut does_upkeep = false;
        let mut waits = Vec::new();
        let troubles = match self.phase() {
            Phase::Starting => vec!["the bot starts".to_owned()],
            Phase::Running(health) => {
                does_upkeep = health.does_upkeep.load(Ordering::Relaxed);
                waits = health.waits().await.iter().map(as_json).collect();
                health.troubles().await
            }
            Phase::Ended(why) => vec![format!("the bot has ended: {why}")],
        };
        let is_ready = troubles.is_empty();
        let told = json!({
            "ready": is_ready, "upkeep": does_upkeep, "troubles": troubles, "waits": waits,
        });
        (is_ready, told)
    }

    async fn metrics(&self) -> String {
        if let Phase::Running(health) = self.phase() {
            self.0.metrics.set_waits(&health.waits().await);
        }
        self.0.metrics.text()
    }
}

/// Serves the health of all bots of this process until it is asked to stop. If there are several, each is listed under the
/// name of its workspace.
pub async fn serve_health(reports: Vec<Report>, listener: TcpListener, stop: Stop) {
    let metrics = match reports.as_slice() {
        [only] => only.0.metrics.clone(),
        // The port is of no workspace, so its connections are not counted among those of one.
        _ => Arc::default(),
    };
    let router = Router::new()
        .route("/live", get(|| async { "ok\n" }))
        .route("/ready", get(ready))
        .route("/metrics", get(metrics_text))
        .with_state(Arc::new(reports));
    serve(listener, router, LIMITS, metrics, stop).await;
}

/// Several are ready if one of them is: to start the process anew would stop that one, too.
async fn ready(State(reports): State<Arc<Vec<Report>>>) -> impl IntoResponse {
    let (is_ready, body) = match reports.as_slice() {
        [only] => only.told().await,
        several => {
            let mut is_ready = false;
            let mut workspaces = Map::new();
            for report in several {
                let (is_one_ready, told) = report.told().await;
                is_ready |= is_one_ready;
                workspaces.insert(report.0.workspace.clone(), told);
            }
            (
                is_ready,
                json!({ "ready": is_ready, "workspaces": workspaces }),
            )
        }
    };
    let status = if is_ready {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        // Stored reasons may contain characters that control the terminal of whoever reads this.
        printable::json(&body.to_string()).into_owned(),
    )
}

async fn metrics_text(State(reports): State<Arc<Vec<Report>>>) -> impl IntoResponse {
    let mut texts = Vec::new();
    for report in reports.iter() {
        texts.push(report.metrics().await);
    }
    let text = match <[String; 1]>::try_from(texts) {
        Ok([only]) => only,
        Err(several) => joined(&several),
    };
    ([(header::CONTENT_TYPE, METRICS_TYPE)], text)
}

fn as_json(wait: &Wait) -> Value {
    let until = DateTime::from_timestamp(wait.until, 0);
    json!({
        "kind": wait.kind.name(),
        "what": wait.what,
        "until": until.map(|until| until.to_rfc3339_opts(SecondsFormat::Secs, true)),
        "why": wait.why,
    })
}
