//! What people, events and importers bring.

use myao_plugin::storage::records::{ChannelRecord, MemoryRecord, MessageRecord, UserRecord};
use myao_plugin::storage::{Memory, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope};

use super::memories::{Series, Subject, parse_subject};
use super::{MemoryStorage, State};
use crate::conformance::Records;

impl MemoryStorage {
    /// Adds a channel that everybody sees, or renames it.
    pub fn add_channel(&self, id: &str, name: &str) {
        self.state().put_channel(ChannelRecord {
            id: id.to_owned(),
            name: name.to_owned(),
            is_private: false,
        });
    }

    /// Adds a channel that only invited members see.
    pub fn add_private_channel(&self, id: &str, name: &str) {
        self.state().put_channel(ChannelRecord {
            id: id.to_owned(),
            name: name.to_owned(),
            is_private: true,
        });
    }

    /// A message outside threads, at a Unix second; its id. The channel is added where it is new, and the author too,
    /// with the id `U-` and the name.
    pub fn say(&self, channel_id: &str, unix_seconds: i64, author: &str, text: &str) -> TsKey {
        self.write(channel_id, None, unix_seconds, author, text)
    }

    /// A message in the thread that began with `thread`.
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

    /// Gives a message another text, at a Unix second.
    ///
    /// # Errors
    /// `not-found` where there is no such message.
    pub fn edit(
        &self,
        channel_id: &str,
        ts: TsKey,
        unix_seconds: i64,
        text: &str,
    ) -> Result<(), StorageError> {
        let mut state = self.state();
        let message = state.conversation(channel_id)?.messages.get(&ts);
        let message = message.ok_or_else(|| {
            StorageError::NotFound(format!("message {ts} of channel `{channel_id}`"))
        })?;
        let edited = MessageRecord {
            text: text.to_owned(),
            edited_at: Some(unix_seconds),
            ..message.clone()
        };
        state.put_message(edited);
        Ok(())
    }

    /// Deletes a message, at a Unix second. It never comes back, also where it was not stored yet.
    pub fn delete(&self, channel_id: &str, ts: TsKey, unix_seconds: i64) {
        self.state().delete(channel_id, ts, unix_seconds);
    }

    /// Takes in records, as an import does: all or nothing, in any order, and twice changes nothing. Messages of deleted
    /// ids stay away; of two texts of one message the one edited last stays. A memory of another program becomes
    /// version 1 where there is none.
    ///
    /// # Errors
    /// `invalid` where a memory has no text, or a scope id that is none.
    pub fn import(&self, records: Records) -> Result<(), StorageError> {
        let mut state = self.state();
        let memories = records.memories.into_iter();
        let memories: Vec<(Subject, MemoryRecord)> = memories
            .map(|memory| Ok((state.check_import(&memory)?, memory)))
            .collect::<Result<_, StorageError>>()?;
        for user in records.users {
            state.put_user(user);
        }
        for channel in records.channels {
            state.put_channel(channel);
        }
        for message in records.messages {
            state.put_message(message);
        }
        state.put_memories(memories);
        Ok(())
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
        let user_id = format!("U-{author}");
        state.put_user(UserRecord {
            id: user_id.clone(),
            name: author.to_owned(),
            is_bot: false,
        });
        let ts = state.free_id(channel_id, unix_seconds);
        state.put_message(MessageRecord {
            channel_id: channel_id.to_owned(),
            ts,
            user_id,
            author_name: None,
            is_bot: false,
            text: text.to_owned(),
            thread_ts,
            edited_at: None,
        });
        ts
    }
}

impl State {
    /// The first id of a second that no message of the channel has or had.
    fn free_id(&self, channel_id: &str, unix_seconds: i64) -> TsKey {
        let first = TsKey::first_of(unix_seconds);
        let Some(conversation) = self.channels.get(channel_id) else {
            return first;
        };
        let mut id = first;
        while conversation.messages.contains_key(&id) || conversation.deleted.contains(&id) {
            id = TsKey::from_database(id.to_database() + 1);
        }
        id
    }

    /// An empty name says nothing.
    fn put_user(&mut self, user: UserRecord) {
        let known = self.users.entry(user.id.clone()).or_insert(user.clone());
        if !user.name.is_empty() {
            *known = user;
        }
    }

    /// An empty name says nothing.
    fn put_channel(&mut self, channel: ChannelRecord) {
        let conversation = self.channels.entry(channel.id).or_default();
        conversation.is_private = channel.is_private;
        if !channel.name.is_empty() {
            conversation.name = channel.name;
        }
    }

    fn put_message(&mut self, message: MessageRecord) {
        let (channel_id, ts) = (message.channel_id.clone(), message.ts);
        let conversation = self.channels.entry(channel_id.clone()).or_default();
        if conversation.deleted.contains(&ts) {
            return;
        }
        let stored = conversation.messages.remove(&ts);
        // A thread's first message may name its own thread, or not.
        let thread_ts = message.thread_ts.filter(|thread| *thread != ts);
        let thread_ts = stored.as_ref().and_then(|m| m.thread_ts).or(thread_ts);
        let (newest, is_changed) = match stored {
            Some(stored) if message.changed() <= stored.changed() => (stored, false),
            Some(stored) => (message.clone(), stored.text != message.text),
            None => (message, false),
        };
        let changed_at = newest.edited_at.filter(|_| is_changed);
        let newest = MessageRecord {
            thread_ts,
            ..newest
        };
        conversation.messages.insert(ts, newest);
        if let Some(thread) = thread_ts {
            let thread = conversation.threads.entry(thread).or_default();
            thread.replies.insert(ts);
        }
        self.touch(&channel_id, thread_ts.unwrap_or(ts), ts, changed_at);
    }

    fn delete(&mut self, channel_id: &str, ts: TsKey, unix_seconds: i64) {
        let conversation = self.channels.entry(channel_id.to_owned()).or_default();
        conversation.deleted.insert(ts);
        let Some(message) = conversation.messages.remove(&ts) else {
            return;
        };
        if let Some(thread_ts) = message.thread_ts
            && let Some(thread) = conversation.threads.get_mut(&thread_ts)
        {
            thread.replies.remove(&ts);
            if thread.replies.is_empty() {
                conversation.threads.remove(&thread_ts);
            }
        }
        let thread = message.thread_ts.unwrap_or(ts);
        self.touch(channel_id, thread, ts, Some(unix_seconds));
    }

    /// Brings to date what waits, after a message came, changed or went.
    fn touch(&mut self, channel_id: &str, thread_ts: TsKey, ts: TsKey, changed_at: Option<i64>) {
        let is_summarized = self.watermark(channel_id, Some(thread_ts)) >= Some(ts);
        if is_summarized
            && let Some(conversation) = self.channels.get_mut(channel_id)
            && let Some(thread) = conversation.threads.get_mut(&thread_ts)
        {
            thread.changed = thread.changed.max(changed_at);
        }
        self.watch(channel_id, None);
        self.watch(channel_id, Some(thread_ts));
    }

    fn check_import(&self, memory: &MemoryRecord) -> Result<Subject, StorageError> {
        if memory.content.trim().is_empty() {
            return Err(StorageError::Invalid(format!(
                "the memory of `{}` has no text",
                memory.scope_id
            )));
        }
        match memory.scope {
            Scope::Workspace => self.subject(memory.scope, &memory.scope_id),
            // Its channel may come with it.
            Scope::Channel | Scope::Thread => parse_subject(memory.scope, &memory.scope_id),
        }
    }

    /// Keeps memories of another program, but for those of which there is one already.
    fn put_memories(&mut self, memories: Vec<(Subject, MemoryRecord)>) {
        let mut new = Vec::new();
        for (subject, memory) in memories {
            let series = Series::new(memory.scope, &subject.scope_id, memory.memory_type);
            if let Some(channel_id) = &subject.channel_id {
                self.channels.entry(channel_id.clone()).or_default();
            }
            if self.newest(&series).is_none() {
                let kept = self.imported(&subject, memory);
                self.keep(series.clone(), kept);
                new.push((series, subject));
            }
        }
        // What the other program did not write down follows from all that came.
        for (series, _) in &new {
            let merged_through = self.merged_by_import(series);
            let versions = self.memories.entry(series.clone()).or_default();
            if let Some(memory) = versions.kept.last_mut() {
                memory.merged_through = merged_through;
            }
        }
        for (_, subject) in &new {
            if let Some(channel_id) = &subject.channel_id {
                self.watch(channel_id, subject.thread);
            }
        }
    }

    fn imported(&mut self, subject: &Subject, memory: MemoryRecord) -> Memory {
        // Without a watermark, what was there when it was made is summarised.
        let newest_then = self.newest_message(subject, memory.updated_at);
        let watermark = memory.source_latest_message_ts.or(newest_then);
        Memory {
            id: self.next_memory(),
            scope: memory.scope,
            scope_id: subject.scope_id.clone(),
            memory_type: memory.memory_type,
            version: 1,
            content: memory.content,
            engine: Engine::Imported,
            created_at: self.timestamp(memory.created_at),
            updated_at: self.timestamp(memory.updated_at),
            source_message_count: memory.source_message_count,
            source_latest_message_ts: watermark.map(|ts| ts.to_string()),
            merged_through: None,
        }
    }

    fn newest_message(&self, subject: &Subject, unix_seconds: i64) -> Option<TsKey> {
        let conversation = self.channels.get(subject.channel_id.as_deref()?)?;
        let next_second = TsKey::first_of(unix_seconds.saturating_add(1));
        let until = TsKey::from_database(next_second.to_database() - 1);
        match subject.thread {
            None => conversation.between(None, until).next_back(),
            Some(thread) => conversation.of_thread(thread, None, until).next_back(),
        }
    }

    /// The newest imported memory that one of another program must have merged: a channel's long-term memory its
    /// short-term one, the workspace's those of the channels.
    fn merged_by_import(&self, series: &Series) -> Option<u64> {
        let imported = self.memories.iter().filter_map(|(other, versions)| {
            let newest = versions.kept.last()?;
            (newest.engine == Engine::Imported).then_some((other, newest.id))
        });
        imported
            .filter(|(other, _)| {
                if series.is_of(Scope::Workspace) {
                    other.is_of(Scope::Channel) && other.memory_type == series.memory_type
                } else {
                    let long_term = series.with_type(MemoryType::LongTerm);
                    let short_term = series.with_type(MemoryType::ShortTerm);
                    *series == long_term && **other == short_term
                }
            })
            .map(|(_, id)| id)
            .max()
    }
}
