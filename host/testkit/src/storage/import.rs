//! Writes imported records.

use myao_plugin::state::import::{Import, ImportTarget};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{
    ChannelRecord, DoneMark, ImportSink, ImportTally, MemoryRecord, MessageRecord, PinRecord,
    Tally, UserRecord,
};
use myao_plugin::storage::{Memory, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope};

use super::memories::{Series, StoredText, Subject, parse_subject};
use super::messages::{Conversation, StoredUser};
use super::writing::{Put, Source, Writing};
use super::{MemoryStorage, State};

/// An import in progress. It keeps its records until it is committed, so that nobody has to wait for it.
pub(super) struct MemoryImport {
    storage: MemoryStorage,
    records: Vec<Record>,
    /// When it began, in Unix seconds.
    now: i64,
}

/// An imported record.
pub(super) enum Record {
    User(UserRecord),
    Channel(ChannelRecord),
    Message(MessageRecord),
    Pin(Effect),
    Done(DoneMark),
    Memory(Subject, MemoryRecord),
}

#[async_trait::async_trait]
impl ImportTarget for MemoryStorage {
    async fn begin_import(&self, now: i64) -> Result<Box<dyn Import>, StorageError> {
        Ok(Box::new(MemoryImport::of(self, now)))
    }
}

impl MemoryImport {
    pub(super) fn of(storage: &MemoryStorage, now: i64) -> Self {
        Self {
            now,
            storage: storage.clone(),
            records: Vec::new(),
        }
    }
}

impl ImportSink for MemoryImport {
    fn user(&mut self, user: &UserRecord) -> Result<(), StorageError> {
        self.records.push(Record::User(user.clone()));
        Ok(())
    }

    fn channel(&mut self, channel: &ChannelRecord) -> Result<(), StorageError> {
        self.records.push(Record::Channel(channel.clone()));
        Ok(())
    }

    fn message(&mut self, message: &MessageRecord) -> Result<(), StorageError> {
        self.records.push(Record::Message(message.clone()));
        Ok(())
    }

    fn pin(&mut self, pin: &PinRecord) -> Result<(), StorageError> {
        self.records.push(Record::Pin(Effect::from(pin)));
        Ok(())
    }

    fn done(&mut self, mark: &DoneMark) -> Result<(), StorageError> {
        self.records.push(Record::Done(mark.clone()));
        Ok(())
    }

    fn memory(&mut self, memory: &MemoryRecord) -> Result<(), StorageError> {
        if memory.content.trim().is_empty() {
            return Err(StorageError::Invalid(format!(
                "the memory of `{}` has no text",
                memory.scope_id
            )));
        }
        let subject = parse_subject(memory.scope, &memory.scope_id)?;
        self.records.push(Record::Memory(subject, memory.clone()));
        Ok(())
    }
}

impl Import for MemoryImport {
    fn commit(self: Box<Self>) -> Result<ImportTally, StorageError> {
        Ok(self.storage.state().import(self.records, self.now))
    }
}

fn count(put: Put, tally: &mut Tally) {
    match put {
        Put::New => tally.new += 1,
        Put::Changed => tally.changed += 1,
        Put::Unchanged => tally.unchanged += 1,
        Put::Forgotten => tally.forgotten += 1,
    }
}

impl State {
    /// Imports records at a time in Unix seconds.
    pub(super) fn import(&mut self, records: Vec<Record>, now: i64) -> ImportTally {
        let mut tally = ImportTally::default();
        let mut memories = Vec::new();
        let before = self.audiences();
        let mut writing = Writing::new(self, Source::Import);
        for record in records {
            match record {
                Record::User(user) => count(writing.state.put_user(user), &mut tally.users),
                Record::Channel(channel) => {
                    count(writing.state.put_channel(channel), &mut tally.channels);
                }
                Record::Message(message) => {
                    let changed = message.changed();
                    count(writing.message(message, changed), &mut tally.messages);
                }
                Record::Pin(pin) => {
                    if let Effect::Pin {
                        channel_id,
                        ts,
                        by,
                        is_pinned,
                        at,
                    } = pin
                    {
                        let pins = &mut writing.channel(&channel_id).pins;
                        pins.change(ts, by, is_pinned, at);
                    }
                }
                Record::Done(mark) => {
                    writing.channel(&mark.channel_id);
                    let at = mark.ts;
                    writing.state.mark_done(mark, true, at);
                }
                Record::Memory(subject, memory) => {
                    if let Some(channel_id) = &subject.channel_id {
                        writing.channel(channel_id);
                    }
                    memories.push((subject, memory));
                }
            }
        }
        writing.finish();
        self.audiences_changed(&before, now);
        self.put_memories(memories, &mut tally.memories);
        tally
    }

    /// Values from events are kept, and an empty name is ignored.
    fn put_user(&mut self, user: UserRecord) -> Put {
        let Some(known) = self.users.get_mut(&user.id) else {
            let id = user.id.clone();
            self.users.insert(id, StoredUser::of(user, None));
            return Put::New;
        };
        let before = known.record.clone();
        if known.changed_at.is_none() {
            known.record.is_bot = user.is_bot;
            if !user.name.is_empty() {
                known.record.name = user.name;
            }
        }
        changed_or_not(before != known.record)
    }

    /// Values from events are kept, and an empty name is ignored. The bot counts as a member of an imported channel.
    fn put_channel(&mut self, channel: ChannelRecord) -> Put {
        let is_new = !self.channels.contains_key(&channel.id);
        let known = self.channels.entry(channel.id).or_insert(Conversation {
            is_private: true,
            ..Conversation::default()
        });
        let shown = |known: &Conversation| {
            let facts = (known.is_private, known.is_shared, known.imported_guests);
            (known.name.clone(), facts, known.is_present)
        };
        let before = shown(known);
        if known.name_at.is_none() && !channel.name.is_empty() {
            known.name = channel.name;
        }
        let facts = channel.facts;
        if known.private_at.is_none() {
            known.is_private = facts.is_private.unwrap_or(known.is_private);
        }
        if known.shared_at.is_none() {
            known.is_shared = facts.is_shared.or(known.is_shared);
        }
        known.imported_guests = facts.has_guests.or(known.imported_guests);
        if known.present_at.is_none() {
            known.is_present = true;
        }
        if is_new {
            return Put::New;
        }
        changed_or_not(before != shown(known))
    }

    /// Stores memories of another program, unless there is already a memory.
    fn put_memories(&mut self, memories: Vec<(Subject, MemoryRecord)>, tally: &mut Tally) {
        let mut new = Vec::new();
        for (subject, memory) in memories {
            let of = subject.channel_id.as_deref();
            if self.refuses_memory(of, memory.updated_at)
                || self.may_hold_what_is_deleted(of, memory.updated_at)
            {
                tally.forgotten += 1;
                continue;
            }
            let series = Series::new(memory.scope, &subject.scope_id, memory.memory_type);
            if self.newest(&series).is_some() {
                tally.unchanged += 1;
                continue;
            }
            let text = StoredText::of(self.imported(&subject, memory));
            new.push((series.clone(), text.memory.id));
            self.keep(series, text);
            tally.new += 1;
        }
        // What the other program did not record is derived from all imported memories.
        for (series, id) in new {
            let merged_through = self.merged_by_import(&series);
            if let Some(text) = self.texts.get_mut(&id) {
                text.memory.merged_through = merged_through;
            }
        }
    }

    fn imported(&self, subject: &Subject, memory: MemoryRecord) -> Memory {
        // Without a watermark, all messages that existed when the memory was made count as summarised.
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
            citations: Vec::new(),
            records: Vec::new(),
        }
    }

    fn newest_message(&self, subject: &Subject, unix_seconds: i64) -> Option<TsKey> {
        let conversation = self.channels.get(subject.channel_id.as_deref()?)?;
        let next_second = TsKey::first_of(unix_seconds.saturating_add(1));
        let until = TsKey::from_database(next_second.to_database() - 1);
        match subject.thread {
            None => conversation.between(None, until).next_back(),
            Some(thread) => conversation.of_thread(thread, None, until).pop_last(),
        }
    }

    /// The newest imported memory that a memory of another program must have merged: for a channel's long-term memory
    /// the channel's short-term memory, for the workspace's memory those of the channels.
    fn merged_by_import(&self, series: &Series) -> Option<u64> {
        let imported = self.current.keys().filter_map(|other| {
            let newest = self.newest(other)?;
            (newest.engine == Engine::Imported).then_some((other, newest.id))
        });
        let merged = imported.filter(|(other, _)| match series.scope() {
            Scope::Workspace => {
                other.scope() == Scope::Channel && other.memory_type == series.memory_type
            }
            Scope::Channel | Scope::Thread => {
                let of = |memory_type| Series::new(Scope::Channel, &series.scope_id, memory_type);
                *series == of(MemoryType::LongTerm) && **other == of(MemoryType::ShortTerm)
            }
        });
        merged.map(|(_, id)| id).max()
    }
}

fn changed_or_not(is_changed: bool) -> Put {
    if is_changed {
        Put::Changed
    } else {
        Put::Unchanged
    }
}
