//! Whoever says something in Slack, comes, goes or changes a channel.

use std::collections::{BTreeMap, BTreeSet};

use myao_fake_slack::{BOT_USER, ChannelKind, FakeSlack, World};

use super::history::{CHANNELS, PEOPLE, Step, THE_BOT};
use super::known::{Fact, is_talk};

pub(super) struct People {
    slack: FakeSlack,
    /// Every text that a message ever had, by channel and id.
    pub(super) said: BTreeMap<(String, String), BTreeSet<String>>,
    number: usize,
}

pub(super) fn channel(number: usize) -> String {
    format!("C{number}")
}

fn person(number: usize) -> String {
    match number {
        THE_BOT => BOT_USER.to_owned(),
        _ => format!("U{number}"),
    }
}

impl People {
    /// The people of a workspace, its channels, and what was said there before. Nothing older than a message that went shows that it
    /// went: the first message of each channel stays.
    pub(super) fn of(slack: &FakeSlack) -> Self {
        let mut this = Self {
            slack: slack.clone(),
            said: BTreeMap::new(),
            number: 0,
        };
        for number in 0..PEOPLE {
            slack.add_user(&person(number), &format!("Person {number}"));
        }
        for number in 0..CHANNELS {
            let id = channel(number);
            match number {
                0 | 1 => slack.add_channel(&id, &format!("public-{number}")),
                2 => slack.add_private_channel(&id, "private"),
                _ => slack.add_channel_without_bot(&id, "strange"),
            }
            for who in (0..PEOPLE).filter(|who| (who + number) % 3 > 0) {
                slack.join(&person(who), &id);
            }
            this.say(number, 0, None);
            for by in 0..3 {
                this.say(number, by, None);
                this.act(Step::Reply {
                    channel: number,
                    by,
                    nth: by,
                });
            }
        }
        this
    }

    /// Somebody says something.
    fn say(&mut self, number: usize, by: usize, thread: Option<&str>) -> Fact {
        self.number += 1;
        let (id, text) = (channel(number), format!("text {}", self.number));
        let ts = self.slack.post(&person(by), &id, &text, thread);
        self.note(id, ts, text)
    }

    fn note(&mut self, id: String, ts: String, text: String) -> Fact {
        let message = (id, ts);
        self.said.entry(message.clone()).or_default().insert(text);
        Fact::Message(message)
    }

    /// One of a channel's messages; without the first if it is to go.
    fn message(&self, world: &World, number: usize, nth: usize, goes: bool) -> Option<String> {
        let messages = world.channels[&channel(number)].messages.values();
        let messages: Vec<_> = messages.filter(|message| is_talk(message)).collect();
        let messages = &messages[usize::from(goes)..];
        let chosen = messages.get(nth % messages.len().max(1))?;
        Some(chosen.ts.to_string())
    }

    /// Changes what Slack has. `None` if the step is not of people.
    pub(super) fn act(&mut self, step: Step) -> Option<Fact> {
        let world = self.slack.world();
        let is_archive = matches!(step, Step::Archive { .. });
        if !is_archive
            && step
                .channel()
                .is_some_and(|id| world.channels[&channel(id)].archived)
        {
            return None;
        }
        match step {
            Step::Say { channel, by } => Some(self.say(channel, by, None)),
            Step::Reply { channel, by, nth } => {
                let to = self.message(&world, channel, nth, false)?;
                Some(self.say(channel, by, Some(&to)))
            }
            Step::Edit {
                channel: number,
                nth,
            } => {
                let ts = self.message(&world, number, nth, false)?;
                self.number += 1;
                let text = format!("edit {}", self.number);
                self.slack.edit(&channel(number), &ts, &text);
                Some(self.note(channel(number), ts, text))
            }
            Step::Delete {
                channel: number,
                nth,
            } => {
                let ts = self.message(&world, number, nth, true)?;
                self.slack.delete(&channel(number), &ts);
                Some(Fact::Message((channel(number), ts)))
            }
            Step::Move {
                channel: number,
                who,
            } => {
                let (id, who) = (channel(number), person(who));
                if world.channels[&id].members.contains(&who) {
                    self.slack.leave(&who, &id);
                } else {
                    self.slack.join(&who, &id);
                }
                Some(Fact::Member(id, who))
            }
            Step::Archive { channel: number } => {
                let id = channel(number);
                if world.channels[&id].archived {
                    self.slack.unarchive_channel(&id);
                } else {
                    self.slack.archive_channel(&id);
                }
                Some(Fact::Member(id, BOT_USER.to_owned()))
            }
            Step::Share { channel: number } => {
                let id = channel(number);
                if world.channels[&id].is_shared {
                    self.slack.unshare_channel(&id);
                } else {
                    self.slack.share_channel(&id);
                }
                Some(Fact::Open(id))
            }
            Step::Guest { who } => {
                let is_guest = world.users[&person(who)].is_guest;
                self.slack.set_guest(&person(who), !is_guest);
                let channels = world.channels.values();
                let of = channels.filter(|channel| channel.members.contains(&person(who)));
                Some(Fact::Open(of.map(|channel| channel.id.clone()).next()?))
            }
            Step::Convert { channel: number } => {
                let id = channel(number);
                match world.channels[&id].kind {
                    ChannelKind::Private => self.slack.make_public(&id),
                    _ => self.slack.make_private(&id),
                }
                Some(Fact::Privacy(id))
            }
            _ => None,
        }
    }
}
