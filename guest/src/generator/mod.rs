//! Decides which memories are due, makes them and saves them (document `01f`).
//!
//! A run is a sequence of steps, each for one place: `next` says which. A step reads the results of earlier ones from the
//! store, so a host may run the steps of one batch side by side.
//!
//! **Invariant:** every save is atomic, and the work that is left is derived from what is saved (watermarks and
//! `merged-through`). If a run is stopped at any point, the next one continues it: nothing is lost, and nothing is
//! merged twice.

mod backoff;
mod channel;
mod due;
mod next;
mod records;
#[cfg(test)]
mod tests;
mod thread;
mod workspace;

pub use due::should_update;

use crate::bindings::errors::{Error, OtherReason};
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Made, Outcome, SkipReason};
use crate::bindings::log::Level;
use crate::bindings::storage::{Backlog, Memory, MemoryDraft};
use crate::bindings::types::{Scope, Timestamp};
use crate::context::{is_stand_in, thread_scope_id};
use crate::describe;
use crate::ports::Ports;
use crate::summarizer::Summarizer;

/// One step of a run, at one point in time.
pub struct Run<'a> {
    ports: &'a Ports<'a>,
    summarizer: Summarizer<'a>,
    now: Timestamp,
}

impl<'a> Run<'a> {
    /// A run as of `now`, which ignores later messages.
    #[must_use]
    pub fn new(ports: &'a Ports<'a>, now: Timestamp) -> Self {
        Self {
            ports,
            summarizer: Summarizer::new(ports.llm, ports.log, &ports.settings),
            now,
        }
    }

    /// Makes what is due in one channel.
    #[must_use]
    pub fn generate_channel(&self, channel_id: &str) -> Entry {
        match self.read_backlog(channel_id, None) {
            Ok(backlog) => self.channel(&backlog),
            Err(error) => failed_entry(Scope::Channel, channel_id.to_owned(), error),
        }
    }

    /// Makes the memory of one thread.
    #[must_use]
    pub fn generate_thread(&self, channel_id: &str, thread_ts: &str) -> Entry {
        match self.read_backlog(channel_id, Some(thread_ts)) {
            Ok(backlog) => self.thread(&backlog),
            Err(error) => {
                failed_entry(Scope::Thread, thread_scope_id(channel_id, thread_ts), error)
            }
        }
    }

    /// Merges the channels' memories into the workspace's.
    #[must_use]
    pub fn generate_workspace(&self) -> Entry {
        self.workspace()
    }

    fn read_backlog(&self, channel_id: &str, thread_ts: Option<&str>) -> Result<Backlog, Error> {
        let until = self.until().to_string();
        self.ports
            .storage
            .get_backlog(channel_id, thread_ts, &until)
            .map_err(Error::Storage)
    }

    /// Returns true if a memory was there already at the time of this run.
    fn is_made_by_now(&self, memory: &Memory) -> bool {
        memory.updated_at.unix_seconds <= self.now.unix_seconds
    }

    /// Saves a memory, and reports it as made.
    fn save(&self, draft: &MemoryDraft, made: &mut Vec<Made>) -> Result<Memory, Error> {
        let saved = self
            .ports
            .storage
            .save_memory(draft)
            .map_err(Error::Storage)?;
        self.log_made(&saved);
        made.push(Made {
            scope: saved.scope,
            scope_id: saved.scope_id.clone(),
            memory_type: saved.memory_type,
            version: saved.version,
            engine: saved.engine,
            source_message_count: saved.source_message_count,
            truncated: draft.truncated,
            coverage: draft.coverage,
        });
        Ok(saved)
    }

    fn log_made(&self, memory: &Memory) {
        let what = describe::memory(memory.scope, &memory.scope_id, memory.memory_type);
        let saved = if is_stand_in(memory) {
            format!("a stand-in for {what}")
        } else {
            format!("version {} of {what}", memory.version)
        };
        let line = format!("saved {saved} (messages: {})", memory.source_message_count);
        self.ports.log.write(Level::Info, &line);
    }
}

/// The result of a step; an error becomes [`Outcome::Failed`].
type StepResult = Result<Outcome, Error>;

fn outcome(result: StepResult) -> Outcome {
    result.unwrap_or_else(Outcome::Failed)
}

/// A run in the past leaves a memory of later alone: it takes in what is new when the clock has reached it.
fn made_later() -> SkipReason {
    SkipReason::Other(OtherReason {
        code: "made-later".to_owned(),
        text: "the memory was made later than this run".to_owned(),
    })
}

/// The entry of a step that could not begin.
#[must_use]
pub fn failed_entry(scope: Scope, scope_id: String, error: Error) -> Entry {
    Entry {
        scope,
        scope_id,
        channel_name: String::new(),
        made: Vec::new(),
        outcome: Outcome::Failed(error),
    }
}
