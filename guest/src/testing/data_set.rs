//! Data sets in the form of `tests/eval/README.md`, as far as native tests need them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use regex::{Regex, RegexBuilder};
use serde_json::Value;

use super::MemoryStorage;
use crate::bindings::types::{Message, Timestamp, User};
use crate::text::{flatten, fold};

/// The folder in `MYAO_TEST_DATA_SET`, or the project's own set.
pub(crate) fn folder() -> PathBuf {
    let own = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/eval/data");
    std::env::var_os("MYAO_TEST_DATA_SET").map_or_else(own, PathBuf::from)
}

/// What happened in one workspace, and what is asked, each in order of time.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) events: Vec<Value>,
    pub(crate) questions: Vec<Question>,
}

/// What a right answer contains.
pub(crate) struct Question {
    pub(crate) at: Timestamp,
    pub(crate) channel: String,
    required: Vec<Vec<Regex>>,
}

impl Question {
    /// How many groups of the required texts there are, and how many of them a text holds.
    pub(crate) fn held(&self, text: &str) -> (usize, usize) {
        let text = plain(text);
        let holds = |group: &&Vec<Regex>| group.iter().any(|pattern| pattern.is_match(&text));
        (
            self.required.len(),
            self.required.iter().filter(holds).count(),
        )
    }
}

/// Reads a data set, by workspace.
pub(crate) fn read(folder: &Path) -> BTreeMap<String, Talk> {
    let lines = |name: &str| -> Vec<Value> {
        let path = folder.join(name);
        let text = std::fs::read_to_string(&path);
        let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let lines = text.lines().map(serde_json::from_str);
        lines.collect::<Result<_, _>>().unwrap()
    };
    let workspace = |value: &Value| value["workspace"].as_str().unwrap_or("default").to_owned();
    let mut talks: BTreeMap<String, Talk> = BTreeMap::new();
    for event in lines("conversations.jsonl") {
        let talk = talks.entry(workspace(&event)).or_default();
        talk.events.push(event);
    }
    for asked in lines("questions.jsonl") {
        let question = Question {
            at: time(&asked["at"]),
            channel: text(&asked["channel"]),
            required: groups(&asked["required"]),
        };
        let talk = talks.entry(workspace(&asked)).or_default();
        talk.questions.push(question);
    }
    talks
}

/// A workspace that is filled event by event.
#[derive(Default)]
pub(crate) struct Filled {
    people: BTreeMap<String, User>,
    pub(crate) messages: BTreeMap<String, (String, Message)>,
    /// The channels whose audience is everybody.
    pub(crate) open: Vec<String>,
}

impl Filled {
    /// Applies an event; what is private stays out of the store, unless it is of `place`.
    pub(crate) fn apply(&mut self, event: &Value, storage: &MemoryStorage) {
        let id = text(&event["id"]);
        match text(&event["event"]).as_str() {
            "person" => {
                let user = User {
                    id: id.clone(),
                    name: text(&event["name"]),
                    is_bot: event["bot"] == true,
                };
                self.people.insert(id, user);
            }
            "channel" => {
                self.open.retain(|open| *open != id);
                if event["audience"] == "everybody" {
                    storage.add_channel(&id, &text(&event["name"]));
                    self.open.push(id);
                }
            }
            "message" => self.say(id, event, storage),
            "edit" => {
                let id = text(&event["message"]);
                let (channel, message) = self.messages.get_mut(&id).unwrap();
                message.text = text(&event["text"]);
                message.edited_at = Some(time(&event["at"]));
                if self.open.contains(channel) {
                    storage.add_message(channel, message.clone());
                }
            }
            "delete" => {
                let (channel, message) = &self.messages[&text(&event["message"])];
                if self.open.contains(channel) {
                    storage.delete_message(channel, &message.ts);
                }
            }
            other => panic!("{other}"),
        }
    }

    fn say(&mut self, id: String, event: &Value, storage: &MemoryStorage) {
        let channel = text(&event["channel"]);
        let timestamp = time(&event["at"]);
        let thread = event["thread"].as_str();
        let message = Message {
            ts: format!("{}.000000", timestamp.unix_seconds),
            user: self.people[&text(&event["author"])].clone(),
            text: text(&event["text"]),
            timestamp,
            thread_ts: thread.map(|first| self.messages[first].1.ts.clone()),
            edited_at: None,
            is_for_bot: false,
        };
        if self.open.contains(&channel) {
            storage.add_message(&channel, message.clone());
        }
        self.messages.insert(id, (channel, message));
    }
}

/// A time in ISO 8601.
pub(crate) fn time(value: &Value) -> Timestamp {
    let at = chrono::DateTime::parse_from_rfc3339(value.as_str().unwrap()).unwrap();
    Timestamp {
        unix_seconds: at.timestamp(),
        utc_offset_seconds: at.offset().local_minus_utc(),
    }
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn plain(text: &str) -> String {
    flatten(&fold(text)).to_lowercase()
}

fn groups(value: &Value) -> Vec<Vec<Regex>> {
    let patterns = |group: &Value| -> Vec<Regex> {
        let patterns = group.as_array().unwrap().iter();
        patterns.map(pattern).collect()
    };
    let groups = value.as_array().map(Vec::as_slice).unwrap_or_default();
    groups.iter().map(patterns).collect()
}

/// A word or number is found as a whole only.
fn pattern(value: &Value) -> Regex {
    let pattern = match value.as_str() {
        None => text(&value["regex"]),
        Some(word) => {
            let word = plain(word);
            let edge = |c: Option<char>, letter: &'static str, digit: &'static str| match c {
                Some(c) if c.is_ascii_alphabetic() => letter,
                Some(c) if c.is_ascii_digit() => digit,
                _ => "",
            };
            let before = edge(
                word.chars().next(),
                "(?:^|[^a-z])",
                r"(?:^|[^0-9.,]|[^0-9][.,])",
            );
            let after = edge(
                word.chars().next_back(),
                "(?:$|[^a-z])",
                r"(?:$|[^0-9.,]|[.,](?:$|[^0-9]))",
            );
            format!("{before}{}{after}", regex::escape(&word))
        }
    };
    let built = RegexBuilder::new(&pattern).case_insensitive(true).build();
    built.unwrap_or_else(|error| panic!("{pattern}: {error}"))
}
