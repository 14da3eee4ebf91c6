//! A workspace as a Slack export: a folder with lists of people and channels, and a file for each day of a channel.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

use crate::data::{Audience, Channel, Person};
use crate::state::{Message, State, ts};

/// Writes the workspace as it is now into a folder, in place of what was there.
pub(crate) fn write(folder: &Path, state: &State) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder)?;
    let people: Vec<Value> = state.people.values().map(person).collect();
    write_json(&folder.join("users.json"), &people)?;
    // A direct message is a private channel to whoever asks for what may be shown there.
    let (closed, open): (Vec<&Channel>, Vec<&Channel>) = state
        .channels
        .values()
        .partition(|channel| channel.audience == Audience::Members);
    for (name, channels) in [("channels.json", open), ("groups.json", closed)] {
        let channels: Vec<Value> = channels.into_iter().map(channel).collect();
        write_json(&folder.join(name), &channels)?;
    }
    let mut days: BTreeMap<(&str, String), Vec<Value>> = BTreeMap::new();
    for said in state.messages() {
        let day = said.at.to_utc().format("%Y-%m-%d.json").to_string();
        let file = days.entry((&said.said.channel, day)).or_default();
        file.push(message(state, said)?);
    }
    for ((channel, day), messages) in days {
        // The folder has the channel's id, which the import knows too: a name may be none for a folder.
        let folder = folder.join(channel);
        fs::create_dir_all(&folder)?;
        write_json(&folder.join(day), &messages)?;
    }
    Ok(())
}

fn person(person: &Person) -> Value {
    json!({ "id": person.id, "name": person.id.to_lowercase(), "real_name": person.name, "is_bot": person.bot,
        "profile": { "real_name": person.name, "display_name": "" } })
}

fn channel(channel: &Channel) -> Value {
    json!({ "id": channel.id, "name": channel.name, "members": channel.members,
        "is_private": channel.audience == Audience::Members,
        "is_ext_shared": channel.audience == Audience::MembersAndOutsiders })
}

fn message(state: &State, message: &Message) -> Result<Value> {
    let (said, sent) = (&message.said, message.ts());
    let text = said
        .text
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;");
    let mut fields = json!({ "type": "message", "user": said.author, "ts": sent, "text": text });
    if let Some(thread) = &said.thread {
        let first = state.ts_of(thread);
        let first = first.with_context(|| format!("there is no message {thread} to reply to"))?;
        set(&mut fields, "thread_ts", json!(first));
    }
    if let Some(at) = message.edited {
        set(
            &mut fields,
            "edited",
            json!({ "user": said.author, "ts": ts(at) }),
        );
    }
    Ok(fields)
}

fn set(object: &mut Value, key: &str, value: Value) {
    if let Some(fields) = object.as_object_mut() {
        fields.insert(key.to_owned(), value);
    }
}

fn write_json(path: &Path, values: &[Value]) -> Result<()> {
    let text = serde_json::to_string(values)?;
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
