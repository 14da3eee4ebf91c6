//! Message shortcuts: what people choose in the menu of a message
//! (<https://docs.slack.dev/interactivity/implementing-shortcuts>).

use serde::Deserialize;

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

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::{Value, json};

    use super::{Shortcut, THREAD};

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
}
