//! A Slack export of any size, the same for the same size, written as Slack writes them: indented, other letters
//! than ASCII escaped, and with the fields that nobody reads.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::Result;
use serde_json::{Value, json};

use crate::contexts::SAID;

/// 1 March 2024, 00:00 UTC.
const START: usize = 1_709_251_200;
const DAY: usize = 86_400;
const USERS: usize = 200;
/// Every so many messages one starts a thread, and the next few are replies.
const THREAD_EVERY: usize = 12;
const REPLIES: usize = 2;

/// How large an export is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Channels.
    pub channels: usize,
    /// Days of each channel.
    pub days: usize,
    /// Messages of each day.
    pub messages: usize,
}

/// Writes an export into a folder.
///
/// # Errors
/// The error of the disk.
pub fn write(folder: &Path, size: Size) -> Result<()> {
    let users: Vec<Value> = (0..USERS).map(user).collect();
    write_json(&folder.join("users.json"), &users)?;
    let channels: Vec<Value> = (0..size.channels)
        .map(|n| {
            json!({ "id": channel_id(n), "name": channel_name(n), "created": START, "creator": user_id(n),
                "is_archived": false, "is_general": n == 0, "members": [user_id(n), user_id(n + 1)],
                "topic": { "value": "", "creator": "", "last_set": 0 } })
        })
        .collect();
    write_json(&folder.join("channels.json"), &channels)?;
    for channel in 0..size.channels {
        let folder = folder.join(channel_name(channel));
        fs::create_dir(&folder)?;
        for day in 0..size.days {
            let messages: Vec<Value> = (0..size.messages)
                .map(|n| message(channel, day, n))
                .collect();
            let date = chrono::DateTime::from_timestamp(i64::try_from(START + day * DAY)?, 0);
            let date = date.unwrap_or_default().format("%Y-%m-%d");
            write_json(&folder.join(format!("{date}.json")), &messages)?;
        }
    }
    Ok(())
}

fn message(channel: usize, day: usize, n: usize) -> Value {
    let author = channel + day * 7 + n * 11;
    let said = SAID.lines().cycle().nth((channel + day + n * 5) % 61);
    let said = said.unwrap_or_default();
    let text = match n % 20 {
        0 => format!("<@{}> {said}", user_id(n)),
        7 => format!("{said} <https://example.com/wiki/{n}|the page> &amp; more"),
        _ => said.to_owned(),
    };
    let mut message = json!({
        "user": user_id(author), "type": "message", "ts": ts(day, n),
        "client_msg_id": format!("{channel:08x}-{day:04x}-4000-8000-{n:012x}"),
        "text": text, "team": "T0000001", "user_team": "T0000001", "source_team": "T0000001",
        "user_profile": {
            "avatar_hash": "g0123456789ab", "image_72": "https://example.com/avatars/0123456789ab-72.png",
            "first_name": user_name(author), "real_name": user_name(author), "display_name": "",
            "team": "T0000001", "name": user_name(author), "is_restricted": false, "is_ultra_restricted": false,
        },
        "blocks": [{ "type": "rich_text", "block_id": format!("b{n:04}"), "elements": [
            { "type": "rich_text_section", "elements": [{ "type": "text", "text": said }] },
        ]}],
    });
    let in_thread = n % THREAD_EVERY;
    if let Some(fields) = message.as_object_mut() {
        if in_thread <= REPLIES {
            fields.insert("thread_ts".to_owned(), json!(ts(day, n - in_thread)));
        }
        if in_thread == 0 {
            fields.insert("reply_count".to_owned(), json!(REPLIES));
        }
    }
    message
}

fn ts(day: usize, n: usize) -> String {
    format!("{}.{:06}", START + day * DAY + n * 60, n * 31 % 1_000_000)
}

fn user(n: usize) -> Value {
    json!({ "id": user_id(n), "team_id": "T0000001", "name": user_name(n), "deleted": false,
        "real_name": user_name(n), "is_bot": false,
        "profile": { "real_name": user_name(n), "display_name": user_name(n) } })
}

fn user_id(n: usize) -> String {
    format!("U{:08}", n % USERS)
}

fn user_name(n: usize) -> String {
    format!("person-{}", n % USERS)
}

fn channel_id(n: usize) -> String {
    format!("C{n:08}")
}

fn channel_name(n: usize) -> String {
    format!("channel-{n}")
}

fn write_json(path: &Path, values: &[Value]) -> Result<()> {
    let mut escaped = String::new();
    for letter in serde_json::to_string_pretty(values)?.chars() {
        if letter.is_ascii() {
            escaped.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                write!(escaped, "\\u{unit:04x}")?;
            }
        }
    }
    Ok(fs::write(path, escaped)?)
}
