//! Reports the bot's health: `/live`, `/ready` and `/metrics`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::watch;

use super::metrics::Metrics;
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
    pub(super) metrics: Arc<Metrics>,
    /// `None` if events come over HTTP: then there is no connection that could be lost.
    pub(super) connection: Option<watch::Receiver<ConnectionState>>,
    pub(super) waiting: Waiting,
    /// Whether this process does the upkeep, which one process does for all.
    pub(super) does_upkeep: Arc<AtomicBool>,
}

impl Health {
    /// Serves until the bot shuts down.
    pub(super) async fn serve(self, listener: TcpListener, stop: Stop) {
        let metrics = self.metrics.clone();
        let router = Router::new()
            .route("/live", get(|| async { "ok\n" }))
            .route("/ready", get(ready))
            .route("/metrics", get(metrics_text))
            .with_state(self);
        serve(listener, router, LIMITS, metrics, stop).await;
    }

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
        }
        troubles.extend(self.waiting.troubles());
        troubles
    }

    /// What waits. If the store cannot be read, the list is empty: `troubles` reports that error.
    async fn waits(&self) -> Vec<Wait> {
        self.waiting.list().await.unwrap_or_default()
    }
}

async fn ready(State(health): State<Health>) -> impl IntoResponse {
    let troubles = health.troubles().await;
    let status = if troubles.is_empty() {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    let waits: Vec<Value> = health.waits().await.iter().map(as_json).collect();
    let does_upkeep = health.does_upkeep.load(Ordering::Relaxed);
    let body = json!({ "ready": troubles.is_empty(), "upkeep": does_upkeep, "troubles": troubles, "waits": waits });
    (
        status,
        [(header::CONTENT_TYPE, "application/json")],
        // Stored reasons may contain characters that control the terminal of whoever reads this.
        printable::json(&body.to_string()).into_owned(),
    )
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

async fn metrics_text(State(health): State<Health>) -> impl IntoResponse {
    health.metrics.set_waits(&health.waits().await);
    (
        [(header::CONTENT_TYPE, METRICS_TYPE)],
        health.metrics.text(),
    )
}
