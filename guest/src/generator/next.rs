//! Which steps a run takes, and in which order.

use std::collections::{BTreeMap, BTreeSet};

use super::Run;
use crate::bindings::errors::Error;
use crate::bindings::exports::myao::memory::memory_generator::{Batch, DoneStep, Step, ThreadRef};
use crate::bindings::storage::{Backlog, Due};
use crate::settings::ThreadMemories;

impl Run<'_> {
    /// The steps to take after those that are done: threads, then channels, then the workspace.
    ///
    /// # Errors
    /// [`Error::Storage`] if what is due cannot be read.
    pub fn next_steps(&self, done: &[DoneStep]) -> Result<Batch, Error> {
        let due = self.read_due()?;
        let is_workspace_due = due.workspace_long_term || self.is_workspace_short_term_due(&due);
        let is_changed = done
            .iter()
            .rev()
            .take_while(|done| !matches!(done.step, Step::Workspace))
            .any(|done| matches!(done.step, Step::Channel(_)) && done.made);
        let threads = self.threads(&due, done);
        let mut channels = self.channels(due.channels, done);
        let one_at_a_time = self.ports.settings.workspace_merge_per_channel;
        let left = threads.len() + channels.len();

        let steps = if one_at_a_time && is_changed {
            vec![Step::Workspace]
        } else if !threads.is_empty() {
            threads
        } else if !channels.is_empty() {
            if one_at_a_time {
                channels.truncate(1);
            }
            channels
        } else {
            let is_merged = done
                .last()
                .is_some_and(|done| matches!(done.step, Step::Workspace));
            let merges = !is_merged && (is_changed || is_workspace_due);
            merges.then_some(Step::Workspace).into_iter().collect()
        };
        let taken = steps.iter().filter(|step| !matches!(step, Step::Workspace));
        let later = left - taken.count();
        Ok(Batch {
            later: u32::try_from(later).unwrap_or(u32::MAX),
            steps,
        })
    }

    fn channels(&self, due: Vec<Backlog>, done: &[DoneStep]) -> Vec<Step> {
        let taken: BTreeSet<&str> = done
            .iter()
            .filter_map(|done| match &done.step {
                Step::Channel(id) => Some(id.as_str()),
                _ => None,
            })
            .collect();
        due.into_iter()
            .filter(|backlog| !taken.contains(backlog.channel.id.as_str()))
            .filter(|backlog| {
                // A channel that cannot be checked is listed, so that its step reports the error.
                backlog.unmerged_count > 0 || !matches!(self.skip_reason(backlog), Ok(Some(_)))
            })
            .map(|backlog| Step::Channel(backlog.channel.id))
            .collect()
    }

    fn is_workspace_short_term_due(&self, due: &Due) -> bool {
        self.ports.settings.legacy_workspace_short_term && due.workspace_short_term
    }

    fn threads(&self, due: &Due, done: &[DoneStep]) -> Vec<Step> {
        let taken: BTreeSet<(&str, &str)> = done
            .iter()
            .filter_map(|done| match &done.step {
                Step::Thread(thread) => {
                    Some((thread.channel_id.as_str(), thread.thread_ts.as_str()))
                }
                _ => None,
            })
            .collect();
        let channels: BTreeMap<&str, &Backlog> = due
            .channels
            .iter()
            .map(|backlog| (backlog.channel.id.as_str(), backlog))
            .collect();
        due.threads
            .iter()
            .filter_map(|backlog| {
                let (channel_id, thread_ts) = (&backlog.channel.id, backlog.thread_ts.as_ref()?);
                let channel = channels.get(channel_id.as_str()).copied();
                let is_step =
                    !taken.contains(&(channel_id, thread_ts)) && self.is_wanted(backlog, channel);
                is_step.then(|| {
                    Step::Thread(ThreadRef {
                        channel_id: channel_id.clone(),
                        thread_ts: thread_ts.clone(),
                    })
                })
            })
            .collect()
    }

    /// Returns true if this run makes the memory of a thread with a new message. `channel` is its channel, if that is due.
    fn is_wanted(&self, thread: &Backlog, channel: Option<&Backlog>) -> bool {
        match (self.ports.settings.thread_memories, channel) {
            (ThreadMemories::Always, _) => true,
            (ThreadMemories::OnDemand, None) => false,
            // A thread that cannot be checked is listed, so that its step reports the error.
            (ThreadMemories::OnDemand, Some(channel)) => {
                self.leaves_out_replies(channel, thread).unwrap_or(true)
            }
        }
    }
}
