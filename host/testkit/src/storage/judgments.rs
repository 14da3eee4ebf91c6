//! Conversations that nobody answered, and their judgments.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::judgments::{Judgments, StoredJudgment, Unanswered};
use myao_plugin::state::outbox::PartState;
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::merging::StoredMessage;
use super::messages::Conversation;
use super::{MemoryStorage, State};

#[async_trait::async_trait]
impl Judgments for MemoryStorage {
    async fn unanswered(
        &self,
        waited_since: i64,
        not_before: i64,
    ) -> Result<Vec<Unanswered>, StorageError> {
        let state = self.state();
        let (from, to) = (TsKey::first_of(not_before), TsKey::first_of(waited_since));
        let mut unanswered = Vec::new();
        for (id, conversation) in state
            .channels
            .iter()
            .filter(|(_, stored)| stored.is_present)
        {
            let digests = state.digests(id, conversation);
            for (thread_ts, (ts, message)) in newest(conversation, from, &digests) {
                let is_answered = state.replies.contains_key(&(id.clone(), ts));
                if ts <= to && !is_answered && !state.is_by_program(message) {
                    unanswered.push(Unanswered {
                        channel_id: id.clone(),
                        thread_ts,
                        message_ts: ts,
                        user_id: message.user_id.clone(),
                    });
                }
            }
        }
        Ok(unanswered)
    }

    async fn judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
    ) -> Result<Option<StoredJudgment>, StorageError> {
        let state = self.state();
        state.conversation(channel_id)?;
        let judgment = state.judgments.get(&(channel_id.to_owned(), thread_ts));
        Ok(judgment.copied())
    }

    async fn keep_judgment(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        judgment: StoredJudgment,
        now: i64,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        state.judgments.retain(|_, stored| stored.until > now);
        let key = (channel_id.to_owned(), thread_ts);
        state.judgments.insert(key, judgment);
        Ok(())
    }
}

/// The newest message since `from` at the top level and in each thread, without digests.
fn newest<'c>(
    conversation: &'c Conversation,
    from: TsKey,
    digests: &BTreeSet<TsKey>,
) -> BTreeMap<Option<TsKey>, (TsKey, &'c StoredMessage)> {
    let recent = conversation.all_shown();
    let recent = recent.filter(|(ts, _)| *ts >= from && !digests.contains(ts));
    let by_thread = recent.map(|(ts, message)| {
        let first = conversation.threads.contains_key(&ts).then_some(ts);
        (message.thread.or(first), (ts, message))
    });
    // For each thread, the last one is kept.
    by_thread.collect()
}

impl State {
    /// The posts in a channel that answer no message.
    fn digests(&self, channel_id: &str, conversation: &Conversation) -> BTreeSet<TsKey> {
        let replies = self.replies.iter();
        let of_none = replies.filter(|((channel, answers), _)| {
            channel == channel_id && !conversation.messages.contains_key(answers)
        });
        let parts = of_none.flat_map(|(_, reply)| &reply.parts);
        let posts = parts.filter_map(|part| match part.state {
            PartState::Sent(posted) => Some(posted),
            _ => None,
        });
        posts.collect()
    }

    pub(super) fn is_by_program(&self, message: &StoredMessage) -> bool {
        let user = self.users.get(&message.user_id);
        message.is_bot || user.is_some_and(|user| user.record.is_bot)
    }
}
