//! Small Slack exports, written by the tests that read them.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::program::Program;

/// 2026-03-02T00:00:00Z, when the conversations of the small exports begin.
pub const START: i64 = 1_772_409_600;

/// One post.
#[derive(Debug, Clone)]
pub struct Post {
    channel: &'static str,
    ts: String,
    thread: Option<String>,
    user: &'static str,
    text: String,
}

/// A post in `channel` by `user`, so many minutes after [`START`].
#[must_use]
pub fn post(channel: &'static str, minute: i64, user: &'static str, text: &str) -> Post {
    Post {
        channel,
        ts: ts(minute),
        thread: None,
        user,
        text: text.to_owned(),
    }
}

impl Post {
    /// The same as a reply in the thread that the post at another minute began.
    #[must_use]
    pub fn in_thread(mut self, minute: i64) -> Self {
        self.thread = Some(ts(minute));
        self
    }
}

/// The id of the post at a minute.
#[must_use]
pub fn ts(minute: i64) -> String {
    format!("{}.000100", START + minute * 60)
}

/// RFC 3339 for a minute.
#[must_use]
pub fn time(minute: i64) -> String {
    chrono::DateTime::from_timestamp(START + minute * 60, 0)
        .unwrap()
        .to_rfc3339()
}

/// Writes an export into the folder `export` of a program; `general` becomes the channel `CGENERAL`.
pub fn write_export(program: &Program, posts: &[Post]) {
    let list = |names: BTreeSet<&str>, entry: &dyn Fn(&str) -> Value| -> String {
        Value::Array(names.into_iter().map(entry).collect()).to_string()
    };
    let users = posts.iter().map(|post| post.user).collect();
    let members: BTreeSet<String> = posts.iter().map(|post| user_id(post.user)).collect();
    let channels: BTreeSet<&str> = posts.iter().map(|post| post.channel).collect();
    program.write(
        "export/users.json",
        list(users, &|name| json!({ "id": user_id(name), "name": name })),
    );
    program.write(
        "export/channels.json",
        list(
            channels.clone(),
            &|name| json!({ "id": channel_id(name), "name": name, "members": members }),
        ),
    );
    for channel in channels {
        let posts: Vec<Value> = posts
            .iter()
            .filter(|post| post.channel == channel)
            .map(message)
            .collect();
        program.write(
            &format!("export/{channel}/2026-03-02.json"),
            Value::Array(posts).to_string(),
        );
    }
}

/// A configuration with the specification's prompts, whose words tests look for, unless it says in which language they are.
#[must_use]
pub fn with_japanese_prompts(config: &str) -> String {
    if config.contains("prompt_language") {
        return config.to_owned();
    }
    with_memory_key(config, "prompt_language: ja")
}

/// A configuration with one more key in its section `memory`.
#[must_use]
pub fn with_memory_key(config: &str, key: &str) -> String {
    let mut has_section = false;
    let mut lines: Vec<String> = Vec::new();
    for line in config.lines() {
        let rest = line.strip_prefix("memory:");
        has_section |= rest.is_some();
        lines.push(match rest {
            Some("") => format!("memory:\n  {key}"),
            Some(rest) => format!("memory: {{ {key},{}", rest.trim_start_matches([' ', '{'])),
            None => line.to_owned(),
        });
    }
    if !has_section {
        lines.push(format!("memory: {{ {key} }}"));
    }
    lines.join("\n") + "\n"
}

/// A program with an export of these posts imported, and this configuration.
#[must_use]
pub fn program_with(config: &str, posts: &[Post]) -> Program {
    let program = Program::with_config(&with_japanese_prompts(config));
    write_export(&program, posts);
    program.run(&["import", "export"]).succeeded();
    program
}

/// Imports one message of a private channel besides what the program has. Its author alone is in the channel.
pub fn import_private(program: &Program, post: &Post) {
    let members = [user_id(post.user)];
    let channel =
        json!({ "id": channel_id(post.channel), "name": post.channel, "members": members });
    program.write("export/groups.json", json!([channel]).to_string());
    program.write(
        &format!("export/{}/2026-03-02.json", post.channel),
        json!([message(post)]).to_string(),
    );
    program
        .run(&["import", "export", "--include-private"])
        .succeeded();
}

fn message(post: &Post) -> Value {
    let mut message = json!({
        "type": "message", "user": user_id(post.user), "text": post.text, "ts": post.ts,
    });
    if let (Some(thread), Some(fields)) = (&post.thread, message.as_object_mut()) {
        fields.insert("thread_ts".to_owned(), json!(thread));
    }
    message
}

/// The id of a channel in these exports.
#[must_use]
pub fn channel_id(name: &str) -> String {
    format!("C{}", name.to_uppercase())
}

fn user_id(name: &str) -> String {
    format!("U{}", name.to_uppercase())
}
