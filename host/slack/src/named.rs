//! The users and channels that an event or a message names, so that their names can be looked up first.

use std::collections::BTreeSet;

use serde_json::Value;

/// Longer than any id so far: what is longer is not an id, and is not looked up.
const MAX_ID_BYTES: usize = 32;

/// Ids of users and channels.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Named {
    /// Ids of users.
    pub users: BTreeSet<String>,
    /// Ids of channels.
    pub channels: BTreeSet<String>,
}

impl Named {
    /// Adds every id in a payload or a message, at any depth.
    pub fn add(&mut self, value: &Value) {
        match value {
            Value::Object(fields) => {
                for (key, value) in fields {
                    match (key.as_str(), value.as_str()) {
                        ("user" | "user_id", Some(id)) => self.add_user(id),
                        ("channel" | "channel_id", Some(id)) => self.add_channel(id),
                        _ => self.add(value),
                    }
                }
            }
            Value::Array(values) => values.iter().for_each(|value| self.add(value)),
            Value::String(text) => self.add_mentions(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    fn add_mentions(&mut self, text: &str) {
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

/// Returns true if a text is an id with one of these first letters (<https://docs.slack.dev/apis/conversations-api>).
fn is_id(id: &str, kinds: &[char]) -> bool {
    id.len() <= MAX_ID_BYTES
        && id.starts_with(kinds)
        && id.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Named;

    #[test]
    fn everybody_who_is_named_is_found_at_any_depth() {
        let mut named = Named::default();
        named.add(&json!({ "event": {
            "user": "U1", "channel": "C1", "text": "<@U2|x> <#C3> <@not an id> <!here>",
            "message": { "user": "W4" }, "blocks": [{ "elements": [{ "type": "user", "user_id": "U5" }] }],
        } }));
        let users: Vec<&str> = named.users.iter().map(String::as_str).collect();
        assert_eq!(users, ["U1", "U2", "U5", "W4"]);
        let channels: Vec<&str> = named.channels.iter().map(String::as_str).collect();
        assert_eq!(channels, ["C1", "C3"]);
    }
}
