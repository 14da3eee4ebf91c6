//! State of catching up: channels that could not be read, and messages that were missing from an answer.

use myao_plugin::state::catch_up::{
    CatchUpState, Gap, MissingMessage, PinnedMessage, UnreadChannel,
};
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::{MemoryStorage, State, most};

/// The back-off before a channel is read again, in seconds: the first wait, which doubles each time, and the longest.
pub(super) const CHANNEL_WAITS: (i64, i64) = (60, 3600);
/// The same for requesting a message again.
pub(super) const MESSAGE_WAITS: (i64, i64) = (600, 6 * 3600);
/// The maximum number of requests for a message that is neither found nor known to be deleted. After that it counts as
/// existing.
const MAX_ASKS: u32 = 6;

/// A channel whose history could not be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unread {
    /// The start of the gap, in Unix seconds; `None` if nothing was read yet.
    since: Option<i64>,
    pub(super) tries: u32,
    pub(super) next_try_at: i64,
}

/// A message that was missing from an answer. Its key is the channel and its id.
#[derive(Debug, Clone, Copy)]
pub(super) struct Missing {
    thread: Option<TsKey>,
    pub(super) tries: u32,
    pub(super) next_try_at: i64,
}

/// The back-off after so many tries, in seconds.
fn wait(tries: u32, (first, longest): (i64, i64)) -> i64 {
    first
        .saturating_mul(2_i64.saturating_pow(tries))
        .min(longest)
}

/// Whether something may be tried at `now`. A time further in the future than the longest wait was noted while the
/// clock was ahead.
fn may_be_tried(next_try_at: i64, now: i64, (_, longest): (i64, i64)) -> bool {
    next_try_at <= now || next_try_at > now.saturating_add(longest)
}

impl State {
    /// The bot came back into a channel that it had left.
    pub(super) fn read_again(&mut self, channel_id: String, since: Option<i64>, now: i64) {
        let new = Unread {
            since,
            tries: 0,
            next_try_at: now,
        };
        let unread = self.unread_channels.entry(channel_id).or_insert(new);
        unread.since = unread.since.zip(since).map(|(known, new)| known.min(new));
        unread.next_try_at = now;
    }
}

#[async_trait::async_trait]
impl CatchUpState for MemoryStorage {
    async fn open_gap(&self, gap: Gap) -> Result<(), StorageError> {
        let mut state = self.state();
        state.gap = Some(state.gap.map_or(gap, |open| open.and(gap)));
        Ok(())
    }

    async fn gap(&self) -> Result<Option<Gap>, StorageError> {
        Ok(self.state().gap)
    }

    async fn close_gap(&self, read_at: i64) -> Result<(), StorageError> {
        let mut state = self.state();
        let open = state.gap.filter(|gap| !gap.is_over(read_at));
        state.gap = open.map(|gap| Gap {
            since: gap.since.max(read_at),
            ..gap
        });
        Ok(())
    }

    async fn put_off_channel(
        &self,
        channel_id: &str,
        since: Option<i64>,
        now: i64,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        let before = state.unread_channels.get(channel_id);
        let tries = before.map_or(0, |before| before.tries);
        let since = match before {
            None => since,
            // `None` means the whole history, and stays `None`.
            Some(before) => before
                .since
                .map(|before| since.map_or(before, |new| new.min(before))),
        };
        let unread = Unread {
            since,
            tries: tries.saturating_add(1),
            next_try_at: now.saturating_add(wait(tries, CHANNEL_WAITS)),
        };
        state.unread_channels.insert(channel_id.to_owned(), unread);
        Ok(())
    }

    async fn unread_channels(&self, now: i64) -> Result<Vec<UnreadChannel>, StorageError> {
        let state = self.state();
        let unread = state.unread_channels.iter();
        let mut unread: Vec<(&String, &Unread)> = unread
            .filter(|(_, unread)| may_be_tried(unread.next_try_at, now, CHANNEL_WAITS))
            .collect();
        unread.sort_by_key(|(_, unread)| unread.next_try_at);
        let unread = unread.into_iter().map(|(id, unread)| UnreadChannel {
            channel_id: id.clone(),
            since: unread.since,
        });
        Ok(unread.collect())
    }

    async fn end_unread(&self, channel_id: &str) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        state.unread_channels.remove(channel_id);
        if let Some(channel) = state.channels.get_mut(channel_id)
            && channel.is_present
        {
            channel.is_behind = false;
        }
        Ok(())
    }

    async fn note_missing(
        &self,
        channel_id: &str,
        messages: Vec<StoredId>,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        for StoredId { ts, thread_ts } in messages {
            let new = Missing {
                thread: thread_ts,
                tries: 0,
                next_try_at: 0,
            };
            let missing = &mut state.missing_messages;
            missing.entry((channel_id.to_owned(), ts)).or_insert(new);
        }
        Ok(())
    }

    async fn missing_messages(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<MissingMessage>, StorageError> {
        let state = self.state();
        let missing = state.missing_messages.iter();
        let mut missing: Vec<(&(String, TsKey), &Missing)> = missing
            .filter(|(_, missing)| may_be_tried(missing.next_try_at, now, MESSAGE_WAITS))
            .collect();
        missing.sort_by_key(|(_, missing)| missing.next_try_at);
        let missing = missing.into_iter().take(most(limit));
        let missing = missing.map(|((channel_id, ts), missing)| MissingMessage {
            channel_id: channel_id.clone(),
            id: StoredId {
                ts: *ts,
                thread_ts: missing.thread,
            },
        });
        Ok(missing.collect())
    }

    async fn ask_again(&self, missing: &MissingMessage, now: i64) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(&missing.channel_id)?;
        let key = (missing.channel_id.clone(), missing.id.ts);
        if let Some(stored) = state.missing_messages.get_mut(&key) {
            stored.next_try_at = now.saturating_add(wait(stored.tries, MESSAGE_WAITS));
            stored.tries += 1;
            if stored.tries >= MAX_ASKS {
                state.missing_messages.remove(&key);
            }
        }
        Ok(())
    }

    async fn pinned_messages(
        &self,
        channel_id: &str,
        limit: u32,
    ) -> Result<Vec<PinnedMessage>, StorageError> {
        let state = self.state();
        let conversation = state.conversation(channel_id)?;
        let on_platform = conversation.pins.on_platform();
        let pinned = on_platform.filter_map(|(ts, emoji_of, at)| {
            let message = conversation.shown(ts)?;
            let id = StoredId {
                ts,
                thread_ts: message.thread,
            };
            Some(PinnedMessage { id, emoji_of, at })
        });
        let mut pinned: Vec<PinnedMessage> = pinned.collect();
        pinned.sort_by_key(|pinned| std::cmp::Reverse(pinned.id.ts));
        pinned.truncate(most(limit));
        Ok(pinned)
    }

    async fn end_missing(&self, missing: &MissingMessage) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(&missing.channel_id)?;
        let key = (missing.channel_id.clone(), missing.id.ts);
        state.missing_messages.remove(&key);
        Ok(())
    }
}
