//! Requested answers and their state.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use myao_plugin::Scope;
use myao_plugin::state::outbox::{Part, PartState};
use myao_plugin::state::replies::{
    Admission, MAX_REPLY_WAIT, MentionLimits, Replies, ReplyKind, ReplyState, StoredReply,
    WaitingReply,
};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::merging::least;
use super::{MemoryStorage, State, most};

/// An answer. Its key is the channel and the message that it answers.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    /// The thread to post in; `None` for the top level.
    pub(super) thread: Option<TsKey>,
    pub(super) kind: ReplyKind,
    pub(super) state: ReplyState,
    /// In Unix seconds, like the next field.
    pub(super) asked_at: i64,
    pub(super) next_try_at: i64,
    pub(super) failures: u32,
    error: Option<String>,
    /// `None` for a mention that is within the limits as far as is known.
    pub(super) over_limit: Option<OverLimit>,
    /// The parts to post, set before the first one is sent.
    pub(super) parts: Vec<Part>,
    /// The messages that it was made from: channel id and message.
    pub(super) sources: BTreeSet<(String, TsKey)>,
}

/// What was done with a mention that is over a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum OverLimit {
    /// Its author gets a notice.
    Notified,
    /// It stays unanswered.
    Silent,
}

impl Reply {
    pub(super) fn new(
        kind: ReplyKind,
        state: ReplyState,
        thread: Option<TsKey>,
        asked_at: i64,
    ) -> Self {
        Self {
            thread,
            kind,
            state,
            asked_at,
            next_try_at: 0,
            failures: 0,
            error: None,
            over_limit: None,
            parts: Vec::new(),
            sources: BTreeSet::new(),
        }
    }

    fn is_waiting(&self) -> bool {
        self.state == ReplyState::Waiting
    }
}

#[async_trait::async_trait]
impl Replies for MemoryStorage {
    async fn waiting_replies(
        &self,
        now: i64,
        limit: u32,
    ) -> Result<Vec<WaitingReply>, StorageError> {
        let state = self.state();
        let latest = now.saturating_add(MAX_REPLY_WAIT);
        let waiting = state.replies.iter().filter(|(_, reply)| {
            reply.is_waiting() && (reply.next_try_at <= now || reply.next_try_at > latest)
        });
        let waiting = waiting.map(|((channel_id, ts), reply)| WaitingReply {
            channel_id: channel_id.clone(),
            ts: *ts,
            thread_ts: reply.thread,
            kind: reply.kind,
            asked_at: reply.asked_at,
            failures: reply.failures,
            is_begun: !reply.parts.is_empty(),
        });
        let mut waiting: Vec<WaitingReply> = waiting.collect();
        waiting.sort_by_key(|reply| (reply.asked_at, reply.ts));
        waiting.truncate(most(limit));
        Ok(waiting)
    }

    async fn list_replies(
        &self,
        state: Option<ReplyState>,
        limit: u32,
    ) -> Result<Vec<StoredReply>, StorageError> {
        let stored = self.state();
        let wanted = |reply: &Reply| state.is_none_or(|state| state == reply.state);
        let replies = stored.replies.iter().filter(|(_, reply)| wanted(reply));
        let replies = replies.map(|((channel_id, ts), reply)| StoredReply {
            channel_id: channel_id.clone(),
            channel_name: stored.channel_name(channel_id).unwrap_or_default(),
            ts: *ts,
            kind: reply.kind,
            state: reply.state,
            asked_at: reply.asked_at,
            next_try_at: reply.next_try_at,
            failures: reply.failures,
            error: reply.error.clone(),
        });
        let mut replies: Vec<StoredReply> = replies.collect();
        replies.sort_by_key(|reply| Reverse((reply.asked_at, reply.ts)));
        replies.truncate(most(limit));
        Ok(replies)
    }

    async fn fail_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
        next_try_at: i64,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        let reply = state.waiting_reply(channel_id, answers)?;
        reply.failures += 1;
        reply.error = Some(error);
        reply.next_try_at = next_try_at;
        let thread = reply.thread;
        if reply.parts.is_empty() {
            state.forget_reply_answers(channel_id, thread);
        }
        Ok(())
    }

    async fn give_up_reply(
        &self,
        channel_id: &str,
        answers: TsKey,
        error: String,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.end_reply(channel_id, answers, ReplyState::GivenUp, Some(error))
    }

    async fn forget_reply_answers(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<(), StorageError> {
        self.state().forget_reply_answers(channel_id, thread_ts);
        Ok(())
    }

    async fn admit_mention(
        &self,
        channel_id: &str,
        ts: TsKey,
        limits: MentionLimits,
    ) -> Result<Admission, StorageError> {
        self.state().admit_mention(channel_id, ts, limits)
    }
}

impl State {
    /// A waiting answer.
    ///
    /// # Errors
    /// [`StorageError::NotFound`] for a channel that is not stored, [`StorageError::Conflict`] if no such answer waits.
    pub(super) fn waiting_reply(
        &mut self,
        channel_id: &str,
        ts: TsKey,
    ) -> Result<&mut Reply, StorageError> {
        self.conversation(channel_id)?;
        let reply = self.replies.get_mut(&(channel_id.to_owned(), ts));
        let waiting = reply.filter(|reply| reply.is_waiting());
        waiting.ok_or_else(|| conflict(channel_id, ts, "does not wait"))
    }

    /// Stores a mention. If it comes again, nothing changes, unless its time or thread differs.
    pub(super) fn ask(
        &mut self,
        channel_id: &str,
        ts: TsKey,
        thread: Option<TsKey>,
        asked_at: i64,
    ) {
        let state = self.first_state(channel_id, ts);
        let key = (channel_id.to_owned(), ts);
        let new = Reply::new(ReplyKind::Mention, state, thread, asked_at);
        let reply = self.replies.entry(key).or_insert(new);
        let is_open = matches!(reply.state, ReplyState::Waiting | ReplyState::Deleted);
        if reply.kind == ReplyKind::Mention && is_open && reply.parts.is_empty() {
            reply.asked_at = reply.asked_at.min(asked_at);
            reply.thread = least(reply.thread, thread);
        }
    }

    /// The initial state of an answer to a message.
    pub(super) fn first_state(&self, channel_id: &str, ts: TsKey) -> ReplyState {
        let conversation = self.channels.get(channel_id);
        let message = conversation.and_then(|stored| stored.messages.get(&ts));
        if message.is_some_and(|message| !message.is_shown()) {
            ReplyState::Deleted
        } else {
            ReplyState::Waiting
        }
    }

    /// Drops the answer to a deleted message if no part of it was sent. An answer that was partly sent is finished.
    pub(super) fn drop_reply(&mut self, channel_id: &str, ts: TsKey) {
        let Some(reply) = self.replies.get_mut(&(channel_id.to_owned(), ts)) else {
            return;
        };
        let is_unsent = |part: &Part| part.state == PartState::NotSent;
        if reply.is_waiting() && reply.parts.iter().all(is_unsent) {
            reply.state = ReplyState::Deleted;
            reply.parts.clear();
            let thread = reply.thread;
            self.forget_reply_answers(channel_id, thread);
        }
    }

    /// Ends a waiting answer: its text, and the model's answers for it, are deleted.
    pub(super) fn end_reply(
        &mut self,
        channel_id: &str,
        ts: TsKey,
        state: ReplyState,
        error: Option<String>,
    ) -> Result<(), StorageError> {
        let reply = self.waiting_reply(channel_id, ts)?;
        reply.state = state;
        reply.error = error;
        for part in &mut reply.parts {
            part.text.clear();
        }
        let thread = reply.thread;
        self.forget_reply_answers(channel_id, thread);
        Ok(())
    }

    fn forget_reply_answers(&mut self, channel_id: &str, thread: Option<TsKey>) {
        let (scope, scope_id) = match thread {
            Some(thread) => (Scope::Thread, format!("{channel_id}:{thread}")),
            None => (Scope::Channel, channel_id.to_owned()),
        };
        for call in &mut self.calls {
            let purpose = &call.purpose;
            let is_of_reply = purpose.memory_type.is_none()
                && (purpose.scope, &purpose.scope_id) == (scope, &scope_id);
            if call.waits && is_of_reply {
                call.waits = false;
                call.answer = None;
            }
        }
    }
}

pub(super) fn conflict(channel_id: &str, ts: TsKey, what: &str) -> StorageError {
    StorageError::Conflict(format!(
        "the answer to {ts} in `{channel_id}` {what}: read again"
    ))
}
