//! Makes the memories that a bot running all the time would have made from messages that are already stored.
//!
//! A simulated clock ticks at the configured interval, at whole multiples of it since 1970, so that a backfill that is
//! stopped and continued has the same ticks. At each tick a generation run sees only the messages up to then. Ticks at
//! which nothing waits are skipped: they would do nothing.

use myao_plugin::state::Workspace;
use myao_plugin::storage::{Due, DueQuery, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{
    CallError, Entry, Error, Made, MemoryPlugin, Outcome, Place, Retry, Timestamp, run,
};

/// Why a backfill stopped early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum BackfillError {
    /// A run could not start.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The store failed.
    #[error("{}", myao_plugin::explain::explain_storage(.0))]
    Storage(StorageError),
}

impl BackfillError {
    /// If and when the same backfill may succeed later.
    #[must_use]
    pub fn retry(&self) -> Retry {
        match self {
            Self::Call(error) => error.retry(),
            Self::Storage(error) => error.retry(),
        }
    }
}

impl From<StorageError> for BackfillError {
    fn from(error: StorageError) -> Self {
        Self::Storage(error)
    }
}

/// The range of a backfill, and its rules.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct Options {
    /// Seconds between two ticks; at least 1.
    pub interval_seconds: u32,
    /// The last moment of the simulated clock.
    pub until: Timestamp,
    /// How many channels are processed at the same time.
    pub in_flight: usize,
    /// True to continue after a tick at which something failed. A tick that the budget stopped is always the last.
    pub keep_going: bool,
}

impl Options {
    /// A tick each hour up to a moment, one channel after the other, and a stop at the first failure.
    #[must_use]
    pub fn until(until: Timestamp) -> Self {
        Self {
            interval_seconds: 3600,
            until,
            in_flight: 1,
            keep_going: false,
        }
    }

    /// Returns these options with some of them changed.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }
}

/// The progress of a backfill.
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Time of the first tick.
    pub start: i64,
    /// Time of the current tick.
    pub tick: i64,
    /// Time at which the clock stops.
    pub end: i64,
    /// Memories made so far.
    pub made: usize,
}

/// The result of a backfill.
#[derive(Debug, Clone, Default)]
pub struct Outcomes {
    /// The first and the last tick that were processed, in Unix seconds.
    pub ticks: Option<(i64, i64)>,
    /// The memories that were made, in order.
    pub made: Vec<Made>,
    /// The failures. If the backfill does not keep going, all of them are of the last tick.
    pub failed: Vec<Entry>,
    /// Memories still deferred at the last tick, after failures at earlier ones.
    pub deferred: Vec<Entry>,
}

impl Outcomes {
    /// Adds what happened at a tick.
    fn add(&mut self, entries: Vec<Entry>) {
        self.deferred.clear();
        for entry in entries {
            self.made.extend(entry.made.iter().cloned());
            match entry.outcome {
                Outcome::Failed(_) => self.failed.push(entry),
                Outcome::Deferred(_) => self.deferred.push(entry),
                Outcome::Done | Outcome::Skipped(_) => {}
            }
        }
    }
}

/// Replays the stored messages. What is deferred because it failed before is tried again at once: whoever starts a
/// backfill does not want to wait for it.
///
/// # Errors
/// [`BackfillError`]. What was made until then is saved, and the next call continues from there.
pub async fn backfill(
    plugin: &MemoryPlugin,
    workspace: &dyn Workspace,
    options: Options,
    local_time: &(dyn Fn(i64) -> Timestamp + Sync),
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Outcomes, BackfillError> {
    let clock = Clock {
        interval: i64::from(options.interval_seconds.max(1)),
    };
    let end = options.until.unix_seconds;
    workspace.clear_deferrals().await?;
    let mut outcomes = Outcomes::default();
    let mut next = first_tick(plugin, workspace, clock, end, local_time).await?;
    let start = next.unwrap_or(end);
    let idle = "memory.short_term_history.conversation_idle_seconds";
    let idle = i64::from(plugin.settings().number(idle));
    let mut busy = start;
    // If it keeps going, it must behave like a bot: later runs must take in what it could not make.
    let generating = if options.keep_going {
        plugin.clone()
    } else {
        plugin.clone().for_backfill()
    };
    if let Some(tick) = next {
        // Set before the first run: if that run is killed, it may already have changed what the first tick is computed
        // from.
        workspace.set_backfill_tick(tick).await?;
    }
    workspace.take_in_history().await?;
    while let Some(tick) = next.filter(|tick| *tick <= end) {
        progress(Progress {
            start,
            tick,
            end,
            made: outcomes.made.len(),
        });
        let now = local_time(tick);
        let report = run::generate(&generating, now, options.in_flight, &|_| {}).await?;
        outcomes.ticks = Some((outcomes.ticks.map_or(tick, |(first, _)| first), tick));
        let (made_before, failed_before) = (outcomes.made.len(), outcomes.failed.len());
        outcomes.add(report.entries);
        let failed = outcomes.failed.get(failed_before..).unwrap_or_default();
        if !failed.is_empty() && (!options.keep_going || failed.iter().any(waits_for_budget)) {
            // The tick is not finished: the next backfill starts with it.
            workspace.set_backfill_tick(tick).await?;
            return Ok(outcomes);
        }
        let previous = end_of_second(tick - clock.interval);
        let newest = workspace.next_message_after(previous).await?;
        if outcomes.made.len() > made_before
            || newest.is_some_and(|message| message.unix_seconds() <= tick)
        {
            busy = tick;
        }
        // If something still waits after every conversation is over, it fails again and again: move on to the next
        // messages.
        let is_settled = tick - busy > idle + clock.interval;
        next = if !is_settled && is_waiting(plugin, workspace, now).await? {
            Some(tick + clock.interval)
        } else {
            let next_message = workspace.next_message_after(end_of_second(tick)).await?;
            next_message.map(|message| clock.at_or_after(message.unix_seconds()))
        };
        workspace
            .set_backfill_tick(next.unwrap_or(tick + clock.interval))
            .await?;
    }
    if outcomes.ticks.is_some() && outcomes.failed.is_empty() && outcomes.deferred.is_empty() {
        let left_over = merge_left_over(&generating, workspace, options.until).await?;
        outcomes
            .made
            .extend(left_over.iter().flat_map(|entry| entry.made.clone()));
        let failed = left_over.filter(|entry| matches!(entry.outcome, Outcome::Failed(_)));
        outcomes.failed.extend(failed);
    }
    Ok(outcomes)
}

/// Returns true if a place waits for the budget. Later ticks would wait for it, too.
fn waits_for_budget(entry: &Entry) -> bool {
    matches!(&entry.outcome, Outcome::Failed(Error::Llm(error)) if error.is_budget_spent())
}

/// Merges the channels' memories into the workspace's, if they still wait for that: a run in the past leaves a workspace's
/// memory alone that was made later.
async fn merge_left_over(
    plugin: &MemoryPlugin,
    workspace: &dyn Workspace,
    now: Timestamp,
) -> Result<Option<Entry>, BackfillError> {
    let waiting = waiting(plugin, workspace, now).await?;
    let legacy = plugin
        .settings()
        .is_on("memory.legacy_workspace_short_term");
    if !(waiting.workspace_long_term || legacy && waiting.workspace_short_term) {
        return Ok(None);
    }
    Ok(Some(plugin.generate_workspace(now).await?))
}

/// Ticks at whole multiples of the interval.
#[derive(Clone, Copy)]
struct Clock {
    interval: i64,
}

impl Clock {
    fn at_or_after(self, unix_seconds: i64) -> i64 {
        let passed = unix_seconds.rem_euclid(self.interval);
        if passed == 0 {
            unix_seconds
        } else {
            unix_seconds - passed + self.interval
        }
    }
}

/// The last message id of a second.
fn end_of_second(unix_seconds: i64) -> TsKey {
    TsKey::from_database(TsKey::first_of(unix_seconds + 1).to_database() - 1)
}

/// The tick at which the last backfill stopped; older history of channels with a memory is taken in there, as late
/// messages. It is earlier only for channels without a memory. `None` if there is nothing left to do.
async fn first_tick(
    plugin: &MemoryPlugin,
    workspace: &dyn Workspace,
    clock: Clock,
    end: i64,
    local_time: &(dyn Fn(i64) -> Timestamp + Sync),
) -> Result<Option<i64>, BackfillError> {
    let history = workspace.oldest_history_message().await?;
    let history = history.map(|message| clock.at_or_after(message.unix_seconds()));
    let Some(stopped) = workspace.backfill_tick().await? else {
        let oldest = workspace.oldest_new_message().await?;
        let oldest = oldest.map(|message| clock.at_or_after(message.unix_seconds()));
        return Ok([oldest, history].into_iter().flatten().min());
    };
    let before = stopped - clock.interval;
    let goes_on = if is_waiting(plugin, workspace, local_time(before)).await? {
        Some(stopped)
    } else {
        let next_message = workspace.next_message_after(end_of_second(before)).await?;
        next_message.map(|message| clock.at_or_after(message.unix_seconds()).max(stopped))
    };
    let history = match history {
        Some(_) if !has_channel_without_memory(workspace, end).await? => {
            // All ticks up to the end may have been processed.
            Some(if stopped > end { before } else { stopped })
        }
        history => history,
    };
    Ok([goes_on, history].into_iter().flatten().min())
}

/// Returns true if messages up to a time wait in a channel that has no version yet.
async fn has_channel_without_memory(
    workspace: &dyn Workspace,
    unix_seconds: i64,
) -> Result<bool, BackfillError> {
    let until = end_of_second(unix_seconds).to_string();
    let due = workspace
        .at(Place::Schedule)
        .list_due(DueQuery {
            window_start: TsKey::first_of(0).to_string(),
            idle_since: until.clone(),
            until,
            message_threshold: 1,
            always: true,
        })
        .await?;
    let mut channels = due.channels.iter();
    Ok(channels.any(|backlog| backlog.short_term_version.is_none()))
}

/// Returns true if a later tick may make something even if no new message comes before it.
async fn is_waiting(
    plugin: &MemoryPlugin,
    workspace: &dyn Workspace,
    now: Timestamp,
) -> Result<bool, BackfillError> {
    let waiting = waiting(plugin, workspace, now).await?;
    let legacy = plugin
        .settings()
        .is_on("memory.legacy_workspace_short_term");
    Ok(!waiting.channels.is_empty()
        || !waiting.threads.is_empty()
        || waiting.workspace_long_term
        || (legacy && waiting.workspace_short_term))
}

/// Work of a later run, due or not: every channel and thread with new messages.
///
/// # Errors
/// [`BackfillError::Storage`].
pub async fn waiting(
    plugin: &MemoryPlugin,
    workspace: &dyn Workspace,
    now: Timestamp,
) -> Result<Due, BackfillError> {
    let until = end_of_second(now.unix_seconds).to_string();
    let window = plugin.settings().window_seconds();
    workspace
        .at(Place::Schedule)
        .list_due(DueQuery {
            window_start: TsKey::first_of(now.unix_seconds - window).to_string(),
            idle_since: until.clone(),
            until,
            message_threshold: 1,
            always: true,
        })
        .await
        .map_err(BackfillError::Storage)
}
