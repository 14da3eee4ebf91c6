//! Who reads which channel: as it is, and as the bot knows it.

use std::collections::{BTreeSet, HashMap};

use myao_plugin::Place;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{Directory, UserRecord};
use myao_plugin::ts::TsKey;
use serde_json::json;

use super::history::{Change, ChannelPlan, GUEST, Kind, PEOPLE};
use super::slack::{BOT, effects};
use super::texts::{Side, name};

/// The channels of a workspace.
#[derive(Clone)]
pub(crate) struct World {
    side: Side,
    channels: Vec<Channel>,
    people: [Standing; PEOPLE],
}

/// How somebody belongs to the workspace.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Standing {
    Member,
    Guest,
    Foreign,
    Closed,
}

#[derive(Clone)]
struct Channel {
    plan: ChannelPlan,
    is: Readers,
    /// What the bot knows of it.
    is_private: Option<bool>,
    is_shared: Option<bool>,
    members: Option<BTreeSet<usize>>,
    /// Whether the bot is in it.
    is_present: bool,
    /// The bot has left it, and has not read since what it missed.
    is_behind: bool,
}

/// Who reads a channel.
#[derive(Clone)]
struct Readers {
    is_private: bool,
    is_shared: bool,
    members: BTreeSet<usize>,
}

pub(crate) fn channel_id(channel: usize) -> String {
    format!("C{channel}")
}

pub(crate) fn user_id(person: usize) -> String {
    format!("U{person}")
}

/// Everybody, by name.
pub(crate) fn people() -> Directory {
    let names = ["ann", "bob", "cat", "dan", "eve"];
    let people = (0..PEOPLE).map(|person| (user_id(person), names[person], false));
    let users = people.chain([(BOT.to_owned(), "myao", true)]);
    let record = |(id, name, is_bot): (String, &str, bool)| {
        let name = name.to_owned();
        (id.clone(), UserRecord { id, name, is_bot })
    };
    Directory {
        users: users.map(record).collect(),
        channels: HashMap::new(),
    }
}

impl World {
    /// A workspace, and the effects that tell the bot of it.
    pub(crate) fn new(plans: &[ChannelPlan], side: Side, now: i64) -> (Self, Vec<Effect>) {
        let mut standings = [Standing::Member; PEOPLE];
        standings[GUEST] = Standing::Guest;
        let mut world = Self {
            side,
            channels: plans.iter().map(|plan| Channel::new(*plan)).collect(),
            people: standings,
        };
        let mut told = Vec::new();
        let mut users: Vec<UserRecord> = people().users.into_values().collect();
        users.sort_by(|a, b| a.id.cmp(&b.id));
        for record in users {
            told.push(Effect::User {
                record,
                changed_at: now,
            });
        }
        for person in 0..PEOPLE {
            told.push(Effect::Guest {
                user_id: user_id(person),
                is_guest: world.people[person] != Standing::Member,
                at: TsKey::first_of(now),
            });
        }
        for (channel, plan) in plans.iter().enumerate() {
            told.extend(world.change(channel, Change::BotComesIn, now));
            if plan.kind != Kind::Unknown {
                told.extend(world.change(channel, Change::CatchUp, now + 1));
            }
        }
        (world, told)
    }

    /// Whether the bot knows that everybody of the workspace reads a channel, and nobody else.
    fn is_open(&self, channel: usize) -> bool {
        let channel = &self.channels[channel];
        // A closed account reads nothing.
        let is_stranger =
            |person: &usize| matches!(self.people[*person], Standing::Guest | Standing::Foreign);
        let has_no_guests = |members: &BTreeSet<usize>| !members.iter().any(is_stranger);
        (channel.is_private, channel.is_shared) == (Some(false), Some(false))
            && channel.members.as_ref().is_some_and(has_no_guests)
    }

    /// Returns true if somebody is, or counts as, in a channel whose talk is secret. A closed account is in none, and neither is
    /// anybody where the bot is not, or has not yet read what it missed.
    pub(crate) fn hears_secrets(&self, person: usize) -> bool {
        if self.people[person] == Standing::Closed {
            return false;
        }
        let secret = self.channels.iter().filter(|channel| {
            channel.plan.is_secret && channel.is_present && !channel.is_the_operators()
        });
        let mut members = secret.flat_map(|channel| {
            channel
                .is
                .members
                .iter()
                .chain(channel.members.iter().flatten())
        });
        members.any(|member| *member == person)
    }

    /// Whether nothing that is secret may be seen elsewhere.
    pub(crate) fn is_calm(&self) -> bool {
        let mut channels = 0..self.channels.len();
        channels.all(|channel| !(self.is_secret(channel) && self.is_open(channel)))
    }

    pub(crate) fn is_secret(&self, channel: usize) -> bool {
        self.channels[channel].plan.is_secret
    }

    /// Whether a place is a channel whose talk is secret.
    pub(crate) fn holds_secrets(&self, place: &Place) -> bool {
        let mut channels = 0..self.channels.len();
        channels.any(|channel| self.is_secret(channel) && place.hears(&channel_id(channel)))
    }

    /// Returns true if a channel's talk is secret, and shown in it.
    pub(crate) fn shows_secrets(&self, channel: usize) -> bool {
        self.is_secret(channel) && !self.channels[channel].is_the_operators()
    }

    /// How many channels whose talk is secret are the operator's alone, and how many people are strangers.
    pub(crate) fn closed(&self) -> (usize, usize) {
        let secret = self.channels.iter().filter(|of| of.plan.is_secret);
        let strangers = self
            .people
            .iter()
            .filter(|standing| matches!(standing, Standing::Foreign | Standing::Closed));
        (
            secret.filter(|of| of.is_the_operators()).count(),
            strangers.count(),
        )
    }

    /// The bot has read what it missed in a channel, if it is in it.
    pub(crate) fn note_read(&mut self, channel: usize) {
        let channel = &mut self.channels[channel];
        channel.is_behind &= !channel.is_present;
    }

    /// The name of a channel after a number of renames.
    pub(crate) fn name(&self, channel: usize, renames: usize) -> String {
        let side = self.is_secret(channel).then_some(self.side);
        name(side, channel, renames)
    }

    pub(crate) fn is_present(&self, channel: usize) -> bool {
        self.channels[channel].is_present
    }

    pub(crate) fn channel_ids(&self) -> Vec<String> {
        (0..self.channels.len()).map(channel_id).collect()
    }

    /// What a change tells the bot: nothing of a channel that it is not in.
    pub(crate) fn change(&mut self, channel: usize, change: Change, now: i64) -> Vec<Effect> {
        let standing = match change {
            Change::BecomesGuest(person) => Some((person, Standing::Guest)),
            Change::BecomesMember(person) => Some((person, Standing::Member)),
            Change::BecomesForeign(person) => Some((person, Standing::Foreign)),
            Change::Closes(person) => Some((person, Standing::Closed)),
            _ => None,
        };
        if let Some((person, standing)) = standing {
            self.people[person] = standing;
            let user = json!({
                "id": user_id(person),
                "real_name": people().users[&user_id(person)].name,
                "team_id": if standing == Standing::Foreign { "T2" } else { "T1" },
                "is_restricted": standing == Standing::Guest,
                "deleted": standing == Standing::Closed,
            });
            let event = json!({ "type": "user_change", "user": user, "event_ts": ts(now) });
            return effects(&event, &people());
        }
        let (id, name) = (channel_id(channel), self.name(channel, 0));
        let channel = &mut self.channels[channel];
        channel.is.change(change);
        let comes = matches!(change, Change::BotComesIn | Change::Unarchive);
        if !channel.is_present && !comes {
            return Vec::new();
        }
        channel.hear(change);
        channel.told(&id, &name, change, now)
    }
}

fn ts(now: i64) -> String {
    TsKey::first_of(now).to_string()
}

impl Channel {
    fn new(plan: ChannelPlan) -> Self {
        let is_private = matches!(plan.kind, Kind::Private | Kind::Direct | Kind::Unknown);
        let mut members: BTreeSet<usize> = (0..PEOPLE).filter(|p| *p != GUEST).collect();
        match plan.kind {
            Kind::Direct => members = BTreeSet::from([0]),
            // So that somebody else is there who must not see it.
            Kind::Private => members = BTreeSet::from([0, 1]),
            Kind::WithGuest => drop(members.insert(GUEST)),
            _ => {}
        }
        Self {
            plan,
            is: Readers {
                is_private,
                is_shared: plan.kind == Kind::Shared,
                members,
            },
            is_private: None,
            is_shared: None,
            members: None,
            is_present: false,
            is_behind: false,
        }
    }

    /// Of deletions in a private channel that it left the bot does not hear: its talk is shown to the operator alone.
    fn is_the_operators(&self) -> bool {
        self.is_behind && self.is_private != Some(false)
    }

    /// The bot learns of a change.
    fn hear(&mut self, change: Change) {
        match change {
            Change::MakePrivate => self.is_private = Some(true),
            Change::MakePublic => self.is_private = Some(false),
            Change::Joins(_) | Change::Leaves(_) => {
                if self.members.is_some() {
                    self.members = Some(self.is.members.clone());
                }
            }
            Change::Share => self.is_shared = Some(true),
            Change::Unshare => self.is_shared = None,
            Change::BotLeaves | Change::Archive => {
                self.is_present = false;
                self.is_behind = true;
            }
            Change::BotComesIn | Change::Unarchive => {
                self.is_present = true;
                self.members = None;
            }
            Change::CatchUp => {
                self.is_private = Some(self.is.is_private);
                self.is_shared = Some(self.is.is_shared);
                self.members = Some(self.is.members.clone());
            }
            Change::BecomesGuest(_)
            | Change::BecomesMember(_)
            | Change::BecomesForeign(_)
            | Change::Closes(_) => {}
        }
    }

    /// What Slack tells the bot of a change.
    fn told(&self, id: &str, name: &str, change: Change, now: i64) -> Vec<Effect> {
        let message = |subtype: &str| json!({ "type": "message", "subtype": subtype, "user": "U0", "text": "-", "channel": id, "ts": ts(now) });
        let event = |kind: &str| json!({ "type": kind, "channel": id, "event_ts": ts(now) });
        let of = |kind: &str, user: String| json!({ "type": kind, "channel": id, "user": user, "event_ts": ts(now) });
        let event = match change {
            Change::MakePrivate => message("channel_convert_to_private"),
            Change::MakePublic => message("channel_convert_to_public"),
            Change::Joins(person) => of("member_joined_channel", user_id(person)),
            Change::Leaves(person) => of("member_left_channel", user_id(person)),
            Change::Share => event("channel_shared"),
            Change::Unshare => event("channel_unshared"),
            Change::BotLeaves => of("member_left_channel", BOT.to_owned()),
            Change::BotComesIn => of("member_joined_channel", BOT.to_owned()),
            Change::Archive => event("channel_archive"),
            Change::Unarchive => event("channel_unarchive"),
            Change::CatchUp => return self.all_told(id, name, now),
            Change::BecomesGuest(_)
            | Change::BecomesMember(_)
            | Change::BecomesForeign(_)
            | Change::Closes(_) => return Vec::new(),
        };
        effects(&event, &people())
    }

    /// What the bot reads when it catches up.
    fn all_told(&self, id: &str, name: &str, now: i64) -> Vec<Effect> {
        let at = TsKey::first_of(now);
        let id = id.to_owned();
        vec![
            Effect::ChannelName {
                id: id.clone(),
                name: name.to_owned(),
                is_private: Some(self.is.is_private),
                at,
            },
            Effect::ChannelShared {
                id: id.clone(),
                is_shared: Some(self.is.is_shared),
                at,
            },
            Effect::ChannelMembers {
                id,
                members: Some(self.is.members.iter().map(|p| user_id(*p)).collect()),
                at,
            },
        ]
    }
}

impl Readers {
    fn change(&mut self, change: Change) {
        match change {
            Change::MakePrivate => self.is_private = true,
            Change::MakePublic => self.is_private = false,
            Change::Joins(person) => drop(self.members.insert(person)),
            Change::Leaves(person) => drop(self.members.remove(&person)),
            Change::Share => self.is_shared = true,
            Change::Unshare => self.is_shared = false,
            _ => {}
        }
    }
}
