//! Limits how many mentions are answered: for each person and for each channel, within a time window before each
//! mention, and for each person within a day.

use myao_plugin::state::replies::{
    Admission, DAY_SECONDS, MentionLimits, ReplyKind, ReplyState, TOO_MANY,
};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::State;
use super::merging::StoredMessage;
use super::replies::{OverLimit, Reply, conflict};

/// A limit that earlier mentions have reached.
struct Reached {
    limit: u32,
    window: u32,
    /// Whose limit it is; `None` for that of the channel.
    person: Option<String>,
    until: i64,
    /// Who got a notice after this time gets no other.
    notified_after: i64,
}

impl State {
    pub(super) fn admit_mention(
        &mut self,
        channel_id: &str,
        ts: TsKey,
        limits: MentionLimits,
    ) -> Result<Admission, StorageError> {
        let mention = self.waiting_reply(channel_id, ts)?.clone();
        if mention.kind != ReplyKind::Mention {
            return Err(conflict(channel_id, ts, "does not wait"));
        }
        let message = self.message_of(channel_id, ts);
        let user = message.map(|message| message.user_id.clone());
        let user = user.filter(|user| !user.is_empty());
        let text = message.map(|message| message.text.clone());
        // Waiting mentions may be over the limit themselves, so their number proves nothing.
        let before = (mention.asked_at, ts);
        let Some(reached) = self.reached(channel_id, before, user, limits) else {
            return Ok(Admission::Answer);
        };
        let (after, person) = (reached.notified_after, reached.person.as_deref());
        let was_notified = self.was_notified(after, (channel_id, ts), person);
        let notify = mention.over_limit == Some(OverLimit::Notified) || !was_notified;
        let reply = self.waiting_reply(channel_id, ts)?;
        if notify {
            reply.over_limit = Some(OverLimit::Notified);
            return Ok(Admission::Notify {
                answered: reached.limit,
                window_seconds: reached.window,
                until: reached.until,
                text: text.unwrap_or_default(),
            });
        }
        reply.over_limit = Some(OverLimit::Silent);
        let error = Some(TOO_MANY.to_owned());
        self.end_reply(channel_id, ts, ReplyState::GivenUp, error)?;
        Ok(Admission::Silent)
    }

    /// The limit that the mention of `before` is over: of its author's the one that ends last, or else that of its
    /// channel.
    fn reached(
        &self,
        channel_id: &str,
        before: (i64, TsKey),
        user: Option<String>,
        limits: MentionLimits,
    ) -> Option<Reached> {
        let by_user = |channel_id: &str, ts| {
            let author = self.message_of(channel_id, ts);
            author.is_some_and(|message| Some(&message.user_id) == user.as_ref())
        };
        let look = |limit: u32, window: u32, counts: &dyn Fn(&str, TsKey) -> bool| {
            let begin = before.0 - i64::from(window);
            let answered = self.answered(begin, before, counts);
            let first = first_beyond(&answered, limit)?;
            let last = answered.iter().max().copied().unwrap_or(first);
            Some(Reached {
                limit,
                window,
                person: None,
                until: first + i64::from(window),
                notified_after: if window == DAY_SECONDS { last } else { begin },
            })
        };
        let window = limits.window_seconds;
        let of_person = user.as_ref().and_then(|_| {
            let window = look(limits.per_person, window, &by_user);
            let day = look(limits.per_person_per_day, DAY_SECONDS, &by_user);
            let both = window.into_iter().chain(day);
            both.max_by_key(|reached| reached.until)
        });
        if let Some(reached) = of_person {
            let person = user;
            return Some(Reached { person, ..reached });
        }
        look(limits.per_channel, window, &|other, _| other == channel_id)
    }

    /// When the mentions that are or will be answered were asked, for those after `begin` and before the mention of
    /// `before`.
    fn answered(
        &self,
        begin: i64,
        before: (i64, TsKey),
        counts: impl Fn(&str, TsKey) -> bool,
    ) -> Vec<i64> {
        let is_answered = |reply: &Reply| {
            reply.kind == ReplyKind::Mention
                && matches!(reply.state, ReplyState::Waiting | ReplyState::Posted)
                && reply.over_limit.is_none()
                && reply.asked_at > begin
        };
        let replies = self.replies.iter().filter(|((channel_id, ts), reply)| {
            is_answered(reply) && (reply.asked_at, *ts) < before && counts(channel_id, *ts)
        });
        replies.map(|(_, reply)| reply.asked_at).collect()
    }

    /// Whether somebody got a notice of the limit after `begin` for another mention: the user, or, if none is given,
    /// anybody in the channel.
    fn was_notified(&self, begin: i64, mention: (&str, TsKey), user: Option<&str>) -> bool {
        self.replies.iter().any(|((channel_id, ts), reply)| {
            let message = self.message_of(channel_id, *ts);
            let is_same = message.is_some_and(|message| match user {
                Some(user) => message.user_id == user,
                None => channel_id == mention.0,
            });
            let is_notified =
                reply.asked_at > begin && reply.over_limit == Some(OverLimit::Notified);
            is_notified && is_same && (channel_id.as_str(), *ts) != mention
        })
    }

    /// Returns a message, even if it is deleted.
    fn message_of(&self, channel_id: &str, ts: TsKey) -> Option<&StoredMessage> {
        self.channels.get(channel_id)?.messages.get(&ts)
    }
}

/// When the first of the answered mentions was asked, if they reach the limit; a limit of 0 means no limit.
fn first_beyond(answered: &[i64], limit: u32) -> Option<i64> {
    let count = u32::try_from(answered.len()).unwrap_or(u32::MAX);
    let is_reached = limit > 0 && count >= limit;
    answered.iter().min().copied().filter(|_| is_reached)
}
