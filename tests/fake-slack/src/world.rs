//! The content of the workspace: people, channels, messages.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::ts::Ts;
use crate::{APP_ID, BOT_ID, BOT_USER, SLACKBOT, TEAM_ID};

/// The workspace's content. Two worlds are equal when the same people said the same things at the same times.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// The workspace itself.
    pub team: Team,
    /// By id. The bot's user and Slackbot are there from the beginning.
    pub users: BTreeMap<String, User>,
    /// By id.
    pub channels: BTreeMap<String, Channel>,
}

/// The workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Team {
    /// `T…`.
    pub id: String,
    /// Its name.
    pub name: String,
    /// The first part of its address.
    pub domain: String,
}

/// A person or a bot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct User {
    /// `U…`.
    pub id: String,
    /// The handle.
    pub name: String,
    /// The full name.
    pub real_name: String,
    /// The name beside messages; empty if it is the full name.
    pub display_name: String,
    /// True for a bot's user.
    pub is_bot: bool,
    /// True if the account was closed.
    pub deleted: bool,
    /// True if it may administer the workspace.
    pub is_admin: bool,
    /// True for a guest.
    pub is_guest: bool,
    /// The workspace that it belongs to.
    pub team: String,
    /// The workspaces of the organisation that it belongs to, too; none if it is of no organisation.
    pub teams: Option<Vec<String>>,
    /// When it last changed.
    pub updated: Ts,
}

/// A kind of conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelKind {
    /// Open to everyone.
    Public,
    /// For its members.
    Private,
    /// Between the bot and one person.
    Direct,
    /// Between the bot and a few people.
    Group,
}

/// A conversation.
#[derive(Debug, Clone, PartialEq)]
pub struct Channel {
    /// `C…`, or `D…` for a direct one.
    pub id: String,
    /// Without `#`; of a direct one, the person's id.
    pub name: String,
    /// Its kind.
    pub kind: ChannelKind,
    /// When it was made.
    pub created: Ts,
    /// User ids.
    pub members: BTreeSet<String>,
    /// True if it is archived.
    pub archived: bool,
    /// True if it is shared with another organisation.
    pub is_shared: bool,
    /// The messages that are still there, replies included.
    pub messages: BTreeMap<Ts, Message>,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub struct Message {
    /// Its id within the channel.
    pub ts: Ts,
    /// The parent of the thread that it stands in; none for a top-level message, parents included.
    pub thread_ts: Option<Ts>,
    /// Who posted it.
    pub author: Author,
    /// `bot_message`, `thread_broadcast`, `file_share`, `me_message`, `channel_join`, `tombstone` …; none for a plain one.
    pub subtype: Option<String>,
    /// The text, as Slack stores it: `<@U…>`, `&amp;`.
    pub text: String,
    /// The last edit.
    pub edited: Option<Edited>,
    /// `event_type` and `event_payload`, of a bot's post.
    pub metadata: Option<Value>,
    /// Block Kit, of a bot's post.
    pub blocks: Option<Value>,
    /// Previews of its links.
    pub attachments: Vec<Value>,
    /// File objects.
    pub files: Vec<Value>,
    /// In the order in which they came.
    pub reactions: Vec<Reaction>,
    /// Who pinned it, and when; none if it is not pinned.
    pub pinned_by: Option<(String, Ts)>,
}

/// Who posted a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Author {
    /// A person: the user id.
    User(String),
    /// An app's bot, as apps of today post.
    App {
        /// `U…`.
        user: String,
        /// `B…`.
        bot_id: String,
        /// `A…`.
        app_id: String,
    },
    /// An integration without a user (`bot_message`).
    Integration {
        /// `B…`.
        bot_id: String,
        /// The name that it goes by.
        username: String,
    },
}

/// An edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edited {
    /// Who edited.
    pub user: String,
    /// When.
    pub ts: Ts,
}

/// A reaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reaction {
    /// The emoji's name.
    pub name: String,
    /// Who reacted.
    pub user: String,
}

impl Author {
    /// The bot that is tested.
    #[must_use]
    pub fn the_bot() -> Self {
        Self::App {
            user: BOT_USER.to_owned(),
            bot_id: BOT_ID.to_owned(),
            app_id: APP_ID.to_owned(),
        }
    }

    /// The user id, if it has one.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            Self::User(user) | Self::App { user, .. } => Some(user),
            Self::Integration { .. } => None,
        }
    }
}

impl User {
    /// Whether it belongs to the workspace.
    #[must_use]
    pub fn is_own(&self) -> bool {
        let mut teams = self.teams.iter().flatten().chain([&self.team]);
        teams.any(|team| team == TEAM_ID)
    }
}

impl Message {
    /// Returns true if the channel itself shows it: not a reply, or a reply sent to the channel too.
    #[must_use]
    pub fn is_top_level(&self) -> bool {
        self.thread_ts.is_none() || self.subtype.as_deref() == Some("thread_broadcast")
    }

    /// The thread that a reply to this message would stand in.
    #[must_use]
    pub fn thread(&self) -> Ts {
        self.thread_ts.unwrap_or(self.ts)
    }
}

impl Channel {
    /// The replies of a thread, oldest first.
    pub fn replies(&self, parent: Ts) -> impl DoubleEndedIterator<Item = &Message> {
        let later = self.messages.range(parent..).map(|(_, message)| message);
        later.filter(move |message| message.thread_ts == Some(parent))
    }

    /// Returns true if the tested bot is a member.
    #[must_use]
    pub fn has_bot(&self) -> bool {
        self.members.contains(BOT_USER)
    }

    /// `channel`, `group`, `im` or `mpim`, as events name it.
    #[must_use]
    pub fn channel_type(&self) -> &'static str {
        match self.kind {
            ChannelKind::Public => "channel",
            ChannelKind::Private => "group",
            ChannelKind::Direct => "im",
            ChannelKind::Group => "mpim",
        }
    }
}

impl World {
    /// A workspace with nobody but the bot and Slackbot.
    pub(crate) fn new(now: Ts) -> Self {
        let user = |id: &str, name: &str, is_bot| User {
            id: id.to_owned(),
            name: name.to_owned(),
            real_name: name.to_owned(),
            display_name: String::new(),
            is_bot,
            deleted: false,
            is_admin: false,
            is_guest: false,
            team: TEAM_ID.to_owned(),
            teams: None,
            updated: now,
        };
        let users = [
            user(BOT_USER, "myao", true),
            user(SLACKBOT, "slackbot", false),
        ];
        Self {
            team: Team {
                id: TEAM_ID.to_owned(),
                name: "Fake".to_owned(),
                domain: "fake".to_owned(),
            },
            users: users
                .into_iter()
                .map(|user| (user.id.clone(), user))
                .collect(),
            channels: BTreeMap::new(),
        }
    }

    /// The same world as if the bot that is tested had never posted.
    #[must_use]
    pub fn without_bot_posts(mut self) -> Self {
        let bot = Author::the_bot();
        for channel in self.channels.values_mut() {
            channel.messages.retain(|_, message| message.author != bot);
        }
        self
    }
}
