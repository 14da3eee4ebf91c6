//! Short functions that fill the store in a test.

use myao_plugin::audience::ChannelFacts;
use myao_plugin::state::import::Import as _;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::records::{ChannelRecord, MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;

use super::import::{MemoryImport, Record};
use super::writing::{Source, Writing};
use super::{MemoryStorage, State};
use crate::conformance::Records;

/// When the store was filled, in Unix seconds: before anything that a test does.
const FILLED_AT: i64 = 0;

impl MemoryStorage {
    /// Adds a channel that everybody of the workspace can see, and nobody else, or renames it.
    pub fn add_channel(&self, id: &str, name: &str) {
        self.put_channel(id, name, ChannelFacts::PUBLIC);
    }

    /// Adds a channel that only invited members can see.
    pub fn add_private_channel(&self, id: &str, name: &str) {
        self.put_channel(id, name, ChannelFacts::PRIVATE);
    }

    /// Adds a message outside threads, at a Unix second, and returns its id. Also adds the channel and the author if
    /// they are new; the author's id is `U-` and the name.
    pub fn say(&self, channel_id: &str, unix_seconds: i64, author: &str, text: &str) -> TsKey {
        self.write(channel_id, None, unix_seconds, author, text)
    }

    /// Adds a message to the thread that began with `thread`.
    pub fn reply(
        &self,
        channel_id: &str,
        thread: TsKey,
        unix_seconds: i64,
        author: &str,
        text: &str,
    ) -> TsKey {
        self.write(channel_id, Some(thread), unix_seconds, author, text)
    }

    /// Changes the text of a message, at a Unix second.
    ///
    /// # Errors
    /// `not-found` if the message does not exist or is deleted.
    pub fn edit(
        &self,
        channel_id: &str,
        ts: TsKey,
        unix_seconds: i64,
        text: &str,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        let message = state.conversation(channel_id)?.shown(ts);
        let message = message.ok_or_else(|| {
            StorageError::NotFound(format!("message {ts} of channel `{channel_id}`"))
        })?;
        let edited = MessageRecord {
            channel_id: channel_id.to_owned(),
            ts,
            user_id: message.user_id.clone(),
            author_name: message.author_name.clone(),
            is_bot: message.is_bot,
            text: text.to_owned(),
            thread_ts: message.thread,
            edited_at: Some(unix_seconds),
        };
        let mut writing = Writing::new(&mut state, Source::Events(unix_seconds));
        let changed = edited.changed();
        writing.message(edited, changed);
        writing.finish();
        Ok(())
    }

    /// Deletes a message, at a Unix second. It never comes back, even if it was not stored yet.
    pub fn delete(&self, channel_id: &str, ts: TsKey, unix_seconds: i64) {
        let mut state = self.state();
        let mut writing = Writing::new(&mut state, Source::Events(unix_seconds));
        writing.delete(channel_id, ts, unix_seconds);
        writing.finish();
    }

    /// Imports records: all or nothing, in any order; a second import of the same records changes nothing. Messages
    /// with deleted ids are not restored; if a message has two texts, the one edited last is kept. A memory of another
    /// program becomes version 1, unless there is a memory already.
    ///
    /// # Errors
    /// `invalid` if a memory has no text or an invalid scope id.
    pub fn import(&self, records: Records) -> Result<(), StorageError> {
        let mut import = MemoryImport::of(self, FILLED_AT);
        records.write(&mut import)?;
        Box::new(import).commit().map(drop)
    }

    fn put_channel(&self, id: &str, name: &str, facts: ChannelFacts) {
        let channel = ChannelRecord {
            id: id.to_owned(),
            name: name.to_owned(),
            facts,
        };
        self.state()
            .import(vec![Record::Channel(channel)], FILLED_AT);
    }

    fn write(
        &self,
        channel_id: &str,
        thread_ts: Option<TsKey>,
        unix_seconds: i64,
        author: &str,
        text: &str,
    ) -> TsKey {
        let mut state = self.state();
        let ts = state.free_id(channel_id, unix_seconds);
        let user_id = format!("U-{author}");
        let user = UserRecord {
            id: user_id.clone(),
            name: author.to_owned(),
            is_bot: false,
        };
        let message = MessageRecord {
            channel_id: channel_id.to_owned(),
            ts,
            user_id,
            author_name: None,
            is_bot: false,
            text: text.to_owned(),
            thread_ts,
            edited_at: None,
        };
        state.import(
            vec![Record::User(user), Record::Message(message)],
            FILLED_AT,
        );
        ts
    }
}

impl State {
    /// The first id in a second that no message of the channel has or had.
    fn free_id(&self, channel_id: &str, unix_seconds: i64) -> TsKey {
        let mut id = TsKey::first_of(unix_seconds);
        if let Some(conversation) = self.channels.get(channel_id) {
            while conversation.messages.contains_key(&id) {
                id = TsKey::from_database(id.to_database() + 1);
            }
        }
        id
    }
}
