//! The outbox.

use myao_plugin::state::outbox::{NewPost, Outbox, Part, PartState, PostState};
use myao_plugin::state::replies::{ReplyKind, ReplyState};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::replies::{Reply, conflict};
use super::{MemoryStorage, State};

#[async_trait::async_trait]
impl Outbox for MemoryStorage {
    async fn begin_post(&self, post: NewPost, now: i64) -> Result<PostState, StorageError> {
        self.state().begin_post(post, now)
    }

    async fn begun_post(
        &self,
        channel_id: &str,
        answers: TsKey,
    ) -> Result<Vec<Part>, StorageError> {
        let state = self.state();
        state.conversation(channel_id)?;
        let reply = state.replies.get(&(channel_id.to_owned(), answers));
        let waiting = reply.filter(|reply| reply.state == ReplyState::Waiting);
        Ok(waiting.map_or_else(Vec::new, |reply| reply.parts.clone()))
    }

    async fn mark_sending(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError> {
        self.mark(channel_id, answers, number, |reply, was| match was {
            PartState::Sent(_) => None,
            _ if reply != ReplyState::Waiting => None,
            PartState::NotSent | PartState::MaybeSent => Some(PartState::MaybeSent),
        })
    }

    async fn mark_not_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
    ) -> Result<(), StorageError> {
        self.mark(channel_id, answers, number, |_, was| match was {
            PartState::Sent(_) => None,
            PartState::NotSent | PartState::MaybeSent => Some(PartState::NotSent),
        })?;
        // What was withdrawn and did not arrive is forgotten.
        let mut state = self.state();
        let key = (channel_id.to_owned(), answers);
        if let Some(reply) = state.replies.get_mut(&key) {
            reply
                .parts
                .retain(|part| !(part.is_withdrawn() && part.state == PartState::NotSent));
            if reply.kind == ReplyKind::Unasked && reply.parts.is_empty() {
                state.replies.remove(&key);
            }
        }
        Ok(())
    }

    async fn mark_sent(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
        posted: TsKey,
    ) -> Result<(), StorageError> {
        self.mark(channel_id, answers, number, |_, was| match was {
            PartState::Sent(other) if other != posted => None,
            _ => Some(PartState::Sent(posted)),
        })
    }

    async fn finish_post(&self, channel_id: &str, answers: TsKey) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        let reply = state.replies.get(&(channel_id.to_owned(), answers));
        let parts = reply.map_or(&[][..], |reply| &reply.parts);
        let is_sent = |part: &Part| matches!(part.state, PartState::Sent(_));
        if parts.is_empty() || !parts.iter().all(is_sent) {
            return Err(conflict(channel_id, answers, "is not wholly posted"));
        }
        state.end_reply(channel_id, answers, ReplyState::Posted, None)
    }
}

impl MemoryStorage {
    /// Changes the state of a part; `None` is a conflict.
    fn mark(
        &self,
        channel_id: &str,
        answers: TsKey,
        number: u32,
        marked: impl Fn(ReplyState, PartState) -> Option<PartState>,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        let reply = state.replies.get_mut(&(channel_id.to_owned(), answers));
        let done = reply.and_then(|reply| {
            let mut parts = reply.parts.iter_mut();
            let part = parts.find(|part| part.number == number)?;
            part.state = marked(reply.state, part.state)?;
            Some(())
        });
        let what = format!("has no part {number} to send");
        done.ok_or_else(|| conflict(channel_id, answers, &what))
    }
}

impl State {
    fn begin_post(&mut self, post: NewPost, now: i64) -> Result<PostState, StorageError> {
        self.conversation(&post.channel_id)?;
        if post.parts.is_empty() {
            return Err(StorageError::Invalid(format!(
                "the answer to {} in `{}` has no text",
                post.answers, post.channel_id
            )));
        }
        let state = self.first_state(&post.channel_id, post.answers);
        // An answer that nobody asked for has no entry yet.
        let new = Reply::new(post.kind, state, post.thread_ts, now);
        let replies = &mut self.replies;
        let reply = replies
            .entry((post.channel_id, post.answers))
            .or_insert(new);
        match reply.state {
            ReplyState::Waiting => {}
            ReplyState::Posted => {
                let posted = reply.parts.iter().filter_map(|part| match part.state {
                    PartState::Sent(ts) => Some(ts),
                    PartState::NotSent | PartState::MaybeSent => None,
                });
                return Ok(PostState::AlreadyPosted(posted.collect()));
            }
            state => return Ok(PostState::NotWanted(state)),
        }
        if reply.parts.is_empty() {
            reply.thread = post.thread_ts;
            let parts = (0_u32..).zip(post.parts).map(|(number, text)| Part {
                number,
                text,
                state: PartState::NotSent,
            });
            reply.parts = parts.collect();
        }
        Ok(PostState::Post(reply.parts.clone()))
    }
}
