//! Messages that the store keeps.

use myao_plugin::storage::records::MessageRecord;
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
