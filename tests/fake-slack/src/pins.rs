//! Pins, and reactions that are taken back.

use serde_json::json;

use crate::BOT_USER;
use crate::server::FakeSlack;
use crate::state::State;
use crate::ts::Ts;
use crate::world::Reaction;

impl State {
    /// A user takes a reaction back.
    pub(crate) fn unreact(
        &mut self,
        user: &str,
        id: &str,
        ts: Ts,
        name: &str,
    ) -> Result<(), &'static str> {
        let item_user = self.message(id, ts)?.author.user().map(str::to_owned);
        let now = self.clock.reacts(user == BOT_USER);
        let channel = self.world.channels.get_mut(id).unwrap();
        let reactions = &mut channel.messages.get_mut(&ts).unwrap().reactions;
        reactions.retain(|reaction| reaction.name != name || reaction.user != user);
        let event = json!({
            "type": "reaction_removed", "user": user, "reaction": name, "item_user": item_user,
            "item": { "type": "message", "channel": id, "ts": ts.to_string() }, "event_ts": now.to_string(),
        });
        self.tell_members(id, event);
        Ok(())
    }

    /// A user pins a message, or takes the pin off.
    pub(crate) fn pin(
        &mut self,
        user: &str,
        id: &str,
        ts: Ts,
        is_pinned: bool,
    ) -> Result<(), &'static str> {
        let now = self.clock.tick();
        let channel = self.world.channels.get_mut(id).ok_or("channel_not_found")?;
        let message = channel.messages.get_mut(&ts).ok_or("message_not_found")?;
        message.pinned_by = is_pinned.then(|| (user.to_owned(), now));
        let kind = if is_pinned {
            "pin_added"
        } else {
            "pin_removed"
        };
        let event = json!({
            "type": kind, "user": user, "channel_id": id, "event_ts": now.to_string(),
            "item": {
                "type": "message", "channel": id, "created_by": user,
                "message": { "ts": ts.to_string(), "text": message.text },
            },
        });
        self.tell_members(id, event);
        Ok(())
    }
}

impl FakeSlack {
    /// A user takes a reaction back (`reaction_removed`).
    pub fn unreact(&self, user: &str, channel: &str, ts: &str, emoji: &str) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.act("reaction", |state| state.unreact(user, channel, ts, emoji));
    }

    /// The reactions to a message: who, and the emoji's name.
    ///
    /// # Panics
    ///
    /// If the channel has no such message.
    #[must_use]
    pub fn reactions(&self, channel: &str, ts: &str) -> Vec<(String, String)> {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        let world = self.world();
        let reactions = world.channels[channel].messages[&ts].reactions.iter();
        let of = |reaction: &Reaction| (reaction.user.clone(), reaction.name.clone());
        reactions.map(of).collect()
    }

    /// A user pins a message (`pin_added`).
    pub fn pin(&self, user: &str, channel: &str, ts: &str) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.act("pin", |state| state.pin(user, channel, ts, true));
    }

    /// A user takes a pin off (`pin_removed`).
    pub fn unpin(&self, user: &str, channel: &str, ts: &str) {
        let ts = Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"));
        self.act("pin", |state| state.pin(user, channel, ts, false));
    }
}
