//! The form of a data set, as `tests/eval/README.md` describes it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, Result};
use chrono::{DateTime, FixedOffset};
use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer};

use crate::pattern::Pattern;

/// The workspace of lines without one.
const DEFAULT_WORKSPACE: &str = "default";

/// The events of one workspace, and the questions about it, each in order of time.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    pub(crate) events: Vec<Event>,
    pub(crate) questions: Vec<Question>,
}

/// A line of `conversations.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Event {
    workspace: Option<String>,
    #[serde(deserialize_with = "time")]
    pub(crate) at: DateTime<FixedOffset>,
    #[serde(flatten)]
    pub(crate) what: What,
}

/// A kind of event.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub(crate) enum What {
    Person(Person),
    Channel(Channel),
    Message(Said),
    Edit { message: String, text: String },
    Delete { message: String },
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Person {
    pub(crate) id: String,
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) bot: bool,
}

#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Channel {
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) audience: Audience,
    pub(crate) members: Vec<String>,
}

/// Who reads a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Audience {
    Everybody,
    Members,
    MembersAndOutsiders,
}

/// A message as it was sent.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Said {
    pub(crate) id: String,
    pub(crate) channel: String,
    pub(crate) author: String,
    pub(crate) text: String,
    pub(crate) thread: Option<String>,
}

/// A line of `questions.jsonl`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct Question {
    pub(crate) workspace: Option<String>,
    pub(crate) id: String,
    pub(crate) kind: String,
    #[serde(deserialize_with = "time")]
    pub(crate) at: DateTime<FixedOffset>,
    pub(crate) channel: String,
    pub(crate) text: String,
    pub(crate) expected: Expected,
    pub(crate) answer: String,
    #[serde(default)]
    pub(crate) required: Vec<Vec<Pattern>>,
    #[serde(default)]
    pub(crate) outranked: Vec<Pattern>,
    #[serde(default)]
    pub(crate) forbidden: Vec<Pattern>,
    #[serde(default)]
    leak_targets: Vec<Pattern>,
    #[serde(default)]
    pub(crate) evidence: Vec<Vec<String>>,
    #[serde(default)]
    pub(crate) note: Option<String>,
}

impl Question {
    /// The patterns that must not be shown, without those that the question itself has.
    pub(crate) fn leaks(&self) -> impl Iterator<Item = &Pattern> {
        let targets = self.leak_targets.iter();
        targets.filter(|target| !target.is_in(&self.text))
    }

    /// Returns true if a message contains a part of the answer.
    pub(crate) fn is_evidence(&self, message: &str) -> bool {
        self.evidence.iter().flatten().any(|id| id == message)
    }
}

/// The expected kind of answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Expected {
    Answer,
    Nothing,
}

/// Reads a data set, by workspace.
pub(crate) fn read(folder: &Path) -> Result<BTreeMap<String, Talk>> {
    let name = |workspace: &Option<String>| {
        workspace
            .clone()
            .unwrap_or_else(|| DEFAULT_WORKSPACE.to_owned())
    };
    let mut talks: BTreeMap<String, Talk> = BTreeMap::new();
    for event in lines::<Event>(&folder.join("conversations.jsonl"))? {
        let talk = talks.entry(name(&event.workspace)).or_default();
        talk.events.push(event);
    }
    for question in lines::<Question>(&folder.join("questions.jsonl"))? {
        let talk = talks.entry(name(&question.workspace)).or_default();
        talk.questions.push(question);
    }
    Ok(talks)
}

fn lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim().is_empty())
        .map(|(number, line)| {
            serde_json::from_str(line).with_context(|| format!("{}:{}", path.display(), number + 1))
        })
        .collect()
}

/// A time as RFC 3339.
pub(crate) fn time<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<DateTime<FixedOffset>, D::Error> {
    let text = String::deserialize(deserializer)?;
    DateTime::parse_from_rfc3339(&text)
        .map_err(|error| D::Error::custom(format!("{text}: {error}")))
}
