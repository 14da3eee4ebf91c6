//! The bot: listens to Slack, remembers, answers when it is mentioned, and joins in where that helps.
//!
//! The way of a message:
//!
//! 1. `inbox` keeps the event, and only then is it acknowledged;
//! 2. `worker` lets it take effect on the store, in any order and once;
//! 3. `mentions` and `unasked` have the component answer, and `generation` has it make memories;
//! 4. the component posts through [`crate::slack::live`], which posts every answer once.
//!
//! `catch_up` reads what came while nobody listened. Everything that is still to do is read from the store, so
//! that a bot that is killed goes on where it was.

pub mod backfill;
mod catch_up;
pub mod chat;
pub mod clock;
mod commands;
pub mod current;
mod generation;
mod health;
mod home;
mod inbox;
mod limits;
mod mentions;
pub mod metrics;
mod serve;
pub mod settings;
pub mod slack;
pub mod stop;
mod unasked;
mod views;
mod waiting;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use catch_up::CatchUp;
use clock::Clock;
use commands::Commands;
use current::Current;
use generation::Generation;
use health::Health;
use home::Home;
use inbox::DurableInbox;
use mentions::Mentions;
use metrics::Metrics;
use myao_plugin::state::Workspace;
use myao_slack::events::BotIdentity;
use myao_slack::http;
use myao_slack::installation::Installation;
use myao_slack::socket::{ConnectionState, Established, SocketMode};
use myao_slack::token::Token;
use serve::serve;
use stop::Stop;
use tokio::net::TcpListener;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use unasked::Unasked;
use views::Views;
use waiting::{FailedJudgments, Waiting};
use worker::Worker;

use crate::slack::live::LiveSlack;

/// How long everything may take to end once the bot is to stop.
const GRACE: Duration = Duration::from_secs(30);
/// The most connections that bring events over HTTP at once. Each may hold a request of a megabyte.
const MAX_EVENTS: usize = 128;

/// How events come.
pub enum Connection {
    /// Over a web socket that the bot opens.
    Socket {
        /// `xapp-…`
        app_token: Token,
    },
    /// Over HTTP, to an address that Slack can reach.
    Http {
        /// Where the bot listens.
        listener: TcpListener,
        /// What requests are signed with.
        signing_secret: Token,
    },
}

/// What a bot is made of.
pub struct Bot {
    /// The workspace's rows.
    pub workspace: Arc<dyn Workspace>,
    /// The workspace at Slack.
    pub slack: Arc<LiveSlack>,
    /// Who the bot is there.
    pub identity: BotIdentity,
    /// Where it is installed: what is for others is refused.
    pub installation: Installation,
    /// The configuration and the component.
    pub current: Current,
    /// The clock.
    pub clock: Clock,
    /// The counters.
    pub metrics: Arc<Metrics>,
    /// The component's file, where it is not the built-in one: the bot takes it anew when it changes.
    pub component: Option<PathBuf>,
}

/// Why a bot cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum BotError {
    /// Slack turns it away.
    #[error("{0}")]
    Slack(#[from] myao_slack::error::ClientError),
}

impl Bot {
    /// Runs until asked to stop, and then ends in order: no more events, then what is under way. Health and metrics are served on
    /// `health`; `reload` asks for configuration and component to be loaded again.
    ///
    /// # Errors
    /// [`BotError`] where Slack turns the bot away for good.
    pub async fn run(
        self,
        connection: Connection,
        health: TcpListener,
        reload: mpsc::Receiver<()>,
        stop: Stop,
    ) -> Result<(), BotError> {
        let (arrived, asked, connected) = (notify(), notify(), notify());
        // What the last run left waits already.
        arrived.notify_one();
        asked.notify_one();
        let views = Views::new(
            self.workspace.clone(),
            self.slack.clone(),
            self.clock.clone(),
        );
        let commands = Commands::new(views.clone(), self.current.clone());
        let (inbox, keeping) = DurableInbox::new(
            self.workspace.clone(),
            commands,
            self.metrics.clone(),
            self.clock.clone(),
            self.installation.clone(),
            arrived.clone(),
        );
        let inbox = Arc::new(inbox);
        let mut tasks = JoinSet::new();
        tasks.spawn(keeping);
        // Events stop first; only then do those stop who work on them.
        let (stop_work, working) = Stop::new();
        let waiting = Waiting {
            workspace: self.workspace.clone(),
            slack: self.slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            judgments: FailedJudgments::default(),
        };
        self.spawn_work(
            &mut tasks,
            views,
            &waiting.judgments,
            &arrived,
            &asked,
            &working,
        );
        tasks.spawn(
            self.current
                .clone()
                .keep_up(self.component.clone(), reload, working.clone()),
        );

        let ended = match connection {
            Connection::Socket { app_token } => {
                let again = connected.clone();
                let socket = SocketMode::new(self.slack.client().clone(), app_token, inbox)
                    .on_established(move |how| {
                        if how != Established::Seamless {
                            again.notify_one();
                        }
                    });
                let state = socket.state();
                self.spawn_watchers(
                    &mut tasks,
                    Some(state),
                    (health, waiting),
                    &connected,
                    &asked,
                    &working,
                );
                socket.run(stop.channel()).await.map_err(BotError::Slack)
            }
            Connection::Http {
                listener,
                signing_secret,
            } => {
                self.spawn_watchers(
                    &mut tasks,
                    None,
                    (health, waiting),
                    &connected,
                    &asked,
                    &working,
                );
                connected.notify_one();
                let clock = self.clock.clone();
                let clock = move || clock.unsigned_seconds();
                let router = http::router(inbox, signing_secret, clock);
                // Nothing tells whether Slack reaches it: what listens counts as connected.
                self.metrics.connected.set(1);
                serve(
                    listener,
                    router,
                    MAX_EVENTS,
                    self.metrics.clone(),
                    stop.clone(),
                )
                .await;
                self.metrics.connected.set(0);
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

    fn spawn_work(
        &self,
        tasks: &mut JoinSet<()>,
        views: Views,
        judgments: &FailedJudgments,
        arrived: &Arc<Notify>,
        asked: &Arc<Notify>,
        stop: &Stop,
    ) {
        let home = Home::new(views, self.slack.clone(), self.current.clone());
        let worker = Worker {
            workspace: self.workspace.clone(),
            slack: self.slack.clone(),
            bot: self.identity.clone(),
            home,
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            arrived: arrived.clone(),
            asked: asked.clone(),
        };
        let mentions = Mentions {
            workspace: self.workspace.clone(),
            slack: self.slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            asked: asked.clone(),
        };
        let unasked = Unasked {
            workspace: self.workspace.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            failed: judgments.clone(),
        };
        let generation = Generation {
            workspace: self.workspace.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
        };
        tasks.spawn(worker.run(stop.clone()));
        tasks.spawn(mentions.run(stop.clone()));
        tasks.spawn(unasked.run(stop.clone()));
        tasks.spawn(generation.run(stop.clone()));
    }

    fn spawn_watchers(
        &self,
        tasks: &mut JoinSet<()>,
        state: Option<watch::Receiver<ConnectionState>>,
        (health, waiting): (TcpListener, Waiting),
        connected: &Arc<Notify>,
        asked: &Arc<Notify>,
        stop: &Stop,
    ) {
        let catch_up = CatchUp {
            workspace: self.workspace.clone(),
            slack: self.slack.clone(),
            bot: self.identity.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            asked: asked.clone(),
        };
        let health_of = Health {
            workspace: self.workspace.clone(),
            metrics: self.metrics.clone(),
            connection: state.clone(),
            waiting,
        };
        tasks.spawn(health_of.serve(health, stop.clone()));
        let seen = state.clone();
        let alive = move || {
            seen.as_ref()
                .is_none_or(|state| is_connected(&state.borrow()))
        };
        tasks.spawn(catch_up.run(connected.clone(), alive, stop.clone()));
        if let Some(state) = state.clone() {
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

/// Counts the connections that are made.
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
