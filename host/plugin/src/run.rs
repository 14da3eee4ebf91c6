//! One generation run. The component says which steps to take ([`MemoryPlugin::next_steps`]); each is a call for its own
//! place, and those of a batch run side by side. Processes that share a workspace share its steps, too
//! ([`MemoryPlugin::with_leases`]).

use std::collections::HashSet;

use futures::{Stream, StreamExt as _};
use serde::Serialize;
use tokio::task::JoinHandle;

use crate::bindings::errors::{Error, OtherReason};
use crate::bindings::exports::myao::memory::memory_generator::{
    Batch, DoneStep, Entry, Outcome, SkipReason, Step,
};
use crate::bindings::types::{Scope, Timestamp};
use crate::error::CallError;
use crate::memory_plugin::MemoryPlugin;
use crate::turn::Turn;

/// The result of a run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Report {
    /// The run's time.
    pub now: Timestamp,
    /// One entry for each thread that was due, then for each channel, then for the workspace. If the workspace is merged
    /// after each channel, its entries follow those of the channels.
    pub entries: Vec<Entry>,
}

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Threads and channels that are done.
    pub done: usize,
    /// Threads and channels that were due.
    pub total: usize,
}

/// Makes everything that is due at `now`, with up to `in_flight` steps side by side. How many makes no difference to the
/// memories. If `in_flight` is greater than the number of parallel model calls, the model stays busy while a step reads
/// and saves.
///
/// # Errors
/// [`CallError`] if the schedule cannot be read at first; any later failure is an entry of the report.
pub async fn generate(
    plugin: &MemoryPlugin,
    now: Timestamp,
    in_flight: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, CallError> {
    plugin.begin_run().await;
    let mut run = Run::default();
    let mut batch = plugin.next_steps(&run.done, now).await?;
    while !batch.steps.is_empty() {
        let next = if run.admits(&batch.steps) {
            run.take(plugin, batch, now, in_flight, progress).await;
            let next = plugin.next_steps(&run.done, now).await;
            next.map_err(|error| error.to_string())
        } else {
            Err("the component wants to take a step again that is done".to_owned())
        };
        batch = match next {
            Ok(batch) => batch,
            Err(error) => {
                let scope_id = plugin.settings().workspace_scope_id().to_owned();
                run.entries.push(failed(Scope::Workspace, scope_id, error));
                break;
            }
        };
    }
    let is_of_workspace = |entry: &Entry| entry.scope == Scope::Workspace;
    if !run.entries.iter().any(is_of_workspace) {
        run.entries.push(unchanged_workspace(plugin));
    }
    Ok(Report {
        now,
        entries: run.entries,
    })
}

impl MemoryPlugin {
    /// [`generate`], one step after the other.
    ///
    /// # Errors
    /// [`CallError`] if the schedule cannot be read at first; any later failure is an entry of the report.
    pub async fn generate(&self, now: Timestamp) -> Result<Report, CallError> {
        generate(self, now, 1, &|_| {}).await
    }
}

/// The steps that were taken.
#[derive(Default)]
struct Run {
    done: Vec<DoneStep>,
    /// The scope ids of the threads and channels among them.
    taken: HashSet<String>,
    entries: Vec<Entry>,
}

impl Run {
    /// Notes the steps of a batch, and returns whether all are new: a thread or a channel comes once in a run, and the
    /// workspace only after another step. So a run ends, whatever the component asks for.
    fn admits(&mut self, steps: &[Step]) -> bool {
        let mut previous = self.done.last().map(|done| &done.step);
        for step in steps {
            let is_new = match step {
                Step::Thread(_) | Step::Channel(_) => self.taken.insert(subject(step, "").1),
                Step::Workspace => !matches!(previous, Some(Step::Workspace)),
            };
            if !is_new {
                return false;
            }
            previous = Some(step);
        }
        true
    }

    async fn take(
        &mut self,
        plugin: &MemoryPlugin,
        batch: Batch,
        now: Timestamp,
        in_flight: usize,
        progress: &(dyn Fn(Progress) + Sync),
    ) {
        let is_counted = |step: &Step| !matches!(step, Step::Workspace);
        let before = self.done.iter().filter(|done| is_counted(&done.step));
        let mut done = before.count();
        let counted = batch.steps.iter().filter(|step| is_counted(step)).count();
        let later = usize::try_from(batch.later).unwrap_or(usize::MAX);
        let total = (done + counted).saturating_add(later);
        if self.done.is_empty() {
            progress(Progress { done, total });
        }
        let works = works(plugin, &batch.steps, now);
        let mut ended: Vec<(usize, Entry)> = Vec::with_capacity(works.len());
        let mut running = side_by_side(works.into_iter(), in_flight).boxed();
        while let Some((number, entry)) = running.next().await {
            if counted > 0 {
                done += 1;
                progress(Progress { done, total });
            }
            ended.push((number, entry));
        }
        ended.sort_by_key(|(number, _)| *number);
        for (step, (_, entry)) in batch.steps.into_iter().zip(ended) {
            let made = !entry.made.is_empty();
            self.done.push(DoneStep { step, made });
            self.entries.push(entry);
        }
    }
}

/// A step that has yet to run, and its subject.
type Work<F> = (Scope, String, F);

/// The steps of a batch. Of its channels, the last one saves its long-term memory after the others.
fn works(
    plugin: &MemoryPlugin,
    steps: &[Step],
    now: Timestamp,
) -> Vec<Work<impl Future<Output = Result<Entry, CallError>> + use<>>> {
    let (under, turn) = Turn::after_others(plugin.longest_turn());
    let last_channel = steps
        .iter()
        .rposition(|step| matches!(step, Step::Channel(_)));
    let works = steps.iter().cloned().enumerate().map(|(number, step)| {
        let is_last = last_channel == Some(number);
        let held = (!is_last).then(|| under.clone());
        let plugin = if is_last {
            plugin.clone().with_turn(turn.clone())
        } else {
            plugin.clone()
        };
        let (scope, scope_id) = subject(&step, plugin.settings().workspace_scope_id());
        let claimed_id = scope_id.clone();
        let work = async move {
            let Some((plugin, leased)) = plugin.claim_step(scope, &claimed_id).await? else {
                return Ok(unchanged(scope, claimed_id));
            };
            let entry = match &step {
                Step::Thread(thread) => {
                    let (channel_id, thread_ts) = (&thread.channel_id, &thread.thread_ts);
                    plugin.generate_thread(channel_id, thread_ts, now).await
                }
                Step::Channel(channel_id) => plugin.generate_channel(channel_id, now).await,
                Step::Workspace => plugin.generate_workspace(now).await,
            };
            drop(held);
            if let Some(leased) = leased {
                leased.release().await;
            }
            entry
        };
        (scope, scope_id, work)
    });
    works.collect()
}

fn subject(step: &Step, workspace_scope_id: &str) -> (Scope, String) {
    match step {
        Step::Thread(thread) => {
            let scope_id = format!("{}:{}", thread.channel_id, thread.thread_ts);
            (Scope::Thread, scope_id)
        }
        Step::Channel(channel_id) => (Scope::Channel, channel_id.clone()),
        Step::Workspace => (Scope::Workspace, workspace_scope_id.to_owned()),
    }
}

/// Runs steps on tokio's threads, at most `in_flight` at once, and yields the entry of each when it ends, with the step's
/// number. A slow step does not hold up the others. Running steps are stopped when the stream is dropped.
fn side_by_side<F>(
    works: impl Iterator<Item = Work<F>> + Send,
    in_flight: usize,
) -> impl Stream<Item = (usize, Entry)> + Send
where
    F: Future<Output = Result<Entry, CallError>> + Send + 'static,
{
    futures::stream::iter(works.enumerate())
        .map(|(number, (scope, scope_id, work))| {
            let mut task = AbortOnDrop(tokio::spawn(work));
            async move {
                let error = match (&mut task.0).await {
                    Ok(Ok(entry)) => return (number, entry),
                    Ok(Err(error)) => error.to_string(),
                    Err(error) => format!("the step ended before its time: {error}"),
                };
                (number, failed(scope, scope_id, error))
            }
        })
        .buffer_unordered(in_flight.max(1))
}

struct AbortOnDrop<T>(JoinHandle<T>);

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

fn unchanged_workspace(plugin: &MemoryPlugin) -> Entry {
    let scope_id = plugin.settings().workspace_scope_id().to_owned();
    unchanged(Scope::Workspace, scope_id)
}

fn unchanged(scope: Scope, scope_id: String) -> Entry {
    entry(scope, scope_id, Outcome::Skipped(SkipReason::Unchanged))
}

fn failed(scope: Scope, scope_id: String, error: String) -> Entry {
    let error = Error::Other(OtherReason::new("call-failed", error));
    entry(scope, scope_id, Outcome::Failed(error))
}

fn entry(scope: Scope, scope_id: String, outcome: Outcome) -> Entry {
    Entry {
        scope,
        scope_id,
        channel_name: String::new(),
        made: Vec::new(),
        outcome,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn channel(id: &str) -> Step {
        Step::Channel(id.to_owned())
    }

    fn after(steps: &[Step]) -> Run {
        let mut run = Run::default();
        assert!(run.admits(steps));
        run.done = steps
            .iter()
            .map(|step| DoneStep {
                step: step.clone(),
                made: false,
            })
            .collect();
        run
    }

    #[test]
    fn no_step_is_taken_twice() {
        assert!(after(&[channel("C1")]).admits(&[channel("C2"), Step::Workspace]));
        assert!(!after(&[channel("C1")]).admits(&[channel("C2"), channel("C1")]));
        assert!(!after(&[]).admits(&[channel("C1"), channel("C1")]));
    }

    #[test]
    fn the_workspace_is_merged_again_only_after_another_step() {
        assert!(after(&[channel("C1"), Step::Workspace]).admits(&[channel("C2"), Step::Workspace]));
        assert!(!after(&[Step::Workspace]).admits(&[Step::Workspace]));
        assert!(!after(&[]).admits(&[Step::Workspace, Step::Workspace]));
    }
}
