//! Limits how many mentions are answered: for each person and for each channel, within a time window before each
//! mention.

use myao_plugin::state::replies::{Admission, MentionLimits, ReplyKind, ReplyState, TOO_MANY};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use super::State;
use super::merging::StoredMessage;
use super::replies::{OverLimit, Reply, conflict};

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
        let begin = mention.asked_at - i64::from(limits.window_seconds);
        let message = self.message_of(channel_id, ts);
        let user = message.map(|message| message.user_id.clone());
        let user = user.filter(|user| !user.is_empty());
        let text = message.map(|message| message.text.clone());

        let of_person = user.as_ref().and_then(|user| {
            let answered = self.answered(begin, (mention.asked_at, ts), |channel_id, ts| {
                let message = self.message_of(channel_id, ts);
                message.is_some_and(|message| message.user_id == *user)
            });
            first_beyond(&answered, limits.per_person)
        });
        let in_channel = || {
            let answered = self.answered(begin, (mention.asked_at, ts), |other, _| {
                other == channel_id
            });
            first_beyond(&answered, limits.per_channel)
        };
        // Waiting mentions may be over the limit themselves, so their number proves nothing.
        let (first, answered, person) = match (of_person, user) {
            (Some(first), user) => (first, limits.per_person, user),
            (None, _) => match in_channel() {
                Some(first) => (first, limits.per_channel, None),
                None => return Ok(Admission::Answer),
            },
        };
        let was_notified = self.was_notified(begin, (channel_id, ts), person.as_deref());
        let notify = mention.over_limit == Some(OverLimit::Notified) || !was_notified;
        let reply = self.waiting_reply(channel_id, ts)?;
        if notify {
            reply.over_limit = Some(OverLimit::Notified);
            return Ok(Admission::Notify {
                answered,
                until: first + i64::from(limits.window_seconds),
                text: text.unwrap_or_default(),
            });
        }
        reply.over_limit = Some(OverLimit::Silent);
        let error = Some(TOO_MANY.to_owned());
        self.end_reply(channel_id, ts, ReplyState::GivenUp, error)?;
        Ok(Admission::Silent)
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
