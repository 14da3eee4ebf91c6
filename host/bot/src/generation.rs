//! Makes memories, every `memory.long_term_update_interval_seconds`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use myao_plugin::explain::{explain, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::{Outcome, Report, names, run};

use super::budget::{Budget, Deferred};
use super::clock::Clock;
use super::current::Current;
use super::metrics::Metrics;
use super::retention::{self, Expiry};
use super::stop::Stop;
use crate::slack::live::LiveSlack;

/// Makes the memories that are due.
pub(super) struct Generation {
    pub(super) workspace: Arc<dyn Workspace>,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
    pub(super) budget: Arc<Budget>,
    pub(super) slack: Arc<LiveSlack>,
    /// Whether it was logged that the clock is not trusted.
    pub(super) has_warned: AtomicBool,
    /// When the last run began, in Unix seconds; `i64::MAX` before the first.
    pub(super) last_run: AtomicI64,
}

impl Generation {
    /// Runs at once and then at every interval, until the bot shuts down. A run that is in progress then is abandoned:
    /// what it has saved is kept, and the next start makes what is missing.
    pub(super) async fn run(self, mut stop: Stop) {
        while !stop.is_requested() {
            let mut stopped = stop.clone();
            tokio::select! {
                () = self.generate() => {}
                () = stopped.requested() => {
                    tracing::info!("the generation run is left for the next start");
                    return;
                }
            }
            let interval = self.current.settings().generation_interval_seconds;
            stop.sleep(Duration::from_secs(interval.max(1).into()))
                .await;
        }
    }

    async fn generate(&self) {
        let now = self.clock.seconds();
        // The clock may have been ahead before the bot started, or before it was set back.
        if now < self.last_run.swap(now, Ordering::Relaxed)
            && let Err(error) = self.workspace.bring_back_times(now).await
        {
            // The run reports this too.
            tracing::warn!(
                "what was stored while the clock was ahead is not corrected: {}",
                explain_storage(&error)
            );
        }
        self.expire().await;
        self.budget.begin_run();
        let plugin = self.current.plugin();
        let in_flight = self.current.settings().channels_in_flight;
        match run::generate(&plugin, self.clock.now(), in_flight, &|_| ()).await {
            Ok(report) => self.tell(&report),
            Err(error) => {
                self.metrics.runs.count("failed");
                tracing::error!("no memories were made: {error}");
            }
        }
    }

    /// Removes what has been kept long enough.
    async fn expire(&self) {
        let retention = self.current.settings().retention;
        let (now, known) = (self.clock.seconds(), self.slack.client().server_time());
        let expired = retention::expire(&*self.workspace, retention, now, known).await;
        let is_trusted = !matches!(expired, Ok(Expiry::ClockNotTrusted));
        let has_warned = self.has_warned.swap(!is_trusted, Ordering::Relaxed);
        match expired {
            Ok(Expiry::Removed(gone)) if gone.is_nothing() => {}
            Ok(Expiry::Removed(gone)) => tracing::info!(
                messages = gone.messages,
                memories = gone.memories,
                "removed what was kept long enough"
            ),
            Ok(Expiry::ClockNotTrusted) if has_warned => {}
            Ok(Expiry::ClockNotTrusted) => tracing::warn!(
                "nothing was removed for `retention`, because the clock may be wrong: it differs from Slack's clock by more than a day, \
                 or Slack was not reached and nobody has written for a month; set the clock of this machine"
            ),
            Err(error) => tracing::warn!(
                "what was kept long enough is not removed yet: {}",
                explain_storage(&error)
            ),
        }
    }

    fn tell(&self, report: &Report) {
        let mut made = 0_usize;
        let mut failed = 0_usize;
        let mut deferred = Deferred::default();
        for entry in &report.entries {
            for memory in &entry.made {
                self.metrics
                    .memories
                    .count(names::layer(memory.scope, memory.memory_type));
            }
            made += entry.made.len();
            if let Outcome::Failed(error) = &entry.outcome {
                if deferred.takes(error) {
                    continue;
                }
                failed += 1;
                let scope = names::scope(entry.scope);
                tracing::warn!("{scope} {}: {}", entry.scope_id, explain(error));
            }
        }
        let stopped = deferred.text();
        let is_done = failed == 0 && stopped.is_none();
        self.metrics
            .runs
            .count(if is_done { "done" } else { "with-failures" });
        if let Some(text) = stopped {
            tracing::warn!("generation run: {text}");
        }
        if made > 0 || failed > 0 {
            tracing::info!("generation run: {made} memories made, {failed} places failed");
        }
    }
}
