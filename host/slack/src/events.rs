//! Slack's events as effects on the store (<https://docs.slack.dev/reference/events>).
//!
//! Pure: what an event names is looked up in [`People`], which the caller fills first ([`Named::of`] says with whom).
//! Every effect carries the time of its event, so that the store can apply them in any order, and again.

use std::collections::BTreeSet;

use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::ts::{InvalidTs, TsKey};
use serde::Deserialize;
use serde_json::Value;

use super::message::raw::{RawMessage, RawUser, RichContent, filled, user_name};
use super::message::{Outcome, People, Surroundings};

/// Who the bot is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BotIdentity {
    /// Its id as a user.
    pub user_id: String,
    /// Its id as a bot, which its posts carry.
    pub bot_id: Option<String>,
}

/// What an event leads to.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Consequences {
    /// On the store.
    pub effects: Vec<Effect>,
    /// Whose App Home was opened.
    pub opened_home: Option<String>,
}

/// Why an event or a message cannot be read. Trying again cannot help. The texts quote nothing of it.
#[derive(Debug, thiserror::Error)]
pub enum EventError {
    /// It is not of the shape that Slack documents.
    #[error("it is not of the shape that Slack documents ({:?} error in column {})", .0.classify(), .0.column())]
    Json(#[from] serde_json::Error),
    /// A message id that is none.
    #[error("the id of its message is none")]
    Ts(#[from] InvalidTs),
    /// A text that no message of Slack's has.
    #[error("its text has {0} bytes, more than {MAX_TEXT_BYTES}")]
    TooLong(usize),
}

/// The longest text that is kept. Slack takes 40,000 characters, and somewhat more in blocks and attachments.
pub const MAX_TEXT_BYTES: usize = 512 << 10;

/// The type of the event that tells of a mention.
const MENTION: &str = "app_mention";

/// What the Events API wraps an event in.
#[derive(Deserialize)]
struct Wrapper {
    event_time: Option<i64>,
    event: Value,
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

/// The edited message within the record of an edit.
#[derive(Debug, Deserialize)]
struct Inner {
    ts: String,
    subtype: Option<String>,
}

/// The payload of an Events API delivery as effects.
///
/// # Errors
/// [`EventError`].
pub fn consequences(
    payload: &str,
    people: &dyn People,
    bot: &BotIdentity,
) -> Result<Consequences, EventError> {
    let mut wrapper: Wrapper = serde_json::from_str(payload)?;
    let head = Head::deserialize(&wrapper.event)?;
    if let (true, Some(kind)) = (head.r#type == MENTION, wrapper.event.get_mut("type")) {
        // It is the message, told once more.
        *kind = "message".into();
    }
    let json = wrapper.event.to_string();
    let event = Event {
        json: &json,
        at: head.time(wrapper.event_time)?,
        people,
        bot,
    };
    let mut consequences = Consequences::default();
    match head.r#type.as_str() {
        "message" => consequences.effects = event.message(&head)?,
        MENTION => consequences.effects = event.mention(&head)?,
        "app_home_opened" => consequences.opened_home = head.user.as_str().map(str::to_owned),
        "user_change" | "team_join" => {
            consequences.effects = user(&head.user, event.at.unix_seconds())?
                .into_iter()
                .collect();
        }
        kind => consequences.effects = event.channel(kind, &head),
    }
    Ok(consequences)
}

impl Head {
    /// When it happened.
    fn time(&self, event_time: Option<i64>) -> Result<TsKey, InvalidTs> {
        let seconds = || event_time.map(|seconds| format!("{seconds}.000000"));
        let ts = self.event_ts.clone().or_else(|| self.ts.clone());
        TsKey::parse(&ts.or_else(seconds).unwrap_or_default())
    }

    fn channel_id(&self) -> Option<&str> {
        let named = self.channel.get("id").and_then(Value::as_str);
        self.channel.as_str().or(named).filter(|id| !id.is_empty())
    }

    /// Direct messages are between a few people: they are kept out of the memories of all.
    fn is_direct(&self) -> bool {
        matches!(self.channel_type.as_deref(), Some("im" | "mpim"))
    }
}

struct Event<'e> {
    json: &'e str,
    at: TsKey,
    people: &'e dyn People,
    bot: &'e BotIdentity,
}

impl Event<'_> {
    fn message(&self, head: &Head) -> Result<Vec<Effect>, EventError> {
        let Some(channel_id) = head.channel_id().filter(|_| !head.is_direct()) else {
            return Ok(Vec::new());
        };
        let deleted = |ts: &str| -> Result<Vec<Effect>, EventError> {
            let ts = TsKey::parse(ts)?;
            let channel_id = channel_id.to_owned();
            let at = self.at;
            Ok(vec![Effect::MessageDeleted { channel_id, ts, at }])
        };
        match (head.subtype.as_deref(), &head.message) {
            (Some("message_deleted"), _) => deleted(head.deleted_ts.as_deref().unwrap_or_default()),
            // A deleted message with replies is told as an edit.
            (Some("message_changed"), Some(inner))
                if inner.subtype.as_deref() == Some("tombstone") =>
            {
                deleted(&inner.ts)
            }
            (Some("message_changed"), _) => self.text(channel_id, self.at),
            _ => self.text(channel_id, TsKey::first_of(0)),
        }
    }

    /// The message's text, which is as of `changed`, or of the message itself where that is later.
    fn text(&self, channel_id: &str, changed: TsKey) -> Result<Vec<Effect>, EventError> {
        let Some(record) = read_message(self.json, channel_id, self.people, self.bot)? else {
            return Ok(Vec::new());
        };
        let changed = changed.max(record.ts);
        Ok(vec![Effect::Message { record, changed }])
    }

    /// A mention is told beside the message itself, which may come later or never.
    fn mention(&self, head: &Head) -> Result<Vec<Effect>, EventError> {
        let mut effects = self.message(head)?;
        let raw: RawMessage<'_> = serde_json::from_str(self.json)?;
        let by_program =
            filled(&raw.bot_id).is_some() || filled(&raw.user) == Some(&*self.bot.user_id);
        if let (false, Some(Effect::Message { record, .. })) = (by_program, effects.first()) {
            let mention = Effect::Mention {
                channel_id: record.channel_id.clone(),
                ts: record.ts,
                thread_ts: record.thread_ts.filter(|thread| *thread != record.ts),
                asked_at: record.ts.unix_seconds(),
            };
            effects.push(mention);
        }
        Ok(effects)
    }

    /// Everything that happens to a channel; nothing for events of other kinds.
    fn channel(&self, kind: &str, head: &Head) -> Vec<Effect> {
        let Some(id) = head.channel_id().map(str::to_owned) else {
            return Vec::new();
        };
        let at = self.at;
        let presence = |id, present| Effect::ChannelPresence { id, present, at };
        let of_bot = head.user.as_str() == Some(&*self.bot.user_id);
        match kind {
            "channel_created" => vec![self.name(&id, head), presence(id, false)],
            "channel_rename" | "group_rename" => vec![self.name(&id, head)],
            "channel_archive" | "channel_deleted" | "channel_left" | "group_archive"
            | "group_deleted" | "group_left" => vec![presence(id, false)],
            "channel_unarchive" | "group_unarchive" => vec![presence(id, true)],
            "member_joined_channel" if of_bot => vec![presence(id, true)],
            "member_left_channel" if of_bot => vec![presence(id, false)],
            _ => Vec::new(),
        }
    }

    fn name(&self, id: &str, head: &Head) -> Effect {
        let name = head.channel.get("name").and_then(Value::as_str);
        Effect::ChannelName {
            id: id.to_owned(),
            name: name.unwrap_or_default().to_owned(),
            is_private: head.channel.get("is_private").and_then(Value::as_bool),
            at: self.at,
        }
    }
}

/// A message, as an event or the Web API writes it; none where it is nothing to keep.
///
/// # Errors
/// [`EventError`].
pub fn read_message(
    json: &str,
    channel_id: &str,
    people: &dyn People,
    bot: &BotIdentity,
) -> Result<Option<MessageRecord>, EventError> {
    let raw: RawMessage<'_> = serde_json::from_str(json)?;
    let surroundings = Surroundings {
        channel_id,
        people,
        threads: &[],
        deleted: &[],
    };
    let mut outcome = surroundings.read(&raw, None)?;
    if matches!(outcome, Outcome::NeedsRich) {
        let rich: RichContent = serde_json::from_str(json)?;
        outcome = surroundings.read(&raw, Some(&rich))?;
    }
    let Outcome::Keep(mut record) = outcome else {
        return Ok(None);
    };
    if record.text.len() > MAX_TEXT_BYTES {
        return Err(EventError::TooLong(record.text.len()));
    }
    if record.user_id == bot.user_id {
        // They make Slack show formatting between words without spaces, and mean nothing to a reader.
        record.text = record.text.replace(ZERO_WIDTH_SPACE, "");
    }
    Ok(Some(record))
}

/// What `myao_slack::markdown` puts around formatting.
const ZERO_WIDTH_SPACE: char = '\u{200B}';

/// A user object, as `user_change`, `team_join` and `users.info` write it; none without an id. Where it does not say
/// when it changed, it is as of `now`, in Unix seconds.
///
/// # Errors
/// [`EventError::Json`].
pub fn user(value: &Value, now: i64) -> Result<Option<Effect>, EventError> {
    if value.get("id").and_then(Value::as_str).is_none() {
        return Ok(None);
    }
    let raw: RawUser<'_> = Deserialize::deserialize(value)?;
    Ok(Some(Effect::User {
        changed_at: value.get("updated").and_then(Value::as_i64).unwrap_or(now),
        record: UserRecord {
            id: raw.id.to_string(),
            name: user_name(&raw),
            is_bot: raw.is_bot == Some(true) || raw.id == "USLACKBOT",
        },
    }))
}

/// Whom and which channels an event or a message names.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Ids of users.
    pub users: BTreeSet<String>,
    /// Ids of channels.
    pub channels: BTreeSet<String>,
}

impl Named {
    /// Everybody in a payload or a message, wherever they stand in it.
    ///
    /// # Errors
    /// [`EventError::Json`].
    pub fn of(json: &str) -> Result<Self, EventError> {
        let mut named = Self::default();
        named.look(&serde_json::from_str(json)?);
        Ok(named)
    }

    fn look(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match (key.as_str(), value.as_str()) {
                        ("user" | "user_id", Some(id)) => self.add_user(id),
                        ("channel" | "channel_id", Some(id)) => self.add_channel(id),
                        _ => self.look(value),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.look(value)),
            Value::String(text) => self.mentions(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn mentions(&mut self, text: &str) {
        for (at, _) in text.match_indices('<') {
            let entity = text.get(at + 1..).unwrap_or_default();
            let id = entity.split(['|', '>']).next().unwrap_or_default();
            if let Some(id) = id.strip_prefix('@') {
                self.add_user(id);
            } else if let Some(id) = id.strip_prefix('#') {
                self.add_channel(id);
            }
        }
    }

    fn add_user(&mut self, id: &str) {
        if is_id(id, &['U', 'W']) {
            self.users.insert(id.to_owned());
        }
    }

    fn add_channel(&mut self, id: &str) {
        if is_id(id, &['C', 'G']) {
            self.channels.insert(id.to_owned());
        }
    }
}

/// Ids begin with the letter of their kind (<https://docs.slack.dev/apis/conversations-api>).
fn is_id(id: &str, kinds: &[char]) -> bool {
    id.len() <= MAX_ID_BYTES
        && id.starts_with(kinds)
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Longer than any id so far: what is longer is no id, and is not asked for.
const MAX_ID_BYTES: usize = 32;

#[cfg(test)]
#[path = "events_tests.rs"]
mod tests;
