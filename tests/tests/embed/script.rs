//! `tests/embed/workspace.json`: what happens in the workspace, and what the model answers.

use std::collections::BTreeMap;

use myao_plugin::audience::ChannelFacts;
use myao_plugin::llm::{FinishReason, LlmError};
use myao_plugin::storage::records::{ChannelRecord, MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;
use myao_plugin::{Message, Settings, Target, Timestamp, User};
use myao_tests::conversation::History;
use myao_tests::read_project_file;
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::json;

/// The path of the file.
pub(crate) const FILE: &str = "tests/embed/workspace.json";

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Script {
    utc_offset_seconds: i32,
    settings: BTreeMap<String, String>,
    users: Vec<Value>,
    channels: Vec<Value>,
    pub(crate) runs: Vec<Run>,
    /// The scope ids of all threads.
    pub(crate) threads: Vec<String>,
    mention: Value,
    judged: Value,
    pub(crate) asked: AskedQuestion,
    pub(crate) known_to_the_platform: Vec<Written>,
    pub(crate) context_windows: BTreeMap<String, Option<u32>>,
    pub(crate) answers: BTreeMap<String, Vec<Answer>>,
    pub(crate) answers_of_the_summarizer: BTreeMap<String, Vec<Answer>>,
}

/// A question that is asked outside the chat.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct AskedQuestion {
    pub(crate) channel_id: String,
    pub(crate) text: String,
}

/// A generation run, with the messages that came since the one before.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Run {
    now: i64,
    messages: Vec<Written>,
    #[serde(default)]
    pub(crate) generate_channels: Vec<String>,
    #[serde(default)]
    pub(crate) generate_threads: Vec<(String, String)>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Written {
    pub(crate) channel_id: String,
    pub(crate) ts: String,
    user_id: String,
    text: String,
    pub(crate) thread_ts: Option<String>,
}

#[derive(Clone, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) struct Answer {
    #[serde(default)]
    pub(crate) text: String,
    #[serde(default)]
    error: Option<Map<String, Value>>,
    #[serde(default)]
    finish_reason: Option<String>,
    pub(crate) input_tokens: Option<u32>,
    pub(crate) output_tokens: Option<u32>,
}

impl Script {
    pub(crate) fn read() -> Self {
        serde_json::from_str(&read_project_file(FILE)).unwrap()
    }

    /// The settings that every host gives.
    pub(crate) fn settings(&self) -> Settings {
        Settings::default().with(|settings| {
            for (key, value) in &self.settings {
                settings.set(key, value);
            }
        })
    }

    /// A time as the workspace shows it.
    pub(crate) fn at(&self, unix_seconds: i64) -> Timestamp {
        Timestamp {
            unix_seconds,
            utc_offset_seconds: self.utc_offset_seconds,
        }
    }

    pub(crate) fn now(&self, run: &Run) -> Timestamp {
        self.at(run.now)
    }

    pub(crate) fn mention(&self) -> Target {
        json::read(self.mention.clone())
    }

    pub(crate) fn judged(&self) -> Target {
        json::read(self.judged.clone())
    }

    pub(crate) fn users(&self) -> Vec<User> {
        self.users.iter().cloned().map(json::read).collect()
    }

    /// The people and channels, as a store takes them in.
    pub(crate) fn places(&self) -> History {
        let channels = self.channels.iter().cloned().map(json::read);
        History {
            users: self
                .users()
                .into_iter()
                .map(|User { id, name, is_bot }| UserRecord { id, name, is_bot })
                .collect(),
            channels: channels
                .map(|channel: myao_plugin::storage::Channel| ChannelRecord {
                    id: channel.id,
                    name: channel.name,
                    facts: ChannelFacts::without_outsiders(channel.is_private),
                })
                .collect(),
            ..History::default()
        }
    }

    /// The messages of a run, as a store takes them in.
    pub(crate) fn news(&self, run: &Run) -> History {
        let ts = |ts: &String| TsKey::parse(ts).unwrap();
        let messages = run.messages.iter().map(|message| MessageRecord {
            channel_id: message.channel_id.clone(),
            ts: ts(&message.ts),
            user_id: message.user_id.clone(),
            author_name: None,
            is_bot: false,
            text: message.text.clone(),
            thread_ts: message.thread_ts.as_ref().map(ts),
            edited_at: None,
        });
        History {
            messages: messages.collect(),
            ..History::default()
        }
    }

    /// Every message's text.
    pub(crate) fn texts(&self) -> impl Iterator<Item = &str> {
        let messages = self.runs.iter().flat_map(|run| &run.messages);
        messages.map(|message| message.text.as_str())
    }

    /// A message as a platform shows it.
    pub(crate) fn show(&self, message: &Written) -> Message {
        let user = self
            .users()
            .into_iter()
            .find(|user| user.id == message.user_id);
        Message {
            ts: message.ts.clone(),
            user: user.unwrap(),
            text: message.text.clone(),
            timestamp: self.at(TsKey::parse(&message.ts).unwrap().unix_seconds()),
            thread_ts: message.thread_ts.clone(),
            edited_at: None,
            is_for_bot: false,
        }
    }
}

impl Answer {
    pub(crate) fn finish_reason(&self) -> FinishReason {
        match self.finish_reason.as_deref() {
            None => FinishReason::Stop,
            Some("length") => FinishReason::Length,
            Some(other) => panic!("{FILE}: finish reason {other}"),
        }
    }

    pub(crate) fn error(&self) -> Option<LlmError> {
        self.error.as_ref().map(json::read_error)
    }
}
