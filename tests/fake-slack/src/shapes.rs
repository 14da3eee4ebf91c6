//! People, channels and messages as Slack's JSON shows them.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::ts::Ts;
use crate::world::{Author, Channel, ChannelKind, Message, User};
use crate::{ENTERPRISE_ID, TEAM_ID};

/// A user object.
pub(crate) fn user(user: &User) -> Value {
    let mut shape = json!({
        "id": user.id, "team_id": user.team, "name": user.name, "deleted": user.deleted,
        "real_name": user.real_name, "tz": "Asia/Tokyo", "tz_label": "Japan Standard Time", "tz_offset": 32400,
        "profile": {
            "title": "", "real_name": user.real_name, "real_name_normalized": user.real_name,
            "display_name": user.display_name, "display_name_normalized": user.display_name, "team": user.team,
        },
        "is_admin": user.is_admin, "is_owner": false, "is_restricted": user.is_guest, "is_ultra_restricted": false,
        "is_bot": user.is_bot, "is_app_user": false, "updated": user.updated.seconds(),
    });
    if let Some(teams) = &user.teams {
        shape["enterprise_user"] = json!({
            "id": user.id, "enterprise_id": ENTERPRISE_ID, "enterprise_name": "Fake Inc.", "is_admin": false,
            "is_owner": false, "teams": teams,
        });
    }
    shape
}

/// A conversation object.
pub(crate) fn channel(channel: &Channel) -> Value {
    let created = channel.created.seconds();
    if channel.kind == ChannelKind::Direct {
        return json!({
            "id": channel.id, "created": created, "is_archived": channel.archived, "is_im": true,
            "is_org_shared": false, "user": channel.name, "is_user_deleted": false, "priority": 0,
        });
    }
    let group = channel.kind == ChannelKind::Group;
    let private = group || channel.kind == ChannelKind::Private;
    let note = json!({ "value": "", "creator": "", "last_set": 0 });
    json!({
        "id": channel.id, "name": channel.name, "name_normalized": channel.name,
        "is_channel": !group, "is_group": false, "is_im": false, "is_mpim": group, "is_private": private,
        "created": created, "creator": channel.members.first(), "is_archived": channel.archived,
        "is_general": false, "is_shared": channel.is_shared, "is_ext_shared": channel.is_shared, "is_org_shared": false,
        "is_pending_ext_shared": false,
        "is_member": channel.has_bot(), "num_members": channel.members.len(),
        "topic": note, "purpose": note, "previous_names": [],
    })
}

/// A message object, as it stands in events and histories.
pub(crate) fn message(channel: &Channel, message: &Message) -> Value {
    let mut shape = Map::new();
    let mut put = |key: &str, value: Value| {
        shape.insert(key.to_owned(), value);
    };
    put("type", "message".into());
    if let Some(subtype) = &message.subtype {
        put("subtype", subtype.as_str().into());
    }
    for (key, value) in author(message) {
        put(key, value);
    }
    put("text", message.text.as_str().into());
    put("ts", message.ts.to_string().into());
    put("team", TEAM_ID.into());
    if let Some(blocks) = message.blocks.clone().or_else(|| rich_text(message)) {
        put("blocks", blocks);
    }
    if !message.attachments.is_empty() {
        put("attachments", message.attachments.clone().into());
    }
    for (key, value) in thread(channel, message) {
        put(key, value);
    }
    if let Some(edited) = &message.edited {
        put(
            "edited",
            json!({ "user": edited.user, "ts": edited.ts.to_string() }),
        );
    }
    if !message.files.is_empty() {
        put("files", message.files.clone().into());
        put("upload", false.into());
    }
    if !message.reactions.is_empty() {
        put("reactions", reactions(message));
    }
    if let Some((user, at)) = &message.pinned_by {
        put("pinned_to", json!([channel.id]));
        let info = json!({ "channel": channel.id, "pinned_by": user, "pinned_ts": at.seconds() });
        put("pinned_info", info);
    }
    if let Some(metadata) = &message.metadata {
        put("metadata", metadata.clone());
    }
    Value::Object(shape)
}

fn author(message: &Message) -> Vec<(&'static str, Value)> {
    match &message.author {
        Author::User(user) if message.subtype.is_some() => vec![("user", user.as_str().into())],
        Author::User(user) => vec![
            (
                "client_msg_id",
                format!("c1ient00-0000-4000-8000-{:012x}", message.ts.micros()).into(),
            ),
            ("user", user.as_str().into()),
        ],
        Author::App {
            user,
            bot_id,
            app_id,
        } => vec![
            ("user", user.as_str().into()),
            ("bot_id", bot_id.as_str().into()),
            ("app_id", app_id.as_str().into()),
            (
                "bot_profile",
                json!({ "id": bot_id, "app_id": app_id, "name": "app", "deleted": false, "team_id": TEAM_ID }),
            ),
        ],
        Author::Integration { bot_id, username } => {
            vec![
                ("bot_id", bot_id.as_str().into()),
                ("username", username.as_str().into()),
            ]
        }
    }
}

/// The rich text that Slack adds to plain text. Text with links and mentions would need its elements told apart: left
/// out.
fn rich_text(message: &Message) -> Option<Value> {
    let plain = matches!(message.author, Author::User(_)) && message.subtype.is_none();
    (plain && !message.text.is_empty() && !message.text.contains(['<', '&'])).then(|| {
        let text = json!({ "type": "text", "text": message.text });
        json!([{
            "type": "rich_text", "block_id": "b1",
            "elements": [{ "type": "rich_text_section", "elements": [text] }],
        }])
    })
}

fn thread(channel: &Channel, message: &Message) -> Vec<(&'static str, Value)> {
    if let Some(parent) = message.thread_ts {
        let mut shape = vec![("thread_ts", parent.to_string().into())];
        if let Some(root) = channel.messages.get(&parent) {
            shape.push(("parent_user_id", root.author.user().into()));
            if message.subtype.as_deref() == Some("thread_broadcast") {
                shape.push(("root", self::message(channel, root)));
            }
        }
        return shape;
    }
    let replies: Vec<&Message> = channel.replies(message.ts).collect();
    let Some(latest) = replies.last() else {
        return Vec::new();
    };
    let mut users: Vec<&str> = Vec::new();
    for user in replies.iter().filter_map(|reply| reply.author.user()) {
        if !users.contains(&user) {
            users.push(user);
        }
    }
    vec![
        ("thread_ts", message.ts.to_string().into()),
        ("reply_count", replies.len().into()),
        ("reply_users_count", users.len().into()),
        ("latest_reply", latest.ts.to_string().into()),
        // Slack names at most five.
        ("reply_users", users.into_iter().take(5).collect()),
        ("is_locked", false.into()),
        ("subscribed", false.into()),
    ]
}

fn reactions(message: &Message) -> Value {
    let mut names: Vec<&str> = Vec::new();
    for reaction in &message.reactions {
        if !names.contains(&reaction.name.as_str()) {
            names.push(&reaction.name);
        }
    }
    let one = |name: &str| {
        let with_it = message
            .reactions
            .iter()
            .filter(|reaction| reaction.name == name);
        let users: Vec<&str> = with_it.map(|reaction| reaction.user.as_str()).collect();
        json!({ "name": name, "count": users.len(), "users": users })
    };
    names.into_iter().map(one).collect()
}

/// Takes the payloads of metadata out of an event or a message, unless the app subscribes to them.
pub(crate) fn hide_metadata(shape: &mut Value, subscriptions: &BTreeSet<String>) {
    let Value::Object(fields) = shape else {
        return;
    };
    if let Some(Value::Object(metadata)) = fields.get_mut("metadata") {
        let subscribed = metadata["event_type"]
            .as_str()
            .is_some_and(|name| subscriptions.contains(name));
        if !subscribed {
            metadata.shift_remove("event_payload");
        }
    }
    for key in ["message", "previous_message", "root"] {
        if let Some(inner) = fields.get_mut(key) {
            hide_metadata(inner, subscriptions);
        }
    }
}

/// The event of a new message.
pub(crate) fn message_event(channel: &Channel, message: &Message) -> Value {
    in_channel(self::message(channel, message), channel, message.ts)
}

/// The event of a mention.
pub(crate) fn app_mention(channel: &Channel, message: &Message) -> Value {
    let mut event = self::message(channel, message);
    event["type"] = "app_mention".into();
    let mut event = in_channel(event, channel, message.ts);
    event.as_object_mut().unwrap().shift_remove("channel_type");
    event
}

/// The event of an edit; also of a deleted parent, which becomes a tombstone.
pub(crate) fn message_changed(
    channel: &Channel,
    message: &Message,
    previous: Value,
    now: Ts,
) -> Value {
    let event = json!({
        "type": "message", "subtype": "message_changed", "message": self::message(channel, message),
        "previous_message": previous, "hidden": true, "ts": now.to_string(),
    });
    in_channel(event, channel, now)
}

/// The event of a deletion.
pub(crate) fn message_deleted(channel: &Channel, deleted: Ts, previous: Value, now: Ts) -> Value {
    let event = json!({
        "type": "message", "subtype": "message_deleted", "previous_message": previous,
        "hidden": true, "deleted_ts": deleted.to_string(), "ts": now.to_string(),
    });
    in_channel(event, channel, now)
}

fn in_channel(mut event: Value, channel: &Channel, now: Ts) -> Value {
    event["channel"] = channel.id.as_str().into();
    event["channel_type"] = channel.channel_type().into();
    event["event_ts"] = now.to_string().into();
    event
}
