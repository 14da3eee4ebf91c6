//! Slack's events (<https://docs.slack.dev/reference/events>) as effects on the store.
//!
//! A payload is parsed once, into a [`SlackEvent`]. The caller looks up whom it names ([`SlackEvent::add_named`]), and
//! asks for its effects ([`SlackEvent::effects`]). No input or output here. Every effect carries the time of its event,
//! so that the store can apply effects in any order, and more than once.

mod feedback;
mod reading;

use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::{InvalidTs, TsKey};
use serde::Deserialize;
use serde_json::Value;

use super::client::User;
use super::json;
use super::message::People;
use super::message::raw::RawMessage;
use super::named::Named;
use super::{done, pins};
use reading::{read, unedited};

pub use reading::read_message;

/// Who the bot is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotIdentity {
    /// Its user id, `U…`.
    pub user_id: String,
    /// Its bot id, `B…`, which its posts carry.
    pub bot_id: Option<String>,
    /// The workspace that it is installed in, `T…`, or the organisation, `E…`.
    pub team_id: String,
}

/// Why an event or a message cannot be read. A retry cannot help. The texts quote nothing of the payload.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum EventError {
    /// It is not JSON of the shape that Slack documents.
    #[error("{}", json::describe(.0))]
    Json(#[from] serde_json::Error),
    /// The id of the message is not a valid `ts`.
    #[error("the id of its message is not valid")]
    Ts(#[from] InvalidTs),
}

/// The type of the event that reports a mention.
const MENTION: &str = "app_mention";

/// One event, as the Events API delivers it.
#[derive(Debug)]
pub struct SlackEvent {
    payload: Value,
    head: Head,
    at: TsKey,
    /// True if it happened in a channel that is shared with another organisation.
    is_ext_shared: bool,
}

/// The outer object of an Events API payload.
#[derive(Deserialize)]
struct Wrapper {
    event_time: Option<i64>,
    is_ext_shared_channel: Option<bool>,
    event: Head,
}

/// The fields that events have in common; what a field means depends on the type.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Head {
    r#type: String,
    subtype: Option<String>,
    channel: Value,
    channel_type: Option<String>,
    user: Value,
    ts: Option<String>,
    event_ts: Option<String>,
    deleted_ts: Option<String>,
    message: Option<Inner>,
}

/// The edited message within an event that reports an edit.
#[derive(Debug, Deserialize)]
struct Inner {
    ts: String,
    subtype: Option<String>,
}

impl Head {
    /// When the event happened.
    fn time(&self, event_time: Option<i64>) -> Result<TsKey, InvalidTs> {
        let seconds = || event_time.map(|seconds| format!("{seconds}.000000"));
        let ts = self.event_ts.clone().or_else(|| self.ts.clone());
        TsKey::parse(&ts.or_else(seconds).unwrap_or_default())
    }

    fn channel_id(&self) -> Option<&str> {
        let id = self.channel.get("id").and_then(Value::as_str);
        self.channel.as_str().or(id).filter(|id| !id.is_empty())
    }

    /// Returns true if it is in a direct message of one person with the bot.
    fn is_direct(&self) -> bool {
        self.channel_type.as_deref() == Some("im")
    }

    /// Returns true if it is in a group message. None of these are kept: the bot would not hear of their edits and
    /// deletions.
    fn is_in_group_message(&self) -> bool {
        self.channel_type.as_deref() == Some("mpim")
    }
}

impl SlackEvent {
    /// Parses the payload of an Events API delivery.
    ///
    /// # Errors
    /// [`EventError`] if it is not JSON of the documented shape, or has no time.
    pub fn parse(payload: &str) -> Result<Self, EventError> {
        let payload: Value = serde_json::from_str(payload)?;
        let Wrapper {
            event_time,
            is_ext_shared_channel,
            event,
        } = Wrapper::deserialize(&payload)?;
        let at = event.time(event_time)?;
        Ok(Self {
            payload,
            head: event,
            at,
            is_ext_shared: is_ext_shared_channel == Some(true),
        })
    }

    /// Adds everybody and every channel that the event names.
    pub fn add_named(&self, named: &mut Named) {
        named.add(&self.payload);
    }

    /// The user who opened the bot's App Home, if that is the event.
    #[must_use]
    pub fn home_opened_by(&self) -> Option<&str> {
        let user = self.head.user.as_str();
        user.filter(|_| self.head.r#type == "app_home_opened")
    }

    /// The channel that the bot was invited to, if that is the event.
    #[must_use]
    pub fn invited_to(&self, bot: &BotIdentity) -> Option<&str> {
        let is_of_bot = self.head.user.as_str() == Some(&*bot.user_id);
        let is_invitation = is_of_bot && self.head.r#type == "member_joined_channel";
        let channel = self.event().get("channel").and_then(Value::as_str);
        channel.filter(|_| is_invitation)
    }

    /// The author of its message, if the message says that they belong to another workspace than the bot's. Within an organisation
    /// they may belong to both.
    #[must_use]
    pub fn stranger(&self, bot: &BotIdentity) -> Option<&str> {
        let text = |field| self.event().get(field).and_then(Value::as_str);
        let mut teams = ["user_team", "source_team", "team"]
            .into_iter()
            .filter_map(text);
        let is_elsewhere = teams.any(|team| team.starts_with('T') && team != bot.team_id);
        let user = self.head.user.as_str();
        user.filter(|_| is_elsewhere && bot.team_id.starts_with('T'))
    }

    /// The changes that an event makes in the store; none for kinds of events that are not kept.
    ///
    /// # Errors
    /// [`EventError`] if its message or user cannot be read.
    pub fn effects(
        &self,
        people: &dyn People,
        bot: &BotIdentity,
    ) -> Result<Vec<Effect>, EventError> {
        let mut effects = self.own_effects(people, bot)?;
        // The event that says so when the sharing begins may be lost.
        if self.is_ext_shared
            && !self.head.is_in_group_message()
            && let Some(id) = self.head.channel_id()
            && !self.head.r#type.ends_with("_unshared")
        {
            effects.push(Effect::ChannelShared {
                id: id.to_owned(),
                is_shared: Some(true),
                at: self.at,
            });
        }
        Ok(effects)
    }

    fn own_effects(
        &self,
        people: &dyn People,
        bot: &BotIdentity,
    ) -> Result<Vec<Effect>, EventError> {
        match self.head.r#type.as_str() {
            "message" if self.head.is_direct() => self.direct_message(people, bot),
            "message" => self.message(people, bot),
            MENTION => self.mention(people, bot),
            "user_change" | "team_join"
                if self.head.user.get("id").is_some_and(Value::is_string) =>
            {
                let user = User::deserialize(&self.head.user)?;
                Ok(user.effects(self.at, &bot.team_id))
            }
            "pin_added" | "pin_removed" | "reaction_added" | "reaction_removed" => {
                let pin = pins::of_event(self.event(), self.at);
                let feedback = feedback::of_event(self.event(), self.at, &bot.user_id);
                let done = done::of_event(self.event(), self.at);
                Ok(pin.into_iter().chain(feedback).chain(done).collect())
            }
            kind => Ok(self.channel(kind, bot)),
        }
    }

    fn message(&self, people: &dyn People, bot: &BotIdentity) -> Result<Vec<Effect>, EventError> {
        let head = &self.head;
        let Some(channel_id) = head.channel_id().filter(|_| !head.is_in_group_message()) else {
            return Ok(Vec::new());
        };
        let deleted = |ts: &str| -> Result<Vec<Effect>, EventError> {
            let ts = TsKey::parse(ts)?;
            let channel_id = channel_id.to_owned();
            let at = self.at;
            Ok(vec![Effect::MessageDeleted { channel_id, ts, at }])
        };
        let mut said = self.event();
        let is_edit = match (head.subtype.as_deref(), &head.message) {
            (Some("message_deleted"), _) => {
                return deleted(head.deleted_ts.as_deref().unwrap_or_default());
            }
            // Slack reports the deletion of a message with replies as an edit.
            (Some("message_changed"), Some(inner))
                if inner.subtype.as_deref() == Some("tombstone") =>
            {
                return deleted(&inner.ts);
            }
            (Some("message_changed"), _) => match unedited(said, channel_id, people, bot) {
                Some(message) => {
                    said = message;
                    false
                }
                None => true,
            },
            _ => false,
        };
        let conversion = self.conversion(channel_id);
        let mut raw = RawMessage::deserialize(said)?;
        // Already looked at: the type of a mention is not that of a message.
        raw.r#type = None;
        let record = read(&raw, said, channel_id, people, bot)?;
        if record.is_none()
            && let Some(inner) = head.message.as_ref().filter(|_| self.had_text())
        {
            return deleted(&inner.ts);
        }
        let message = record.map(|record| Effect::Message {
            changed: if is_edit {
                self.at.max(record.ts)
            } else {
                record.changed_by(self.at)
            },
            record,
        });
        Ok(message.into_iter().chain(conversion).collect())
    }

    /// Returns true if the message had a text before an edit.
    fn had_text(&self) -> bool {
        let before = self.event().pointer("/previous_message/text");
        let before = before.and_then(Value::as_str).unwrap_or_default();
        self.head.subtype.as_deref() == Some("message_changed") && !before.trim().is_empty()
    }

    /// The change of a channel to private or public, from Slack's notice in it.
    fn conversion(&self, channel_id: &str) -> Option<Effect> {
        let is_private = match self.head.subtype.as_deref() {
            Some("channel_convert_to_private") => true,
            Some("channel_convert_to_public") => false,
            _ => return None,
        };
        Some(Effect::ChannelName {
            id: channel_id.to_owned(),
            name: String::new(),
            is_private: Some(is_private),
            at: self.at,
        })
    }

    /// A mention is reported beside the message itself, which may come later or never.
    fn mention(&self, people: &dyn People, bot: &BotIdentity) -> Result<Vec<Effect>, EventError> {
        let mut effects = self.message(people, bot)?;
        effects.extend(self.asks(&effects, bot));
        Ok(effects)
    }

    /// A message to the bot alone asks it, without a mention; Slack reports none there
    /// (<https://docs.slack.dev/reference/events/app_mention>). Who reads the channel is known from the message.
    fn direct_message(
        &self,
        people: &dyn People,
        bot: &BotIdentity,
    ) -> Result<Vec<Effect>, EventError> {
        let mut effects = self.message(people, bot)?;
        let is_new = self.head.message.is_none();
        if let Some(asks) = self.asks(&effects, bot).filter(|_| is_new) {
            effects.push(asks);
            effects.extend(self.channel_of_two(people, bot));
        }
        Ok(effects)
    }

    /// The channel of a direct message, by a message of the person.
    fn channel_of_two(&self, people: &dyn People, bot: &BotIdentity) -> Vec<Effect> {
        let (Some(id), Some(user)) = (self.head.channel_id(), self.head.user.as_str()) else {
            return Vec::new();
        };
        let (id, at) = (id.to_owned(), self.at);
        let name = people.user(user).filter(|name| !name.is_empty());
        vec![
            Effect::ChannelName {
                id: id.clone(),
                name: name.map(|name| format!("dm-{name}")).unwrap_or_default(),
                is_private: Some(true),
                at,
            },
            Effect::ChannelShared {
                id: id.clone(),
                is_shared: Some(self.is_ext_shared || self.stranger(bot).is_some()),
                at,
            },
            Effect::ChannelMembers {
                id: id.clone(),
                members: Some(vec![user.to_owned(), bot.user_id.clone()]),
                at,
            },
            Effect::ChannelPresence {
                id,
                present: true,
                at,
            },
        ]
    }

    /// That a person's message asks the bot; `effects` are those of the message.
    fn asks(&self, effects: &[Effect], bot: &BotIdentity) -> Option<Effect> {
        let id = |field| self.event().get(field).and_then(Value::as_str);
        let by_program = id("bot_id").is_some_and(|id| !id.trim().is_empty())
            || id("user") == Some(&*bot.user_id);
        let record = effects.iter().find_map(|effect| match effect {
            Effect::Message { record, .. } => Some(record),
            _ => None,
        });
        let record = record.filter(|_| !by_program)?;
        Some(Effect::Mention {
            channel_id: record.channel_id.clone(),
            ts: record.ts,
            thread_ts: record.thread_ts.filter(|thread| *thread != record.ts),
            asked_at: record.ts.unix_seconds(),
        })
    }

    fn event(&self) -> &Value {
        self.payload.get("event").unwrap_or(&Value::Null)
    }

    /// Everything that happens to a channel; nothing for events of other kinds.
    fn channel(&self, kind: &str, bot: &BotIdentity) -> Vec<Effect> {
        let Some(id) = self.head.channel_id().map(str::to_owned) else {
            return Vec::new();
        };
        let at = self.at;
        let presence = |id, present| Effect::ChannelPresence { id, present, at };
        // Of the others that came and went while the bot was not there, nothing is known.
        let comes_in = |id: String| {
            let unknown = Effect::ChannelMembers {
                id: id.clone(),
                members: None,
                at,
            };
            let own = Effect::Membership {
                channel_id: id.clone(),
                user_id: bot.user_id.clone(),
                is_member: true,
                at: TsKey::from_database(at.to_database() + 1),
            };
            vec![presence(id, true), unknown, own]
        };
        let shared = |id, is_shared| vec![Effect::ChannelShared { id, is_shared, at }];
        let of_bot = self.head.user.as_str() == Some(&*bot.user_id);
        match kind {
            "channel_created" => vec![self.channel_name(&id), presence(id, false)],
            "channel_rename" | "group_rename" => vec![self.channel_name(&id)],
            "channel_archive" | "channel_deleted" | "channel_left" | "group_archive"
            | "group_deleted" | "group_left" => vec![presence(id, false)],
            "channel_unarchive" | "group_unarchive" => comes_in(id),
            "member_joined_channel" if of_bot => comes_in(id),
            "member_left_channel" if of_bot => vec![presence(id, false)],
            "member_joined_channel" => self.membership(id, true),
            "member_left_channel" => self.membership(id, false),
            "channel_shared" => shared(id, Some(true)),
            // It may still be shared within the organisation, which the event does not say.
            "channel_unshared" => {
                let is_shared = self.event().get("is_ext_shared").and_then(Value::as_bool);
                shared(id, is_shared.filter(|is_shared| *is_shared))
            }
            _ => Vec::new(),
        }
    }

    fn membership(&self, channel_id: String, is_member: bool) -> Vec<Effect> {
        let user = self.head.user.as_str().filter(|id| !id.is_empty());
        let membership = user.map(|user| Effect::Membership {
            channel_id,
            user_id: user.to_owned(),
            is_member,
            at: self.at,
        });
        membership.into_iter().collect()
    }

    fn channel_name(&self, id: &str) -> Effect {
        let channel = &self.head.channel;
        let name = channel.get("name").and_then(Value::as_str);
        Effect::ChannelName {
            id: id.to_owned(),
            name: name.unwrap_or_default().to_owned(),
            is_private: channel.get("is_private").and_then(Value::as_bool),
            at: self.at,
        }
    }
}

/// Returns true if a channel is a direct message of two, by its id: with the bot, or between people in an export.
#[must_use]
pub fn is_direct_message(channel_id: &str) -> bool {
    channel_id.starts_with('D')
}

#[cfg(test)]
mod tests;
