//! The outbox.

use std::collections::BTreeSet;

use myao_plugin::state::outbox::{NewPost, Outbox, Part, PartState, PostState};
use myao_plugin::state::replies::{ReplyKind, ReplyState};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::replies::{Reply, conflict};
use super::writing::{Source, Writing};
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
            PartState::Sent(_) => Some(was),
            PartState::NotSent | PartState::MaybeSent => Some(PartState::Sent(posted)),
        })?;
        // A part that was withdrawn, and arrived all the same, is retracted.
        let mut state = self.state();
        let reply = state.replies.get(&(channel_id.to_owned(), answers));
        let parts = reply.filter(|reply| reply.state == ReplyState::Waiting);
        let mut parts = parts.map_or(&[][..], |reply| &reply.parts).iter();
        let is_withdrawn = parts.any(|part| part.number == number && part.is_withdrawn());
        let post = (channel_id.to_owned(), posted);
        if is_withdrawn && !state.retracted.contains_key(&post) {
            state.retracted.insert(post.clone(), true);
            let mut writing = Writing::new(&mut state, Source::Events(posted.unix_seconds()));
            writing.delete_posts(&[post]);
            writing.finish();
        }
        Ok(())
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

    async fn retract(
        &self,
        channel_id: &str,
        answers: TsKey,
        now: i64,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        let key = (channel_id.to_owned(), answers);
        if let Some(reply) = state.replies.get_mut(&key) {
            reply.parts.retain(|part| part.state != PartState::NotSent);
            for part in &mut reply.parts {
                if part.state == PartState::MaybeSent {
                    part.text.clear();
                }
            }
        }
        state.retract_and_delete(now, |answered, _| *answered == key);
        Ok(())
    }

    async fn retracted(&self, limit: u32) -> Result<Vec<(String, TsKey)>, StorageError> {
        let state = self.state();
        let shown = state.retracted.iter().filter(|(_, is_shown)| **is_shown);
        let mut posts: Vec<(String, TsKey)> = shown.map(|(post, _)| post.clone()).collect();
        posts.sort_by_key(|(_, ts)| *ts);
        posts.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        Ok(posts)
    }

    async fn end_retraction(&self, channel_id: &str, posted: TsKey) -> Result<(), StorageError> {
        let mut state = self.state();
        state.conversation(channel_id)?;
        if let Some(is_shown) = state.retracted.get_mut(&(channel_id.to_owned(), posted)) {
            *is_shown = false;
        }
        Ok(())
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
    /// The messages that a post is made from; refuses it if one of them was deleted meanwhile.
    fn sources(&self, post: &NewPost) -> Result<BTreeSet<(String, TsKey)>, StorageError> {
        let mut sources = BTreeSet::new();
        for source in &post.sources {
            let ts = TsKey::parse(&source.ts)
                .map_err(|error| StorageError::Invalid(error.to_string()))?;
            let conversation = self.conversation(&source.channel_id)?;
            let stored = conversation.messages.get(&ts);
            if stored.is_some_and(|stored| !stored.is_shown() && !stored.is_expired) {
                let what = "was made from a message that is deleted now";
                return Err(conflict(&post.channel_id, post.answers, what));
            }
            sources.insert((source.channel_id.clone(), ts));
        }
        Ok(sources)
    }

    fn begin_post(&mut self, post: NewPost, now: i64) -> Result<PostState, StorageError> {
        self.conversation(&post.channel_id)?;
        if post.parts.is_empty() {
            return Err(StorageError::Invalid(format!(
                "the answer to {} in `{}` has no text",
                post.answers, post.channel_id
            )));
        }
        let sources = self.sources(&post)?;
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
            reply.sources = sources;
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
