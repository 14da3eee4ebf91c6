//! Messages that the store keeps.

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;
use serde::Deserialize;
use serde_json::Value;

use super::{BotIdentity, EventError};
use crate::message::raw::RawMessage;
use crate::message::{MessageReader, Outcome, People};

/// The character that `myao_slack::markdown` puts around formatting.
const ZERO_WIDTH_SPACE: char = '\u{200B}';

/// A message, as the Web API writes it; `None` if there is nothing to keep of it.
///
/// # Errors
/// [`EventError`].
pub fn read_message(
    message: &Value,
    channel_id: &str,
    people: &dyn People,
    bot: &BotIdentity,
) -> Result<Option<MessageRecord>, EventError> {
    let raw = RawMessage::deserialize(message)?;
    read(&raw, message, channel_id, people, bot)
}

pub(super) fn read(
    raw: &RawMessage<'_>,
    message: &Value,
    channel_id: &str,
    people: &dyn People,
    bot: &BotIdentity,
) -> Result<Option<MessageRecord>, EventError> {
    let reader = MessageReader {
        channel_id,
        people,
        threads: &[],
        deleted: &[],
    };
    let rich = || Deserialize::deserialize(message).map_err(EventError::Json);
    let Outcome::Keep(mut record) = reader.read(raw, rich)? else {
        return Ok(None);
    };
    if record.user_id == bot.user_id {
        // They make Slack show formatting between words without spaces, and mean nothing to a reader.
        record.text = record.text.replace(ZERO_WIDTH_SPACE, "");
    }
    Ok(Some(record))
}

/// The message of an event that reports a change of it, if nobody edited it: `edited` is missing or no newer than before, and it
/// reads as before. So Slack reports a preview of a link, or the language of the text
/// (<https://docs.slack.dev/reference/events/message/message_changed>).
///
/// A change of what is read counts as an edit, too: Slack does not say that a program's change of its own message, or the deletion
/// of a file, sets `edited`. Without the message before, it counts as edited.
pub(super) fn unedited<'e>(
    event: &'e Value,
    channel_id: &str,
    people: &dyn People,
    bot: &BotIdentity,
) -> Option<&'e Value> {
    let (now, before) = (event.get("message")?, event.get("previous_message")?);
    let edited = |message: &Value| {
        let ts = message.pointer("/edited/ts").and_then(Value::as_str);
        ts.and_then(|ts| TsKey::parse(ts).ok())
    };
    if edited(now) > edited(before) {
        return None;
    }
    let text = |message| {
        let record = read_message(message, channel_id, people, bot)?;
        Ok::<_, EventError>(record.map(|record| record.text))
    };
    // One that cannot be read is not the same.
    let reads_alike = text(before).is_ok_and(|before| text(now).is_ok_and(|now| now == before));
    reads_alike.then_some(now)
}
