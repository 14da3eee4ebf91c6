//! What waits to be processed, and what is due.

use myao_plugin::storage::{Backlog, Due, DueQuery, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Place, Scope};

use super::memories::Series;
use super::messages::Conversation;
use super::{State, key, messages};

/// A [`DueQuery`] with parsed ids.
struct Bounds {
    until: TsKey,
    window_start: TsKey,
    idle_since: TsKey,
    message_threshold: u32,
    always: bool,
}

impl Bounds {
    fn of(query: &DueQuery) -> Result<Self, StorageError> {
        Ok(Self {
            until: key(&query.until)?,
            window_start: key(&query.window_start)?,
            idle_since: key(&query.idle_since)?,
            message_threshold: query.message_threshold,
            always: query.always,
        })
    }

    /// Whether a channel is due.
    fn admit_channel(&self, backlog: &Backlog) -> Result<bool, StorageError> {
        if backlog.unmerged_count > 0 {
            return Ok(true);
        }
        let Some(latest) = latest(backlog)? else {
            return Ok(false);
        };
        Ok(
            match (backlog.new_message_count, backlog.short_term_version) {
                (0, _) => false,
                (_, None) => {
                    let history = backlog.summarized_through.as_deref();
                    let history = history.map(key).transpose()?;
                    latest >= self.window_start || history.is_some_and(|history| latest > history)
                }
                (new, Some(_)) => {
                    self.always
                        || backlog.lost_lines
                        || latest <= self.idle_since
                        || new >= self.message_threshold
                }
            },
        )
    }

    /// Whether a thread is due.
    fn admit_thread(&self, backlog: &Backlog) -> Result<bool, StorageError> {
        if backlog.short_term_version.is_some() {
            return Ok(backlog.new_message_count > 0);
        }
        Ok(latest(backlog)? >= Some(self.window_start))
    }
}

fn latest(backlog: &Backlog) -> Result<Option<TsKey>, StorageError> {
    backlog.latest_message_ts.as_deref().map(key).transpose()
}

impl State {
    pub(super) fn list_due(&self, query: &DueQuery) -> Result<Due, StorageError> {
        let bounds = Bounds::of(query)?;
        let (mut channels, mut threads) = (Vec::new(), Vec::new());
        for (id, conversation) in self
            .channels
            .iter()
            .filter(|(_, stored)| stored.is_present && !stored.is_hidden())
        {
            let channel = self.backlog(id, None, bounds.until)?;
            if bounds.admit_channel(&channel)? {
                channels.push(channel);
            }
            for thread in conversation.threads.keys() {
                let thread = self.backlog(id, Some(*thread), bounds.until)?;
                if bounds.admit_thread(&thread)? {
                    threads.push(thread);
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

    /// The messages that wait in a channel or a thread as of `until`.
    pub(super) fn backlog(
        &self,
        channel_id: &str,
        thread: Option<TsKey>,
        until: TsKey,
    ) -> Result<Backlog, StorageError> {
        let conversation = self.conversation(channel_id)?;
        let newest = self.newest_counted(&short_term(channel_id, thread));
        let watermark = self.watermark(channel_id, thread);
        let is_new = |ts: &TsKey| watermark.is_none_or(|watermark| *ts > watermark);
        let (latest, new, late) = match thread {
            None => {
                let latest = conversation.between(None, until).next_back();
                let new = || {
                    let new = self.new_messages(channel_id, conversation);
                    new.take_while(|ts| *ts <= until)
                };
                let late = new().filter(|ts| !is_new(ts)).count();
                (latest, new().count(), late)
            }
            // Nothing waits until there is a reply.
            Some(thread) if !conversation.has_thread(thread, until) => (None, 0, 0),
            Some(thread) => {
                let all = conversation.of_thread(thread, None, until);
                let new = all.iter().filter(|ts| is_new(ts)).count();
                // A change since the memory counts as a new message.
                let changed = conversation.changed_threads.get(&thread);
                let is_changed = changed.is_some_and(|at| *at < until.unix_seconds());
                let changes = usize::from(is_changed && newest.is_some());
                (all.last().copied(), new + changes, 0)
            }
        };
        // In a channel without a version, the end of its history is the watermark.
        let history = conversation.history_through;
        let history = history.filter(|_| thread.is_none() && newest.is_none());
        let unmerged = thread.map_or_else(|| self.unmerged(channel_id, None), |_| 0);
        Ok(Backlog {
            channel: messages::channel(channel_id, conversation),
            thread_ts: thread.map(|thread| thread.to_string()),
            latest_message_ts: latest.map(|ts| ts.to_string()),
            new_message_count: count(new),
            late_message_count: count(late),
            lost_lines: thread.is_none() && conversation.news.has_lost_lines,
            short_term_version: newest.map(|memory| memory.version),
            summarized_through: watermark.or(history).map(|ts| ts.to_string()),
            unmerged_count: count(unmerged),
        })
    }

    /// The messages that are in no version of the channel yet, oldest first.
    pub(super) fn new_messages<'a>(
        &self,
        channel_id: &str,
        conversation: &'a Conversation,
    ) -> impl Iterator<Item = TsKey> + 'a {
        let has_version = self.has_version(channel_id);
        let shown = conversation.all_shown().map(|(ts, _)| ts);
        shown.filter(move |ts| !has_version || conversation.news.waiting.contains(ts))
    }

    pub(super) fn expect_first_version(&mut self, channel_ids: &[String], since: TsKey) {
        let end = TsKey::from_database(since.to_database() - 1);
        for channel_id in channel_ids {
            if self.newest_counted(&short_term(channel_id, None)).is_none()
                && let Some(conversation) = self.channels.get_mut(channel_id)
            {
                let earlier = conversation.history_through.unwrap_or(end);
                conversation.history_through = Some(earlier.min(end));
            }
        }
    }

    /// The newest message that went into the short-term memory of a channel or a thread.
    pub(super) fn watermark(&self, channel_id: &str, thread: Option<TsKey>) -> Option<TsKey> {
        let newest = self.newest_counted(&short_term(channel_id, thread))?;
        // It was checked to be an id when it was saved.
        TsKey::parse(newest.source_latest_message_ts.as_deref()?).ok()
    }

    /// Whether a channel's memory that the workspace may see is newer than those merged into its memory.
    fn is_workspace_due(&self, memory_type: MemoryType) -> bool {
        let series = Series::new(Scope::Workspace, &self.workspace_scope_id, memory_type);
        let place = Place::Workspace;
        let merged = self.newest_seen(&place, &series);
        let merged = merged.and_then(|memory| memory.merged_through);
        let open = self.channels.keys().filter(|id| self.is_open(id));
        let of_channels = open.filter_map(|id| {
            let series = Series::new(Scope::Channel, id, memory_type);
            Some(self.newest_seen(&place, &series)?.id)
        });
        of_channels.max() > merged
    }
}

/// The short-term memory of a channel or a thread.
fn short_term(channel_id: &str, thread: Option<TsKey>) -> Series {
    match thread {
        None => Series::new(Scope::Channel, channel_id, MemoryType::ShortTerm),
        Some(thread) => Series::of_thread(channel_id, thread),
    }
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}
