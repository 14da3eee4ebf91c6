//! The content of the store, and what each call does with it.

use std::collections::{BTreeMap, BTreeSet};

use super::Key;
use crate::bindings::storage::{
    ChannelFilter, Deferral, Keep, Marked, Memory, MemoryDraft, MemoryId, MemoryQuery,
    MessageQuery, SaveMode, StorageError, Strike,
};
use crate::bindings::types::{
    Channel, Citation, KeptSpan, KeptText, MemoryType, Message, MessageRef, Scope,
};
use crate::ts::Ts;

#[derive(Clone, Default)]
pub(super) struct State {
    pub(super) channels: Vec<Channel>,
    pub(super) messages: BTreeMap<String, BTreeMap<Ts, Message>>,
    /// What is pinned on the platform.
    pub(super) pinned: BTreeSet<(String, Ts)>,
    /// The messages that the authors of corrections picked.
    pub(super) strikes: Vec<Strike>,
    /// The memories that the component sees, in order of versions.
    pub(super) memories: BTreeMap<Key, Vec<Memory>>,
    /// The stand-ins.
    pub(super) stand_ins: BTreeMap<Key, Memory>,
    pub(super) deferrals: BTreeMap<Key, Deferral>,
    /// Where the history of a channel without a version ends, by channel id.
    pub(super) history: BTreeMap<String, Ts>,
    /// The messages that do not wait, by channel id; only of channels with a version.
    pub(super) settled: BTreeMap<String, BTreeSet<Ts>>,
    /// Channels whose memories have lost lines since their newest version.
    pub(super) lost_lines: BTreeSet<String>,
    /// Every draft that was saved; its position is the memory's id.
    pub(super) drafts: Vec<MemoryDraft>,
}

impl State {
    pub(super) fn channel(&self, channel_id: &str) -> Result<Channel, StorageError> {
        let channel = self
            .channels
            .iter()
            .find(|channel| channel.id == channel_id);
        channel
            .cloned()
            .ok_or_else(|| StorageError::NotFound(format!("channel {channel_id}")))
    }

    /// A channel's messages as of `until`.
    pub(super) fn messages(
        &self,
        channel_id: &str,
        until: Ts,
    ) -> impl DoubleEndedIterator<Item = (Ts, &Message)> {
        let messages = self.messages.get(channel_id).into_iter().flatten();
        messages
            .map(|(ts, message)| (*ts, message))
            .filter(move |(ts, _)| *ts <= until)
    }

    pub(super) fn list_messages(&self, query: &MessageQuery) -> Vec<Message> {
        let until = id(&query.until);
        let since = query.since.as_deref().map(id);
        let thread = query.whole_thread.as_deref().map(id);
        let limit = usize::try_from(query.limit).unwrap();
        let all = || self.messages(&query.channel_id, until);
        let is_of_thread =
            |(ts, message): &(Ts, &Message)| thread.is_some() && thread_of(*ts, message) == thread;
        let window = all()
            .filter(|message| !is_of_thread(message))
            .filter(|(ts, _)| since.is_none_or(|since| *ts >= since))
            .filter(|(ts, _)| !query.only_new || self.waits(&query.channel_id, *ts));
        let mut picked: BTreeSet<Ts> = match query.keep {
            Keep::NewestTopLevel => window
                .rev()
                .filter(|(_, message)| {
                    let thread = message.thread_ts.as_ref();
                    thread.is_none_or(|thread| *thread == message.ts)
                })
                .take(limit)
                .map(|(ts, _)| ts)
                .collect(),
            Keep::Newest => window.rev().take(limit).map(|(ts, _)| ts).collect(),
            Keep::Oldest => window.take(limit).map(|(ts, _)| ts).collect(),
        };
        let of_thread = all().filter(is_of_thread).map(|(ts, _)| ts);
        let (first, replies): (Vec<Ts>, Vec<Ts>) = of_thread.partition(|ts| Some(*ts) == thread);
        let most = usize::try_from(query.thread_limit).unwrap();
        picked.extend(
            first
                .into_iter()
                .chain(replies.into_iter().rev().take(most)),
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

    /// The newest messages that are pinned, or that people wrote: every text may be a mark.
    pub(super) fn list_marked(&self, channel_id: &str, until: Ts, limit: u32) -> Vec<Marked> {
        let all = self.messages(channel_id, until);
        let marked = all.filter_map(|(ts, message)| {
            let is_pinned = self.pinned.contains(&(channel_id.to_owned(), ts));
            let may_be = is_pinned || (message.text.contains('@') && !message.user.is_bot);
            may_be.then(|| Marked {
                message: message.clone(),
                is_pinned,
            })
        });
        let mut marked: Vec<Marked> = marked.rev().take(usize::try_from(limit).unwrap()).collect();
        marked.reverse();
        marked
    }

    /// The words of a part of a message, unless it is gone.
    pub(super) fn text_of(&self, span: &KeptSpan) -> Option<KeptText> {
        let of = &span.message;
        let message = self.messages.get(&of.channel_id)?.get(&id(&of.ts))?;
        let [start, length] = [span.start, span.length].map(|at| usize::try_from(at).unwrap());
        Some(KeptText {
            span: span.clone(),
            user: message.user.clone(),
            timestamp: message.timestamp,
            text: message.text.chars().skip(start).take(length).collect(),
        })
    }

    /// Returns true if a message is in no version of its channel yet.
    pub(super) fn waits(&self, channel_id: &str, ts: Ts) -> bool {
        let settled = self.settled.get(channel_id);
        settled.is_none_or(|settled| !settled.contains(&ts))
    }

    /// A version was saved: its messages do not wait any more. What is older than the first version is history.
    fn settle(&mut self, draft: &MemoryDraft) {
        let stored = self.messages.get(&draft.scope_id).into_iter().flatten();
        let latest = draft.source_latest_message_ts.as_deref().map(id);
        let taken: BTreeSet<Ts> = if draft.source_messages.is_empty() {
            let all = stored.clone().map(|(ts, _)| *ts);
            all.filter(|ts| Some(*ts) <= latest).collect()
        } else {
            draft.source_messages.iter().map(|ts| id(ts)).collect()
        };
        let history = stored
            .map(|(ts, _)| *ts)
            .filter(|ts| Some(ts) < taken.first());
        let settled = self.settled.entry(draft.scope_id.clone());
        settled.or_insert_with(|| history.collect()).extend(taken);
        self.lost_lines.remove(&draft.scope_id);
    }

    pub(super) fn of(&self, scope: Scope, scope_id: &str, memory_type: MemoryType) -> &[Memory] {
        let key = (scope, scope_id.to_owned(), memory_type);
        self.memories.get(&key).map_or(&[], Vec::as_slice)
    }

    /// The short-term versions of a channel that its long-term memory has not merged.
    pub(super) fn unmerged(&self, channel_id: &str) -> &[Memory] {
        let long_term = self
            .of(Scope::Channel, channel_id, MemoryType::LongTerm)
            .first();
        let merged = long_term.and_then(|memory| memory.merged_through);
        let versions = self.of(Scope::Channel, channel_id, MemoryType::ShortTerm);
        &versions[versions.partition_point(|memory| Some(memory.id) <= merged)..]
    }

    pub(super) fn list_memories(&self, query: &MemoryQuery) -> Vec<Memory> {
        let is_wanted = |channel_id: &String| match &query.channels {
            ChannelFilter::None => false,
            ChannelFilter::One(wanted) => wanted == channel_id,
            ChannelFilter::All => true,
        };
        let limit = usize::try_from(query.history_limit).unwrap();
        let until = query.until.as_deref().map(|until| id(until).seconds);
        let is_there = |memory: &&Memory| {
            until.is_none_or(|until| memory.updated_at.unix_seconds <= until.cast_signed())
        };
        let select = |((scope, scope_id, memory_type), versions): (&Key, &Vec<Memory>)| {
            let versions: Vec<&Memory> = versions.iter().filter(is_there).collect();
            let count = match (scope, memory_type) {
                (Scope::Workspace, _) if query.workspace => versions.len(),
                (Scope::Thread, _) if query.threads.contains(scope_id) => versions.len(),
                (Scope::Channel, MemoryType::LongTerm) if is_wanted(scope_id) => versions.len(),
                (Scope::Channel, MemoryType::ShortTerm) if is_wanted(scope_id) => {
                    let unmerged = if query.unmerged {
                        self.unmerged(scope_id).iter().filter(is_there).count()
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
            let selected = &versions[versions.len() - count..];
            let stand_in = stand_in.into_iter().filter(is_there);
            let all = stand_in.chain(selected.iter().copied());
            all.cloned().collect::<Vec<Memory>>()
        };
        self.memories.iter().flat_map(select).collect()
    }

    /// The citations of a draft, with what the store knows of their messages.
    fn citations(&self, draft: &MemoryDraft) -> Vec<Citation> {
        let is_program = |of: &MessageRef| {
            let messages = self.messages.get(&of.channel_id);
            messages.is_some_and(|messages| messages[&id(&of.ts)].user.is_bot)
        };
        let mut citations = draft.citations.clone();
        for line in &mut citations {
            line.by_program = !line.messages.is_empty() && line.messages.iter().all(is_program);
        }
        citations
    }

    pub(super) fn save(&mut self, draft: &MemoryDraft) -> Result<Memory, StorageError> {
        let citations = self.citations(draft);
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
            citations,
            records: draft.records.clone(),
        };
        let is_version = (draft.scope, draft.memory_type)
            == (Scope::Channel, MemoryType::ShortTerm)
            && draft.mode != SaveMode::StandIn;
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
        if is_version {
            self.settle(draft);
        }
        self.drafts.push(draft.clone());
        Ok(memory)
    }
}

pub(super) fn id(ts: &str) -> Ts {
    Ts::parse(ts).unwrap()
}

/// The thread that a message belongs to; a top-level message may be the first of a thread.
pub(super) fn thread_of(ts: Ts, message: &Message) -> Option<Ts> {
    Some(message.thread_ts.as_deref().map_or(ts, id))
}
