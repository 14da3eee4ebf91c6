//! What people say of the bot's answers.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::Place;
use myao_plugin::state::outbox::PartState;
use myao_plugin::state::replies::{ReplyKind, ReplyState};
use myao_plugin::state::view::StoredAnswer;
use myao_plugin::ts::TsKey;

use super::State;
use super::replies::Reply;

/// A post of the bot: channel id and message.
type Post = (String, TsKey);

/// By post, person, and whether it was good: the newest change, and whether it says so or takes it back.
#[derive(Debug, Clone, Default)]
pub(super) struct Feedback(BTreeMap<(Post, String, bool), (TsKey, bool)>);

impl Feedback {
    pub(super) fn change(
        &mut self,
        post: Post,
        user_id: String,
        is_good: bool,
        new: (TsKey, bool),
    ) {
        let known = self.0.entry((post, user_id, is_good)).or_insert(new);
        if new.0 > known.0 || (new.0 == known.0 && !new.1) {
            *known = new;
        }
    }

    pub(super) fn forget(&mut self, user_id: &str) {
        self.0.retain(|(_, user, _), _| user != user_id);
    }

    /// How many people say it of one of these posts.
    fn count(&self, posts: &[Post], is_good: bool) -> u32 {
        let said = self.0.iter().filter(|((post, _, good), (_, is_given))| {
            *is_given && *good == is_good && posts.contains(post)
        });
        let people: BTreeSet<&String> = said.map(|((_, user, _), _)| user).collect();
        u32::try_from(people.len()).unwrap_or(u32::MAX)
    }
}

impl State {
    pub(super) fn answers(
        &self,
        place: &Place,
        judged: Option<bool>,
        limit: u32,
    ) -> Vec<StoredAnswer> {
        let posted = self
            .replies
            .iter()
            .filter(|((channel_id, _), reply)| {
                reply.state == ReplyState::Posted && self.shows_channel(place, channel_id)
            })
            .filter_map(|(asked, reply)| Some((reply.asked_at, self.answer(place, asked, reply)?)));
        let mut answers: Vec<(i64, StoredAnswer)> = posted
            .filter(|(_, answer)| match judged {
                Some(true) => answer.good > 0,
                Some(false) => answer.bad > 0,
                None => true,
            })
            .collect();
        answers.sort_by_key(|(asked_at, answer)| std::cmp::Reverse((*asked_at, answer.asked.ts)));
        answers.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
        answers.into_iter().map(|(_, answer)| answer).collect()
    }

    fn answer(&self, place: &Place, asked: &Post, reply: &Reply) -> Option<StoredAnswer> {
        let posts: Vec<Post> = reply
            .parts
            .iter()
            .filter_map(|part| match part.state {
                PartState::Sent(ts) => Some((asked.0.clone(), ts)),
                PartState::NotSent | PartState::MaybeSent => None,
            })
            .collect();
        let texts = posts.iter().filter_map(|(channel_id, ts)| {
            let message = self.channels.get(channel_id)?.messages.get(ts)?;
            (message.is_shown() && !message.text.is_empty()).then(|| message.text.clone())
        });
        let sources = reply.sources.iter();
        let sources = sources.filter(|(id, _)| self.shows_channel(place, id));
        let sources = sources.filter_map(|(id, ts)| self.source(id, *ts));
        let mut sources: Vec<_> = sources.collect();
        sources.sort_by(|a, b| (a.ts, &a.channel_id).cmp(&(b.ts, &b.channel_id)));
        Some(StoredAnswer {
            asked: self.source(&asked.0, asked.1)?,
            posted: posts.first()?.1,
            text: texts.collect::<Vec<_>>().join("\n"),
            is_unasked: reply.kind == ReplyKind::Unasked,
            good: self.feedback.count(&posts, true),
            bad: self.feedback.count(&posts, false),
            sources,
        })
    }
}
