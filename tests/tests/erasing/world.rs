//! What was said, what is gone, and what each step tells the bot. It depends on nothing but the steps.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::state::forgetting::{Forget, Retention};
use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;

use super::history::{CHANNELS, Meant, PEOPLE, Said, Step};
use super::texts;

/// When a history begins: 2024-03-01 10:00:00 UTC.
pub(crate) const START: i64 = 1_709_287_200;

/// What a step does to the bot.
#[derive(Debug)]
pub(crate) enum Action {
    Tell(Vec<Effect>),
    /// The event of a message is set aside.
    SetAside(MessageRecord),
    Forget(Forget),
    Expire(Retention),
    Import(Vec<MessageRecord>),
    /// A generation run, with what happens before one of its calls.
    Generate(Option<(usize, Vec<Effect>)>),
    /// Who asked is answered.
    Answer,
}

/// A workspace at a point of a history.
#[derive(Debug, Default)]
pub(crate) struct World {
    pub(crate) now: i64,
    messages: BTreeMap<u32, Message>,
    is_private: [bool; CHANNELS],
    /// Whether messages are pinned, by their number.
    pins: BTreeMap<u32, bool>,
}

#[derive(Debug)]
struct Message {
    said: Said,
    ts: TsKey,
    /// Its texts, each with the second since when.
    texts: Vec<(String, i64)>,
    /// Later ones, of which the bot has not heard.
    unheard: Vec<(String, i64)>,
    is_heard: bool,
    is_deleted_in_slack: bool,
    /// Deleted, or to be forgotten.
    is_gone: bool,
    /// It has been kept long enough: what was made from it may be left.
    is_expired: bool,
}

impl World {
    /// A workspace in which nothing was said yet, and the effects that tell the bot of it.
    pub(crate) fn new() -> (Self, Vec<Effect>) {
        let world = Self {
            now: START + 10,
            ..Self::default()
        };
        let mut told: Vec<Effect> = (0..PEOPLE).flat_map(person).collect();
        told.extend((0..CHANNELS).flat_map(channel));
        (world, told)
    }

    /// Does a step `wait` seconds after the one before.
    pub(crate) fn step(&mut self, wait: i64, step: Step) -> Vec<Action> {
        self.now += wait;
        match step {
            Step::Say(said) => self.say(said, false).into_iter().collect(),
            Step::Ask(said) => {
                let told = self.say(said, true);
                told.into_iter().chain([Action::Answer]).collect()
            }
            Step::Edit(number) => {
                let told = self.edit(number);
                told.then(|| self.hear(number))
                    .flatten()
                    .into_iter()
                    .collect()
            }
            Step::EditUnheard(number) => {
                self.edit(number);
                Vec::new()
            }
            Step::DeleteUnheard(number) => {
                if let Some(message) = self.messages.get_mut(&number) {
                    message.is_deleted_in_slack = true;
                }
                Vec::new()
            }
            Step::Delete(number) => {
                let told = self.delete(number);
                told.map(Action::Tell).into_iter().collect()
            }
            Step::Pin(number, is_pinned) => self.pin(number, is_pinned).into_iter().collect(),
            Step::Forget(meant) => self.forget(meant).into_iter().collect(),
            Step::Expire(number, memories) => self.expire(number, memories).into_iter().collect(),
            Step::Convert(channel) => vec![self.convert(channel)],
            Step::Import => vec![self.import()],
            Step::CatchUp(channel) => vec![self.catch_up(channel)],
            Step::Sweep(channel) => vec![self.catch_up(channel), self.sweep(channel)],
            Step::Generate(midway) => {
                let change = midway.and_then(|(call, number)| Some((call, self.delete(number)?)));
                vec![Action::Generate(change)]
            }
        }
    }

    /// What marks texts that nobody says any more. A message that never came to the bot does not count.
    pub(crate) fn gone(&self) -> BTreeSet<String> {
        let texts = self.messages.values();
        let texts = texts.flat_map(|message| message.texts.iter().map(|(text, _)| text));
        let mut gone: BTreeSet<String> = texts.map(|text| texts::mark(text)).collect();
        for mark in self.present() {
            gone.remove(&mark);
        }
        gone
    }

    /// What marks the texts that are said.
    fn present(&self) -> BTreeSet<String> {
        let present = self.messages.values().filter(|message| !message.is_gone);
        present
            .filter_map(|message| message.texts.last())
            .map(|(text, _)| texts::mark(text))
            .collect()
    }

    /// What marks the texts that are said, that the bot heard and that it still keeps.
    pub(crate) fn heard(&self) -> BTreeSet<String> {
        let messages = self.messages.values();
        let heard =
            messages.filter(|message| message.is_heard && !message.is_gone && !message.is_expired);
        heard
            .filter_map(|message| message.texts.last())
            .map(|(text, _)| texts::mark(text))
            .collect()
    }

    /// The ids of the messages of a channel that are marked or pinned: those that must be known as such, and those that may.
    pub(crate) fn marked(&self, channel: usize) -> [BTreeSet<String>; 2] {
        let is_marked = |(number, message): &(&u32, &Message)| {
            let text = message.texts.last().map(|(text, _)| text.as_str());
            message.said.channel == channel
                && !message.is_gone
                && (self.pins.get(number) == Some(&true) || text.is_some_and(texts::is_marked))
        };
        let marked = self.messages.iter().filter(is_marked);
        let known = marked
            .clone()
            .filter(|(_, message)| message.is_heard && !message.is_expired);
        [
            known.map(|(_, message)| message.ts.to_string()).collect(),
            marked.map(|(_, message)| message.ts.to_string()).collect(),
        ]
    }

    fn say(&mut self, said: Said, is_question: bool) -> Option<Action> {
        let repeated = said.repeats.and_then(|number| self.messages.get(&number));
        let text = match repeated.and_then(|message| message.texts.last()) {
            Some((text, _)) => text.clone(),
            None => text(said, 0, is_question),
        };
        let ts =
            TsKey::from_database(TsKey::first_of(self.now).to_database() + i64::from(said.number));
        let message = Message {
            said,
            ts,
            texts: vec![(text, self.now)],
            unheard: Vec::new(),
            is_heard: said.is_heard || is_question,
            is_deleted_in_slack: false,
            is_gone: false,
            is_expired: false,
        };
        self.messages.insert(said.number, message);
        let message = &self.messages[&said.number];
        let mut told = vec![self.told(message)];
        if is_question {
            told.push(Effect::Mention {
                channel_id: channel_id(said.channel),
                ts,
                thread_ts: self.record(message, 0).thread_ts,
                asked_at: self.now,
            });
        }
        Some(match message.is_heard {
            true => Action::Tell(told),
            false => Action::SetAside(self.record(message, 0)),
        })
    }

    fn pin(&mut self, number: u32, is_pinned: bool) -> Option<Action> {
        let message = self.messages.get(&number)?;
        self.pins.insert(number, is_pinned);
        Some(Action::Tell(vec![Effect::Pin {
            channel_id: channel_id(message.said.channel),
            ts: message.ts,
            by: PinnedBy::Platform {
                user_id: user_id(0),
            },
            is_pinned,
            at: TsKey::first_of(self.now),
        }]))
    }

    /// Edits a message in Slack. Returns false if it is not there.
    fn edit(&mut self, number: u32) -> bool {
        let now = self.now;
        let message = self.messages.get_mut(&number);
        let Some(message) = message.filter(|message| !message.is_deleted_in_slack) else {
            return false;
        };
        let edits = u32::try_from(message.texts.len() + message.unheard.len()).unwrap();
        message
            .unheard
            .push((text(message.said, edits, false), now));
        true
    }

    /// The bot hears of a message as it is now.
    fn hear(&mut self, number: u32) -> Option<Action> {
        self.messages.get_mut(&number)?.hear();
        Some(Action::Tell(vec![self.told(&self.messages[&number])]))
    }

    fn delete(&mut self, number: u32) -> Option<Vec<Effect>> {
        let at = TsKey::first_of(self.now);
        let message = self.messages.get_mut(&number)?;
        message.is_deleted_in_slack = true;
        message.is_gone = true;
        Some(vec![Effect::MessageDeleted {
            channel_id: channel_id(message.said.channel),
            ts: message.ts,
            at,
        }])
    }

    fn forget(&mut self, meant: Meant) -> Option<Action> {
        let forget = match meant {
            Meant::Message(number) => {
                let message = self.messages.get(&number)?;
                Forget::Message {
                    channel_id: channel_id(message.said.channel),
                    ts: message.ts,
                }
            }
            Meant::Person(person) => Forget::User(user_id(person)),
            Meant::Channel(channel) => Forget::Channel(channel_id(channel)),
            Meant::Before(number) => Forget::Before(self.messages.get(&number)?.ts),
        };
        let before = match &forget {
            Forget::Before(ts) => Some(*ts),
            _ => None,
        };
        for (number, message) in &mut self.messages {
            message.is_gone |= match meant {
                Meant::Message(meant) => *number == meant,
                Meant::Person(person) => message.said.person == person,
                Meant::Channel(channel) => message.said.channel == channel,
                Meant::Before(_) => Some(message.ts) < before,
            };
        }
        Some(Action::Forget(forget))
    }

    fn expire(&mut self, number: u32, memories: bool) -> Option<Action> {
        let before = self.messages.get(&number)?.ts;
        for message in self.messages.values_mut() {
            message.is_expired |= message.ts < before;
        }
        Some(Action::Expire(Retention {
            messages: Some(before),
            memories: memories.then_some(before.unix_seconds()),
            calls: memories.then_some(before.unix_seconds()),
        }))
    }

    fn convert(&mut self, channel: usize) -> Action {
        self.is_private[channel] = !self.is_private[channel];
        let at = TsKey::first_of(self.now);
        Action::Tell(vec![named(channel, self.is_private[channel], at)])
    }

    fn import(&mut self) -> Action {
        let records = self.messages.values();
        let records = records.map(|message| self.record(message, 0)).collect();
        for message in self.messages.values_mut() {
            message.is_heard = true;
        }
        Action::Import(records)
    }

    fn catch_up(&mut self, channel: usize) -> Action {
        let in_slack = |message: &&mut Message| {
            message.said.channel == channel && !message.is_deleted_in_slack
        };
        for message in self.messages.values_mut().filter(in_slack) {
            message.hear();
        }
        let messages = self.messages.values();
        let there = messages
            .filter(|message| message.said.channel == channel && !message.is_deleted_in_slack);
        Action::Tell(there.map(|message| self.told(message)).collect())
    }

    /// Deletions of which the bot has not heard.
    fn sweep(&mut self, channel: usize) -> Action {
        let messages = self.messages.iter();
        let missing = messages.filter(|(_, message)| {
            message.said.channel == channel && message.is_deleted_in_slack && !message.is_gone
        });
        let missing: Vec<u32> = missing.map(|(number, _)| *number).collect();
        let deleted = missing.into_iter().filter_map(|number| self.delete(number));
        Action::Tell(deleted.flatten().collect())
    }

    /// What Slack says of a message now.
    fn told(&self, message: &Message) -> Effect {
        let record = self.record(message, message.texts.len() - 1);
        let changed = record.changed();
        Effect::Message { record, changed }
    }

    fn record(&self, message: &Message, edit: usize) -> MessageRecord {
        let said = message.said;
        let root = said.thread.and_then(|number| self.messages.get(&number));
        let (text, since) = &message.texts[edit];
        MessageRecord {
            channel_id: channel_id(said.channel),
            ts: message.ts,
            user_id: user_id(said.person),
            author_name: None,
            is_bot: false,
            text: text.clone(),
            thread_ts: root.map(|root| root.ts),
            edited_at: (edit > 0).then_some(*since),
        }
    }
}

impl Message {
    fn hear(&mut self) {
        self.texts.append(&mut self.unheard);
        self.is_heard = true;
    }
}

/// What somebody says, after so many edits. Every other edit takes away the words that mark it.
fn text(said: Said, edits: u32, is_question: bool) -> String {
    let text = texts::text(said.number, edits, is_question);
    let mark = said
        .mark
        .filter(|_| !is_question && edits.is_multiple_of(2));
    match mark {
        Some(mark) => texts::marked(&text, mark),
        None => text,
    }
}

pub(crate) fn channel_id(channel: usize) -> String {
    format!("C{channel}")
}

pub(crate) fn user_id(person: usize) -> String {
    format!("U{person}")
}

fn person(person: usize) -> [Effect; 2] {
    let names = ["ann", "bob", "cat", "dan"];
    let record = UserRecord {
        id: user_id(person),
        name: names[person].to_owned(),
        is_bot: false,
    };
    [
        Effect::User {
            record,
            changed_at: START,
        },
        Effect::Guest {
            user_id: user_id(person),
            is_guest: false,
            at: TsKey::first_of(START),
        },
    ]
}

/// A public channel with everybody in it.
fn channel(channel: usize) -> [Effect; 4] {
    let at = TsKey::first_of(START);
    let id = channel_id(channel);
    [
        named(channel, false, at),
        Effect::ChannelPresence {
            id: id.clone(),
            present: true,
            at,
        },
        Effect::ChannelShared {
            id: id.clone(),
            is_shared: Some(false),
            at,
        },
        Effect::ChannelMembers {
            id,
            members: Some((0..PEOPLE).map(user_id).collect()),
            at,
        },
    ]
}

fn named(channel: usize, is_private: bool, at: TsKey) -> Effect {
    Effect::ChannelName {
        id: channel_id(channel),
        name: format!("room-{channel}"),
        is_private: Some(is_private),
        at,
    }
}
