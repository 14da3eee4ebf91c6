//! How memories are made, on a host in memory. A comment above a test names the row of the specification's test table
//! that it covers.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

mod backoff;
mod calls;
mod channel;
mod consolidation;
mod data_set;
mod due;
mod faults;
mod items;
mod late;
mod limits;
mod log_lines;
mod marks;
mod on_demand;
mod programs;
mod regressions;
mod steps;
mod thread;
mod until;
mod window;
mod workspace;

use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{Entry, Outcome, SkipReason};
use crate::bindings::types::MemoryType;

/// The outcome of one channel, thread or the workspace; `None` if there is no entry.
fn outcome_of<'a>(entries: &'a [Entry], scope_id: &str) -> Option<&'a Outcome> {
    let entry = entries.iter().find(|entry| entry.scope_id == scope_id);
    entry.map(|entry| &entry.outcome)
}

/// Returns true if it was skipped for this reason.
fn is_skipped(outcome: Option<&Outcome>, reason: SkipReason) -> bool {
    matches!(outcome, Some(Outcome::Skipped(found)) if *found == reason)
}

/// Returns true if everything due was made.
fn is_done(outcome: Option<&Outcome>) -> bool {
    matches!(outcome, Some(Outcome::Done))
}

/// The error that an entry ended with.
fn error_of<'a>(entries: &'a [Entry], scope_id: &str) -> &'a Error {
    match outcome_of(entries, scope_id) {
        Some(Outcome::Failed(error)) => error,
        other => panic!("{scope_id} did not fail: {other:?}"),
    }
}

/// What was made, in order: scope id, type and version.
fn made(entries: &[Entry]) -> Vec<(&str, MemoryType, u32)> {
    let all = entries.iter().flat_map(|entry| &entry.made);
    all.map(|made| (made.scope_id.as_str(), made.memory_type, made.version))
        .collect()
}
