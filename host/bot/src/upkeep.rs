//! The work that one process does for all on a workspace: it applies events, reads missed messages, judges
//! conversations, posts digests, makes vectors and replaces retracted posts. Everything else each process does.
//!
//! The process that has claimed the upkeep does it until it stops. If it dies, falls asleep or loses Slack, or if its
//! clock is wrong, another one takes over.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use myao_plugin::explain::explain_storage;
use myao_plugin::state::Workspace;
use myao_plugin::state::audit::Actor;
use myao_plugin::state::leases::{Leased, Leases, Piece};
use myao_slack::client::MOST_SKEW;
use myao_slack::events::BotIdentity;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::GRACE;
use crate::budget::Budget;
use crate::catch_up::CatchUp;
use crate::clock::Clock;
use crate::current::Current;
use crate::digests::Digests;
use crate::embedding::Embedding;
use crate::gaps::Gaps;
use crate::home::Home;
use crate::metrics::Metrics;
use crate::retractions::Retractions;
use crate::slack::live::LiveSlack;
use crate::stop::Stop;
use crate::told::Told;
use crate::unasked::{Judged, Unasked};
use crate::views::Views;
use crate::waiting::Deferrals;
use crate::worker::Worker;

/// The wait before claiming again if nobody says how long.
const AGAIN: Duration = Duration::from_secs(5);
/// A host that shares the work gives up the upkeep when it has been unfit for it so many times in a row that the others ask for
/// it: within the time of a lease.
const UNFIT: u32 = 3;

/// How this process's upkeep ended.
enum Ended {
    /// It stops, or another one has taken over.
    Over,
    /// It was left to the others.
    GivenUp,
}

/// Does the upkeep whenever it is this process's.
pub(crate) struct Upkeep {
    pub(crate) leases: Arc<dyn Leases>,
    pub(crate) slack: Arc<LiveSlack>,
    pub(crate) bot: BotIdentity,
    pub(crate) current: Current,
    pub(crate) clock: Clock,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) budget: Arc<Budget>,
    pub(crate) views: Views,
    pub(crate) home: Home,
    /// Conversations whose judgment or answer failed.
    pub(crate) judgments: Deferrals,
    /// Channels of which it could not be read who reads them.
    pub(crate) audiences: Deferrals,
    /// Notified of new events.
    pub(crate) arrived: Arc<Notify>,
    /// Notifies of mentions.
    pub(crate) asked: Arc<Notify>,
    /// Notified when Slack is connected.
    pub(crate) connected: Arc<Notify>,
    /// The gap that is not stored yet.
    pub(crate) gaps: Gaps,
    /// Returns true if Slack is connected.
    pub(crate) is_alive: Arc<dyn Fn() -> bool + Send + Sync>,
    /// True if the upkeep is this process's.
    pub(crate) is_mine: Arc<AtomicBool>,
}

impl Upkeep {
    /// Works until asked to stop.
    pub(crate) async fn run(self, mut stop: Stop) {
        let again = self.leases.shared().unwrap_or(AGAIN);
        let mut is_known = false;
        let mut told = Told::default();
        while !stop.is_requested() {
            let claimed = self.leases.claim(&Piece::Upkeep).await;
            if claimed.is_ok()
                && let Some(failures) = told.over()
            {
                tracing::info!("the upkeep waits no longer; {failures} attempts failed");
            }
            match claimed {
                Ok(Some(leased)) => {
                    is_known = false;
                    if let Ended::GivenUp = self.keep_up(leased, &mut stop).await {
                        // All others ask for it before this one does.
                        stop.sleep(again * UNFIT).await;
                    }
                    // It is not known what others have missed before it is this one's again.
                    self.connected.notify_one();
                }
                Ok(None) if is_known => {}
                Ok(None) => {
                    is_known = true;
                    tracing::info!(
                        "another host does the upkeep of the workspace; this one shares the rest of the work"
                    );
                }
                Err(error) => {
                    if let Some(why) = told.waits(explain_storage(&error), 1) {
                        tracing::warn!("the upkeep waits: {why}");
                    }
                }
            }
            stop.sleep(again).await;
        }
    }

    /// Returns why this host, which shares the work, has been unfit for the upkeep for a while.
    async fn why_unfit(&self) -> &'static str {
        let mut times = 0;
        while let Some(again) = self.leases.shared() {
            tokio::time::sleep(again).await;
            let Some(why) = self.trouble() else {
                times = 0;
                continue;
            };
            times += 1;
            if times >= UNFIT {
                return why;
            }
        }
        std::future::pending().await
    }

    fn trouble(&self) -> Option<&'static str> {
        let ahead = self.slack.client().machine_ahead().unwrap_or(0);
        if !(self.is_alive)() {
            Some("Slack is not connected here")
        } else if ahead.abs() > MOST_SKEW {
            Some("the clock is wrong here")
        } else {
            None
        }
    }

    /// Works until asked to stop, or until another process takes over or may do so.
    async fn keep_up(&self, leased: Leased, stop: &mut Stop) -> Ended {
        if self.leases.shared().is_some() {
            tracing::info!("the upkeep of the workspace is this host's");
        }
        self.is_mine.store(true, Ordering::Relaxed);
        self.metrics.upkeep.set(1);
        // Events that another process left are already waiting.
        self.arrived.notify_one();
        let (stop_work, working) = Stop::new();
        let workspace = leased.workspace().by(Actor::in_chat());
        let mut tasks = self.spawn(&workspace, &self.slack.doing(&leased), &working);
        let ended = tokio::select! {
            () = leased.lost() => {
                tracing::warn!("another host has taken over the upkeep of the workspace");
                tasks.abort_all();
                Ended::Over
            }
            why = self.why_unfit() => {
                tracing::warn!("{why}, so the upkeep of the workspace is left to another host");
                Ended::GivenUp
            }
            () = stop.requested() => Ended::Over,
        };
        let _ = stop_work.send(true);
        let all = async { while tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(GRACE, all).await.is_err() {
            tracing::warn!("some work took too long to end; the next start goes on with it");
        }
        drop(tasks);
        self.is_mine.store(false, Ordering::Relaxed);
        self.metrics.upkeep.set(0);
        leased.release().await;
        ended
    }

    fn spawn(
        &self,
        workspace: &Arc<dyn Workspace>,
        slack: &Arc<LiveSlack>,
        stop: &Stop,
    ) -> JoinSet<()> {
        let mut tasks = JoinSet::new();
        let worker = Worker {
            workspace: workspace.clone(),
            slack: slack.clone(),
            bot: self.bot.clone(),
            current: self.current.clone(),
            home: self.home.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            arrived: self.arrived.clone(),
            asked: self.asked.clone(),
        };
        let catch_up = CatchUp {
            workspace: workspace.clone(),
            slack: slack.clone(),
            bot: self.bot.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            asked: self.asked.clone(),
            audiences: self.audiences.clone(),
            gaps: self.gaps.clone(),
        };
        let digests = Digests {
            workspace: workspace.clone(),
            leases: self.leases.clone(),
            slack: slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            views: self.views.clone(),
        };
        let unasked = Unasked {
            workspace: workspace.clone(),
            leases: self.leases.clone(),
            slack: slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
            metrics: self.metrics.clone(),
            budget: self.budget.clone(),
            failed: self.judgments.clone(),
            judged: Judged::default(),
        };
        let retractions = Retractions {
            workspace: workspace.clone(),
            slack: slack.clone(),
            current: self.current.clone(),
            clock: self.clock.clone(),
        };
        let embedding = Embedding {
            workspace: workspace.clone(),
            current: self.current.clone(),
            metrics: self.metrics.clone(),
        };
        let sweep = catch_up.clone();
        let alive = self.is_alive.clone();
        tasks.spawn(sweep.sweep(move || alive(), stop.clone()));
        let is_alive = self.is_alive.clone();
        let connected = self.connected.clone();
        tasks.spawn(worker.run(stop.clone()));
        tasks.spawn(catch_up.run(connected, move || is_alive(), stop.clone()));
        tasks.spawn(digests.run(stop.clone()));
        tasks.spawn(unasked.run(stop.clone()));
        tasks.spawn(retractions.run(stop.clone()));
        tasks.spawn(embedding.run(stop.clone()));
        tasks
    }
}
