//! Who is there: users and channels, as a test sets them up before anything happens. Nothing here makes an event.

use std::collections::{BTreeMap, BTreeSet};

use crate::server::FakeSlack;
use crate::state::State;
use crate::world::{Channel, ChannelKind, User};
use crate::{BOT_USER, OTHER_TEAM, SISTER_TEAM, TEAM_ID};

impl State {
    /// Adds a user.
    pub(crate) fn add_user(&mut self, id: &str, name: &str, is_bot: bool) {
        let user = User {
            id: id.to_owned(),
            name: name.to_lowercase().replace(' ', "."),
            real_name: name.to_owned(),
            display_name: name.to_owned(),
            is_bot,
            deleted: false,
            is_admin: false,
            is_guest: false,
            team: TEAM_ID.to_owned(),
            teams: None,
            updated: self.clock.second(),
        };
        let earlier = self.world.users.insert(id.to_owned(), user);
        assert!(earlier.is_none(), "the user {id} is there already");
    }

    /// Adds a channel.
    pub(crate) fn add_channel(
        &mut self,
        id: &str,
        name: &str,
        kind: ChannelKind,
        members: BTreeSet<String>,
    ) {
        let channel = Channel {
            id: id.to_owned(),
            name: name.to_owned(),
            kind,
            created: self.clock.second(),
            members,
            archived: false,
            is_shared: false,
            messages: BTreeMap::new(),
        };
        let earlier = self.world.channels.insert(id.to_owned(), channel);
        assert!(earlier.is_none(), "the channel {id} is there already");
    }
}

impl FakeSlack {
    /// A person with the id `U…`; `name` is their full and shown name.
    pub fn add_user(&self, id: &str, name: &str) {
        self.inner().change(|state| state.add_user(id, name, false));
    }

    /// A bot's user, of another app.
    pub fn add_bot(&self, id: &str, name: &str) {
        self.inner().change(|state| state.add_user(id, name, true));
    }

    /// A guest of the workspace.
    pub fn add_guest(&self, id: &str, name: &str) {
        self.inner().change(|state| {
            state.add_user(id, name, false);
            if let Some(user) = state.world.users.get_mut(id) {
                user.is_guest = true;
            }
        });
    }

    /// A person of another organisation, as in a shared channel.
    pub fn add_outsider(&self, id: &str, name: &str) {
        self.add_of(id, name, OTHER_TEAM, None);
    }

    /// A person of the same organisation (Enterprise Grid) who belongs to another workspace.
    pub fn add_colleague(&self, id: &str, name: &str) {
        self.add_of(id, name, SISTER_TEAM, Some(vec![SISTER_TEAM.to_owned()]));
    }

    fn add_of(&self, id: &str, name: &str, team: &str, teams: Option<Vec<String>>) {
        self.inner().change(|state| {
            state.add_user(id, name, false);
            let user = state.world.users.get_mut(id).unwrap();
            team.clone_into(&mut user.team);
            user.teams = teams;
        });
    }

    /// A channel is shared with another organisation, which no event tells.
    pub fn share_unheard(&self, channel: &str) {
        self.inner().change(|state| {
            let channel = state.world.channels.get_mut(channel).unwrap();
            channel.is_shared = true;
        });
    }

    /// A user's account is closed, which no event tells.
    pub fn close_account(&self, user: &str) {
        self.inner().change(|state| {
            let user = state.world.users.get_mut(user).unwrap();
            user.deleted = true;
        });
    }

    /// A user is not in a channel any more, which no event tells.
    pub fn remove_member(&self, channel: &str, user: &str) {
        self.inner().change(|state| {
            let channel = state.world.channels.get_mut(channel).unwrap();
            channel.members.remove(user);
        });
    }

    /// A channel becomes private, which no event tells.
    pub fn convert_unheard(&self, channel: &str) {
        self.inner().change(|state| {
            let channel = state.world.channels.get_mut(channel).unwrap();
            channel.kind = ChannelKind::Private;
        });
    }

    /// A user is in a channel, which no event tells.
    pub fn add_member(&self, channel: &str, user: &str) {
        self.inner().change(|state| {
            let channel = state.world.channels.get_mut(channel).unwrap();
            channel.members.insert(user.to_owned());
        });
    }

    /// A public channel with the id `C…` that the bot is in.
    pub fn add_channel(&self, id: &str, name: &str) {
        self.add(id, name, ChannelKind::Public, &[BOT_USER]);
    }

    /// A public channel that the bot is not in.
    pub fn add_channel_without_bot(&self, id: &str, name: &str) {
        self.add(id, name, ChannelKind::Public, &[]);
    }

    /// A private channel with the id `C…` that the bot is in.
    pub fn add_private_channel(&self, id: &str, name: &str) {
        self.add(id, name, ChannelKind::Private, &[BOT_USER]);
    }

    /// The conversation, with the id `D…`, between the bot and a user.
    pub fn add_direct_channel(&self, id: &str, user: &str) {
        self.add(id, user, ChannelKind::Direct, &[BOT_USER, user]);
    }

    /// The conversation, with an id like a channel's, between the bot and a few people.
    pub fn add_group_message(&self, id: &str, people: &[&str]) {
        let members = [people, &[BOT_USER]].concat();
        self.add(id, &format!("mpdm-{id}"), ChannelKind::Group, &members);
    }

    fn add(&self, id: &str, name: &str, kind: ChannelKind, members: &[&str]) {
        let members = members.iter().map(|member| (*member).to_owned()).collect();
        self.inner()
            .change(|state| state.add_channel(id, name, kind, members));
    }
}
