//! The backlog, and what is due.

use std::collections::BTreeSet;

use super::state::{State, id, thread_of};
use crate::bindings::storage::{Backlog, Due, DueQuery, StorageError};
use crate::bindings::types::{MemoryType, Scope};
use crate::ts::Ts;

impl State {
    pub(super) fn backlog(
        &self,
        channel_id: &str,
        thread_ts: Option<&str>,
        until: Ts,
    ) -> Result<Backlog, StorageError> {
        let thread = thread_ts.map(id);
        let messages: Vec<Ts> = self
            .messages(channel_id, until)
            .filter(|(ts, message)| thread.is_none() || thread_of(*ts, message) == thread)
            .map(|(ts, _)| ts)
            .collect();
        let (scope, scope_id) = match thread_ts {
            Some(thread_ts) => (Scope::Thread, format!("{channel_id}:{thread_ts}")),
            None => (Scope::Channel, channel_id.to_owned()),
        };
        let newest = self.of(scope, &scope_id, MemoryType::ShortTerm).last();
        let watermark = newest.and_then(|memory| memory.source_latest_message_ts.clone());
        let is_after = |ts: Ts| {
            watermark
                .as_deref()
                .map(id)
                .is_none_or(|watermark| ts > watermark)
        };
        let is_new = |ts: &&Ts| match thread {
            Some(_) => is_after(**ts),
            None => self.waits(channel_id, **ts),
        };
        let is_late = |ts: &&Ts| thread.is_none() && is_new(ts) && !is_after(**ts);
        let history = self.history.get(channel_id);
        let history = history.filter(|_| newest.is_none() && thread.is_none());
        Ok(Backlog {
            channel: self.channel(channel_id)?,
            thread_ts: thread_ts.map(str::to_owned),
            latest_message_ts: messages.last().map(Ts::to_string),
            new_message_count: u32::try_from(messages.iter().filter(is_new).count()).unwrap(),
            late_message_count: u32::try_from(messages.iter().filter(is_late).count()).unwrap(),
            lost_lines: thread.is_none() && self.lost_lines.contains(channel_id),
            short_term_version: newest.map(|memory| memory.version),
            summarized_through: watermark.clone().or(history.map(Ts::to_string)),
            unmerged_count: match thread {
                Some(_) => 0,
                None => u32::try_from(self.unmerged(channel_id).len()).unwrap(),
            },
        })
    }

    pub(super) fn list_due(&self, query: &DueQuery, generous: bool) -> Result<Due, StorageError> {
        let until = id(&query.until);
        let in_window = |backlog: &Backlog| {
            let latest = backlog.latest_message_ts.as_deref().map(id);
            let history = backlog.summarized_through.as_deref().map(id);
            backlog.short_term_version.is_some()
                || latest >= Some(id(&query.window_start))
                || (history.is_some() && latest > history)
        };
        let is_due = |backlog: &Backlog| {
            let is_over =
                backlog.latest_message_ts.as_deref().map(id) <= Some(id(&query.idle_since));
            backlog.new_message_count > 0
                && in_window(backlog)
                && (query.always
                    || backlog.lost_lines
                    || backlog.short_term_version.is_none()
                    || backlog.new_message_count >= query.message_threshold
                    || is_over)
        };
        let (mut channels, mut threads) = (Vec::new(), Vec::new());
        let ids: BTreeSet<&str> = self
            .channels
            .iter()
            .map(|channel| channel.id.as_str())
            .collect();
        for channel_id in ids {
            let backlog = self.backlog(channel_id, None, until)?;
            if generous || backlog.unmerged_count > 0 || is_due(&backlog) {
                channels.push(backlog);
            }
            let replied: BTreeSet<Ts> = self
                .messages(channel_id, until)
                .filter_map(|(ts, message)| thread_of(ts, message).filter(|thread| *thread != ts))
                .collect();
            for thread in replied {
                let backlog = self.backlog(channel_id, Some(&thread.to_string()), until)?;
                if backlog.new_message_count > 0 && in_window(&backlog) {
                    threads.push(backlog);
                }
            }
        }
        Ok(Due {
            channels,
            threads,
            workspace_long_term: self.is_workspace_due(MemoryType::LongTerm),
            workspace_short_term: self.is_workspace_due(MemoryType::ShortTerm),
        })
    }

    fn is_workspace_due(&self, memory_type: MemoryType) -> bool {
        let newest = |scope| {
            self.memories
                .iter()
                .filter(move |(key, _)| key.0 == scope && key.2 == memory_type)
                .filter_map(|(_, versions)| versions.last())
        };
        let merged = newest(Scope::Workspace)
            .map(|memory| memory.merged_through)
            .max()
            .flatten();
        newest(Scope::Channel).any(|memory| Some(memory.id) > merged)
    }
}
