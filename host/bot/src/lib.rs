//! The bot: listens to Slack, remembers, answers mentions, and also answers unasked if that helps.
//!
//! The path of a message:
//!
//! 1. `inbox` stores the event, and only then acknowledges it;
//! 2. `worker` applies the event to the store, in any order and once;
//! 3. `mentions` and `unasked` have the component answer, and `generation` has it make memories;
//! 4. the component posts through [`crate::slack::live`], which posts every answer once.
//!
//! `catch_up` reads what was written while the bot was not connected. All work that is still to do is read from the
//! store, so a bot that is killed continues where it stopped.
//!
//! Several processes may be the bot of one workspace. Each takes events, answers mentions and makes memories; each answer and each
//! step is claimed by one of them. The rest is the `upkeep`, which one of them does.

mod attempts;
pub mod backfill;
pub mod budget;
mod catch_up;
pub mod chat;
pub mod clock;
mod commands;
pub mod corrections;
pub mod current;
mod digests;
pub mod embedding;
pub mod estimate;
mod forget;
mod gaps;
mod generation;
pub mod health;
mod home;
mod inbox;
mod items;
mod limits;
pub mod marking;
mod mentions;
pub mod metrics;
mod modes;
mod off_record;
mod pacing;
pub mod people;
pub mod reading;
pub mod retention;
mod retractions;
pub mod schedule;
pub mod serve;
pub mod settings;
mod shortcuts;
mod sign;
pub mod slack;
pub mod stop;
mod strikes;
#[cfg(test)]
mod test_store;
mod told;
mod unasked;
mod upkeep;
pub mod views;
mod waiting;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64};
use std::time::Duration;

use axum::http::StatusCode;
use axum::middleware::map_response;
use axum::response::Response;
use budget::Budget;
use clock::Clock;
use commands::Commands;
use current::Current;
use gaps::Gaps;
use generation::Generation;
use health::{Health, Report};
use home::Home;
use inbox::DurableInbox;
use mentions::Mentions;
use metrics::Metrics;
use myao_plugin::Retry;
use myao_plugin::state::Workspace;
use myao_plugin::state::leases::Leases;
use myao_slack::events::BotIdentity;
use myao_slack::http;
use myao_slack::installation::Installation;
use myao_slack::socket::{ConnectionState, Established, SocketMode};
use myao_slack::token::Token;
use off_record::OffRecord;
use pacing::Pacing;
use serve::{ClientLimits, serve};
use shortcuts::Shortcuts;
use stop::Stop;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use upkeep::Upkeep;
use views::Views;
use waiting::{Deferrals, Waiting};

use crate::slack::live::LiveSlack;

/// How long everything may take to end after the bot was asked to stop.
const GRACE: Duration = Duration::from_secs(30);
/// Connections for events over HTTP. Each may hold a request of one megabyte. Slack waits three seconds; the database's
/// lock is waited for ten.
const EVENT_LIMITS: ClientLimits = ClientLimits {
    connections: 128,
    exchange: Duration::from_secs(15),
};

/// How events arrive.
#[non_exhaustive]
pub enum Connection {
    /// Over a web socket that the bot opens (Socket Mode).
    Socket {
        /// `xapp-…`
        app_token: Token,
    },
    /// Over HTTP, to an address that Slack can reach.
    Http {
        /// The address at which the bot listens.
        listener: TcpListener,
        /// The secret that signs the requests.
        signing_secret: Token,
    },
}

/// The parts of a bot.
pub struct Bot {
    /// The store of the workspace.
    pub workspace: Arc<dyn Workspace>,
    /// The leases of the pieces of its work, which other processes may do, too.
    pub leases: Arc<dyn Leases>,
    /// The workspace at Slack.
    pub slack: Arc<LiveSlack>,
    /// The bot's identity there.
    pub identity: BotIdentity,
    /// Where the bot is installed: events for other workspaces are refused.
    pub installation: Installation,
    /// The configuration and the component.
    pub current: Current,
    /// The clock.
    pub clock: Clock,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// The budget for models; the component asks it, too.
    pub budget: Arc<Budget>,
    /// The component's file, unless it is the built-in one: the bot reloads it when it changes.
    pub component: Option<PathBuf>,
}

/// Why a bot cannot go on.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BotError {
    /// Slack rejects the bot.
    #[error("{0}")]
    Slack(#[from] myao_slack::error::ClientError),
}

impl BotError {
    /// If and when the bot may work later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Slack(error) => error.retry(),
        }
    }
}

impl Bot {
    /// Runs until asked to stop, and then ends in order: first no more events are taken, then running work is finished.
    /// It tells its health in `health`; a message on `reload` loads configuration and component again.
    ///
    /// # Errors
    /// [`BotError`] if Slack permanently rejects the bot.
    pub async fn run(
        self,
        connection: Connection,
        health: Report,
        reload: mpsc::Receiver<()>,
        stop: Stop,
    ) -> Result<(), BotError> {
        self.metrics.started.set(self.clock.seconds());
        let (arrived, asked, connected) = (notify(), notify(), notify());
        let gaps = Gaps::default();
        // Events that the last run left are already waiting.
        arrived.notify_one();
        asked.notify_one();
        let views = Views::new(
            self.workspace.clone(),
            self.slack.clone(),
            self.current.clone(),
            self.clock.clone(),
        );
        let off_record = OffRecord {
            workspace: self.workspace.clone(),
            slack: self.slack.clone(),
            clock: self.clock.clone(),
        };
        let commands = Commands::new(views.clone(), self.current.clone(), off_record.clone());
        let shortcuts = Shortcuts {
            views: views.clone(),
            slack: self.slack.clone(),
            current: self.current.clone(),
            workspace: self.workspace.clone(),
            clock: self.clock.clone(),
            off_record,
            home: self.home(&views),
        };
        let (inbox, keeping) = DurableInbox::new(
            self.workspace.clone(),
            commands,
            shortcuts,
            self.metrics.clone(),
            self.clock.clone(),
            self.installation.clone(),
            (arrived.clone(), gaps.clone()),
        );
        let inbox = Arc::new(inbox);
        let mut tasks = JoinSet::new();
        tasks.spawn(keeping);
        // Events stop first; only then does the work on them stop.
        let (stop_work, working) = Stop::new();
        let waiting = self.waiting();
        self.spawn_work(&mut tasks, &asked, &working);
        let saving = gaps.clone();
        tasks.spawn(saving.run(self.workspace.clone(), connected.clone(), working.clone()));
        tasks.spawn(
            self.current
                .clone()
                .keep_up(self.component.clone(), reload, working.clone()),
        );
        let notifies = (arrived, asked, connected.clone(), gaps.clone());
        let clock = self.clock.clone();

        let watch = |state| {
            self.spawn_upkeep(
                &mut tasks,
                state,
                (health, waiting),
                views,
                notifies,
                &working,
            );
        };
        let ended = match connection {
            Connection::Socket { app_token } => {
                let again = connected.clone();
                let socket = SocketMode::new(self.slack.client().clone(), app_token, inbox)
                    .on_established(move |how| {
                        if how != Established::Seamless {
                            gaps.connected(clock.seconds());
                            again.notify_one();
                        }
                    });
                watch(Some(socket.state()));
                socket.run(stop.channel()).await.map_err(BotError::Slack)
            }
            Connection::Http {
                listener,
                signing_secret,
            } => {
                watch(None);
                gaps.connected(clock.seconds());
                connected.notify_one();
                self.listen(listener, signing_secret, inbox, stop).await;
                Ok(())
            }
        };
        let _ = stop_work.send(true);
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            tracing::warn!("some work took too long to end; the next start goes on with it");
        }
        ended
    }

    fn home(&self, views: &Views) -> Home {
        Home::new(
            views.clone(),
            self.slack.clone(),
            self.current.clone(),
            self.budget.clone(),
        )
    }

    fn waiting(&self) -> Waiting {
        Waiting {
            workspace: self.workspace.clone(),
            slack: self.slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            budget: self.budget.clone(),
            judgments: Deferrals::default(),
            audiences: Deferrals::default(),
        }
    }

    /// Receives events over HTTP until the bot is asked to stop.
    async fn listen(
        &self,
        listener: TcpListener,
        signing_secret: Token,
        inbox: Arc<DurableInbox>,
        stop: Stop,
    ) {
        let clock = self.clock.clone();
        let clock = move || clock.unsigned_seconds();
        let metrics = self.metrics.clone();
        let router = http::router(inbox, signing_secret, clock).layer(map_response(
            move |response: Response| {
                match response.status() {
                    StatusCode::UNAUTHORIZED => metrics.deliveries.count("unsigned"),
                    StatusCode::BAD_REQUEST | StatusCode::PAYLOAD_TOO_LARGE => {
                        metrics.deliveries.count("unreadable");
                    }
                    _ => {}
                }
                std::future::ready(response)
            },
        ));
        // There is no way to know whether Slack can reach the bot: while it listens, it counts as connected.
        self.metrics.connected.set(1);
        serve(listener, router, EVENT_LIMITS, self.metrics.clone(), stop).await;
        self.metrics.connected.set(0);
    }

    /// Spawns what each process does.
    fn spawn_work(&self, tasks: &mut JoinSet<()>, asked: &Arc<Notify>, stop: &Stop) {
        let mentions = Mentions {
            workspace: self.workspace.clone(),
            leases: self.leases.clone(),
            slack: self.slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            budget: self.budget.clone(),
            told_of_budget: Deferrals::default(),
            asked: asked.clone(),
        };
        let generation = Generation {
            leases: self.leases.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            budget: self.budget.clone(),
            slack: self.slack.clone(),
            has_warned: AtomicBool::new(false),
            last_run: AtomicI64::new(i64::MAX),
        };
        tasks.spawn(mentions.run(stop.clone()));
        tasks.spawn(generation.run(stop.clone()));
    }

    /// Spawns what one process does for all, and what watches this one.
    fn spawn_upkeep(
        &self,
        tasks: &mut JoinSet<()>,
        state: Option<watch::Receiver<ConnectionState>>,
        (health, waiting): (Report, Waiting),
        views: Views,
        (arrived, asked, connected, gaps): (Arc<Notify>, Arc<Notify>, Arc<Notify>, Gaps),
        stop: &Stop,
    ) {
        let seen = state.clone();
        let is_mine = Arc::new(AtomicBool::new(false));
        let upkeep = Upkeep {
            leases: self.leases.clone(),
            slack: self.slack.clone(),
            bot: self.identity.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            budget: self.budget.clone(),
            home: self.home(&views),
            views,
            judgments: waiting.judgments.clone(),
            audiences: waiting.audiences.clone(),
            arrived,
            asked,
            connected,
            gaps,
            is_alive: Arc::new(move || {
                seen.as_ref()
                    .is_none_or(|state| is_connected(&state.borrow()))
            }),
            is_mine: is_mine.clone(),
        };
        let pacing = Pacing {
            leases: self.leases.clone(),
            slack: self.slack.clone(),
            current: self.current.clone(),
        };
        tasks.spawn(pacing.run(stop.clone()));
        let health_of = Health {
            workspace: self.workspace.clone(),
            connection: state.clone(),
            waiting,
            does_upkeep: is_mine,
            tried: Arc::default(),
        };
        health.runs(health_of);
        tasks.spawn(upkeep.run(stop.clone()));
        if let Some(state) = state {
            tasks.spawn(count_connections(state, self.metrics.clone(), stop.clone()));
        }
    }
}

fn notify() -> Arc<Notify> {
    Arc::new(Notify::new())
}

fn is_connected(state: &ConnectionState) -> bool {
    matches!(state, ConnectionState::Connected { .. })
}

/// Counts the connections that were made.
async fn count_connections(
    mut state: watch::Receiver<ConnectionState>,
    metrics: Arc<Metrics>,
    mut stop: Stop,
) {
    loop {
        let is_connected = is_connected(&state.borrow_and_update());
        metrics.connected.set(is_connected.into());
        if is_connected {
            metrics.connections.inc();
        }
        tokio::select! {
            changed = state.changed() => if changed.is_err() { return },
            () = stop.requested() => return,
        }
    }
}
