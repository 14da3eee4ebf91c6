//! A store in memory that keeps the contract of `wit/storage.wit`, counts its calls and fails to order.

mod due;
mod tests;

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use crate::bindings::storage::{
    Backlog, ChannelFilter, Deferral, Due, DueQuery, Keep, Memory, MemoryDraft, MemoryId,
    MemoryQuery, MessageQuery, SaveMode, StorageError,
};
use crate::bindings::types::{Channel, MemoryType, Message, Scope};
use crate::ports::Storage;
use crate::ts::Ts;

/// What a failing call leaves behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Nothing was done.
    None,
    /// The call took effect, but its answer was lost.
    Done,
}

/// One failing call.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fault {
    /// Which call fails, counted from 0.
    pub(crate) call: usize,
    /// What it leaves behind.
    pub(crate) effect: Effect,
    /// Whether every later call fails too, as after a crash.
    pub(crate) lasting: bool,
}

/// What versions have in common.
type Key = (Scope, String, MemoryType);

/// The store.
#[derive(Default)]
pub(crate) struct MemoryStorage {
    state: RefCell<State>,
    calls: RefCell<Vec<&'static str>>,
    /// The next fault; [`Self::recover`] takes it away.
    fault: Cell<Option<Fault>>,
    /// Lists messages and memories in the opposite of the promised order.
    pub(crate) reversed: Cell<bool>,
    /// `list-due` names every channel, as the contract allows.
    pub(crate) generous: Cell<bool>,
    /// The newest message of every channel has an id that is none.
    pub(crate) spoil_backlogs: Cell<bool>,
}

#[derive(Default)]
struct State {
    channels: Vec<Channel>,
    messages: BTreeMap<String, BTreeMap<Ts, Message>>,
    /// What the component sees, in order of versions.
    memories: BTreeMap<Key, Vec<Memory>>,
    /// What stands beside them.
    stand_ins: BTreeMap<Key, Memory>,
    deferrals: BTreeMap<Key, Deferral>,
    /// Every draft that was saved; its position is the memory's id.
    drafts: Vec<MemoryDraft>,
}

impl MemoryStorage {
    /// Adds a channel, if it is new.
    pub(crate) fn add_channel(&self, id: &str, name: &str) {
        let channels = &mut self.state.borrow_mut().channels;
        channels.retain(|channel| channel.id != id);
        channels.push(Channel {
            id: id.to_owned(),
            name: name.to_owned(),
            is_private: false,
        });
    }

    /// Adds a channel that only its members see.
    pub(crate) fn add_private_channel(&self, id: &str, name: &str) {
        self.add_channel(id, name);
        let channels = &mut self.state.borrow_mut().channels;
        channels.last_mut().unwrap().is_private = true;
    }

    /// Adds a message, and its channel if that is new, which then has its id as its name.
    pub(crate) fn add_message(&self, channel_id: &str, message: Message) {
        if self.state.borrow().channel(channel_id).is_err() {
            self.add_channel(channel_id, channel_id);
        }
        let messages = &mut self.state.borrow_mut().messages;
        messages
            .entry(channel_id.to_owned())
            .or_default()
            .insert(id(&message.ts), message);
    }

    /// Deletes a message.
    pub(crate) fn delete_message(&self, channel_id: &str, ts: &str) {
        self.state
            .borrow_mut()
            .messages
            .get_mut(channel_id)
            .unwrap()
            .remove(&id(ts))
            .unwrap();
    }

    /// Every memory that the component sees.
    pub(crate) fn memories(&self) -> Vec<Memory> {
        self.state
            .borrow()
            .memories
            .values()
            .flatten()
            .cloned()
            .collect()
    }

    /// The memories of one scope and scope id, stand-ins included.
    pub(crate) fn seen(&self, scope: Scope, scope_id: &str) -> Vec<Memory> {
        let state = self.state.borrow();
        let of_scope = |(key, _): &(&Key, &Memory)| key.0 == scope && key.1 == scope_id;
        let stand_ins = state.stand_ins.iter().filter(of_scope);
        let stand_ins: Vec<Memory> = stand_ins.map(|(_, memory)| memory.clone()).collect();
        drop(state);
        let mut memories = self.memories();
        memories.retain(|memory| memory.scope == scope && memory.scope_id == scope_id);
        memories.extend(stand_ins);
        memories
    }

    /// The memories of one scope id and type, in order of versions.
    pub(crate) fn of(&self, scope_id: &str, memory_type: MemoryType) -> Vec<Memory> {
        let mut memories = self.memories();
        memories.retain(|memory| memory.scope_id == scope_id && memory.memory_type == memory_type);
        memories
    }

    /// The texts of a channel's or thread's short-term versions.
    pub(crate) fn versions(&self, scope_id: &str) -> Vec<String> {
        self.of(scope_id, MemoryType::ShortTerm)
            .into_iter()
            .map(|memory| memory.content)
            .collect()
    }

    /// The text of a long-term memory; empty where there is none.
    pub(crate) fn long_term(&self, scope_id: &str) -> String {
        let memories = self.of(scope_id, MemoryType::LongTerm);
        memories
            .first()
            .map(|memory| memory.content.clone())
            .unwrap_or_default()
    }

    /// What was saved, in order of the ids.
    pub(crate) fn drafts(&self) -> Vec<MemoryDraft> {
        self.state.borrow().drafts.clone()
    }

    /// The names of the calls so far; forgets them.
    pub(crate) fn take_calls(&self) -> Vec<&'static str> {
        self.calls.take()
    }

    /// Makes a call fail, counted from this one on.
    pub(crate) fn fail(&self, fault: Fault) {
        self.calls.take();
        self.fault.set(Some(fault));
    }

    /// No call fails any more.
    pub(crate) fn recover(&self) {
        self.fault.set(None);
    }

    fn call<T>(
        &self,
        name: &'static str,
        act: impl FnOnce(&mut State) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        let call = self.calls.borrow().len();
        self.calls.borrow_mut().push(name);
        let lost = || {
            Err(StorageError::Unavailable(format!(
                "call {call} ({name}) was to fail"
            )))
        };
        match self.fault.get() {
            Some(fault) if fault.call == call => {
                if fault.effect == Effect::Done {
                    act(&mut self.state.borrow_mut())?;
                }
                lost()
            }
            Some(fault) if fault.lasting && fault.call < call => lost(),
            _ => act(&mut self.state.borrow_mut()),
        }
    }

    fn spoil(&self, backlog: &mut Backlog) {
        if self.spoil_backlogs.get() {
            backlog.latest_message_ts = Some("spoilt".to_owned());
        }
    }

    fn listed<T>(&self, mut items: Vec<T>) -> Vec<T> {
        if self.reversed.get() {
            items.reverse();
        }
        items
    }
}

impl Storage for MemoryStorage {
    fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.call("list-channels", |state| {
            let mut channels = state.channels.clone();
            channels.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
            Ok(channels)
        })
    }

    fn list_messages(&self, query: &MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.call("list-messages", |state| {
            state.channel(&query.channel_id)?;
            Ok(self.listed(state.list_messages(query)))
        })
    }

    fn list_memories(&self, query: &MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        self.call("list-memories", |state| {
            Ok(self.listed(state.list_memories(query)))
        })
    }

    fn list_due(&self, query: &DueQuery) -> Result<Due, StorageError> {
        self.call("list-due", |state| {
            let mut due = state.list_due(query, self.generous.get())?;
            due.channels
                .iter_mut()
                .for_each(|backlog| self.spoil(backlog));
            Ok(due)
        })
    }

    fn get_backlog(
        &self,
        channel_id: &str,
        thread_ts: Option<&str>,
        until: &str,
    ) -> Result<Backlog, StorageError> {
        self.call("get-backlog", |state| {
            let mut backlog = state.backlog(channel_id, thread_ts, id(until))?;
            self.spoil(&mut backlog);
            Ok(backlog)
        })
    }

    fn save_memory(&self, draft: &MemoryDraft) -> Result<Memory, StorageError> {
        self.call("save-memory", |state| state.save(draft))
    }

    fn list_deferrals(&self, scope: Scope, scope_id: &str) -> Result<Vec<Deferral>, StorageError> {
        self.call("list-deferrals", |state| {
            let of_scope = |(key, _): &(&Key, &Deferral)| key.0 == scope && key.1 == scope_id;
            let deferrals = state.deferrals.iter().filter(of_scope);
            Ok(deferrals.map(|(_, deferral)| deferral.clone()).collect())
        })
    }

    fn defer(&self, scope: Scope, scope_id: &str, deferral: &Deferral) -> Result<(), StorageError> {
        self.call("defer", |state| {
            let key = (scope, scope_id.to_owned(), deferral.memory_type);
            state.deferrals.insert(key, deferral.clone());
            Ok(())
        })
    }
}

impl State {
    fn channel(&self, channel_id: &str) -> Result<Channel, StorageError> {
        let channel = self
            .channels
            .iter()
            .find(|channel| channel.id == channel_id);
        channel
            .cloned()
            .ok_or_else(|| StorageError::NotFound(format!("channel {channel_id}")))
    }

    /// A channel's messages as of `until`.
    fn messages(
        &self,
        channel_id: &str,
        until: Ts,
    ) -> impl DoubleEndedIterator<Item = (Ts, &Message)> {
        let messages = self.messages.get(channel_id).into_iter().flatten();
        messages
            .map(|(ts, message)| (*ts, message))
            .filter(move |(ts, _)| *ts <= until)
    }

    fn list_messages(&self, query: &MessageQuery) -> Vec<Message> {
        let until = id(&query.until);
        let since = query.since.as_deref().map(id);
        let thread = query.whole_thread.as_deref().map(id);
        let limit = usize::try_from(query.limit).unwrap();
        let all = || self.messages(&query.channel_id, until);
        let window = all().filter(|(ts, _)| since.is_none_or(|since| *ts >= since));
        let mut picked: BTreeSet<Ts> = match query.keep {
            Keep::Newest => window.rev().take(limit).map(|(ts, _)| ts).collect(),
            Keep::Oldest => window.take(limit).map(|(ts, _)| ts).collect(),
        };
        picked.extend(
            all()
                .filter(|(ts, m)| thread_of(*ts, m) == thread)
                .map(|(ts, _)| ts),
        );
        let parents: Vec<Ts> = all()
            .filter(|(ts, _)| picked.contains(ts))
            .filter_map(|(_, message)| message.thread_ts.as_deref().map(id))
            .collect();
        picked.extend(parents);
        all()
            .filter(|(ts, _)| picked.contains(ts))
            .map(|(_, message)| message.clone())
            .collect()
    }

    fn of(&self, scope: Scope, scope_id: &str, memory_type: MemoryType) -> &[Memory] {
        let key = (scope, scope_id.to_owned(), memory_type);
        self.memories.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The short-term versions of a channel that its long-term memory has not merged.
    fn unmerged(&self, channel_id: &str) -> &[Memory] {
        let long_term = self
            .of(Scope::Channel, channel_id, MemoryType::LongTerm)
            .first();
        let merged = long_term.and_then(|memory| memory.merged_through);
        let versions = self.of(Scope::Channel, channel_id, MemoryType::ShortTerm);
        &versions[versions.partition_point(|memory| Some(memory.id) <= merged)..]
    }

    fn list_memories(&self, query: &MemoryQuery) -> Vec<Memory> {
        let is_wanted = |channel_id: &String| match &query.channels {
            ChannelFilter::None => false,
            ChannelFilter::One(wanted) => wanted == channel_id,
            ChannelFilter::All => true,
        };
        let limit = usize::try_from(query.history_limit).unwrap();
        let select = |((scope, scope_id, memory_type), versions): (&Key, &Vec<Memory>)| {
            let count = match (scope, memory_type) {
                (Scope::Workspace, _) if query.workspace => versions.len(),
                (Scope::Thread, _) if query.threads.contains(scope_id) => versions.len(),
                (Scope::Channel, MemoryType::LongTerm) if is_wanted(scope_id) => versions.len(),
                (Scope::Channel, MemoryType::ShortTerm) if is_wanted(scope_id) => {
                    let unmerged = if query.unmerged {
                        self.unmerged(scope_id).len()
                    } else {
                        0
                    };
                    limit.max(unmerged).min(versions.len())
                }
                _ => 0,
            };
            let stand_in = (count > 0 || is_wanted(scope_id) || query.threads.contains(scope_id))
                .then(|| {
                    self.stand_ins
                        .get(&(*scope, scope_id.clone(), *memory_type))
                })
                .flatten();
            let mut selected: Vec<Memory> = stand_in.into_iter().cloned().collect();
            selected.extend_from_slice(&versions[versions.len() - count..]);
            selected
        };
        self.memories.iter().flat_map(select).collect()
    }

    fn save(&mut self, draft: &MemoryDraft) -> Result<Memory, StorageError> {
        let key = (draft.scope, draft.scope_id.clone(), draft.memory_type);
        if draft.content.is_empty() {
            return Err(StorageError::Invalid(format!("{key:?} has no text")));
        }
        let versions = self.memories.entry(key.clone()).or_default();
        let newest = versions.last().map(|memory| memory.id);
        if newest != draft.expected {
            let reason = format!("{}: {newest:?} is the newest", draft.scope_id);
            return Err(StorageError::Conflict(reason));
        }
        let first = versions.first().map(|memory| memory.created_at);
        let (version, created_at) = match draft.mode {
            SaveMode::Overwrite => (1, first.unwrap_or(draft.now)),
            SaveMode::NewVersion => (
                versions.last().map_or(1, |memory| memory.version + 1),
                draft.now,
            ),
            SaveMode::StandIn => (0, draft.now),
        };
        let memory = Memory {
            id: MemoryId::try_from(self.drafts.len()).unwrap(),
            scope: draft.scope,
            scope_id: draft.scope_id.clone(),
            memory_type: draft.memory_type,
            version,
            content: draft.content.clone(),
            engine: draft.engine,
            created_at,
            updated_at: draft.now,
            source_message_count: draft.source_message_count,
            source_latest_message_ts: draft.source_latest_message_ts.clone(),
            merged_through: draft.merged_through,
        };
        match draft.mode {
            SaveMode::StandIn => {
                self.stand_ins.insert(key, memory.clone());
            }
            mode => {
                if mode == SaveMode::Overwrite {
                    versions.clear();
                }
                versions.push(memory.clone());
                self.stand_ins.remove(&key);
                self.deferrals.remove(&key);
            }
        }
        self.drafts.push(draft.clone());
        Ok(memory)
    }
}

fn id(ts: &str) -> Ts {
    Ts::parse(ts).unwrap()
}

/// The thread that a message belongs to; a top-level message may be the first of one.
fn thread_of(ts: Ts, message: &Message) -> Option<Ts> {
    Some(message.thread_ts.as_deref().map_or(ts, id))
}
