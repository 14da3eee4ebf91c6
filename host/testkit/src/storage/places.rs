//! What may be seen from a place, and where a memory may be shown.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use myao_plugin::audience::Audience;
use myao_plugin::embedder::Meaning;
use myao_plugin::state::outbox::PartState;
use myao_plugin::state::replies::{ReplyKind, ReplyState};
use myao_plugin::storage::recall::{Candidates, RecallQuery};
use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, Marked, Memory, MemoryDraft, MemoryId, MemoryQuery,
    Message, MessageQuery, Storage, StorageError,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{KeptSpan, KeptText, MemoryType, MessageRef, Place, Places, Scope};

use super::memories::{Handed, Series, StoredText};
use super::messages::Conversation;
use super::{MemoryStorage, State, key};

impl State {
    /// Whether a channel's talk may be shown in a place.
    pub(super) fn shows_channel(&self, place: &Place, channel_id: &str) -> bool {
        self.is_own(place, channel_id) || (self.sees_open(place) && self.is_open(channel_id))
    }

    /// Whether it is the place's own channel, or one that the person is in. A channel that the bot left is nobody's: of
    /// deletions there it would not hear.
    fn is_own(&self, place: &Place, channel_id: &str) -> bool {
        let stored = self.channels.get(channel_id);
        let is_hidden = stored.is_some_and(Conversation::is_hidden);
        match place {
            Place::Person(id) => {
                let is_in = |stored: &Conversation| stored.is_present && stored.members.has(id);
                stored.is_some_and(is_in) && !is_hidden && !self.is_closed(id)
            }
            Place::Channel(_) => place.hears(channel_id) && !is_hidden,
            _ => place.hears(channel_id),
        }
    }

    /// Whether what is said in a channel may be shown in others: the bot still hears of deletions.
    pub(super) fn is_open(&self, channel_id: &str) -> bool {
        let stored = self.channels.get(channel_id);
        stored.is_some_and(|stored| stored.is_present && self.audience(stored).is_open())
    }

    /// Whether everybody of the workspace may read a channel.
    pub(super) fn is_public(&self, channel_id: &str) -> bool {
        let stored = self.channels.get(channel_id);
        stored.is_some_and(|stored| self.audience(stored).is_open())
    }

    /// Whether what is open elsewhere may be shown in a place. Nothing is shown in a channel that is not known.
    pub(super) fn sees_open(&self, place: &Place) -> bool {
        match place {
            Place::Operator | Place::Workspace => true,
            Place::Schedule => false,
            Place::Person(id) => self.is_full_member(id) && !self.is_closed(id),
            Place::Channel(id) => {
                let stored = self.channels.get(id).filter(|stored| !stored.is_hidden());
                stored.is_some_and(|stored| self.audience(stored).sees_open())
            }
        }
    }

    /// Whether a text may be shown in a place, by what its channels are now.
    pub(super) fn shows(&self, place: &Place, text: &StoredText) -> bool {
        if *place == Place::Operator {
            return true;
        }
        let Some(origins) = &text.origins else {
            return false;
        };
        let sees_open = self.sees_open(place);
        origins.iter().all(|id| {
            let stored = self.channels.get(id);
            let is_public = stored.is_some_and(|stored| self.audience(stored).is_open());
            self.is_own(place, id) || (sees_open && is_public)
        })
    }

    /// Whether all these memories may be shown in a place.
    pub(super) fn shows_all(&self, place: &Place, memories: &BTreeSet<MemoryId>) -> bool {
        let mut texts = memories.iter().map(|id| self.texts.get(id));
        texts.all(|text| text.is_some_and(|text| self.shows(place, text)))
    }

    /// The channels from which a memory is made: its own, those of the memories that its call was given, and those whose
    /// messages it was given.
    pub(super) fn origins(
        &self,
        own: Option<&String>,
        handed: &BTreeSet<MemoryId>,
        heard: &BTreeSet<String>,
    ) -> BTreeSet<String> {
        let texts = handed.iter().filter_map(|id| self.texts.get(id));
        let of_texts = texts.filter_map(|text| text.origins.as_ref()).flatten();
        own.into_iter()
            .chain(heard)
            .chain(of_texts)
            .cloned()
            .collect()
    }

    /// Who reads each channel.
    pub(super) fn audiences(&self) -> BTreeMap<String, Audience> {
        let channels = self.channels.iter();
        let audiences = channels.map(|(id, stored)| (id.clone(), self.audience(stored)));
        audiences.collect()
    }

    /// Sets aside what may not be shown any more, compared with who read the channels before, at a Unix second.
    pub(super) fn audiences_changed(&mut self, before: &BTreeMap<String, Audience>, at: i64) {
        let mut lost = BTreeSet::new();
        for (channel_id, after) in self.audiences() {
            let Some(before) = before.get(&channel_id) else {
                continue;
            };
            let closed = before.is_open() && !after.is_open();
            let isolated = before.sees_open() && !after.sees_open();
            let place = Place::Channel(channel_id.clone());
            if !before.is_open() && after.is_open() {
                self.merge_again();
            }
            if closed {
                self.withdraw_unfinished(|owner| *owner != place);
                self.retract_and_delete(at, |(answered_in, _), reply| {
                    let mut sources = reply.sources.iter();
                    *answered_in != channel_id && sources.any(|(id, _)| *id == channel_id)
                });
            }
            if isolated {
                self.withdraw_unfinished(|owner| *owner == place);
                self.retract_and_delete(at, |(answered_in, _), reply| {
                    let mut sources = reply.sources.iter();
                    *answered_in == channel_id && sources.any(|(id, _)| *id != channel_id)
                });
            }
            for call in &mut self.calls {
                let owner = Place::of(call.purpose.scope, &call.purpose.scope_id);
                if closed || (isolated && owner == place) {
                    call.answer = None;
                }
            }
            let current = self.texts.values();
            let current = current.filter(|text| text.superseded_at.is_none());
            lost.extend(current.filter_map(|text| {
                let mut origins = text.origins.iter().flatten();
                let is_lost = if place.owns(text.memory.scope, &text.memory.scope_id) {
                    isolated && origins.any(|id| *id != channel_id)
                } else {
                    closed && origins.any(|id| *id == channel_id)
                };
                is_lost.then_some(text.memory.id)
            }));
        }
        for id in lost {
            self.withdraw(id, at);
        }
    }

    /// Lets the workspace's memories take in channels' memories that are older than what was merged last.
    fn merge_again(&mut self) {
        let current = self
            .texts
            .values_mut()
            .filter(|text| text.superseded_at.is_none());
        for text in current.filter(|text| text.memory.scope == Scope::Workspace) {
            text.memory.merged_through = None;
        }
    }

    /// Drops answers that are not sent yet, and deferrals, of these places.
    fn withdraw_unfinished(&mut self, is_meant: impl Fn(&Place) -> bool) {
        self.deferrals
            .retain(|series, _| !is_meant(&Place::of(series.scope(), &series.scope_id)));
        self.replies.retain(|(channel_id, _), reply| {
            let is_begun = reply.state == ReplyState::Waiting && !reply.parts.is_empty();
            if !is_begun || !is_meant(&Place::Channel(channel_id.clone())) {
                return true;
            }
            reply.parts.retain(|part| part.state != PartState::NotSent);
            for part in &mut reply.parts {
                if part.state == PartState::MaybeSent {
                    part.text.clear();
                }
            }
            reply.kind == ReplyKind::Mention || !reply.parts.is_empty()
        });
    }

    /// Accepts the current texts that are set aside: those of a channel, or all.
    pub(super) fn accept(&mut self, channel_id: Option<&str>) -> usize {
        let mut versions = Vec::new();
        let mut accepted = 0;
        for text in self.texts.values_mut() {
            let memory = &text.memory;
            let own = match Place::of(memory.scope, &memory.scope_id) {
                Place::Channel(id) => Some(id),
                _ => None,
            };
            let is_meant = channel_id.is_none() || own.as_deref() == channel_id;
            if text.superseded_at.is_none() && text.origins.is_none() && is_meant {
                if memory.scope == Scope::Channel
                    && memory.memory_type == MemoryType::ShortTerm
                    && let Some(own) = own.clone()
                {
                    versions.push((own, memory.id));
                }
                text.origins = Some(own.into_iter().collect());
                accepted += 1;
            }
        }
        let mut begun = BTreeSet::new();
        for (channel_id, version) in versions {
            let is_first = begun.insert(channel_id.clone());
            self.settle_messages(&channel_id, version, is_first);
        }
        accepted
    }

    /// Sets a text aside with all later versions, so that the channel's messages are summarised again in their order.
    fn withdraw(&mut self, id: u64, at: i64) {
        let Some(text) = self.texts.get(&id) else {
            return;
        };
        let memory = text.memory.clone();
        let oldest = text.source_messages.iter().map(|(_, ts)| *ts).min();
        let series = Series::new(memory.scope, &memory.scope_id, memory.memory_type);
        let Some(current) = self.current.get_mut(&series) else {
            return;
        };
        let mut set_aside = Vec::new();
        current.retain(|id| {
            let Some(text) = self.texts.get_mut(id) else {
                return false;
            };
            let version = text.memory.version;
            let is_kept = version != 0 && version < memory.version;
            if !is_kept {
                text.superseded_at = Some(at);
                set_aside.push(*id);
            }
            is_kept
        });
        if memory.scope == Scope::Channel {
            for version in set_aside {
                self.give_back(&memory.scope_id, version);
            }
        }
        if memory.scope == Scope::Channel
            && memory.memory_type == MemoryType::ShortTerm
            && self.newest_counted(&series).is_none()
            && let (Some(oldest), Some(channel)) = (oldest, self.channels.get_mut(&memory.scope_id))
        {
            let end = TsKey::from_database(oldest.to_database() - 1);
            let earlier = channel.history_through.unwrap_or(end);
            channel.history_through = Some(earlier.min(end));
        }
    }
}

/// A workspace that was opened for a place.
pub(super) struct Opened {
    pub(super) storage: MemoryStorage,
    pub(super) place: Place,
    /// What was read so far.
    read: Mutex<Read>,
}

#[derive(Default)]
struct Read {
    /// The revision at the first time.
    revision: Option<u64>,
    messages: BTreeSet<(String, TsKey)>,
}

impl Opened {
    fn read(&self) -> MutexGuard<'_, Read> {
        self.read.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes as of when something is read.
    fn begin(&self) -> MutexGuard<'_, Read> {
        let newest = self.storage.state().revisions.newest;
        let mut read = self.read();
        read.revision.get_or_insert(newest);
        read
    }

    /// Whether something that was read, or one of these memories, has changed or gone since.
    fn has_changed(&self, memories: &BTreeSet<MemoryId>) -> bool {
        let read = self.read();
        // A replay does what was recorded.
        let since = read.revision.filter(|_| self.place != Place::Operator);
        let state = self.storage.state();
        let mut channels = read.messages.iter().map(|(channel_id, _)| channel_id);
        if since.is_some() && channels.any(|id| !state.shows_channel(&self.place, id)) {
            return true;
        }
        let revisions = state.revisions.clone();
        drop(state);
        since.is_some_and(|since| revisions.has_changed(&read.messages, memories, since))
    }

    fn hear(&self, channel_id: &str) -> Result<(), StorageError> {
        self.allow(self.place.hears(channel_id), channel_id)
    }

    fn own(&self, scope: Scope, scope_id: &str) -> Result<(), StorageError> {
        self.allow(self.place.owns(scope, scope_id), scope_id)
    }

    fn schedule(&self) -> Result<(), StorageError> {
        let may = matches!(self.place, Place::Schedule | Place::Operator);
        self.allow(may, "what is due")
    }

    fn allow(&self, may: bool, what: &str) -> Result<(), StorageError> {
        if may {
            return Ok(());
        }
        Err(StorageError::NotFound(format!(
            "`{what}` is not seen from {}",
            self.place
        )))
    }
}

#[async_trait::async_trait]
impl Storage for Opened {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        Ok(self.storage.state().list_channels(&self.place))
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.hear(&query.channel_id)?;
        let mut read = self.begin();
        let messages = self.storage.state().list_messages(&query)?;
        for message in &messages {
            read.messages
                .insert((query.channel_id.clone(), key(&message.ts)?));
        }
        Ok(messages)
    }

    async fn list_marked(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        self.hear(&channel_id)?;
        let mut read = self.begin();
        let state = self.storage.state();
        let marked = state.list_marked(&channel_id, key(&until)?, limit)?;
        for marked in &marked {
            let ts = key(&marked.message.ts)?;
            read.messages.insert((channel_id.clone(), ts));
        }
        Ok(marked)
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        for thread in &query.threads {
            self.own(Scope::Thread, thread)?;
        }
        drop(self.begin());
        self.storage.state().list_memories(&self.place, &query)
    }

    async fn find_candidates(
        &self,
        query: RecallQuery,
        _: Option<Meaning>,
    ) -> Result<Candidates, StorageError> {
        let mut read = self.begin();
        let found = self.storage.state().find_candidates(&self.place, &query)?;
        for found in &found.messages {
            let MessageRef { channel_id, ts } = &found.at;
            read.messages.insert((channel_id.clone(), key(ts)?));
        }
        Ok(found)
    }

    fn terms(&self, text: &str) -> Vec<String> {
        myao_terms::terms(text)
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        let mut read = self.begin();
        let texts = self.storage.state().texts_of(&self.place, &spans)?;
        for text in &texts {
            let of = &text.span.message;
            read.messages.insert((of.channel_id.clone(), key(&of.ts)?));
        }
        Ok(texts)
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        self.schedule()?;
        self.storage.state().list_due(&query)
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        self.hear(&channel_id)?;
        let until = key(&until)?;
        let thread = thread_ts.as_deref().map(key).transpose()?;
        self.storage.state().backlog(&channel_id, thread, until)
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        self.schedule()?;
        let since = key(&since)?;
        let mut state = self.storage.state();
        state.expect_first_version(&channel_ids, since);
        Ok(())
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        self.own(draft.scope, &draft.scope_id)?;
        if self.has_changed(&handed) {
            let text =
                "a message or a memory that this one was made from has changed or gone: read again";
            return Err(StorageError::Conflict(text.to_owned()));
        }
        let given = Handed {
            messages: self.read().messages.clone(),
            memories: handed,
        };
        self.storage.state().save(&self.place, draft, given)
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        let shows = self.storage.state().shows_all(&self.place, &memories);
        Ok(shows && !self.has_changed(&memories))
    }

    async fn hand_out(&self, channel_id: String, ids: Vec<String>) -> Result<(), StorageError> {
        self.hear(&channel_id)?;
        let mut read = self.begin();
        for id in ids {
            read.messages.insert((channel_id.clone(), key(&id)?));
        }
        Ok(())
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        self.own(scope, &scope_id)?;
        self.storage.state().list_deferrals(scope, &scope_id)
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        self.own(scope, &scope_id)?;
        self.storage.state().defer(scope, &scope_id, deferral)
    }
}

impl Places for MemoryStorage {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        Arc::new(Opened {
            storage: self.clone(),
            place,
            read: Mutex::default(),
        })
    }
}
