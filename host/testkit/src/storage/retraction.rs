//! Posts that are retracted: what they were made from was edited, deleted, forgotten or hidden from their channel.

use std::collections::BTreeSet;

use myao_plugin::state::outbox::PartState;
use myao_plugin::ts::TsKey;

use super::State;
use super::replies::Reply;
use super::writing::{Source, Writing};

/// A channel's id and a message.
type MessageId = (String, TsKey);

impl State {
    /// Marks the posts of the answers that are meant and that were not retracted before, and returns them.
    pub(super) fn retract(
        &mut self,
        is_meant: impl Fn(&MessageId, &Reply) -> bool,
    ) -> Vec<MessageId> {
        let mut posts = Vec::new();
        for (key, reply) in &self.replies {
            if !is_meant(key, reply) {
                continue;
            }
            posts.extend(reply.parts.iter().filter_map(|part| match part.state {
                PartState::Sent(ts) => Some((key.0.clone(), ts)),
                PartState::NotSent | PartState::MaybeSent => None,
            }));
        }
        posts.retain(|post| !self.retracted.contains_key(post));
        self.retracted
            .extend(posts.iter().map(|post| (post.clone(), true)));
        posts
    }

    /// Retracts the posts of the answers that are meant, and deletes them, at a time in Unix seconds.
    pub(super) fn retract_and_delete(
        &mut self,
        now: i64,
        is_meant: impl Fn(&MessageId, &Reply) -> bool,
    ) {
        let posts = self.retract(is_meant);
        let mut writing = Writing::new(self, Source::Events(now));
        writing.delete_posts(&posts);
        writing.finish();
    }
}

impl Writing<'_> {
    /// Deletes retracted posts.
    pub(super) fn delete_posts(&mut self, posts: &[MessageId]) {
        for (channel_id, ts) in posts {
            let at = self.now().max(ts.unix_seconds());
            self.delete(channel_id, *ts, at);
        }
    }

    /// Retracts the posts that were made from messages that now read differently, and those that were made from such
    /// posts. Returns how many.
    pub(super) fn retract(&mut self) -> usize {
        let mut count = 0;
        let mut seen = BTreeSet::new();
        loop {
            let new: Vec<MessageId> = self.reworded.difference(&seen).cloned().collect();
            if new.is_empty() {
                return count;
            }
            for message in new {
                let posts = self
                    .state
                    .retract(|_, reply| reply.sources.contains(&message));
                self.delete_posts(&posts);
                count += posts.len();
                seen.insert(message);
            }
        }
    }
}
