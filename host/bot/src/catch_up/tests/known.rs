//! The facts about Slack that the store has, beside those that Slack tells.

use std::collections::{BTreeMap, BTreeSet};

use myao_fake_slack::{Author, BOT_USER, Channel, ChannelKind, Message, World};
use myao_plugin::Place;
use myao_plugin::audience::Audience;
use myao_plugin::state::sync::SyncState as _;
use myao_plugin::storage::{Keep, MessageQuery, Places as _, Storage as _};
use myao_sql::SqlWorkspace;

/// Later than everything.
const END: &str = "9999999999.000000";

/// A message: its text, its thread, the name of its author.
pub(super) type Said = (String, Option<String>, String);

/// By channel and id.
pub(super) type Messages = BTreeMap<(String, String), Said>;

/// A channel.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Seen {
    pub(super) is_private: bool,
    /// The bot is in it, and it is not archived.
    pub(super) has_bot: bool,
    pub(super) members: BTreeSet<String>,
    /// True if everybody may see its messages.
    pub(super) is_open: bool,
}

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Known {
    pub(super) channels: BTreeMap<String, Seen>,
    pub(super) messages: Messages,
}

/// One thing that an event tells.
#[derive(Debug, Clone)]
pub(super) enum Fact {
    Message((String, String)),
    Member(String, String),
    Privacy(String),
    /// That everybody reads a channel.
    Open(String),
}

/// Returns true if the bot may see who is in a channel.
pub(super) fn is_visible(channel: &Channel) -> bool {
    channel.kind == ChannelKind::Public || channel.has_bot()
}

/// Returns true for what a person said.
pub(super) fn is_talk(message: &Message) -> bool {
    message.subtype.is_none()
}

impl Known {
    /// The facts about these channels that the store has.
    pub(super) async fn of_store(store: &SqlWorkspace, ids: &[String]) -> Self {
        let mut known = Self {
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
        };
        for id in ids {
            let Some(channel) = store.known_channel(id).await.unwrap() else {
                continue;
            };
            let members = store.members(id).await.unwrap();
            let seen = Seen {
                is_private: channel.is_private,
                has_bot: channel.is_present,
                is_open: channel.audience == Audience::Everybody,
                members: members.into_iter().map(|member| member.user_id).collect(),
            };
            known.channels.insert(id.clone(), seen);
            let query = MessageQuery {
                channel_id: id.clone(),
                since: None,
                until: END.to_owned(),
                limit: 1000,
                keep: Keep::Newest,
                whole_thread: None,
                thread_limit: 0,
                only_new: false,
            };
            let messages = store.at(Place::Operator).list_messages(query).await;
            // Of what programs say, the greetings of the bot are stored, too.
            let messages = messages.unwrap().into_iter();
            for message in messages.filter(|message| !message.user.is_bot) {
                // The first message of a thread names itself.
                let thread = message.thread_ts.filter(|thread| *thread != message.ts);
                let said = (message.text, thread, message.user.name);
                known.messages.insert((id.clone(), message.ts), said);
            }
        }
        known
    }

    /// The same as Slack tells it.
    pub(super) fn of_slack(world: &World) -> Self {
        let mut known = Self {
            channels: BTreeMap::new(),
            messages: BTreeMap::new(),
        };
        for (id, channel) in &world.channels {
            let mut members = channel.members.iter();
            let has_guests = members.any(|user| world.users[user].is_guest);
            let seen = Seen {
                is_open: channel.kind == ChannelKind::Public && !channel.is_shared && !has_guests,
                is_private: channel.kind == ChannelKind::Private,
                has_bot: channel.has_bot() && !channel.archived,
                members: channel.members.clone(),
            };
            known.channels.insert(id.clone(), seen);
            for message in channel.messages.values().filter(|message| is_talk(message)) {
                let Author::User(user) = &message.author else {
                    continue;
                };
                let said = (
                    message.text.clone(),
                    message.thread_ts.map(|thread| thread.to_string()),
                    world.users[user].display_name.clone(),
                );
                known
                    .messages
                    .insert((id.clone(), message.ts.to_string()), said);
            }
        }
        known
    }

    /// The value of a fact.
    pub(super) fn value(&self, fact: &Fact) -> String {
        let of = |id: &String| self.channels.get(id);
        match fact {
            Fact::Message(id) => format!("{:?}", self.messages.get(id)),
            Fact::Member(id, user) if user == BOT_USER => {
                format!("{:?}", of(id).is_some_and(|seen| seen.has_bot))
            }
            Fact::Member(id, user) => {
                format!(
                    "{:?}",
                    of(id).is_some_and(|seen| seen.members.contains(user))
                )
            }
            Fact::Open(id) => format!("{:?}", of(id).is_some_and(|seen| seen.is_open)),
            Fact::Privacy(id) => format!("{:?}", of(id).map(|seen| seen.is_private)),
        }
    }

    /// Every fact of both.
    pub(super) fn facts(&self, other: &Self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for (id, seen) in self.channels.iter().chain(&other.channels) {
            facts.push(Fact::Privacy(id.clone()));
            facts.push(Fact::Open(id.clone()));
            facts.push(Fact::Member(id.clone(), BOT_USER.to_owned()));
            let members = seen.members.iter();
            facts.extend(members.map(|user| Fact::Member(id.clone(), user.clone())));
        }
        let messages = self.messages.keys().chain(other.messages.keys());
        facts.extend(messages.map(|id| Fact::Message(id.clone())));
        facts
    }
}
