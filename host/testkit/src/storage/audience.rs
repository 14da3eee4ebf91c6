//! Who reads a channel: its facts, its members, and who of them is a guest.

use std::collections::BTreeSet;

use myao_plugin::audience::{Audience, ChannelFacts};

use super::State;
use super::messages::Conversation;
use super::newest::certainty;

impl State {
    /// Who reads a channel.
    pub(super) fn audience(&self, channel: &Conversation) -> Audience {
        let facts = ChannelFacts {
            is_private: Some(channel.is_private),
            is_shared: channel.is_shared,
            has_guests: self.has_guests(channel),
        };
        facts.audience()
    }

    fn has_guests(&self, channel: &Conversation) -> Option<bool> {
        let members = &channel.members;
        let listed = match members.listed_at {
            Some(_) => members.are_known.then_some(false),
            None => channel.imported_guests,
        };
        let standing = members.all().map(|(id, _)| self.is_guest(id));
        standing
            .chain([listed])
            .max_by_key(|has_guests| certainty(*has_guests))
            .flatten()
    }

    /// Whether a user is a guest; `None` if that is not known.
    fn is_guest(&self, user_id: &str) -> Option<bool> {
        self.users.get(user_id)?.is_guest
    }

    /// Whether a user is known, and known to be no guest.
    pub(super) fn is_full_member(&self, user_id: &str) -> bool {
        self.is_guest(user_id) == Some(false)
    }

    /// Returns true if what somebody marks in a channel counts: a program's and a stranger's marks do not. Of whom nothing is known
    /// an import decides, in a channel that was only imported.
    pub(super) fn may_mark(&self, channel: &Conversation, user_id: &str) -> bool {
        let is_imported = channel.members.listed_at.is_none();
        let is_trusted = is_imported && self.audience(channel).sees_open();
        let is_bot = self
            .users
            .get(user_id)
            .is_some_and(|user| user.record.is_bot);
        !is_bot && !self.is_guest(user_id).unwrap_or(!is_trusted)
    }

    /// Returns true if a user's account is closed.
    pub(super) fn is_closed(&self, user_id: &str) -> bool {
        let user = self.users.get(user_id);
        user.is_some_and(|user| user.closed_at.is_some() && user.closed_at >= user.guest_at)
    }

    /// The channels whose audience is not known, and that the bot is in.
    pub(super) fn unknown_audiences(&self) -> Vec<String> {
        let channels = self.channels.iter();
        let unknown = channels.filter(|(_, channel)| {
            channel.is_present && (channel.is_shared.is_none() || !channel.members.are_known)
        });
        unknown.map(|(id, _)| id.clone()).collect()
    }

    /// Members of whom it is not known whether they are guests.
    pub(super) fn unknown_standing(&self) -> BTreeSet<String> {
        let present = self.channels.values().filter(|channel| channel.is_present);
        let members = present.flat_map(|channel| channel.members.all());
        let unknown = members.filter(|(id, _)| self.is_guest(id).is_none());
        unknown.map(|(id, _)| id.to_owned()).collect()
    }
}
