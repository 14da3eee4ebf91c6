//! The state of a workspace after the events so far.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, bail};
use chrono::{DateTime, FixedOffset};

use crate::data::{Audience, Channel, Event, Person, Said, What};

/// People, channels and messages by their ids.
#[derive(Debug, Default)]
pub(crate) struct State {
    pub(crate) people: BTreeMap<String, Person>,
    pub(crate) channels: BTreeMap<String, Channel>,
    messages: BTreeMap<String, Message>,
    /// The Slack ids of all messages that were ever sent: replies outlive the first message of their thread.
    sent: BTreeMap<String, String>,
}

/// A message as it is now.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) said: Said,
    pub(crate) at: DateTime<FixedOffset>,
    pub(crate) edited: Option<DateTime<FixedOffset>>,
}

impl State {
    /// Applies an event.
    pub(crate) fn apply(&mut self, event: &Event) -> Result<()> {
        match event.what.clone() {
            What::Person(person) => {
                self.people.insert(person.id.clone(), person);
            }
            What::Channel(channel) => {
                self.channels.insert(channel.id.clone(), channel);
            }
            What::Message(said) => {
                let id = said.id.clone();
                let message = Message {
                    said,
                    at: event.at,
                    edited: None,
                };
                self.sent.insert(id.clone(), message.ts());
                self.messages.insert(id, message);
            }
            What::Edit { message, text } => {
                let message = self
                    .messages
                    .get_mut(&message)
                    .with_context(|| format!("there is no message {message} to edit"))?;
                message.said.text = text;
                message.edited = Some(event.at);
            }
            What::Delete { message } => {
                if self.messages.remove(&message).is_none() {
                    bail!("there is no message {message} to delete");
                }
            }
        }
        Ok(())
    }

    /// All messages, oldest first.
    pub(crate) fn messages(&self) -> Vec<&Message> {
        let mut messages: Vec<&Message> = self.messages.values().collect();
        messages.sort_by_key(|message| message.at);
        messages
    }

    pub(crate) fn message(&self, id: &str) -> Option<&Message> {
        self.messages.get(id)
    }

    /// The messages that a channel may see, oldest first.
    pub(crate) fn visible(&self, place: &str) -> Vec<&Message> {
        let audience = |channel: &str| self.channels.get(channel).map(|known| known.audience);
        let sees_open = audience(place) != Some(Audience::MembersAndOutsiders);
        let mut messages = self.messages();
        messages.retain(|message| {
            let channel = &message.said.channel;
            channel == place || sees_open && audience(channel) == Some(Audience::Everybody)
        });
        messages
    }

    /// The name under which a person is shown.
    pub(crate) fn name<'s>(&'s self, person: &'s str) -> &'s str {
        self.people.get(person).map_or(person, |known| &known.name)
    }

    /// The Slack id of a message, deleted ones included.
    pub(crate) fn ts_of(&self, message: &str) -> Option<&str> {
        self.sent.get(message).map(String::as_str)
    }

    /// The message with a Slack id.
    pub(crate) fn with_ts(&self, ts: &str) -> Option<&Message> {
        self.messages.values().find(|message| message.ts() == ts)
    }
}

impl Message {
    /// Its id in Slack, which no other message of the workspace has.
    pub(crate) fn ts(&self) -> String {
        ts(self.at)
    }
}

/// The id in Slack of what happened at a time.
pub(crate) fn ts(at: DateTime<FixedOffset>) -> String {
    format!("{}.000000", at.timestamp())
}
