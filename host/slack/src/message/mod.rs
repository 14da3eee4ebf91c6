//! Turns one of Slack's messages into a record to store, or says why it is left out.

mod left_out;
pub mod raw;
mod rich;

pub use left_out::LeftOut;

use myao_plugin::storage::records::{Directory, MessageRecord};
use myao_plugin::ts::{InvalidTs, TsKey};
use raw::{RawFile, RawMessage, RichContent, filled, profile_name};

use crate::mrkdwn::{Names, readable, unescaped};

/// Notices of Slack's that say nothing about what people talk about. Changes of name, topic and purpose are kept: they say
/// what a channel is for; reminders too, which hold a task and a date. A notice with replies is also kept: the replies
/// need it.
const NOTICES: [&str; 31] = [
    "app_conversation_join",
    "app_conversation_leave",
    "bot_add",
    "bot_disable",
    "bot_enable",
    "bot_remove",
    "channel_archive",
    "channel_canvas_updated",
    "channel_convert_to_private",
    "channel_convert_to_public",
    "channel_join",
    "channel_leave",
    "channel_posting_permissions",
    "channel_unarchive",
    "ekm_access_denied",
    "ephemeral",
    "group_archive",
    "group_join",
    "group_leave",
    "group_unarchive",
    "huddle_thread",
    "joiner_notification",
    "joiner_notification_for_inviter",
    "message_replied",
    "mpim_join",
    "mpim_leave",
    "pinned_item",
    "sh_room_created",
    "sh_room_shared",
    "tabbed_canvas_updated",
    "unpinned_item",
];

/// The result of converting a message.
///
/// Exhaustive on purpose: an importer must store or count every message.
#[derive(Debug)]
pub enum Outcome {
    /// A message to store.
    Keep(MessageRecord),
    /// Nothing, for this reason.
    LeaveOut(LeftOut),
}

/// The people who write messages or are named in them.
pub trait People: Names {
    /// Returns true if a user is a bot; `None` for an unknown user.
    fn is_bot(&self, id: &str) -> Option<bool>;
}

impl Names for Directory {
    fn user(&self, id: &str) -> Option<&str> {
        self.users.get(id).map(|user| user.name.as_str())
    }

    fn channel(&self, id: &str) -> Option<&str> {
        self.channels.get(id).map(String::as_str)
    }
}

impl People for Directory {
    fn is_bot(&self, id: &str) -> Option<bool> {
        self.users.get(id).map(|user| user.is_bot)
    }
}

/// Reads the messages of one conversation.
pub struct MessageReader<'s> {
    /// The channel.
    pub channel_id: &'s str,
    /// The people who write or are named.
    pub people: &'s dyn People,
    /// Messages that are known to have replies, sorted.
    pub threads: &'s [TsKey],
    /// Messages that are known to be deleted, sorted.
    pub deleted: &'s [TsKey],
}

impl MessageReader<'_> {
    /// Reads one message. `rich` reads its blocks and attachments; it is called only if the message has no text.
    ///
    /// # Errors
    /// If its `ts` is not valid, or `rich` fails.
    pub fn read<E: From<InvalidTs>>(
        &self,
        raw: &RawMessage<'_>,
        rich: impl FnOnce() -> Result<RichContent, E>,
    ) -> Result<Outcome, E> {
        if filled(&raw.r#type).is_some_and(|kind| kind != "message") {
            return Ok(Outcome::LeaveOut(LeftOut::NotAMessage));
        }
        if filled(&raw.subtype) == Some("message_changed") {
            let Some(edited) = &raw.message else {
                return Ok(Outcome::LeaveOut(LeftOut::EditWithoutMessage));
            };
            let changed_at = raw.ts.as_ref().map(|ts| ts.0.as_ref());
            let rich = || {
                let RichContent { message, .. } = rich()?;
                Ok(message.map(|message| *message).unwrap_or_default())
            };
            return self.read_message(edited, rich, changed_at);
        }
        self.read_message(raw, rich, None)
    }

    fn read_message<E: From<InvalidTs>>(
        &self,
        raw: &RawMessage<'_>,
        rich: impl FnOnce() -> Result<RichContent, E>,
        changed_at: Option<&str>,
    ) -> Result<Outcome, E> {
        let ts = TsKey::parse(raw.ts.as_ref().map(|ts| ts.0.as_ref()).unwrap_or_default())?;
        let thread_ts = filled(&raw.thread_ts).map(TsKey::parse).transpose()?;
        let thread_ts = thread_ts.or_else(|| is_among(self.threads, ts).then_some(ts));
        if let Some(reason) = self.unwanted(raw, ts) {
            return Ok(Outcome::LeaveOut(reason));
        }
        let text = self.text(raw, rich)?;
        if text.trim().is_empty() {
            return Ok(Outcome::LeaveOut(LeftOut::NoText));
        }
        let edited = raw
            .edited
            .as_ref()
            .and_then(|edit| filled(&edit.ts))
            .or(changed_at);
        Ok(Outcome::Keep(MessageRecord {
            channel_id: self.channel_id.to_owned(),
            ts,
            user_id: author(raw).to_owned(),
            author_name: self.author_name(raw),
            is_bot: self.is_bot(raw),
            text,
            thread_ts,
            edited_at: edited.and_then(seconds),
        }))
    }

    fn unwanted(&self, raw: &RawMessage<'_>, ts: TsKey) -> Option<LeftOut> {
        let subtype = filled(&raw.subtype).unwrap_or_default();
        if ["message_deleted", "tombstone"].contains(&subtype) || is_among(self.deleted, ts) {
            return Some(LeftOut::Deleted);
        }
        if subtype == "reply_broadcast" && filled(&raw.text).is_none() {
            return Some(LeftOut::BroadcastPointer);
        }
        (NOTICES.contains(&subtype) && !is_among(self.threads, ts)).then_some(LeftOut::Notice)
    }

    /// The text and the names of the files.
    fn text<E>(
        &self,
        raw: &RawMessage<'_>,
        rich: impl FnOnce() -> Result<RichContent, E>,
    ) -> Result<String, E> {
        let mut text = match filled(&raw.text) {
            Some(text) => readable(text, self.people).into_owned(),
            None if raw.has_rich() => rich::text_of(&rich()?, self.people),
            None => String::new(),
        };
        // In messages from before there could be several files, the text names the file.
        let only_file = raw.file.iter().filter(|_| text.is_empty());
        let lines: Vec<String> = only_file
            .chain(raw.files.iter().flatten())
            .filter_map(file_line)
            .collect();
        for line in lines {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&line);
        }
        Ok(text)
    }

    /// The name under which it was posted, if that is not the name of its user.
    fn author_name(&self, raw: &RawMessage<'_>) -> Option<String> {
        let known = self.people.user(author(raw)).unwrap_or_default();
        let posted_under =
            filled(&raw.username).filter(|_| is_program(raw) || author(raw).is_empty());
        let name = match (posted_under, &raw.bot_profile) {
            (Some(name), _) => readable(name, self.people)
                .trim_start_matches('@')
                .trim()
                .to_owned(),
            (None, Some(profile)) if known.is_empty() => profile_name(profile),
            _ => return None,
        };
        (!name.is_empty() && name != known).then_some(name)
    }

    /// Programs that post for a person have a `bot_id` too, so known facts about the user decide.
    fn is_bot(&self, raw: &RawMessage<'_>) -> bool {
        filled(&raw.subtype) == Some("bot_message")
            || self
                .people
                .is_bot(author(raw))
                .unwrap_or_else(|| is_program(raw))
    }
}

fn is_among(ids: &[TsKey], ts: TsKey) -> bool {
    ids.binary_search(&ts).is_ok()
}

fn is_program(raw: &RawMessage<'_>) -> bool {
    filled(&raw.subtype) == Some("bot_message") || filled(&raw.bot_id).is_some()
}

/// The id of the author; empty if there is none.
fn author<'r>(raw: &'r RawMessage<'_>) -> &'r str {
    let commenter = raw
        .comment
        .as_ref()
        .and_then(|comment| filled(&comment.user));
    filled(&raw.user)
        .or(commenter)
        .or_else(|| filled(&raw.bot_id))
        .unwrap_or_default()
}

/// A file as a line of text; `None` if it was deleted.
fn file_line(file: &RawFile<'_>) -> Option<String> {
    if filled(&file.mode) == Some("tombstone") {
        return None;
    }
    let title = filled(&file.title).or_else(|| filled(&file.name))?;
    Some(format!("[file: {}]", unescaped(title.trim())))
}

fn seconds(ts: &str) -> Option<i64> {
    TsKey::parse(ts).ok().map(TsKey::unix_seconds)
}
