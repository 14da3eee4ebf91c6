//! The people and conversations of an export, and their names.

use std::collections::{HashMap, HashSet};

use super::{
    archive::Archive,
    json::{RawChannel, parse},
    layout::{Kind, Layout},
};
use crate::{
    import::{
        ImportError,
        mrkdwn::{Names, unescaped},
    },
    slack::message::{
        People,
        raw::{RawUser, Text, filled, user_name},
    },
    storage::records::{ChannelRecord, UserRecord},
};

/// Slack's own bot, which exports do not list.
const SLACKBOT: (&str, &str) = ("USLACKBOT", "Slackbot");

/// Everybody and every conversation that the export knows.
#[derive(Debug, Default)]
pub(super) struct Directory {
    /// In the order of the export.
    pub(super) users: Vec<UserRecord>,
    by_id: HashMap<String, usize>,
    /// In the order of the export.
    pub(super) conversations: Vec<Conversation>,
    channel_names: HashMap<String, String>,
}

/// A conversation and its day files, oldest first.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) record: ChannelRecord,
    pub(super) days: Vec<String>,
}

impl Directory {
    /// Reads the lists at the top of the export. Takes the day files out of `layout.days`; what stays there
    /// belongs to no listed conversation.
    pub(super) fn read(archive: &mut Archive, layout: &mut Layout) -> Result<Self, ImportError> {
        let mut directory = Self::default();
        let mut handles = HashMap::new();
        let mut buffer = Vec::new();
        archive.read(&layout.users, &mut buffer)?;
        for user in parse::<Vec<RawUser<'_>>>(archive, &layout.users, &buffer)? {
            let is_bot = user.is_bot == Some(true) || user.id == SLACKBOT.0;
            directory.add_user(&user.id, user_name(&user), is_bot);
            if let Some(handle) = filled(&user.name) {
                handles.insert(user.id.into_owned(), unescaped(handle).into_owned());
            }
        }
        for (name, kind) in std::mem::take(&mut layout.lists) {
            archive.read(name, &mut buffer)?;
            for channel in parse::<Vec<RawChannel<'_>>>(archive, name, &buffer)? {
                directory.add_conversation(&channel, kind, &handles, layout);
            }
        }
        Ok(directory)
    }

    /// Adds somebody, or gives a name to somebody who has none.
    pub(super) fn add_user(&mut self, id: &str, name: String, is_bot: bool) {
        match self.by_id.get(id).and_then(|at| self.users.get_mut(*at)) {
            Some(known) if known.name.is_empty() => known.name = name,
            Some(_) => {}
            None => {
                let name = if name.is_empty() && id == SLACKBOT.0 {
                    SLACKBOT.1.to_owned()
                } else {
                    name
                };
                self.by_id.insert(id.to_owned(), self.users.len());
                self.users.push(UserRecord {
                    id: id.to_owned(),
                    name,
                    is_bot: is_bot || id == SLACKBOT.0,
                });
            }
        }
    }

    /// Somebody, if the export says anything of them.
    pub(super) fn find_user(&self, id: &str) -> Option<&UserRecord> {
        self.by_id.get(id).and_then(|at| self.users.get(*at))
    }

    fn add_conversation(
        &mut self,
        raw: &RawChannel<'_>,
        kind: Kind,
        handles: &HashMap<String, String>,
        layout: &mut Layout,
    ) {
        let id = raw.id.as_ref();
        if self.channel_names.contains_key(id) {
            return;
        }
        let name = match filled(&raw.name) {
            Some(name) => unescaped(name).into_owned(),
            None => direct_name(raw.members.as_deref().unwrap_or_default(), handles),
        };
        let folder = filled(&raw.name).filter(|_| kind != Kind::DirectMessage);
        let days = folder
            .and_then(|folder| layout.days.remove(folder))
            .or_else(|| layout.days.remove(id));
        self.channel_names.insert(id.to_owned(), name.clone());
        self.conversations.push(Conversation {
            record: ChannelRecord {
                id: id.to_owned(),
                name,
                is_private: kind != Kind::Channel || raw.is_private == Some(true),
            },
            days: days.unwrap_or_default(),
        });
    }
}

impl People for Directory {
    fn is_bot(&self, id: &str) -> Option<bool> {
        self.find_user(id).map(|user| user.is_bot)
    }
}

impl Names for Directory {
    fn user(&self, id: &str) -> Option<&str> {
        self.find_user(id).map(|user| user.name.as_str())
    }

    fn channel(&self, id: &str) -> Option<&str> {
        self.channel_names.get(id).map(String::as_str)
    }
}

/// A name for a conversation of two, which has none: built as Slack builds those of several
/// (`mpdm-ann--ben-1`).
fn direct_name(members: &[Text<'_>], handles: &HashMap<String, String>) -> String {
    let mut seen = HashSet::new();
    let names: Vec<&str> = members
        .iter()
        .filter(|id| seen.insert(&id.0))
        .filter_map(|id| handles.get(id.0.as_ref()).map(String::as_str))
        .collect();
    if names.is_empty() {
        String::new()
    } else {
        format!("dm-{}", names.join("--"))
    }
}
