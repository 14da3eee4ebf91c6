//! Thumbs on the bot's answers, as effects.

use myao_plugin::storage::effects::Effect;
use myao_plugin::ts::TsKey;
use serde_json::Value;

use crate::pins::emoji;

/// The rating that `reaction_added` or `reaction_removed` gives an answer of the bot; `None` if it is about something
/// else.
pub(super) fn of_event(event: &Value, at: TsKey, bot_user_id: &str) -> Option<Effect> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    let is_given = match text("/type")? {
        "reaction_added" => true,
        "reaction_removed" => false,
        _ => return None,
    };
    if text("/item_user")? != bot_user_id {
        return None;
    }
    Some(Effect::Feedback {
        channel_id: text("/item/channel")
            .filter(|id| !id.is_empty())?
            .to_owned(),
        ts: TsKey::parse(text("/item/ts")?).ok()?,
        user_id: text("/user").filter(|id| !id.is_empty())?.to_owned(),
        is_good: is_good(&emoji(text("/reaction")?))?,
        is_given,
        at,
    })
}

/// Returns true for thumbs up, false for thumbs down; `None` for another emoji. Slack has two names for each
/// (<https://docs.slack.dev/reference/events/reaction_added>).
fn is_good(emoji: &str) -> Option<bool> {
    match emoji {
        "+1" | "thumbsup" => Some(true),
        "-1" | "thumbsdown" => Some(false),
        _ => None,
    }
}
