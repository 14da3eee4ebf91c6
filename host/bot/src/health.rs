//! Reports the bot's health: `/live`, `/ready`, `/health/answers` and `/metrics`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

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
use myao_slack::client::MOST_SKEW;
use myao_slack::socket::ConnectionState;
use serde_json::{Map, Value, json};
use tokio::net::TcpListener;
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use super::metrics::{Metrics, NOT_KEPT, joined};
use super::serve::{ClientLimits, serve};
use super::stop::Stop;
use super::waiting::Waiting;

/// OpenMetrics text.
const METRICS_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

const LIMITS: ClientLimits = ClientLimits {
    connections: 32,
    exchange: Duration::from_secs(15),
};

/// How long it counts that the database took an event, and that it took none.
const TAKES: Duration = Duration::from_secs(30);
const REFUSES: Duration = Duration::from_secs(2);

/// How long the database is waited for by whoever reads metrics.
const SCRAPE: Duration = Duration::from_secs(5);

/// The question of an address.
#[derive(Clone, Copy, PartialEq)]
enum Question {
    /// Does the bot take events?
    Ready,
    /// Does it answer people?
    Answers,
}

impl Question {
    fn key(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Answers => "answers",
        }
    }
}

/// The last try to store an event.
pub(super) struct Tried {
    at: Instant,
    /// How many deliveries were not kept before it.
    not_kept: u64,
    why: Option<String>,
}

/// The state that the endpoints report.
#[derive(Clone)]
pub(super) struct Health {
    pub(super) workspace: Arc<dyn Workspace>,
    /// `None` if events come over HTTP: then there is no connection that could be lost.
    pub(super) connection: Option<watch::Receiver<ConnectionState>>,
    pub(super) waiting: Waiting,
    /// True if this process does the upkeep, which one process does for all.
    pub(super) does_upkeep: Arc<AtomicBool>,
    pub(super) tried: Arc<Mutex<Option<Tried>>>,
}

impl Health {
    /// Why it does not do what is asked; empty if it does.
    async fn troubles(&self, question: Question, not_kept: u64) -> Vec<String> {
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
        if let Some(why) = self.refusal(not_kept).await {
            troubles.push(format!("the database takes no writes: {why}"));
        }
        let ahead = self.waiting.slack.client().machine_ahead().unwrap_or(0);
        if ahead.abs() > MOST_SKEW {
            let side = if ahead > 0 { "ahead of" } else { "behind" };
            let seconds = ahead.abs();
            troubles.push(format!(
                "this machine's clock is {seconds} s {side} Slack's: let it set its clock (NTP)"
            ));
        }
        if question == Question::Answers {
            troubles.extend(self.waiting.troubles().await);
        }
        troubles
    }

    /// Why the database takes no events. It is tried at most every few seconds, and at once if a delivery was not kept.
    async fn refusal(&self, not_kept: u64) -> Option<String> {
        let mut tried = self.tried.lock().await;
        if let Some(last) = &*tried {
            let lasts = last.why.as_ref().map_or(TAKES, |_| REFUSES);
            if last.not_kept == not_kept && last.at.elapsed() < lasts {
                return last.why.clone();
            }
        }
        let kept = self.workspace.try_keeping().await;
        let why = kept.err().map(|error| explain_storage(&error));
        *tried = Some(Tried {
            at: Instant::now(),
            not_kept,
            why: why.clone(),
        });
        why
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

    /// The answer to a question, and true if it is yes.
    async fn told(&self, question: Question, is_stopping: bool) -> (bool, Value) {
        let mut does_upkeep = false;
        let mut waits = Vec::new();
        let mut troubles = match self.phase() {
            Phase::Starting => vec!["the bot starts".to_owned()],
            Phase::Running(health) => {
                does_upkeep = health.does_upkeep.load(Ordering::Relaxed);
                waits = health.waits().await.iter().map(as_json).collect();
                let not_kept = self.0.metrics.deliveries.get(NOT_KEPT);
                health.troubles(question, not_kept).await
            }
            Phase::Ended(why) => vec![format!("the bot has ended: {why}")],
        };
        if is_stopping {
            troubles.push("the bot stops".to_owned());
        }
        let is_so = troubles.is_empty();
        let told = json!({
            question.key(): is_so, "upkeep": does_upkeep, "troubles": troubles, "waits": waits,
        });
        (is_so, told)
    }

    async fn metrics(&self) -> String {
        let metrics = &self.0.metrics;
        if let Phase::Running(health) = self.phase() {
            // The rest is served without a database, too.
            let _ = timeout(SCRAPE, async {
                metrics.set_waits(&health.waits().await);
                metrics.set_figures(&health.waiting.figures().await);
            })
            .await;
        }
        self.0.metrics.text()
    }
}

/// Serves the health of all bots of this process for as long as it is polled: `stop` is only told. If there are several, each is
/// listed under the name of its workspace.
pub async fn serve_health(reports: Vec<Report>, listener: TcpListener, stop: Stop) {
    let metrics = match reports.as_slice() {
        [only] => only.0.metrics.clone(),
        // The port is of no workspace, so its connections are not counted among those of one.
        _ => Arc::default(),
    };
    let asks = |question| {
        let stop = stop.clone();
        get(move |reports| told(question, stop.is_requested(), reports))
    };
    let router = Router::new()
        .route("/live", get(|| async { "ok\n" }))
        .route("/ready", asks(Question::Ready))
        .route("/health/answers", asks(Question::Answers))
        .route("/metrics", get(metrics_text))
        .with_state(Arc::new(reports));
    let (_never, stop) = Stop::new();
    serve(listener, router, LIMITS, metrics, stop).await;
}

/// For several it is yes if it is for one of them: to take the process away would take that one, too.
async fn told(
    question: Question,
    is_stopping: bool,
    State(reports): State<Arc<Vec<Report>>>,
) -> impl IntoResponse {
    let (is_so, body) = match reports.as_slice() {
        [only] => only.told(question, is_stopping).await,
        several => {
            let mut is_so = false;
            let mut workspaces = Map::new();
            for report in several {
                let (is_so_of_one, told) = report.told(question, is_stopping).await;
                is_so |= is_so_of_one;
                workspaces.insert(report.0.workspace.clone(), told);
            }
            (
                is_so,
                json!({ question.key(): is_so, "workspaces": workspaces }),
            )
        }
    };
    let status = if is_so {
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
