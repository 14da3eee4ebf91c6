//! The people and conversations of an export.

use std::collections::{HashMap, HashSet};

use myao_plugin::audience::ChannelFacts;
use myao_plugin::storage::records::{ChannelRecord, PRIVATE_CHANNEL, UserRecord};
use myao_slack::message::People;
use myao_slack::message::raw::{RawUser, Text, filled, user_name};
use myao_slack::mrkdwn::{Names, unescaped};

use super::{
    archive::{Archive, FileNumber},
    json::RawChannel,
    json_array::Element,
    layout::{Day, Kind, Layout},
};
use crate::limits::{MemoryBudget, short_name};
use crate::{Closed, ImportError, ImportReport, Options};

/// Slack's own bot, which exports do not list.
const SLACKBOT: (&str, &str) = ("USLACKBOT", "Slackbot");
/// The memory for a person and a conversation, without their ids and names.
const USER_BYTES: usize = 200;
const CONVERSATION_BYTES: usize = 280;

/// All people and conversations of the export.
#[derive(Debug, Default)]
pub(super) struct Directory {
    /// In the order of the export.
    pub(super) users: Vec<UserRecord>,
    by_id: HashMap<String, usize>,
    /// The ids of the guests.
    guests: HashSet<String>,
    /// In the order of the export.
    pub(super) conversations: Vec<Conversation>,
    channel_names: HashMap<String, String>,
    /// The ids of the conversations that are left out.
    left_out: HashSet<String>,
}

/// A conversation and its day files, oldest first.
#[derive(Debug)]
pub(super) struct Conversation {
    pub(super) record: ChannelRecord,
    /// The folder of the day files.
    pub(super) folder: String,
    pub(super) days: Vec<Day>,
}

impl Directory {
    /// Reads the lists at the top of the export. Takes the day files of listed conversations out of `layout.days`: nothing
    /// of those that `options` do not take is read.
    pub(super) fn read(
        archive: &mut Archive,
        layout: &mut Layout,
        options: Options,
        budget: &mut MemoryBudget,
        report: &mut ImportReport,
    ) -> Result<Self, ImportError> {
        let mut directory = Self::default();
        let mut handles = HashMap::new();
        let lists = std::mem::take(&mut layout.lists);
        let has_direct = lists.iter().any(|(.., kind)| *kind == Kind::DirectMessage);
        let (name, number) = layout.users;
        let mut users = archive.list(name, number)?;
        while let Some(element) = users.next::<RawUser<'_>>()? {
            let user = match element {
                Element::Value(user, _) => user,
                Element::Invalid(place, detail) => {
                    report.leave_out_unreadable(|| format!("{name}, {place}: {detail}"));
                    continue;
                }
            };
            let is_bot = user.is_bot == Some(true) || user.id == SLACKBOT.0;
            directory.add_user(&user.id, user_name(&user), is_bot, budget)?;
            if user.is_guest() {
                budget.spend(USER_BYTES / 2 + user.id.len())?;
                directory.guests.insert(user.id.as_ref().to_owned());
            }
            if let Some(handle) = filled(&user.name).filter(|_| has_direct) {
                let handle = short_name(unescaped(handle).into_owned());
                budget.spend(USER_BYTES / 2 + user.id.len() + handle.len())?;
                handles.insert(user.id.into_owned(), handle);
            }
        }
        drop(users);
        for (name, number, kind) in lists {
            let mut channels = archive.list(name, number)?;
            while let Some(element) = channels.next::<RawChannel<'_>>()? {
                match element {
                    Element::Value(channel, _) => match closed(kind, &channel) {
                        Some(closed) if !options.take(closed) => {
                            let kinds = (kind, closed);
                            directory.leave_out(&channel, kinds, layout, budget, report)?;
                        }
                        _ => {
                            directory.add_conversation(&channel, kind, &handles, layout, budget)?;
                        }
                    },
                    Element::Invalid(place, detail) => {
                        report.leave_out_unreadable(|| format!("{name}, {place}: {detail}"));
                    }
                }
            }
        }
        Ok(directory)
    }

    /// Adds a user, or gives a name to one without.
    pub(super) fn add_user(
        &mut self,
        id: &str,
        name: String,
        is_bot: bool,
        budget: &mut MemoryBudget,
    ) -> Result<(), ImportError> {
        let name = short_name(name);
        match self.by_id.get(id).and_then(|at| self.users.get_mut(*at)) {
            Some(known) if known.name.is_empty() => {
                budget.spend(name.len())?;
                known.name = name;
            }
            Some(_) => {}
            None => {
                budget.spend(USER_BYTES + 2 * id.len() + name.len())?;
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
        Ok(())
    }

    /// A user, if the export has one with this id.
    pub(super) fn find_user(&self, id: &str) -> Option<&UserRecord> {
        self.by_id.get(id).and_then(|at| self.users.get(*at))
    }

    /// The name and number of a day file of a conversation; `None` after the last one.
    pub(super) fn day(&self, conversation: usize, at: usize) -> Option<(String, FileNumber)> {
        let conversation = self.conversations.get(conversation)?;
        let day = conversation.days.get(at)?;
        Some((day.name(&conversation.folder), day.number))
    }

    /// Counts a conversation that is not taken. Its day files belong to no other one.
    fn leave_out(
        &mut self,
        raw: &RawChannel<'_>,
        (kind, closed): (Kind, Closed),
        layout: &mut Layout,
        budget: &mut MemoryBudget,
        report: &mut ImportReport,
    ) -> Result<(), ImportError> {
        let id = raw.id.as_ref();
        if self.channel_names.contains_key(id) || self.left_out.contains(id) {
            return Ok(());
        }
        take_days(raw, kind, layout);
        budget.spend(CONVERSATION_BYTES / 2 + id.len())?;
        self.left_out.insert(id.to_owned());
        *report.left_out_conversations.entry(closed).or_default() += 1;
        Ok(())
    }

    /// Who reads a conversation. Lists of public channels say of a channel only if it is shared.
    fn facts(&self, raw: &RawChannel<'_>, kind: Kind) -> ChannelFacts {
        let ways = [
            raw.is_shared,
            raw.is_ext_shared,
            raw.is_org_shared,
            raw.is_pending_ext_shared,
        ];
        ChannelFacts {
            is_private: Some(closed(kind, raw).is_some()),
            is_shared: Some(ways.contains(&Some(true))),
            has_guests: self.has_guests(raw.members.as_deref()),
        }
    }

    /// Returns true if one of the members is a guest; `None` if they are not listed, or if the export does not know one
    /// of them.
    fn has_guests(&self, members: Option<&[Text<'_>]>) -> Option<bool> {
        let is_listed = members.is_some();
        let members = || members.into_iter().flatten().map(|id| id.0.as_ref());
        if members().any(|id| self.guests.contains(id)) {
            return Some(true);
        }
        let are_all_known = || members().all(|id| self.by_id.contains_key(id));
        (is_listed && are_all_known()).then_some(false)
    }

    fn add_conversation(
        &mut self,
        raw: &RawChannel<'_>,
        kind: Kind,
        handles: &HashMap<String, String>,
        layout: &mut Layout,
        budget: &mut MemoryBudget,
    ) -> Result<(), ImportError> {
        let id = raw.id.as_ref();
        if self.channel_names.contains_key(id) || self.left_out.contains(id) {
            return Ok(());
        }
        let name = match filled(&raw.name) {
            Some(name) => unescaped(name).into_owned(),
            None => direct_name(raw.members.as_deref().unwrap_or_default(), handles),
        };
        let name = short_name(name);
        let (folder, days) = take_days(raw, kind, layout).unwrap_or_default();
        budget.spend(CONVERSATION_BYTES + 2 * (id.len() + name.len()))?;
        let shown = match closed(kind, raw) {
            None => name.clone(),
            Some(_) => PRIVATE_CHANNEL.to_owned(),
        };
        self.channel_names.insert(id.to_owned(), shown);
        self.conversations.push(Conversation {
            record: ChannelRecord {
                id: id.to_owned(),
                name,
                facts: self.facts(raw, kind),
            },
            folder,
            days,
        });
        Ok(())
    }
}

/// The kind of a conversation that is not taken by itself; `None` for a public channel.
fn closed(kind: Kind, raw: &RawChannel<'_>) -> Option<Closed> {
    match kind {
        Kind::Channel if raw.is_private != Some(true) => None,
        Kind::Channel | Kind::Group => Some(Closed::PrivateChannels),
        Kind::GroupMessage => Some(Closed::GroupMessages),
        Kind::DirectMessage => Some(Closed::DirectMessages),
    }
}

/// Takes the day files of a conversation, with the name of their folder, out of the layout.
fn take_days(raw: &RawChannel<'_>, kind: Kind, layout: &mut Layout) -> Option<(String, Vec<Day>)> {
    let folder = filled(&raw.name).filter(|_| kind != Kind::DirectMessage);
    folder
        .and_then(|folder| layout.days.remove_entry(folder))
        .or_else(|| layout.days.remove_entry(raw.id.as_ref()))
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
        // A public message may link to it; its name is for its members.
        if self.left_out.contains(id) {
            return Some(PRIVATE_CHANNEL);
        }
        self.channel_names.get(id).map(String::as_str)
    }
}

/// A name for a conversation of two people, which has none: built as Slack does it for several people
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
