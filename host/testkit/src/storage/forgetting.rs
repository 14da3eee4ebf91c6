//! Forgets what people want gone, and what has been kept long enough.

use std::collections::{BTreeMap, BTreeSet};

use myao_plugin::Place;
use myao_plugin::state::forgetting::{
    Expired, Forget, Forgetting, Found, MIN_SEARCHED_CHARS, Mode, Receipt, Retention, Search,
};
use myao_plugin::storage::records::{DoneMark, MessageRecord, UserRecord};
use myao_plugin::storage::{Channel, MemoryId, StorageError};
use myao_plugin::ts::TsKey;

use super::erase::NOTHING_LEFT;
use super::writing::{Source, Writing};
use super::{MemoryStorage, State};

/// What a tombstone is about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    All,
    Channel(String),
    User(String),
    /// What has been kept long enough.
    Retention,
}

/// What is refused when it arrives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Tombstone {
    /// The newest message.
    through: TsKey,
    /// In Unix seconds.
    made_at: i64,
}

pub(super) type Tombstones = BTreeMap<Subject, Tombstone>;

#[async_trait::async_trait]
impl Forgetting for MemoryStorage {
    async fn forget(&self, what: Forget, now: i64, mode: Mode) -> Result<Receipt, StorageError> {
        let mut state = self.state();
        let receipt = match mode {
            Mode::DryRun => state.clone().forget(&what, now)?,
            Mode::Erase | Mode::EraseAndSearch => state.forget(&what, now)?,
        };
        Ok(Receipt {
            search: receipt.search.filter(|_| mode == Mode::EraseAndSearch),
            ..receipt
        })
    }

    async fn author(&self, channel_id: &str, ts: TsKey) -> Result<Option<String>, StorageError> {
        let state = self.state();
        let message = state
            .channels
            .get(channel_id)
            .and_then(|stored| stored.messages.get(&ts));
        let author = message.map(|message| message.user_id.clone());
        Ok(author.filter(|id| !id.is_empty()))
    }

    async fn all_channels(&self) -> Result<Vec<Channel>, StorageError> {
        let state = self.state();
        let channels = state.channels.iter().map(|(id, channel)| Channel {
            id: id.clone(),
            name: if channel.name.is_empty() {
                id.clone()
            } else {
                channel.name.clone()
            },
            is_private: channel.is_private,
        });
        let mut channels: Vec<Channel> = channels.collect();
        channels.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Ok(channels)
    }

    async fn users(&self) -> Result<Vec<UserRecord>, StorageError> {
        let state = self.state();
        let messages = state.channels.values().flat_map(|c| c.messages.values());
        let authors = messages
            .filter(|m| !m.user_id.is_empty())
            .map(|message| UserRecord {
                id: message.user_id.clone(),
                name: message.user_id.clone(),
                is_bot: message.is_bot,
            });
        let mut users: BTreeMap<String, UserRecord> =
            authors.map(|author| (author.id.clone(), author)).collect();
        let known = state.users.values().map(|user| user.record.clone());
        users.extend(known.map(|user| (user.id.clone(), user)));
        let mut users: Vec<UserRecord> = users.into_values().collect();
        users.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Ok(users)
    }

    async fn expire(&self, retention: Retention, now: i64) -> Result<Expired, StorageError> {
        let mut state = self.state();
        Ok(Expired {
            messages: state.expire_messages(retention.messages, now),
            memories: state.expire_memories(retention.memories, now),
        })
    }
}

impl State {
    /// Since when a message is to be forgotten, in Unix seconds, and whether it was only kept long enough; `None` if it is
    /// not to be forgotten.
    pub(super) fn refusal(&self, record: &MessageRecord) -> Option<(i64, bool)> {
        let is_about = |subject: &Subject| match subject {
            Subject::All | Subject::Retention => true,
            Subject::Channel(id) => *id == record.channel_id,
            Subject::User(id) => *id == record.user_id,
        };
        let off_record = self.off_record.began(record);
        let meant: Vec<(&Subject, &Tombstone)> = self
            .tombstones
            .iter()
            .filter(|(subject, tombstone)| is_about(subject) && record.ts <= tombstone.through)
            .collect();
        let forgotten = meant.iter().map(|(_, tombstone)| tombstone.made_at);
        let since = forgotten.chain(off_record).min()?;
        let is_expiry = |(subject, _): &(&Subject, _)| **subject == Subject::Retention;
        Some((since, off_record.is_none() && meant.iter().all(is_expiry)))
    }

    /// Takes in that somebody marked a message as done, unless they are forgotten.
    pub(super) fn mark_done(&mut self, mark: DoneMark, is_given: bool, at: TsKey) {
        let user = Subject::User(mark.user_id.clone());
        let is_forgotten = |(subject, tombstone): (&Subject, &Tombstone)| {
            *subject == user && at <= tombstone.through
        };
        if !self.tombstones.iter().any(is_forgotten) {
            self.done.change(mark, is_given, at);
        }
    }

    /// Whether a memory of another program may hold what was to be forgotten. It was made at `made_at`, in Unix seconds;
    /// `channel_id` is `None` for the workspace.
    pub(super) fn refuses_memory(&self, channel_id: Option<&str>, made_at: i64) -> bool {
        self.tombstones.iter().any(|(subject, tombstone)| {
            let is_about = match subject {
                Subject::All | Subject::User(_) => true,
                Subject::Channel(id) => channel_id.is_none_or(|of| of == id),
                Subject::Retention => false,
            };
            is_about && made_at <= tombstone.made_at
        }) || self.off_record.may_be_in_memory(channel_id, made_at)
    }

    /// Whether a memory of another program, made at `made_at` in Unix seconds, may hold what a deleted message said.
    pub(super) fn may_hold_what_is_deleted(&self, channel_id: Option<&str>, made_at: i64) -> bool {
        let end = TsKey::first_of(made_at.saturating_add(1));
        let channels = self.channels.iter();
        let meant = channels.filter(|(id, _)| channel_id.is_none_or(|of| of == id.as_str()));
        let mut messages = meant.flat_map(|(_, channel)| channel.messages.range(..end));
        messages.any(|(_, message)| !message.is_shown() && !message.is_expired)
    }

    /// Whether something was forgotten at a time in milliseconds or later.
    pub(super) fn forgot_since(&self, milliseconds: i64) -> bool {
        let mut forgotten = self.tombstones.iter();
        forgotten.any(|(subject, tombstone)| {
            *subject != Subject::Retention && tombstone.made_at * 1000 + 999 >= milliseconds
        })
    }

    fn refuse(&mut self, subject: Subject, through: TsKey, now: i64) {
        let new = Tombstone {
            through,
            made_at: now,
        };
        let is_retention = subject == Subject::Retention;
        let stored = self.tombstones.entry(subject).or_insert(new);
        if is_retention || new.through > stored.through {
            *stored = new;
        }
    }

    fn forget(&mut self, what: &Forget, now: i64) -> Result<Receipt, StorageError> {
        let is_meant = |channel_id: &str, ts: TsKey, user_id: &str| match what {
            Forget::Message {
                channel_id: id,
                ts: meant,
            } => id == channel_id && *meant == ts,
            Forget::User(id) => id == user_id,
            Forget::Channel(id) => id == channel_id,
            Forget::Before(before) => ts < *before,
            Forget::Credentials => false,
        };
        let mut meant: BTreeSet<(String, TsKey)> = BTreeSet::new();
        let mut texts: BTreeSet<String> = BTreeSet::new();
        for (channel_id, conversation) in &self.channels {
            for (ts, message) in &conversation.messages {
                let is_kept = message.is_shown() || message.is_expired;
                if is_kept && is_meant(channel_id, *ts, &message.user_id) {
                    meant.insert((channel_id.clone(), *ts));
                    texts.insert(message.text.trim().to_owned());
                }
            }
        }
        let newest = meant.iter().map(|(_, ts)| *ts).max();
        let end = TsKey::from_database(TsKey::first_of(now.saturating_add(1)).to_database() - 1);
        let through = newest.map_or(end, |newest| newest.max(end));
        match what {
            Forget::Message { channel_id, ts } => {
                self.conversation(channel_id)?;
                meant.insert((channel_id.clone(), *ts));
            }
            Forget::User(id) => {
                let mut messages = self.channels.values().flat_map(|c| c.messages.values());
                if !self.users.contains_key(id) && messages.all(|m| m.user_id != *id) {
                    let text = format!("no user has the id `{id}`");
                    return Err(StorageError::NotFound(text));
                }
                self.refuse(Subject::User(id.clone()), through, now);
                self.feedback.forget(id);
                self.agent_tokens.forget(id);
                self.done.forget(id);
            }
            Forget::Channel(id) => {
                self.conversation(id)?;
                self.refuse(Subject::Channel(id.clone()), through, now);
            }
            Forget::Before(before) => {
                let last = TsKey::from_database(before.to_database() - 1);
                self.refuse(Subject::All, last, now);
            }
            Forget::Credentials => {}
        }
        let mut writing = Writing::new(self, Source::Events(now));
        for (channel_id, ts) in &meant {
            writing.delete(channel_id, *ts, now);
        }
        let (state, mut erased) = writing.finish();
        erased.events += state.drop_events_set_aside();
        if let Forget::Channel(id) = what {
            let of_channel: Vec<MemoryId> = state
                .texts
                .values()
                .filter(|text| Place::of(text.memory.scope, &text.memory.scope_id).hears(id))
                .map(|text| text.memory.id)
                .collect();
            for id in of_channel {
                let lines = state.remove_text(id);
                erased.lines += lines;
                erased.memories += usize::from(lines > 0);
            }
            state.begin_again(Some(id), now)?;
        }
        let search = Some(state.search(&texts));
        Ok(Receipt { erased, search })
    }

    fn search(&self, forgotten: &BTreeSet<String>) -> Search {
        let is_long = |text: &&String| text.chars().nth(MIN_SEARCHED_CHARS - 1).is_some();
        let (long, short): (Vec<&String>, Vec<&String>) = forgotten
            .iter()
            .filter(|text| !text.is_empty())
            .partition(is_long);
        let holds = |text: &String| long.iter().any(|wanted| text.contains(*wanted));
        let messages = self
            .channels
            .values()
            .flat_map(|conversation| conversation.messages.values())
            .map(|message| &message.text);
        let memories = self.texts.values().map(|text| &text.memory.content);
        let found = [
            ("messages.text", messages.filter(|text| holds(text)).count()),
            (
                "memories.content",
                memories.filter(|text| holds(text)).count(),
            ),
        ];
        Search {
            texts: long.len(),
            left_out: short.len(),
            found: found
                .into_iter()
                .filter(|(_, rows)| *rows > 0)
                .map(|(place, rows)| Found {
                    place: place.to_owned(),
                    rows,
                })
                .collect(),
            kept_pages: None,
        }
    }

    fn expire_messages(&mut self, before: Option<TsKey>, now: i64) -> usize {
        let Some(before) = before else {
            self.tombstones.remove(&Subject::Retention);
            return 0;
        };
        let last = TsKey::from_database(before.to_database() - 1);
        self.refuse(Subject::Retention, last, now);
        self.drop_events_before(before.unix_seconds());
        let mut old = BTreeSet::new();
        for (channel_id, conversation) in &mut self.channels {
            for (ts, message) in conversation.messages.range_mut(..before) {
                if !message.is_shown() {
                    continue;
                }
                *message = message.clone().refused(now, true);
                old.insert((channel_id.clone(), *ts));
                conversation.threads.retain(|_, replies| {
                    replies.remove(ts);
                    !replies.is_empty()
                });
            }
        }
        if !old.is_empty() {
            self.drop_events_of(&old);
            self.drop_copies(&old);
        }
        old.len()
    }

    fn expire_memories(&mut self, before: Option<i64>, now: i64) -> usize {
        let Some(before) = before else {
            return 0;
        };
        let is_old = |text: &&super::StoredText| {
            let memory = &text.memory;
            memory.updated_at.unix_seconds < before && memory.content != NOTHING_LEFT
        };
        let old: Vec<MemoryId> = self
            .texts
            .values()
            .filter(is_old)
            .map(|text| text.memory.id)
            .collect();
        for id in &old {
            self.remove_text(*id);
            if let Some(text) = self.texts.get_mut(id) {
                text.superseded_at.get_or_insert(now);
            }
        }
        for ids in self.current.values_mut() {
            ids.retain(|id| !old.contains(id));
        }
        self.current.retain(|_, ids| !ids.is_empty());
        self.drop_copies(&BTreeSet::new());
        old.len()
    }
}
