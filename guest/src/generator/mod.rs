//! Decides which memories are due, makes them and saves them (document `01f`).
//!
//! A run goes through threads, then channels, then the workspace. A later step reads the results of an earlier one from
//! the store, so a host may run the steps of one phase side by side.
//!
//! **Invariant:** every save is atomic, and the work that is left is derived from what is saved (watermarks and
//! `merged-through`). If a run is stopped at any point, the next one continues it: nothing is lost, and nothing is
//! merged twice.

mod backoff;
mod channel;
mod due;
#[cfg(test)]
mod tests;
mod thread;
mod workspace;

use std::cell::OnceCell;

pub use due::should_update;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{
    DueWork, Entry, Made, Outcome, Report, SkipReason, ThreadRef,
};
use crate::bindings::log::Level;
use crate::bindings::storage::{Backlog, Memory, MemoryDraft};
use crate::bindings::types::{Scope, Timestamp};
use crate::context::{Remembered, is_stand_in, thread_scope_id};
use crate::describe;
use crate::ports::Ports;
use crate::summarizer::Summarizer;

/// One run, at one point in time.
pub struct Run<'a> {
    ports: &'a Ports<'a>,
    summarizer: Summarizer<'a>,
    now: Timestamp,
    /// Loaded for the first thread and kept for the others: threads change nothing in it.
    remembered: OnceCell<Remembered>,
}

impl<'a> Run<'a> {
    /// A run as of `now`, which ignores later messages.
    #[must_use]
    pub fn new(ports: &'a Ports<'a>, now: Timestamp) -> Self {
        Self {
            ports,
            summarizer: Summarizer::new(ports.llm, ports.log, &ports.settings),
            now,
            remembered: OnceCell::new(),
        }
    }

    /// Makes everything that is due.
    ///
    /// # Errors
    /// [`Error::Storage`] if what is due cannot be read. Any later failure is an entry of the report.
    pub fn generate(&self) -> Result<Report, Error> {
        let due = self.read_due()?;
        let mut entries: Vec<Entry> = due
            .threads
            .iter()
            .map(|backlog| self.thread(backlog))
            .collect();
        for backlog in &due.channels {
            entries.push(self.channel(backlog));
            if self.ports.settings.workspace_merge_per_channel {
                entries.extend(self.workspace_after(entries.last()));
            }
        }
        let changed = entries.iter().any(made_for_channel);
        let due = due.workspace_long_term || self.is_workspace_short_term_due(&due);
        entries.push(if changed || due {
            self.workspace()
        } else {
            let outcome = Ok(Outcome::Skipped(SkipReason::Unchanged));
            workspace::entry(&self.ports.settings, Vec::new(), outcome)
        });
        Ok(Report {
            now: self.now,
            entries,
        })
    }

    /// What is due.
    ///
    /// # Errors
    /// [`Error::Storage`].
    pub fn list_due(&self) -> Result<DueWork, Error> {
        let due = self.read_due()?;
        let workspace = due.workspace_long_term || self.is_workspace_short_term_due(&due);
        Ok(DueWork {
            threads: due
                .threads
                .into_iter()
                .filter_map(|backlog| {
                    let thread_ts = backlog.thread_ts?;
                    Some(ThreadRef {
                        channel_id: backlog.channel.id,
                        thread_ts,
                    })
                })
                .collect(),
            channels: due
                .channels
                .into_iter()
                .filter(|backlog| {
                    // A channel that cannot be checked is listed, so that its step reports the error.
                    backlog.unmerged_count > 0 || !matches!(self.skip_reason(backlog), Ok(Some(_)))
                })
                .map(|backlog| backlog.channel.id)
                .collect(),
            workspace,
        })
    }

    /// Makes what is due in one channel.
    #[must_use]
    pub fn generate_channel(&self, channel_id: &str) -> Vec<Entry> {
        let entry = match self.read_backlog(channel_id, None) {
            Ok(backlog) => self.channel(&backlog),
            Err(error) => failed_entry(Scope::Channel, channel_id.to_owned(), error),
        };
        vec![entry]
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

    /// Document `01f`'s flow, if the setting asks for it: the workspace is merged right after each channel that
    /// changed.
    fn workspace_after(&self, channel: Option<&Entry>) -> Option<Entry> {
        channel
            .filter(|entry| made_for_channel(entry))
            .map(|_| self.workspace())
    }

    fn is_workspace_short_term_due(&self, due: &crate::bindings::storage::Due) -> bool {
        self.ports.settings.legacy_workspace_short_term && due.workspace_short_term
    }

    fn read_backlog(&self, channel_id: &str, thread_ts: Option<&str>) -> Result<Backlog, Error> {
        let until = self.until().to_string();
        self.ports
            .storage
            .get_backlog(channel_id, thread_ts, &until)
            .map_err(Error::Storage)
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

fn made_for_channel(entry: &Entry) -> bool {
    entry.scope == Scope::Channel && !entry.made.is_empty()
}

/// The result of a step; an error becomes [`Outcome::Failed`].
type StepResult = Result<Outcome, Error>;

fn outcome(result: StepResult) -> Outcome {
    result.unwrap_or_else(Outcome::Failed)
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
