//! One generation run, with channels in parallel.

use futures::{Stream, StreamExt as _};
use tokio::task::JoinHandle;

use crate::bindings::errors::{Error, OtherReason};
use crate::bindings::exports::myao::memory::memory_generator::{
    Entry, Outcome, Report, SkipReason,
};
use crate::bindings::types::{Scope, Timestamp};
use crate::error::CallError;
use crate::memory_plugin::MemoryPlugin;
use crate::turn::Turn;

/// The progress of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Threads and channels that are done.
    pub done: usize,
    /// Threads and channels that were due.
    pub total: usize,
}

/// Makes everything that is due at `now`: first threads, then channels, up to `in_flight` of them in parallel, and then
/// the workspace. The memories are those of [`MemoryPlugin::generate`]. If `in_flight` is greater than the number of
/// parallel model calls, the model stays busy while a step reads and saves.
///
/// # Errors
/// [`CallError`] if what is due cannot be read; any later failure is an entry of the report.
pub async fn generate(
    plugin: &MemoryPlugin,
    now: Timestamp,
    in_flight: usize,
    progress: &(dyn Fn(Progress) + Sync),
) -> Result<Report, CallError> {
    let due = plugin.list_due(now).await?;
    let total = due.threads.len() + due.channels.len();
    let mut ended: Vec<Step> = Vec::with_capacity(total);
    progress(Progress { done: 0, total });

    let threads = due.threads.into_iter().map(|thread| {
        let plugin = plugin.clone();
        let scope_id = format!("{}:{}", thread.channel_id, thread.thread_ts);
        let work = async move {
            let made = plugin
                .generate_thread(&thread.channel_id, &thread.thread_ts, now)
                .await;
            made.map(|entry| vec![entry])
        };
        (Scope::Thread, scope_id, work)
    });
    let channels = channel_steps(plugin, due.channels, now);
    // If the workspace is merged after every channel, each merge needs the one before, so channels cannot run in
    // parallel.
    let channels_in_flight = if plugin.settings().workspace_merge_per_channel {
        1
    } else {
        in_flight
    };
    let mut steps = side_by_side(threads, in_flight)
        .chain(side_by_side(channels.into_iter(), channels_in_flight))
        .boxed();
    while let Some(step) = steps.next().await {
        ended.push(step);
        let done = ended.len();
        progress(Progress { done, total });
    }
    // Threads come before channels, both in the order in which they were due.
    ended.sort_by_key(|step| (step.scope == Scope::Channel, step.number));
    let mut entries: Vec<Entry> = ended.into_iter().flat_map(|step| step.entries).collect();

    let changed = entries
        .iter()
        .any(|entry| entry.scope == Scope::Channel && !entry.made.is_empty());
    let workspace = if changed || due.workspace {
        plugin.generate_workspace(now).await
    } else {
        Ok(unchanged_workspace(plugin))
    };
    let scope_id = &plugin.settings().workspace_scope_id;
    entries.push(
        workspace
            .unwrap_or_else(|error| failed(Scope::Workspace, scope_id.clone(), error.to_string())),
    );
    Ok(Report { now, entries })
}

impl MemoryPlugin {
    /// Makes everything that is due, one step after the other; [`generate`] runs steps side by side. Each step is a call for its own place.
    ///
    /// # Errors
    /// [`CallError`] if what is due cannot be read; any later failure is an entry of the report.
    pub async fn generate(&self, now: Timestamp) -> Result<Report, CallError> {
        generate(self, now, 1, &|_| {}).await
    }
}

/// The steps of the channels. The last one saves its long-term memory after the others.
fn channel_steps(
    plugin: &MemoryPlugin,
    channels: Vec<String>,
    now: Timestamp,
) -> Vec<(Scope, String, impl Future<Output = StepResult> + use<>)> {
    let (under, turn) = Turn::after_others(plugin.longest_turn());
    let last = channels.len().saturating_sub(1);
    let steps = channels
        .into_iter()
        .enumerate()
        .map(|(number, channel_id)| {
            let is_last = number == last;
            let held = (!is_last).then(|| under.clone());
            let plugin = if is_last {
                plugin.clone().with_turn(turn.clone())
            } else {
                plugin.clone()
            };
            let scope_id = channel_id.clone();
            let work = async move {
                let result = channel_step(&plugin, &channel_id, now).await;
                drop(held);
                result
            };
            (Scope::Channel, scope_id, work)
        });
    steps.collect()
}

/// One channel; if the settings ask for it, the workspace is merged right after it (document `01f`).
async fn channel_step(plugin: &MemoryPlugin, channel_id: &str, now: Timestamp) -> StepResult {
    let mut entries = plugin.generate_channel(channel_id, now).await?;
    let changed = entries.iter().any(|entry| !entry.made.is_empty());
    if changed && plugin.settings().workspace_merge_per_channel {
        let scope_id = plugin.settings().workspace_scope_id.clone();
        let merged = plugin.generate_workspace(now).await;
        entries.push(
            merged.unwrap_or_else(|error| failed(Scope::Workspace, scope_id, error.to_string())),
        );
    }
    Ok(entries)
}

/// The result of a step.
type StepResult = Result<Vec<Entry>, CallError>;

/// A step that has ended.
struct Step {
    scope: Scope,
    /// Its place among the steps of its scope.
    number: usize,
    entries: Vec<Entry>,
}

/// Runs steps on tokio's threads, at most `in_flight` at once, and yields each one when it ends. A slow step does not
/// hold up the others. Each step is yielded with what it works on. Running steps are stopped when the stream is
/// dropped.
fn side_by_side<F>(
    steps: impl Iterator<Item = (Scope, String, F)> + Send,
    in_flight: usize,
) -> impl Stream<Item = Step> + Send
where
    F: Future<Output = StepResult> + Send + 'static,
{
    futures::stream::iter(steps.enumerate())
        .map(|(number, (scope, scope_id, work))| {
            let mut task = AbortOnDrop(tokio::spawn(work));
            async move {
                let error = match (&mut task.0).await {
                    Ok(Ok(entries)) => {
                        return Step {
                            scope,
                            number,
                            entries,
                        };
                    }
                    Ok(Err(error)) => error.to_string(),
                    Err(error) => format!("the step ended before its time: {error}"),
                };
                Step {
                    scope,
                    number,
                    entries: vec![failed(scope, scope_id, error)],
                }
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
    let scope_id = plugin.settings().workspace_scope_id.clone();
    entry(
        Scope::Workspace,
        scope_id,
        Outcome::Skipped(SkipReason::Unchanged),
    )
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
