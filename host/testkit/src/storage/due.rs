//! What waits, and what is due.

use myao_plugin::storage::{Backlog, Due, DueQuery, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope};

use super::memories::Series;
use super::{State, key, messages};

/// A [`DueQuery`], read.
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
                    self.always || latest <= self.idle_since || new >= self.message_threshold
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
    /// Looks only at what waits, so that its cost grows with that.
    pub(super) fn list_due(&self, query: &DueQuery) -> Result<Due, StorageError> {
        let bounds = Bounds::of(query)?;
        let (mut channels, mut threads) = (Vec::new(), Vec::new());
        for (channel_id, thread) in &self.waiting {
            let backlog = self.backlog(channel_id, *thread, bounds.until)?;
            match thread {
                None if bounds.admit_channel(&backlog)? => channels.push(backlog),
                Some(_) if bounds.admit_thread(&backlog)? => threads.push(backlog),
                _ => {}
            }
        }
        Ok(Due {
            channels,
            threads,
            workspace_long_term: self.is_workspace_due(MemoryType::LongTerm),
            workspace_short_term: self.is_workspace_due(MemoryType::ShortTerm),
        })
    }

    /// What waits in a channel or a thread as of `until`.
    pub(super) fn backlog(
        &self,
        channel_id: &str,
        thread: Option<TsKey>,
        until: TsKey,
    ) -> Result<Backlog, StorageError> {
        let conversation = self.conversation(channel_id)?;
        let newest = self.newest(&short_term(channel_id, thread));
        let watermark = self.watermark(channel_id, thread);
        let is_new = |ts: &TsKey| watermark.is_none_or(|watermark| *ts > watermark);
        let (latest, new) = match thread {
            None => {
                let latest = conversation.between(None, until).next_back();
                let new = conversation.between(watermark, until).filter(is_new);
                (latest, new.count())
            }
            // Until there is a reply, nothing waits.
            Some(thread) if !conversation.has_thread(thread, until) => (None, 0),
            Some(thread) => {
                let latest = conversation.of_thread(thread, None, until).next_back();
                let new = conversation.of_thread(thread, watermark, until);
                let changed = conversation.threads.get(&thread);
                let changed = changed.and_then(|thread| thread.changed);
                let is_changed = changed.is_some_and(|at| at < until.unix_seconds());
                (latest, new.filter(is_new).count() + usize::from(is_changed))
            }
        };
        // A channel without a version has the end of its history for a watermark.
        let history = conversation.history_through;
        let history = history.filter(|_| thread.is_none() && newest.is_none());
        let unmerged = thread.map_or_else(|| self.unmerged(channel_id), |_| 0);
        Ok(Backlog {
            channel: messages::channel(channel_id, conversation),
            thread_ts: thread.map(|thread| thread.to_string()),
            latest_message_ts: latest.map(|ts| ts.to_string()),
            new_message_count: count(new),
            short_term_version: newest.map(|memory| memory.version),
            summarized_through: watermark.or(history).map(|ts| ts.to_string()),
            unmerged_count: count(unmerged),
        })
    }

    pub(super) fn expect_first_version(&mut self, channel_ids: &[String], since: TsKey) {
        let end = TsKey::from_database(since.to_database() - 1);
        for channel_id in channel_ids {
            if self.newest(&short_term(channel_id, None)).is_none()
                && let Some(conversation) = self.channels.get_mut(channel_id)
            {
                let earlier = conversation.history_through.unwrap_or(end);
                conversation.history_through = Some(earlier.min(end));
            }
        }
    }

    /// Notes whether something waits in a channel or a thread, whatever the time. To be called whenever its messages or
    /// memories changed.
    pub(super) fn watch(&mut self, channel_id: &str, thread: Option<TsKey>) {
        let waits = self.waits(channel_id, thread);
        let place = (channel_id.to_owned(), thread);
        if waits {
            self.waiting.insert(place);
        } else {
            self.waiting.remove(&place);
        }
    }

    fn waits(&self, channel_id: &str, thread: Option<TsKey>) -> bool {
        let Some(conversation) = self.channels.get(channel_id) else {
            return false;
        };
        let watermark = self.watermark(channel_id, thread);
        let Some(thread_ts) = thread else {
            let newest = conversation.messages.last_key_value();
            return newest.map(|(ts, _)| *ts) > watermark || self.unmerged(channel_id) > 0;
        };
        let Some(thread) = conversation.threads.get(&thread_ts) else {
            return false;
        };
        let first = conversation.messages.contains_key(&thread_ts);
        let newest = thread.replies.last().copied();
        newest.max(first.then_some(thread_ts)) > watermark || thread.changed.is_some()
    }

    /// The newest message that went into the short-term memory of a channel or a thread.
    pub(super) fn watermark(&self, channel_id: &str, thread: Option<TsKey>) -> Option<TsKey> {
        let newest = self.newest(&short_term(channel_id, thread))?;
        // What is stored was read as an id when it was saved.
        TsKey::parse(newest.source_latest_message_ts.as_deref()?).ok()
    }

    /// Whether a channel's memory is newer than what the workspace's has merged.
    fn is_workspace_due(&self, memory_type: MemoryType) -> bool {
        let series = Series::new(Scope::Workspace, &self.workspace_scope_id, memory_type);
        let merged = self
            .newest(&series)
            .and_then(|memory| memory.merged_through);
        let newest = self.newest_of_channels.get(&(memory_type as u8)).copied();
        newest.unwrap_or(0) > merged.unwrap_or(0)
    }
}

/// The short-term memory of a channel or a thread.
fn short_term(channel_id: &str, thread: Option<TsKey>) -> Series {
    match thread {
        None => Series::new(Scope::Channel, channel_id, MemoryType::ShortTerm),
        Some(thread) => Series::new(
            Scope::Thread,
            &format!("{channel_id}:{thread}"),
            MemoryType::ShortTerm,
        ),
    }
}

fn count(items: usize) -> u32 {
    u32::try_from(items).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use myao_plugin::storage::{MemoryDraft, SaveMode, Storage as _};
    use myao_plugin::{Engine, MemoryType, Scope, Timestamp};

    use crate::MemoryStorage;
    use crate::conformance::whole;

    /// A memory of all that was said up to a second.
    fn draft(scope: Scope, scope_id: &str, memory_type: MemoryType, until: i64) -> MemoryDraft {
        MemoryDraft {
            scope,
            scope_id: scope_id.to_owned(),
            memory_type,
            mode: SaveMode::Overwrite,
            expected: None,
            content: "a text".to_owned(),
            engine: Engine::Llm,
            now: Timestamp {
                unix_seconds: until,
                utc_offset_seconds: 0,
            },
            source_channel_id: String::new(),
            source_messages: Vec::new(),
            source_memories: Vec::new(),
            source_message_count: 1,
            source_latest_message_ts: Some(format!("{until}.999999")),
            merged_through: None,
            truncated: false,
            coverage: whole(1),
        }
    }

    #[tokio::test]
    async fn what_is_summarised_and_merged_is_looked_at_no_more() {
        let storage = MemoryStorage::new();
        for n in 0..100 {
            let channel = format!("C{n}");
            let first = storage.say(&channel, 100, "alice", "one");
            storage.reply(&channel, first, 101, "bob", "two");
            assert_eq!(storage.state().waiting.len(), 2);

            let thread = format!("{channel}:{first}");
            let of_thread = draft(Scope::Thread, &thread, MemoryType::ShortTerm, 200);
            storage.save_memory(of_thread).await.unwrap();
            let short = draft(Scope::Channel, &channel, MemoryType::ShortTerm, 200);
            let short = storage.save_memory(short).await.unwrap();
            assert_eq!(
                storage.state().waiting.len(),
                1,
                "the version waits to be merged"
            );
            let long = MemoryDraft {
                merged_through: Some(short.id),
                ..draft(Scope::Channel, &channel, MemoryType::LongTerm, 200)
            };
            storage.save_memory(long).await.unwrap();
            assert_eq!(storage.state().waiting.len(), 0);
        }
    }
}
