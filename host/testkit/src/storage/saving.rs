//! Saves a memory: everything is checked before anything is written, so a refused save leaves no trace.

use super::*;

impl State {
    /// The usual form of a scope id.
    ///
    /// # Errors
    /// `not-found` for a channel that is not stored, `invalid` for what is no scope id of this workspace.
    pub(super) fn scope_id(&self, scope: Scope, id: &str) -> Result<String> {
        let usual = match scope {
            Scope::Thread => thread_id(id)?,
            Scope::Workspace if id != self.workspace_scope_id() => {
                return Err(invalid(id, "is not the workspace scope id"));
            }
            Scope::Workspace | Scope::Channel => id.to_owned(),
        };
        if let Place::Channel(id) = Place::of(scope, &usual) {
            self.conversation(&id)?;
        }
        Ok(usual)
    }

    /// Saves a memory whose call was given these messages and memories since a revision.
    pub(super) fn save(
        &mut self,
        place: &Place,
        draft: MemoryDraft,
        (mut messages, mut memories): (BTreeSet<MessageId>, BTreeSet<MemoryId>),
        made_at: u64,
    ) -> Result<Memory> {
        let scope_id = self.scope_id(draft.scope, &draft.scope_id)?;
        let sources = self.check(&draft)?;
        let latest = optional(draft.source_latest_message_ts.as_ref())?;
        let of = series(draft.scope, &scope_id, draft.memory_type);
        memories.extend(&draft.source_memories);
        let newest = self.newest_seen(place, &of).map(|newest| newest.id);
        if newest != draft.expected || !self.shows_all(place, &memories) {
            let text = format!("a memory behind that of `{scope_id}` has changed: read again");
            return Err(StorageError::Conflict(text));
        }
        // Nothing can fail from here on.
        messages.extend(sources.iter().cloned());
        let mut origins: BTreeSet<String> = messages.iter().map(|(id, _)| id.clone()).collect();
        if let Place::Channel(id) = Place::of(draft.scope, &scope_id) {
            origins.insert(id);
        }
        let texts = memories.iter().filter_map(|id| self.texts.get(id));
        origins.extend(texts.flat_map(|text| text.origins.clone()));
        // A channel's memory says itself from which of the channel's memories it was made: its call was also given those
        // that it replaces.
        let is_replaced = |id: &MemoryId| {
            let text = self.texts.get(id).filter(|_| draft.scope == Scope::Channel);
            text.is_some_and(|text| text.series().0 == of.0 && text.series().1 == of.1)
                && !draft.source_memories.contains(id)
        };
        memories.retain(|id| !is_replaced(id));
        if messages.is_empty() && memories.is_empty() {
            // It is not known what the call was given: anything that was said there.
            let said = origins
                .iter()
                .filter_map(|id| Some((id, self.channels.get(id)?)));
            let said = said.flat_map(|(id, of)| of.messages.keys().map(|ts| (id.clone(), *ts)));
            messages = said
                .filter(|(_, ts)| latest.is_none_or(|of| *ts <= of))
                .collect();
        }
        let version = match draft.mode {
            SaveMode::NewVersion => self
                .versions(&of)
                .pop()
                .map_or(1, |text| text.memory.version + 1),
            SaveMode::Overwrite => 1,
            SaveMode::StandIn => STAND_IN_VERSION,
        };
        let mut texts = self.current_texts().into_iter();
        let first = texts.find(|text| text.series() == of && text.memory.version == version);
        let memory = Memory {
            id: self.texts.last_key_value().map_or(1, |(id, _)| id + 1),
            scope: draft.scope,
            scope_id,
            memory_type: draft.memory_type,
            version,
            content: draft.content.clone(),
            engine: draft.engine,
            created_at: first.map_or(draft.now, |text| text.memory.created_at),
            updated_at: draft.now,
            source_message_count: draft.source_message_count,
            source_latest_message_ts: latest.map(|ts| ts.to_string()),
            merged_through: draft.merged_through,
            citations: draft.citations.clone(),
            records: draft.records.clone(),
        };
        let is_version = draft.mode != SaveMode::StandIn;
        if is_version && (draft.scope, draft.memory_type) == (Scope::Channel, MemoryType::ShortTerm)
        {
            self.settle(&memory, latest, sources);
        }
        for text in self.texts.values_mut().filter(|text| text.series() == of) {
            text.is_current &=
                draft.mode != SaveMode::Overwrite && text.memory.version != STAND_IN_VERSION;
        }
        let text = Text {
            memory: memory.clone(),
            is_current: true,
            messages,
            memories,
            origins,
            made_at,
            revision: 0,
        };
        self.texts.insert(memory.id, text);
        if is_version {
            self.deferrals.remove(&of);
        }
        self.drafts.push(draft);
        Ok(self.with_programs(memory))
    }

    /// Refuses an invalid draft; returns its source messages.
    fn check(&self, draft: &MemoryDraft) -> Result<BTreeSet<MessageId>> {
        let is_empty = draft.content.trim().is_empty();
        if is_empty || !erasure::are_in_order(&draft.content, &draft.citations) {
            return Err(invalid(
                &draft.scope_id,
                "has no text, or cites what are not its lines",
            ));
        }
        let mut memories = draft.source_memories.iter().chain(&draft.merged_through);
        if let Some(id) = memories.find(|id| !self.texts.contains_key(id)) {
            return Err(invalid(&id.to_string(), "is no memory of this workspace"));
        }
        // A message that was deleted after the component read it is still a source.
        let stored = |(id, ts): MessageId| match self.conversation(&id)?.messages.contains_key(&ts)
        {
            true => Ok((id, ts)),
            false => Err(invalid(&ts.to_string(), "is no message of its channel")),
        };
        let cited = draft.citations.iter().flat_map(|line| &line.messages);
        for of in cited.chain(draft.records.iter().map(|of| &of.message)) {
            stored(message_id(of)?)?;
        }
        let sources = draft.source_messages.iter();
        sources
            .map(|ts| stored((draft.source_channel_id.clone(), key(ts)?)))
            .collect()
    }

    /// A version of a channel was made from these messages: they do not wait any more. With the first one, everything newer
    /// than its oldest message begins to wait.
    fn settle(&mut self, version: &Memory, latest: Option<TsKey>, sources: BTreeSet<MessageId>) {
        let is_first = !self.has_version(&version.scope_id);
        let channel = self.channel(&version.scope_id);
        let mut sources: BTreeSet<TsKey> = sources.into_iter().map(|(_, ts)| ts).collect();
        if is_first {
            // The first message of a thread may be far older than the rest.
            let first = sources
                .iter()
                .filter_map(|ts| channel.shown(*ts)?.thread_ts);
            let first: BTreeSet<TsKey> = first.collect();
            let begin = sources.difference(&first).next().copied().or(latest);
            for (ts, said) in &mut channel.messages {
                said.news_of = (Some(*ts) <= begin).then_some(HISTORY);
            }
            channel.history_through = None;
        }
        if sources.is_empty() {
            let waiting = channel
                .messages
                .iter()
                .filter(|(_, said)| said.news_of.is_none());
            let waiting = waiting.filter(|(ts, _)| Some(**ts) <= latest);
            sources = waiting.map(|(ts, _)| *ts).collect();
        }
        for ts in sources {
            let news_of = channel.messages.get_mut(&ts).map(|said| &mut said.news_of);
            if let Some(of) = news_of.filter(|of| of.is_none_or(|of| of == HISTORY)) {
                *of = Some(version.id);
            }
        }
        channel.has_lost_lines = false;
    }
}

/// The usual form of a thread's scope id.
pub(super) fn thread_id(id: &str) -> Result<String> {
    let error = || invalid(id, "is no thread: expected CHANNEL:THREAD_TS");
    let (channel, thread) = id.split_once(':').ok_or_else(error)?;
    Ok(format!("{channel}:{}", key(thread)?))
}

fn invalid(what: &str, why: &str) -> StorageError {
    StorageError::Invalid(format!("`{what}` {why}"))
}
