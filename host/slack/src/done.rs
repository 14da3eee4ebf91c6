//! Reactions that mark a message as done.

use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::DoneMark;
use myao_plugin::ts::TsKey;
use serde_json::Value;

use super::pins::{emoji, reactions};

/// The emoji that mean it. The first three are Slack's own; teams give the others to pictures of theirs.
const DONE: [&str; 12] = [
    "white_check_mark",
    "heavy_check_mark",
    "ballot_box_with_check",
    "done",
    "completed",
    "finished",
    "済",
    "済み",
    "完了",
    "対応済",
    "対応済み",
    "sumi",
];

/// The change that `reaction_added` or `reaction_removed` makes to it; `None` for another emoji or event.
pub(super) fn of_event(event: &Value, at: TsKey) -> Option<Effect> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    let is_given = match text("/type")? {
        "reaction_added" => true,
        "reaction_removed" => false,
        _ => return None,
    };
    let emoji = emoji(text("/reaction")?);
    let mark = DoneMark {
        channel_id: text("/item/channel")
            .filter(|id| !id.is_empty())?
            .to_owned(),
        ts: TsKey::parse(text("/item/ts")?).ok()?,
        user_id: text("/user").filter(|id| !id.is_empty())?.to_owned(),
        emoji,
    };
    let is_meant = DONE.contains(&mark.emoji.as_str());
    is_meant.then_some(Effect::Done { mark, is_given, at })
}

/// The marks that a message has, as the Web API and exports write it. Since when is not known.
#[must_use]
pub fn of_message(message: &Value, channel_id: &str) -> Vec<DoneMark> {
    let ts = message.get("ts").and_then(Value::as_str);
    let Some(ts) = ts.and_then(|ts| TsKey::parse(ts).ok()) else {
        return Vec::new();
    };
    let mark = |(user_id, emoji): (String, String)| DoneMark {
        channel_id: channel_id.to_owned(),
        ts,
        user_id,
        emoji,
    };
    let reactions = reactions(message).into_iter();
    reactions
        .filter(|(_, emoji)| DONE.contains(&emoji.as_str()))
        .map(mark)
        .collect()
}
