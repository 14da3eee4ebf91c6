//! Makes memories, every `memory.long_term_update_interval_seconds`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use myao_plugin::explain::{explain, explain_storage};
use myao_plugin::state::Workspace;
use myao_plugin::state::leases::{Leases, Piece};
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
    pub(super) leases: Arc<dyn Leases>,
    pub(super) current: Current,
    pub(super) clock: Clock,
    pub(super) metrics: Arc<Metrics>,
    pub(super) budget: Arc<Budget>,
    pub(super) slack: Arc<LiveSlack>,
    /// True if it was logged that the clock is not trusted.
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
            let wait = self.wait();
            stop.sleep(wait).await;
        }
    }

    /// How long until the next run. Hosts that share the work begin theirs at the same times, so that what is made does not
    /// depend on how many there are.
    fn wait(&self) -> Duration {
        let interval = self.current.settings().generation_interval_seconds.max(1);
        let interval = Duration::from_secs(interval.into());
        match self.leases.shared() {
            Some(_) => until_next(self.clock.milliseconds(), interval),
            None => interval,
        }
    }

    async fn generate(&self) {
        match self.leases.claim(&Piece::Retention).await {
            Ok(Some(leased)) => {
                self.look_after_times(&**leased.workspace()).await;
                leased.release().await;
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(
                "what was kept long enough is not removed yet: {}",
                explain_storage(&error)
            ),
        }
        self.budget.begin_run();
        let plugin = self.current.plugin().with_leases(self.leases.clone());
        let in_flight = self.current.settings().channels_in_flight;
        match run::generate(&plugin, self.clock.now(), in_flight, &|_| ()).await {
            Ok(report) => self.tell(&report),
            Err(error) => {
                self.metrics.runs.count("failed");
                tracing::error!("no memories were made: {error}");
            }
        }
    }

    /// Corrects times that were stored while the clock was ahead, and removes what has been kept long enough.
    async fn look_after_times(&self, workspace: &dyn Workspace) {
        let now = self.clock.seconds();
        // The clock may have been ahead before the bot started, or before it was set back.
        if now < self.last_run.swap(now, Ordering::Relaxed)
            && let Err(error) = workspace.bring_back_times(now).await
        {
            // The run reports this too.
            tracing::warn!(
                "what was stored while the clock was ahead is not corrected: {}",
                explain_storage(&error)
            );
        }
        let settings = self.current.settings();
        let keeping = (settings.retention, settings.audit);
        let known = self.slack.client().server_time().map(|_| now);
        let expired = retention::expire(workspace, keeping, now, known).await;
        let is_trusted = !matches!(expired, Ok(Expiry::ClockNotTrusted));
        let has_warned = self.has_warned.swap(!is_trusted, Ordering::Relaxed);
        match expired {
            Ok(Expiry::Removed(gone)) if gone.is_nothing() => {}
            Ok(Expiry::Removed(gone)) => tracing::info!(
                messages = gone.messages,
                memories = gone.memories,
                calls = gone.calls,
                "removed what was kept long enough"
            ),
            Ok(Expiry::ClockNotTrusted) if has_warned => {}
            Ok(Expiry::ClockNotTrusted) => tracing::warn!(
                "nothing was removed for `retention`, because the clock may be wrong: Slack's is not known, and nobody has written \
                 for a month; set the clock of this machine"
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

/// The time until the next multiple of the interval, by the clock in milliseconds.
fn until_next(now_ms: i64, interval: Duration) -> Duration {
    let interval = i64::try_from(interval.as_millis()).unwrap_or(i64::MAX);
    Duration::from_millis((interval - now_ms.rem_euclid(interval)).unsigned_abs())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::until_next;

    #[test]
    fn runs_of_all_hosts_begin_at_the_same_times() {
        let hour = Duration::from_secs(3600);
        for (now, expected) in [(0, 3600), (1, 3599), (3599, 1), (3600, 3600), (-1, 1)] {
            let wait = until_next(now * 1000, hour);
            assert_eq!(wait, Duration::from_secs(expected), "{now}");
        }
    }
}
