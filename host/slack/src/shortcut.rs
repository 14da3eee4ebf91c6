//! Message shortcuts: what people choose in the menu of a message
//! (<https://docs.slack.dev/interactivity/implementing-shortcuts>). And the button below a list to pick from, and the modes at Home
//! (<https://docs.slack.dev/reference/interaction-payloads/block_actions-payload>).

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::blocks::{CHOOSE_MODE, DUE, ITEM, ItemChoice, OWNER, STRIKE, STRUCK, chosen};
use crate::command::{Mode, mode};

/// The id of the shortcut that tells the main points of a thread; the manifest names it.
pub const THREAD: &str = "thread_in_short";

/// A shortcut that somebody chose on a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortcut {
    /// Which one.
    pub callback_id: String,
    /// Opens a window, once and within three seconds.
    pub trigger_id: String,
    /// Who chose it.
    pub user_id: String,
    /// The message's channel.
    pub channel_id: String,
    /// The first message of its thread: the message itself, if it is in none.
    pub first_ts: String,
}

#[derive(Deserialize)]
struct Payload {
    r#type: String,
    callback_id: String,
    trigger_id: String,
    user: Id,
    channel: Id,
    message: Message,
}

#[derive(Deserialize)]
struct Id {
    id: String,
}

#[derive(Deserialize)]
struct Message {
    ts: String,
    thread_ts: Option<String>,
}

impl Shortcut {
    /// Reads an interactive payload; `None` if it is something else, such as a click.
    #[must_use]
    pub fn parse(payload: &str) -> Option<Self> {
        let payload: Payload = serde_json::from_str(payload).ok()?;
        (payload.r#type == "message_action").then(|| Self {
            callback_id: payload.callback_id,
            trigger_id: payload.trigger_id,
            user_id: payload.user.id,
            channel_id: payload.channel.id,
            first_ts: payload.message.thread_ts.unwrap_or(payload.message.ts),
        })
    }
}

/// What the author of a correction picked, with the button of [`crate::blocks::strike_list`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picked {
    /// Who pressed the button.
    pub user_id: String,
    /// The correction's channel.
    pub channel_id: String,
    /// The correction.
    pub correction: String,
    /// The messages that are ticked.
    pub struck: Vec<String>,
}

#[derive(Deserialize)]
struct Pressed {
    user: Id,
    channel: Option<Id>,
    actions: Vec<Action>,
    trigger_id: Option<String>,
    #[serde(default)]
    state: State,
}

#[derive(Deserialize)]
struct Action {
    action_id: String,
    value: Option<String>,
    selected_option: Option<Ticked>,
}

#[derive(Default, Deserialize)]
struct State {
    #[serde(default)]
    values: BTreeMap<String, BTreeMap<String, Boxes>>,
}

#[derive(Deserialize)]
struct Boxes {
    #[serde(default)]
    selected_options: Vec<Ticked>,
    #[serde(default)]
    selected_users: Vec<String>,
    selected_date: Option<String>,
}

#[derive(Deserialize)]
struct Ticked {
    value: String,
}

/// A mode that somebody chose for a channel at Home.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenMode {
    /// Who chose.
    pub user_id: String,
    /// The channel.
    pub channel_id: String,
    /// The mode.
    pub mode: Mode,
}

impl ChosenMode {
    /// Reads an interactive payload; `None` if it is something else.
    #[must_use]
    pub fn parse(payload: &str) -> Option<Self> {
        let pressed: Pressed = serde_json::from_str(payload).ok()?;
        let mut actions = pressed.actions.into_iter();
        let chosen = actions.find(|action| action.action_id == CHOOSE_MODE)?;
        let option = chosen.selected_option?;
        let (channel_id, name) = option.value.split_once(':')?;
        Some(Self {
            user_id: pressed.user.id,
            channel_id: channel_id.to_owned(),
            mode: mode(name)?,
        })
    }
}

/// The choice of somebody in the menu of an item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChosenItem {
    /// Who chose.
    pub user_id: String,
    /// The channel whose message has the menu; `None` for the Home tab.
    pub channel_id: Option<String>,
    /// The name of the item.
    pub item: String,
    /// The choice.
    pub choice: ItemChoice,
    /// Opens a window, once and within three seconds.
    pub trigger_id: String,
}

impl ChosenItem {
    /// Reads an interactive payload; `None` if it is something else.
    #[must_use]
    pub fn parse(payload: &str) -> Option<Self> {
        let pressed: Pressed = serde_json::from_str(payload).ok()?;
        let mut actions = pressed.actions.into_iter();
        let menu = actions.find(|action| action.action_id == ITEM)?;
        let option = menu.selected_option?;
        let (choice, item) = chosen(&option.value)?;
        Some(Self {
            user_id: pressed.user.id,
            channel_id: pressed.channel.map(|channel| channel.id),
            item: item.to_owned(),
            choice,
            trigger_id: pressed.trigger_id.unwrap_or_default(),
        })
    }
}

/// The owner and the day that somebody saved in an item's window, [`crate::blocks::item_modal`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SavedItem {
    /// Who saved.
    pub user_id: String,
    /// The text that the window kept.
    pub kept: String,
    /// The owner's id, if one is chosen.
    pub owner: Option<String>,
    /// The day, as `2026-08-07`, if one is chosen.
    pub due: Option<String>,
}

#[derive(Deserialize)]
struct Submitted {
    r#type: String,
    user: Id,
    view: Window,
}

#[derive(Deserialize)]
struct Window {
    callback_id: String,
    private_metadata: String,
    state: State,
}

impl SavedItem {
    /// Reads an interactive payload (<https://docs.slack.dev/reference/interaction-payloads/view-interactions-payload>); `None` if
    /// it is something else.
    #[must_use]
    pub fn parse(payload: &str) -> Option<Self> {
        let saved: Submitted = serde_json::from_str(payload).ok()?;
        if saved.r#type != "view_submission" || saved.view.callback_id != ITEM {
            return None;
        }
        let inputs = saved.view.state.values.into_values().flatten();
        let mut inputs: BTreeMap<String, Boxes> = inputs.collect();
        let owner = inputs.remove(OWNER).map(|input| input.selected_users);
        Some(Self {
            user_id: saved.user.id,
            kept: saved.view.private_metadata,
            owner: owner.and_then(|users| users.into_iter().next()),
            due: inputs.remove(DUE).and_then(|input| input.selected_date),
        })
    }
}

impl Picked {
    /// Reads an interactive payload; `None` if it is something else, such as a click on a box.
    #[must_use]
    pub fn parse(payload: &str) -> Option<Self> {
        let pressed: Pressed = serde_json::from_str(payload).ok()?;
        let mut actions = pressed.actions.into_iter();
        let button = actions.find(|action| action.action_id == STRIKE)?;
        let (channel_id, correction) = button.value.as_deref()?.split_once(':')?;
        let boxes = pressed.state.values.into_values().flatten();
        let boxes = boxes.filter(|(id, _)| id == STRUCK);
        let ticked = boxes.flat_map(|(_, boxes)| boxes.selected_options);
        Some(Self {
            user_id: pressed.user.id,
            channel_id: channel_id.to_owned(),
            correction: correction.to_owned(),
            struck: ticked.map(|of| of.value).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::{ChosenMode, Picked, Shortcut, THREAD};
    use crate::command::Mode;

    fn payload(kind: &str, message: &Value) -> String {
        let payload = json!({
            "type": kind, "callback_id": THREAD, "trigger_id": "1.2", "team": { "id": "T1" },
            "user": { "id": "U1", "name": "ann" }, "channel": { "id": "C1", "name": "general" },
            "message_ts": "1709287300.000200", "message": message,
        });
        payload.to_string()
    }

    #[test]
    fn a_shortcut_on_a_reply_is_about_its_thread() {
        let alone = json!({ "type": "message", "user": "U2", "ts": "1709287300.000200" });
        let reply = json!({ "ts": "1709287300.000200", "thread_ts": "1709287200.000100" });
        for (message, first) in [(alone, "1709287300.000200"), (reply, "1709287200.000100")] {
            let chosen = Shortcut::parse(&payload("message_action", &message)).unwrap();
            assert_eq!(
                (chosen.first_ts.as_str(), chosen.channel_id.as_str()),
                (first, "C1")
            );
            assert_eq!(
                (chosen.user_id.as_str(), chosen.trigger_id.as_str()),
                ("U1", "1.2")
            );
        }
    }

    #[test]
    fn what_is_no_shortcut_on_a_message_is_none() {
        let message = json!({ "ts": "1709287300.000200" });
        assert_eq!(Shortcut::parse(&payload("block_actions", &message)), None);
        assert_eq!(
            Shortcut::parse(&payload("message_action", &json!({}))),
            None
        );
        assert_eq!(Shortcut::parse("{"), None);
    }

    #[test]
    fn a_mode_comes_with_its_channel() {
        let chosen = |value: &str| {
            let payload = json!({
                "type": "block_actions", "user": { "id": "U1", "team_id": "T1" }, "view": { "type": "home" },
                "actions": [{
                    "type": "static_select", "action_id": "mode", "block_id": "b",
                    "selected_option": { "text": { "type": "plain_text", "text": "Join in" }, "value": value },
                }],
            });
            ChosenMode::parse(&payload.to_string())
        };
        let expected = ChosenMode {
            user_id: "U1".to_owned(),
            channel_id: "C1".to_owned(),
            mode: Mode::Join,
        };
        assert_eq!(chosen("C1:join"), Some(expected));
        for other in ["C1", "C1:loud", ""] {
            assert_eq!(chosen(other), None, "{other}");
        }
    }

    #[test]
    fn what_is_ticked_comes_with_the_button_and_not_with_a_box() {
        let pressed = |action: &str| {
            let boxes = json!({ "struck": { "type": "checkboxes", "selected_options": [{ "value": "1.2" }] } });
            let none = json!({ "struck": { "type": "checkboxes", "selected_options": [] } });
            let payload = json!({
                "type": "block_actions", "user": { "id": "U1", "team_id": "T1" }, "channel": { "id": "C1" },
                "container": { "type": "message", "is_ephemeral": true },
                "actions": [{ "type": "button", "action_id": action, "block_id": "b", "value": "C1:3.4" }],
                "state": { "values": { "1.2": boxes, "1.3": none } }
            });
            Picked::parse(&payload.to_string())
        };
        let picked = pressed("strike").unwrap();
        assert_eq!(
            (picked.user_id.as_str(), picked.channel_id.as_str()),
            ("U1", "C1")
        );
        assert_eq!(
            (picked.correction.as_str(), picked.struck),
            ("3.4", vec!["1.2".to_owned()])
        );
        assert_eq!(pressed("struck"), None);
    }
}
