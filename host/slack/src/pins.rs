//! Pins and reactions as effects. Which reaction pins a message is a setting of the bot, so every reaction is an effect here.

use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::ts::TsKey;
use serde_json::Value;

/// The change that `pin_added`, `pin_removed`, `reaction_added` or `reaction_removed` makes; `None` if it is not
/// about a message.
pub(super) fn of_event(event: &Value, at: TsKey) -> Option<Effect> {
    let text = |pointer: &str| event.pointer(pointer).and_then(Value::as_str);
    let kind = text("/type")?;
    let user_id = text("/user").unwrap_or_default().to_owned();
    let (ts, by) = if kind.starts_with("pin_") {
        (text("/item/message/ts"), PinnedBy::Platform { user_id })
    } else {
        let name = emoji(text("/reaction")?);
        (text("/item/ts"), PinnedBy::Emoji { user_id, name })
    };
    Some(Effect::Pin {
        channel_id: text("/item/channel")
            .filter(|id| !id.is_empty())?
            .to_owned(),
        ts: TsKey::parse(ts?).ok()?,
        by,
        is_pinned: kind.ends_with("_added"),
        at,
    })
}

/// The pins and reactions that a message has, as the Web API and exports write it.
#[must_use]
pub fn of_message(message: &Value, channel_id: &str) -> Vec<Effect> {
    let Some(ts) = message.get("ts").and_then(Value::as_str) else {
        return Vec::new();
    };
    let Ok(ts) = TsKey::parse(ts) else {
        return Vec::new();
    };
    let pin = |by: PinnedBy, at: TsKey| Effect::Pin {
        channel_id: channel_id.to_owned(),
        ts,
        by,
        is_pinned: true,
        at,
    };
    let mut effects = Vec::new();
    if strings(message.get("pinned_to"))
        .iter()
        .any(|id| id == channel_id)
    {
        let info = message.get("pinned_info");
        let by = info.and_then(|info| info.get("pinned_by"));
        let at = info.and_then(|info| info.get("pinned_ts"));
        let user_id = by.and_then(Value::as_str).unwrap_or_default().to_owned();
        let at = at.and_then(Value::as_i64).map(TsKey::first_of);
        effects.push(pin(
            PinnedBy::Platform { user_id },
            at.map_or(ts, |at| at.max(ts)),
        ));
    }
    let reactions = reactions(message).into_iter();
    effects.extend(reactions.map(|(user_id, name)| pin(PinnedBy::Emoji { user_id, name }, ts)));
    effects
}

/// The reactions that a message shows: who, and the emoji's name.
pub(super) fn reactions(message: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let reactions = message.get("reactions").and_then(Value::as_array);
    for reaction in reactions.into_iter().flatten() {
        let name = reaction.get("name").and_then(Value::as_str);
        let name = emoji(name.unwrap_or_default());
        for user_id in strings(reaction.get("users")) {
            found.push((user_id, name.clone()));
        }
    }
    found
}

fn strings(list: Option<&Value>) -> Vec<String> {
    let list = list.and_then(Value::as_array).into_iter().flatten();
    list.filter_map(Value::as_str).map(str::to_owned).collect()
}

/// Returns true if a message names everybody who reacted with this emoji: of many, Slack names only some
/// (<https://docs.slack.dev/reference/events/message>).
#[must_use]
pub fn shows_all_of(message: &Value, name: &str) -> bool {
    let reactions = message.get("reactions").and_then(Value::as_array);
    let of_name = |reaction: &&Value| {
        let named = reaction.get("name").and_then(Value::as_str);
        named.is_some_and(|named| emoji(named) == name)
    };
    let mut reactions = reactions.into_iter().flatten().filter(of_name);
    reactions.all(|reaction| {
        let users = reaction.get("users").and_then(Value::as_array);
        let count = reaction.get("count").and_then(Value::as_u64);
        let named = u64::try_from(users.map_or(0, Vec::len)).unwrap_or(u64::MAX);
        count.is_none_or(|count| count <= named)
    })
}

/// The name of an emoji without its skin tone.
pub(super) fn emoji(name: &str) -> String {
    name.split("::").next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::shows_all_of;

    #[test]
    fn of_many_reactions_only_some_people_are_named() {
        let message = |count: u64| {
            json!({ "reactions": [
                { "name": "eyes", "users": ["U1"], "count": 9 },
                { "name": "pushpin::skin-tone-2", "users": ["U1", "U2"], "count": count },
            ] })
        };
        assert!(shows_all_of(&message(2), "pushpin"));
        assert!(!shows_all_of(&message(3), "pushpin"));
        assert!(shows_all_of(&json!({}), "pushpin"));
    }
}
