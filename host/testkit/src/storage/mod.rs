//! A small store in memory: what the contract's imports need, and no more.
//!
//! It is written to be read. Plain maps behind one lock, and every call looks at everything, so that no count and no index has
//! to be kept. `calls` has each call of the contract in order, `places` says what is seen from where, `backlog` what
//! waits, `recall` what is found, `saving` checks and saves memories, `writing` stores messages and erases what was made
//! from them. If you write a store for a platform, this shows what each call has to do. A program that has no store of its own
//! takes `myao-sqlite`.
//!
//! It is made independently of the SQL stores: tests compare what places see, and what stays after an edit or a deletion.

mod backlog;
mod calls;
mod places;
mod recall;
mod saving;
mod writing;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use myao_plugin::audience::{Audience, ChannelFacts};
use myao_plugin::embedder::Meaning;
use myao_plugin::storage::recall::{
    COMMON_MESSAGES, Candidates, FoundMessage, RecallQuery, TermCount, is_common, nothing, weight,
};
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::storage::{
    Backlog, Channel, ChannelFilter, Deferral, Due, DueQuery, Keep, Marked, Memory, MemoryDraft,
    MemoryId, MemoryQuery, Message, MessageQuery, STAND_IN_VERSION, SaveMode, Storage,
    StorageError,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{
    Citation, KeptSpan, KeptText, MemoryType, MessageRef, Place, Places, Scope, Timestamp, User,
    WORKSPACE_SCOPE_ID, erasure,
};
use myao_terms::{addressed, terms};

use crate::conformance::Records;
use places::Opened;
use saving::thread_id;

type Result<T> = std::result::Result<T, StorageError>;

/// One workspace in memory, empty at first, whose times are shown in UTC. See the [module](self). A clone is the same
/// workspace.
#[derive(Clone, Default)]
pub struct MemoryStorage {
    state: Arc<Mutex<State>>,
}

/// Everything that is stored. No call sees or leaves it half written.
#[derive(Default)]
struct State {
    workspace_scope_id: Option<String>,
    cannot_search: bool,
    users: BTreeMap<String, UserRecord>,
    channels: BTreeMap<String, Conversation>,
    /// All texts of memories, those that were replaced included.
    texts: BTreeMap<MemoryId, Text>,
    deferrals: BTreeMap<Series, Deferral>,
    /// Every draft that was saved, in order.
    drafts: Vec<MemoryDraft>,
    /// Counts the changes of messages.
    revision: u64,
}

/// A channel's id and a message.
type MessageId = (String, TsKey);

/// What all versions of a memory share: scope, scope id and type, ordered as the contract lists memories.
type Series = (u8, String, u8);

/// A channel with its messages.
#[derive(Default)]
struct Conversation {
    name: String,
    facts: ChannelFacts,
    members: BTreeSet<String>,
    /// The bot left the channel: the component does not see it.
    is_left: bool,
    messages: BTreeMap<TsKey, Said>,
    /// Memories have lost lines since the newest version.
    has_lost_lines: bool,
    /// Without a version: the end of the channel's history, if it is known.
    history_through: Option<TsKey>,
}

/// A message.
struct Said {
    /// `None` if it is deleted.
    record: Option<MessageRecord>,
    /// The first message of its thread, or its own id.
    thread: TsKey,
    /// The revision at which it was edited, deleted, or came late into its thread; 0 if never.
    revision: u64,
    /// The version of which it was news, [`HISTORY`], or `None` if it waits for the next version.
    news_of: Option<MemoryId>,
}

/// In place of a version: the message is older than the first one.
const HISTORY: MemoryId = 0;

/// A text of a memory.
struct Text {
    memory: Memory,
    /// False once another text has replaced it.
    is_current: bool,
    /// What its call was given: lines without a source may hold any of it.
    messages: BTreeSet<MessageId>,
    memories: BTreeSet<MemoryId>,
    /// The channels from which it was made.
    origins: BTreeSet<String>,
    /// The revision of what it was made from.
    made_at: u64,
    /// The revision at which it last lost a line; 0 if never.
    revision: u64,
}

impl MemoryStorage {
    /// An empty workspace with the scope id `default`.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets another scope id for the workspace's memories; it is the setting `workspace-scope-id`.
    #[must_use]
    pub fn with_workspace_scope_id(self, scope_id: &str) -> Self {
        self.state().workspace_scope_id = Some(scope_id.to_owned());
        self
    }

    /// The same store without search and marks, as a host may have one.
    #[must_use]
    pub fn without_search(self) -> Self {
        self.state().cannot_search = true;
        self
    }

    /// Adds a channel that everybody of the workspace can see, and nobody else, or renames it.
    pub fn add_channel(&self, id: &str, name: &str) {
        self.put_channel(id, name, ChannelFacts::PUBLIC);
    }

    /// Adds a channel, or changes its name, unless that is empty, and who reads it.
    pub fn put_channel(&self, id: &str, name: &str, facts: ChannelFacts) {
        let mut state = self.state();
        let channel = state.channel(id);
        (channel.facts, channel.is_left) = (facts, false);
        if !name.is_empty() {
            name.clone_into(&mut channel.name);
        }
    }

    /// Sets who is in a channel: this is what a person may see.
    pub fn set_members(&self, channel_id: &str, user_ids: &[&str]) {
        let members = user_ids.iter().map(|id| (*id).to_owned()).collect();
        self.state().channel(channel_id).members = members;
    }

    /// The bot leaves a channel. It would not hear of deletions there any more: nothing of it is seen elsewhere.
    pub fn leave(&self, channel_id: &str) {
        self.state().channel(channel_id).is_left = true;
    }

    /// Adds a member of the workspace, or a program. Everybody else is a stranger.
    pub fn put_user(&self, user: UserRecord) {
        self.state().users.insert(user.id.clone(), user);
    }

    /// Adds a message outside threads, at a Unix second, and returns its id. Also adds the channel, as a private one, and the
    /// author if they are new; the author's id is `U-` and the name.
    pub fn say(&self, channel_id: &str, unix_seconds: i64, author: &str, text: &str) -> TsKey {
        self.write((channel_id, None), unix_seconds, author, text)
    }

    /// Adds a message to the thread that began with `thread`.
    pub fn reply(
        &self,
        channel_id: &str,
        thread: TsKey,
        at: i64,
        author: &str,
        text: &str,
    ) -> TsKey {
        self.write((channel_id, Some(thread)), at, author, text)
    }

    fn write(&self, to: (&str, Option<TsKey>), at: i64, author: &str, text: &str) -> TsKey {
        let mut state = self.state();
        let stored = &state.channel(to.0).messages;
        // An id is never given twice.
        let mut ts = TsKey::first_of(at);
        while stored.contains_key(&ts) {
            ts = TsKey::from_database(ts.to_database() + 1);
        }
        let (id, name) = (format!("U-{author}"), author.to_owned());
        state.put(MessageRecord {
            channel_id: to.0.to_owned(),
            ts,
            user_id: id.clone(),
            author_name: None,
            is_bot: false,
            text: text.to_owned(),
            thread_ts: to.1,
            edited_at: None,
        });
        let is_bot = false;
        state
            .users
            .insert(id.clone(), UserRecord { id, name, is_bot });
        ts
    }

    /// Stores a message, or a newer text of one. One that is deleted never comes back.
    pub fn put_message(&self, message: MessageRecord) {
        self.state().put(message);
    }

    /// Deletes a message, even if it is not stored yet.
    pub fn delete(&self, channel_id: &str, ts: TsKey) {
        self.state().delete(channel_id, ts);
    }

    /// Stores records. Memories of other programs are left out.
    pub fn import(&self, records: Records) {
        records.users.into_iter().for_each(|of| self.put_user(of));
        for channel in records.channels {
            self.put_channel(&channel.id, &channel.name, channel.facts);
        }
        let messages = records.messages.into_iter();
        messages.for_each(|of| self.put_message(of));
    }

    /// Every memory that the component can see, stand-ins included, ordered by scope, scope id, type and version.
    #[must_use]
    pub fn memories(&self) -> Vec<Memory> {
        let state = self.state();
        let texts = state.current_texts().into_iter();
        texts.map(|text| text.memory.clone()).collect()
    }

    /// Every draft that was saved, in order, including those whose texts were replaced.
    #[must_use]
    pub fn drafts(&self) -> Vec<MemoryDraft> {
        self.state().drafts.clone()
    }

    /// The state, even after a panic in another test's thread: no call leaves it half written.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn workspace_scope_id(&self) -> &str {
        self.workspace_scope_id
            .as_deref()
            .unwrap_or(WORKSPACE_SCOPE_ID)
    }

    fn has_version(&self, channel_id: &str) -> bool {
        let of = series(Scope::Channel, channel_id, MemoryType::ShortTerm);
        !self.versions(&of).is_empty()
    }

    /// The texts that count now, as the contract lists them.
    fn current_texts(&self) -> Vec<&Text> {
        let mut current: Vec<&Text> = self.texts.values().filter(|of| of.is_current).collect();
        current.sort_by_key(|text| (text.series(), text.memory.version));
        current
    }
}

impl Text {
    fn series(&self) -> Series {
        let of = &self.memory;
        series(of.scope, &of.scope_id, of.memory_type)
    }

    /// The newest message that it was made from.
    fn latest(&self) -> Option<TsKey> {
        let latest = self.memory.source_latest_message_ts.as_deref()?;
        TsKey::parse(latest).ok()
    }
}

fn series(scope: Scope, scope_id: &str, memory_type: MemoryType) -> Series {
    (scope as u8, scope_id.to_owned(), memory_type as u8)
}

/// A message id as a number, which is the only way to compare ids.
fn key(ts: &str) -> Result<TsKey> {
    TsKey::parse(ts).map_err(|error| StorageError::Invalid(error.to_string()))
}

fn optional(ts: Option<&String>) -> Result<Option<TsKey>> {
    ts.map(|ts| key(ts)).transpose()
}

fn message_id(of: &MessageRef) -> Result<MessageId> {
    Ok((of.channel_id.clone(), key(&of.ts)?))
}

/// A limit of a list.
fn most(limit: u32) -> usize {
    usize::try_from(limit).unwrap_or(usize::MAX)
}

fn count<T>(items: impl Iterator<Item = T>) -> u32 {
    u32::try_from(items.count()).unwrap_or(u32::MAX)
}
