//! People and integrations say something.

use serde_json::{Value, json};

use crate::server::FakeSlack;
use crate::shapes;
use crate::state::State;
use crate::ts::Ts;
use crate::world::{Author, Channel, ChannelKind, Message};
use crate::{BOT_USER, SLACKBOT};

/// A message to post.
pub(crate) struct NewMessage {
    pub(crate) channel: String,
    pub(crate) author: Author,
    pub(crate) subtype: Option<&'static str>,
    pub(crate) text: String,
    pub(crate) thread: Option<Ts>,
    /// When; the clock decides if none.
    pub(crate) at: Option<Ts>,
    pub(crate) files: Vec<Value>,
    pub(crate) blocks: Option<Value>,
    pub(crate) metadata: Option<Value>,
}

impl NewMessage {
    /// A plain message.
    pub(crate) fn new(channel: &str, author: Author, text: &str, thread: Option<Ts>) -> Self {
        Self {
            channel: channel.to_owned(),
            author,
            subtype: None,
            text: text.to_owned(),
            thread,
            at: None,
            files: Vec::new(),
            blocks: None,
            metadata: None,
        }
    }

    pub(crate) fn with_subtype(mut self, subtype: &'static str) -> Self {
        self.subtype = Some(subtype);
        self
    }
}

impl State {
    /// A channel, or the error that Slack's methods give.
    pub(crate) fn channel(&self, id: &str) -> Result<&Channel, &'static str> {
        self.world.channels.get(id).ok_or("channel_not_found")
    }

    /// A message, or the error that Slack's methods give.
    pub(crate) fn message(&self, channel: &str, ts: Ts) -> Result<&Message, &'static str> {
        self.channel(channel)?
            .messages
            .get(&ts)
            .ok_or("message_not_found")
    }

    /// Posts; the bot hears of it if it is in the channel.
    pub(crate) fn post(&mut self, new: NewMessage) -> Result<Ts, &'static str> {
        let channel = self.channel(&new.channel)?;
        if channel.archived {
            return Err("is_archived");
        }
        if new
            .author
            .user()
            .is_some_and(|user| !self.world.users.contains_key(user))
        {
            return Err("user_not_found");
        }
        // A reply to a reply stands in the same thread.
        let parent = match new.thread {
            Some(ts) => Some(
                channel
                    .messages
                    .get(&ts)
                    .ok_or("thread_not_found")?
                    .thread(),
            ),
            None => None,
        };
        let ts = match new.at {
            Some(ts) if channel.messages.contains_key(&ts) => return Err("ts_taken"),
            Some(ts) => ts,
            None if new.author == Author::the_bot() => self.clock.between(),
            None => self.clock.tick(),
        };
        self.clock.advance_to(ts);
        let message = Message {
            ts,
            thread_ts: parent,
            author: new.author,
            subtype: new.subtype.map(str::to_owned),
            text: new.text,
            edited: None,
            metadata: new.metadata,
            blocks: new.blocks,
            attachments: Vec::new(),
            files: new.files,
            reactions: Vec::new(),
            pinned_by: None,
        };
        let channel = self.world.channels.get_mut(&new.channel).unwrap();
        channel.messages.insert(ts, message);
        self.announce(&new.channel, ts);
        Ok(ts)
    }

    /// Tells the bot of a new message, if it is in the channel.
    fn announce(&mut self, channel: &str, ts: Ts) {
        let channel = &self.world.channels[channel];
        if !channel.has_bot() {
            return;
        }
        let message = &channel.messages[&ts];
        let event = shapes::message_event(channel, message);
        let mention = is_mention(channel, message).then(|| shapes::app_mention(channel, message));
        self.emit(event);
        if let Some(mention) = mention {
            self.emit(mention);
        }
    }

    /// Changes a message's text.
    pub(crate) fn edit(&mut self, channel: &str, ts: Ts, text: &str) -> Result<(), &'static str> {
        let now = self.clock.tick();
        self.edit_at(now, channel, ts, text)
    }

    fn edit_at(&mut self, now: Ts, channel: &str, ts: Ts, text: &str) -> Result<(), &'static str> {
        let author = self.message(channel, ts)?.author.clone();
        self.rewrite(channel, ts, now, |message| {
            text.clone_into(&mut message.text);
            message.edited = Some(crate::Edited {
                user: author.user().unwrap_or(SLACKBOT).to_owned(),
                ts: now,
            });
        });
        Ok(())
    }

    /// Deletes a message. A parent with replies becomes a tombstone, which goes with the last reply.
    pub(crate) fn delete(&mut self, channel: &str, ts: Ts) -> Result<(), &'static str> {
        let parent = self.message(channel, ts)?.thread_ts;
        let now = self.clock.tick();
        let has_replies = self.channel(channel)?.replies(ts).next().is_some();
        if parent.is_none() && has_replies {
            self.rewrite(channel, ts, now, |message| {
                "This message was deleted.".clone_into(&mut message.text);
                message.author = Author::User(SLACKBOT.to_owned());
                message.subtype = Some("tombstone".to_owned());
                message.edited = None;
                message.metadata = None;
                message.blocks = None;
                message.attachments.clear();
                message.files.clear();
                message.reactions.clear();
                message.pinned_by = None;
            });
            return Ok(());
        }
        self.remove(channel, ts, now);
        let orphan = parent.filter(|parent| {
            let channel = &self.world.channels[channel];
            let root = channel.messages.get(parent);
            let buried = root.is_some_and(|root| root.subtype.as_deref() == Some("tombstone"));
            buried && channel.replies(*parent).next().is_none()
        });
        if let Some(parent) = orphan {
            let now = self.clock.tick();
            self.remove(channel, parent, now);
        }
        Ok(())
    }

    fn rewrite(&mut self, channel: &str, ts: Ts, now: Ts, change: impl FnOnce(&mut Message)) {
        let channel = self.world.channels.get_mut(channel).unwrap();
        let previous = shapes::message(channel, &channel.messages[&ts]);
        change(channel.messages.get_mut(&ts).unwrap());
        let event = shapes::message_changed(channel, &channel.messages[&ts], previous, now);
        if channel.has_bot() {
            self.emit(event);
        }
    }

    fn remove(&mut self, channel: &str, ts: Ts, now: Ts) {
        let channel = self.world.channels.get_mut(channel).unwrap();
        let previous = shapes::message(channel, &channel.messages[&ts]);
        channel.messages.remove(&ts);
        let event = shapes::message_deleted(channel, ts, previous, now);
        if channel.has_bot() {
            self.emit(event);
        }
    }
}

/// Returns true if a message calls the bot. Slack sends no `app_mention` in a direct conversation, nor for its own
/// notices, which name people too.
fn is_mention(channel: &Channel, message: &Message) -> bool {
    let subtype = message.subtype.as_deref().unwrap_or_default();
    !subtype.starts_with("channel_")
        && channel.kind != ChannelKind::Direct
        && message.author != Author::the_bot()
        && message.text.contains(&format!("<@{BOT_USER}>"))
}

impl FakeSlack {
    /// A user posts a message; `text` is as Slack stores it (`<@U…>`, `&amp;`), `thread` the parent's `ts`. Gives its `ts`.
    ///
    /// # Panics
    ///
    /// As all actions of people: the channel, user or thread does not exist, or the channel is archived.
    pub fn post(&self, user: &str, channel: &str, text: &str, thread: Option<&str>) -> String {
        self.say(NewMessage::new(channel, by(user), text, thread.map(parse)))
    }

    /// A user posts a message at a time that the test chooses.
    pub fn post_at(
        &self,
        ts: &str,
        user: &str,
        channel: &str,
        text: &str,
        thread: Option<&str>,
    ) -> String {
        let mut new = NewMessage::new(channel, by(user), text, thread.map(parse));
        new.at = Some(parse(ts));
        self.say(new)
    }

    /// A user posts `<@BOT> text`: besides the `message`, the bot gets an `app_mention`.
    pub fn mention(&self, user: &str, channel: &str, text: &str, thread: Option<&str>) -> String {
        self.post(user, channel, &format!("<@{BOT_USER}> {text}"), thread)
    }

    /// A user replies in a thread and sends the reply to the channel too (`thread_broadcast`).
    pub fn broadcast(&self, user: &str, channel: &str, text: &str, thread: &str) -> String {
        let new = NewMessage::new(channel, by(user), text, Some(parse(thread)));
        self.say(new.with_subtype("thread_broadcast"))
    }

    /// A user shares a file with a text (`file_share`).
    pub fn share_file(
        &self,
        user: &str,
        channel: &str,
        text: &str,
        file: &str,
        thread: Option<&str>,
    ) -> String {
        let new = NewMessage::new(channel, by(user), text, thread.map(parse));
        let mut new = new.with_subtype("file_share");
        new.files = vec![json!({
            "id": "F0FILE0001", "name": file, "title": file, "mimetype": "application/octet-stream",
            "filetype": file.rsplit('.').next(), "user": user, "size": 1024, "mode": "hosted",
            "url_private": format!("https://files.slack.com/files-pri/T0TEAM0001-F0FILE0001/{file}"),
        })];
        self.say(new)
    }

    /// A user says `/me text` (`me_message`).
    pub fn me(&self, user: &str, channel: &str, text: &str) -> String {
        self.say(NewMessage::new(channel, by(user), text, None).with_subtype("me_message"))
    }

    /// An integration without a user posts (`bot_message`).
    pub fn post_as_integration(
        &self,
        username: &str,
        channel: &str,
        text: &str,
        thread: Option<&str>,
    ) -> String {
        let author = Author::Integration {
            bot_id: "B0INTEGR01".to_owned(),
            username: username.to_owned(),
        };
        self.say(
            NewMessage::new(channel, author, text, thread.map(parse)).with_subtype("bot_message"),
        )
    }

    /// Another app's bot posts, as apps of today do: with a user and a `bot_id`, without a subtype.
    pub fn post_as_app(
        &self,
        user: &str,
        channel: &str,
        text: &str,
        thread: Option<&str>,
    ) -> String {
        let author = Author::App {
            user: user.to_owned(),
            bot_id: "B0OTHER001".to_owned(),
            app_id: "A0OTHER001".to_owned(),
        };
        self.say(NewMessage::new(channel, author, text, thread.map(parse)))
    }

    /// A message's author changes its text.
    pub fn edit(&self, channel: &str, ts: &str, text: &str) {
        let done = self
            .inner()
            .change(|state| state.edit(channel, parse(ts), text));
        done.unwrap_or_else(|error| panic!("edit of {ts} in {channel}: {error}"));
    }

    /// An author edits a message at a time that the test chooses.
    pub fn edit_at(&self, at: &str, channel: &str, ts: &str, text: &str) {
        let done = self
            .inner()
            .change(|state| state.edit_at(parse(at), channel, parse(ts), text));
        done.unwrap_or_else(|error| panic!("edit of {ts} in {channel}: {error}"));
    }

    /// Slack shows a preview of a link in a message, some time after it was posted. Text and `edited` stay as they are.
    pub fn unfurl(&self, channel: &str, ts: &str, url: &str, preview: &str) {
        self.inner().change(|state| {
            let now = state.clock.tick();
            state.rewrite(channel, parse(ts), now, |message| {
                message.attachments.push(json!({
                    "from_url": url, "original_url": url, "title": preview, "text": preview, "fallback": preview,
                    "service_name": "example.com", "id": 1,
                }));
            });
        });
    }

    /// A message is deleted. A parent with replies becomes a tombstone (`message_changed`), which goes with its last
    /// reply, as in Slack.
    pub fn delete(&self, channel: &str, ts: &str) {
        let done = self
            .inner()
            .change(|state| state.delete(channel, parse(ts)));
        done.unwrap_or_else(|error| panic!("deletion of {ts} in {channel}: {error}"));
    }

    fn say(&self, new: NewMessage) -> String {
        let channel = new.channel.clone();
        let ts = self.inner().change(|state| state.post(new));
        ts.unwrap_or_else(|error| panic!("post in {channel}: {error}"))
            .to_string()
    }
}

fn by(user: &str) -> Author {
    Author::User(user.to_owned())
}

/// Reads a `ts` that a test wrote.
fn parse(ts: &str) -> Ts {
    Ts::parse(ts).unwrap_or_else(|| panic!("`{ts}` is no ts"))
}
