//! Events of a workspace besides messages: people join and leave, channels and people change, somebody reacts.

use serde_json::{Value, json};

use crate::post::NewMessage;
use crate::server::FakeSlack;
use crate::state::State;
use crate::ts::Ts;
use crate::world::{Author, Channel, ChannelKind, Reaction, User};
use crate::{BOT_USER, OTHER_TEAM, SLACKBOT, TEAM_ID, shapes};

impl State {
    /// A channel gets another name.
    pub(crate) fn rename(&mut self, id: &str, name: &str) -> Result<(), &'static str> {
        let old = self.channel(id)?.name.clone();
        let now = self.clock.tick();
        let channel = self.world.channels.get_mut(id).unwrap();
        name.clone_into(&mut channel.name);
        let event = json!({
            "type": event_type(channel, "rename"), "channel": brief(channel), "event_ts": now.to_string(),
        });
        self.tell(id, event);
        let text = format!("has renamed the channel from \"{old}\" to \"{name}\"");
        self.notice(id, SLACKBOT, "channel_name", text)
    }

    /// A user gets another full and shown name.
    pub(crate) fn rename_user(&mut self, id: &str, name: &str) -> Result<(), &'static str> {
        self.change_user(id, |user| {
            name.clone_into(&mut user.real_name);
            name.clone_into(&mut user.display_name);
        })
    }

    /// A user changes, which an event tells.
    fn change_user(
        &mut self,
        id: &str,
        change: impl FnOnce(&mut User),
    ) -> Result<(), &'static str> {
        let now = self.clock.tick();
        let user = self.world.users.get_mut(id).ok_or("user_not_found")?;
        change(user);
        user.updated = now;
        let event = json!({
            "type": "user_change", "user": shapes::user(user), "cache_ts": now.seconds(), "event_ts": now.to_string(),
        });
        self.emit(event);
        Ok(())
    }

    /// A public channel becomes private, or a private one public.
    fn convert(&mut self, id: &str, kind: ChannelKind) -> Result<(), &'static str> {
        self.channel(id)?;
        self.world.channels.get_mut(id).unwrap().kind = kind;
        let (subtype, text) = match kind {
            ChannelKind::Public => (
                "channel_convert_to_public",
                "made this channel *public*. Any member in this workspace can see and join it.",
            ),
            _ => (
                "channel_convert_to_private",
                "made this channel *private*. Now, it can only be viewed or joined by invitation.",
            ),
        };
        self.notice(id, SLACKBOT, subtype, text.to_owned())
    }

    /// A channel is shared with another organisation, or is not any more.
    fn share(&mut self, id: &str, is_shared: bool) -> Result<(), &'static str> {
        self.channel(id)?;
        let now = self.clock.tick();
        self.world.channels.get_mut(id).unwrap().is_shared = is_shared;
        let event = if is_shared {
            json!({
                "type": "channel_shared", "connected_team_id": OTHER_TEAM, "channel": id,
                "event_ts": now.to_string(),
            })
        } else {
            json!({
                "type": "channel_unshared", "previously_connected_team_id": OTHER_TEAM, "channel": id,
                "is_ext_shared": false, "event_ts": now.to_string(),
            })
        };
        self.tell(id, event);
        Ok(())
    }

    /// A user becomes an administrator.
    fn set_admin(&mut self, id: &str) -> Result<(), &'static str> {
        let user = self.world.users.get_mut(id).ok_or("user_not_found")?;
        user.is_admin = true;
        Ok(())
    }

    /// A user belongs to another organisation, as in a shared channel.
    fn make_foreign(&mut self, id: &str) -> Result<(), &'static str> {
        let user = self.world.users.get_mut(id).ok_or("user_not_found")?;
        user.team = OTHER_TEAM.to_owned();
        Ok(())
    }

    /// Archives a channel, or takes it out of the archive.
    fn archive(&mut self, id: &str, archived: bool) -> Result<(), &'static str> {
        self.channel(id)?;
        let now = self.clock.tick();
        let channel = self.world.channels.get_mut(id).unwrap();
        channel.archived = archived;
        let what = if archived { "archive" } else { "unarchive" };
        let event = json!({
            "type": event_type(channel, what), "channel": id, "user": SLACKBOT, "is_moved": 0,
            "event_ts": now.to_string(),
        });
        self.tell(id, event);
        Ok(())
    }

    /// Deletes a channel with everything in it.
    fn delete_channel(&mut self, id: &str) -> Result<(), &'static str> {
        let event_type = event_type(self.channel(id)?, "deleted");
        let now = self.clock.tick();
        self.tell(id, json!({ "type": event_type, "channel": id, "actor_id": SLACKBOT, "event_ts": now.to_string() }));
        self.world.channels.remove(id);
        Ok(())
    }

    /// A user, or the bot, comes into a channel.
    fn join(&mut self, user: &str, id: &str) -> Result<(), &'static str> {
        self.channel(id)?;
        let now = self.clock.tick();
        self.world
            .channels
            .get_mut(id)
            .unwrap()
            .members
            .insert(user.to_owned());
        self.tell_members(
            id,
            membership("member_joined_channel", &self.world.channels[id], user, now),
        );
        self.notice(
            id,
            user,
            "channel_join",
            format!("<@{user}> has joined the channel"),
        )
    }

    /// A user, or the bot, goes from a channel.
    fn leave(&mut self, user: &str, id: &str) -> Result<(), &'static str> {
        let left = event_type(self.channel(id)?, "left");
        let now = self.clock.tick();
        self.tell_members(
            id,
            membership("member_left_channel", &self.world.channels[id], user, now),
        );
        if user == BOT_USER {
            let event = json!({ "type": left, "channel": id, "actor_id": SLACKBOT, "event_ts": now.to_string() });
            self.tell_members(id, event);
        }
        self.world
            .channels
            .get_mut(id)
            .unwrap()
            .members
            .remove(user);
        self.notice(
            id,
            user,
            "channel_leave",
            format!("<@{user}> has left the channel"),
        )
    }

    /// A user reacts to a message.
    pub(crate) fn react(
        &mut self,
        user: &str,
        id: &str,
        ts: Ts,
        name: &str,
    ) -> Result<(), &'static str> {
        let item_user = self.message(id, ts)?.author.user().map(str::to_owned);
        let now = self.clock.reacts(user == BOT_USER);
        let channel = self.world.channels.get_mut(id).unwrap();
        channel
            .messages
            .get_mut(&ts)
            .unwrap()
            .reactions
            .push(Reaction {
                name: name.to_owned(),
                user: user.to_owned(),
            });
        let event = json!({
            "type": "reaction_added", "user": user, "reaction": name, "item_user": item_user,
            "item": { "type": "message", "channel": id, "ts": ts.to_string() }, "event_ts": now.to_string(),
        });
        self.tell_members(id, event);
        Ok(())
    }

    /// Slack writes a notice into a channel.
    fn notice(
        &mut self,
        id: &str,
        user: &str,
        subtype: &'static str,
        text: String,
    ) -> Result<(), &'static str> {
        let new = NewMessage::new(id, Author::User(user.to_owned()), &text, None);
        self.post(new.with_subtype(subtype)).map(drop)
    }

    /// Tells the bot of a channel's change: of public channels always, of others if it is in them.
    fn tell(&mut self, id: &str, event: Value) {
        if self.world.channels[id].kind == ChannelKind::Public {
            self.emit(event);
        } else {
            self.tell_members(id, event);
        }
    }

    /// Tells the bot if it is in the channel.
    pub(crate) fn tell_members(&mut self, id: &str, event: Value) {
        if self.world.channels[id].has_bot() {
            self.emit(event);
        }
    }
}

fn event_type(channel: &Channel, what: &str) -> String {
    let prefix = if channel.kind == ChannelKind::Private {
        "group"
    } else {
        "channel"
    };
    format!("{prefix}_{what}")
}

fn brief(channel: &Channel) -> Value {
    json!({
        "id": channel.id, "name": channel.name, "name_normalized": channel.name, "is_channel": true,
        "is_mpim": false, "created": channel.created.seconds(),
    })
}

fn membership(event_type: &str, channel: &Channel, user: &str, now: Ts) -> Value {
    let channel_type = if channel.kind == ChannelKind::Private {
        "G"
    } else {
        "C"
    };
    json!({
        "type": event_type, "user": user, "channel": channel.id, "channel_type": channel_type, "team": TEAM_ID,
        "event_ts": now.to_string(),
    })
}

impl FakeSlack {
    /// A new person (`team_join`).
    pub fn create_user(&self, id: &str, name: &str) {
        self.inner().change(|state| {
            let now = state.clock.tick();
            state.add_user(id, name, false);
            let user = shapes::user(&state.world.users[id]);
            state.emit(json!({ "type": "team_join", "user": user, "cache_ts": now.seconds(), "event_ts": now.to_string() }));
        });
    }

    /// A new public channel, without the bot (`channel_created`).
    pub fn create_channel(&self, id: &str, name: &str, creator: &str) {
        self.inner().change(|state| {
            let now = state.clock.tick();
            let members = std::iter::once(creator.to_owned()).collect();
            state.add_channel(id, name, ChannelKind::Public, members);
            let mut channel = brief(&state.world.channels[id]);
            channel["creator"] = creator.into();
            state.emit(json!({ "type": "channel_created", "channel": channel, "event_ts": now.to_string() }));
        });
    }

    /// A user gets another full and shown name (`user_change`).
    pub fn rename_user(&self, id: &str, name: &str) {
        self.act("renaming of a user", |state| state.rename_user(id, name));
    }

    /// A channel gets another name (`channel_rename`, and a message of the subtype `channel_name`).
    pub fn rename_channel(&self, id: &str, name: &str) {
        self.act("renaming of a channel", |state| state.rename(id, name));
    }

    /// A channel becomes private (a message of the subtype `channel_convert_to_private`).
    pub fn make_private(&self, id: &str) {
        self.act("conversion", |state| {
            state.convert(id, ChannelKind::Private)
        });
    }

    /// A channel becomes public (a message of the subtype `channel_convert_to_public`).
    pub fn make_public(&self, id: &str) {
        self.act("conversion", |state| state.convert(id, ChannelKind::Public));
    }

    /// A channel is shared with another organisation (`channel_shared`).
    pub fn share_channel(&self, id: &str) {
        self.act("sharing", |state| state.share(id, true));
    }

    /// A channel is not shared any more (`channel_unshared`).
    pub fn unshare_channel(&self, id: &str) {
        self.act("end of sharing", |state| state.share(id, false));
    }

    /// A user becomes an administrator.
    pub fn set_admin(&self, id: &str) {
        self.act("change of a user", |state| state.set_admin(id));
    }

    /// A user belongs to another organisation, as in a shared channel. No event tells it.
    pub fn make_foreign(&self, id: &str) {
        self.act("change of a user", |state| state.make_foreign(id));
    }

    /// A user becomes a guest, or a full member (`user_change`).
    pub fn set_guest(&self, id: &str, is_guest: bool) {
        self.act("change of a user", |state| {
            state.change_user(id, |user| user.is_guest = is_guest)
        });
    }

    /// A user's account is closed, or opened again (`user_change`).
    pub fn set_closed(&self, id: &str, is_closed: bool) {
        self.act("change of a user", |state| {
            state.change_user(id, |user| user.deleted = is_closed)
        });
    }

    /// A user of the organisation belongs to these of its workspaces from now on (`user_change`).
    pub fn set_teams(&self, id: &str, teams: &[&str]) {
        let teams = teams.iter().map(|team| (*team).to_owned()).collect();
        self.act("change of a user", |state| {
            state.change_user(id, |user| user.teams = Some(teams))
        });
    }

    /// A channel is archived (`channel_archive`).
    pub fn archive_channel(&self, id: &str) {
        self.act("archiving", |state| state.archive(id, true));
    }

    /// A channel comes back from the archive (`channel_unarchive`).
    pub fn unarchive_channel(&self, id: &str) {
        self.act("unarchiving", |state| state.archive(id, false));
    }

    /// A channel is deleted (`channel_deleted`).
    pub fn delete_channel(&self, id: &str) {
        self.act("deletion of a channel", |state| state.delete_channel(id));
    }

    /// A user, or the bot, joins (`member_joined_channel`, and a message of the subtype `channel_join`).
    pub fn join(&self, user: &str, channel: &str) {
        self.act("joining", |state| state.join(user, channel));
    }

    /// A user, or the bot, leaves (`member_left_channel`, and a message of the subtype `channel_leave`; for the bot
    /// `channel_left`, after which it hears nothing of the channel).
    pub fn leave(&self, user: &str, channel: &str) {
        self.act("leaving", |state| state.leave(user, channel));
    }

    /// A user reacts to a message (`reaction_added`).
    pub fn react(&self, user: &str, channel: &str, ts: &str, emoji: &str) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.act("reaction", |state| state.react(user, channel, ts, emoji));
    }

    /// A user opens the bot's App Home (`app_home_opened`).
    pub fn open_home(&self, user: &str) {
        self.inner().change(|state| {
            let now = state.clock.tick();
            let channels = state.world.channels.values();
            let mut direct = channels
                .filter(|channel| channel.kind == ChannelKind::Direct && channel.name == user);
            let channel = direct
                .next()
                .map_or("D0HOME0001", |channel| channel.id.as_str());
            let mut event = json!({
                "type": "app_home_opened", "user": user, "channel": channel, "tab": "home",
                "event_ts": now.to_string(),
            });
            if let Some(view) = state.bot.views.get(user) {
                event["view"] = view.clone();
            }
            state.emit(event);
        });
    }

    pub(crate) fn act(
        &self,
        what: &str,
        action: impl FnOnce(&mut State) -> Result<(), &'static str>,
    ) {
        let done = self.inner().change(action);
        done.unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}
