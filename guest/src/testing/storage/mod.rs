//! A store in memory that follows the contract of `wit/storage.wit`, counts its calls and fails if told to.

mod due;
mod state;

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use state::{State, id};

use crate::bindings::storage::{
    Backlog, Deferral, Due, DueQuery, ItemQuery, Marked, Memory, MemoryDraft, MemoryQuery,
    MessageQuery, StorageError, Strike,
};
use crate::bindings::types::{
    Channel, Item, ItemState, KeptSpan, KeptText, MemoryType, Message, MessageRef, Scope,
};
use crate::ports::Storage;
use crate::ts::Ts;

/// The effect of a failing call.
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
    /// Its effect.
    pub(crate) effect: Effect,
    /// True if every later call fails too, as after a crash.
    pub(crate) lasting: bool,
}

/// What versions have in common.
type Key = (Scope, String, MemoryType);

/// The store.
#[derive(Default)]
pub(crate) struct MemoryStorage {
    state: RefCell<State>,
    calls: RefCell<Vec<&'static str>>,
    /// The next fault; [`Self::recover`] removes it.
    fault: Cell<Option<Fault>>,
    /// Lists messages and memories in reverse order.
    pub(crate) reversed: Cell<bool>,
    /// `list-due` names every channel, as the contract allows.
    pub(crate) generous: Cell<bool>,
    /// The ids of people whose texts are no marks, such as guests.
    pub(crate) uncounted: RefCell<BTreeSet<String>>,
    /// The newest message of every channel has an invalid id.
    pub(crate) spoil_backlogs: Cell<bool>,
    /// The items, of any channel.
    pub(crate) items: RefCell<Option<Vec<Item>>>,
    /// Searches find nothing, as the contract allows.
    pub(crate) cannot_search: Cell<bool>,
}

impl MemoryStorage {
    /// A store with the same content.
    pub(crate) fn copy(&self) -> Self {
        Self {
            state: self.state.clone(),
            ..Self::default()
        }
    }

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

    /// Adds a message, and its channel if it is new, with its id as its name.
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

    /// The author of a correction picks a message.
    pub(crate) fn strike(&self, channel_id: &str, correction: &str, struck: &str) {
        self.state.borrow_mut().strikes.push(Strike {
            message: MessageRef {
                channel_id: channel_id.to_owned(),
                ts: struck.to_owned(),
            },
            correction: correction.to_owned(),
        });
    }

    /// Every message with its channel, in order of time.
    pub(crate) fn all_messages(&self) -> Vec<(Channel, Message)> {
        let state = self.state.borrow();
        let of_channel = |channel: &Channel| {
            let messages = state.messages.get(&channel.id).into_iter().flatten();
            let messages: Vec<(Ts, Message)> = messages
                .map(|(ts, message)| (*ts, message.clone()))
                .collect();
            messages
        };
        let mut all: Vec<(Ts, Channel, Message)> = Vec::new();
        for channel in &state.channels {
            let messages = of_channel(channel).into_iter();
            all.extend(messages.map(|(ts, message)| (ts, channel.clone(), message)));
        }
        all.sort_by_key(|(ts, channel, _)| (*ts, channel.id.clone()));
        all.into_iter()
            .map(|(_, channel, message)| (channel, message))
            .collect()
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

    /// Memories of a channel lose lines.
    pub(crate) fn lose_lines(&self, channel_id: &str) {
        let lost = &mut self.state.borrow_mut().lost_lines;
        lost.insert(channel_id.to_owned());
    }

    /// Pins a message on the platform.
    pub(crate) fn pin_message(&self, channel_id: &str, ts: &str) {
        let mut state = self.state.borrow_mut();
        state.pinned.insert((channel_id.to_owned(), id(ts)));
    }

    /// Sets where the history of a channel without a version ends.
    pub(crate) fn end_history(&self, channel_id: &str, ts: &str) {
        let history = &mut self.state.borrow_mut().history;
        history.insert(channel_id.to_owned(), id(ts));
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

    /// The text of a long-term memory; empty if there is none.
    pub(crate) fn long_term(&self, scope_id: &str) -> String {
        let memories = self.of(scope_id, MemoryType::LongTerm);
        memories
            .first()
            .map(|memory| memory.content.clone())
            .unwrap_or_default()
    }

    /// All saved drafts, in order of the ids.
    pub(crate) fn drafts(&self) -> Vec<MemoryDraft> {
        self.state.borrow().drafts.clone()
    }

    /// The names of the calls since the last time.
    pub(crate) fn take_calls(&self) -> Vec<&'static str> {
        self.calls.take()
    }

    /// Makes a later call fail, counted from now.
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

    fn list_marked(
        &self,
        channel_id: &str,
        until: &str,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        self.call("list-marked", |state| {
            state.channel(channel_id)?;
            let mut marked = state.list_marked(channel_id, id(until), limit);
            let uncounted = self.uncounted.borrow();
            marked
                .retain(|marked| marked.is_pinned || !uncounted.contains(&marked.message.user.id));
            Ok(self.listed(marked))
        })
    }

    fn list_strikes(&self) -> Result<Vec<Strike>, StorageError> {
        self.call("list-strikes", |state| Ok(state.strikes.clone()))
    }

    fn list_memories(&self, query: &MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        self.call("list-memories", |state| {
            Ok(self.listed(state.list_memories(query)))
        })
    }

    fn read_spans(&self, spans: &[KeptSpan]) -> Result<Vec<KeptText>, StorageError> {
        self.call("read-spans", |state| {
            Ok(spans
                .iter()
                .filter_map(|span| state.text_of(span))
                .collect())
        })
    }

    fn list_items(&self, query: &ItemQuery) -> Result<Option<Vec<Item>>, StorageError> {
        self.call("list-items", |_| {
            let key = |ts: &str| Ts::parse(ts).ok();
            let is_selected = |item: &&Item| {
                let of = &item.title.span.message;
                query
                    .channel_id
                    .as_ref()
                    .is_none_or(|id| *id == of.channel_id)
                    && key(&of.ts) <= key(&query.until)
                    && query
                        .since
                        .as_deref()
                        .is_none_or(|since| key(&item.state_since) >= key(since))
                    && (query.closed || item.state == ItemState::Open)
            };
            let items = self.items.borrow();
            Ok(items
                .as_ref()
                .map(|items| items.iter().filter(is_selected).cloned().collect()))
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
