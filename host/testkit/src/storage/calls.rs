//! The calls of the contract.

use super::*;

#[async_trait::async_trait]
impl Storage for Opened {
    async fn list_channels(&self) -> Result<Vec<Channel>> {
        let state = self.storage.state();
        let shown = state.channels.iter();
        let shown = shown.filter(|(id, of)| !of.is_left && state.shows_channel(&self.place, id));
        let mut channels: Vec<Channel> = shown.map(|(id, of)| of.channel(id)).collect();
        channels.sort_by(|a, b| (&a.name, &a.id).cmp(&(&b.name, &b.id)));
        Ok(channels)
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>> {
        let id = &query.channel_id;
        self.hear(id)?;
        let state = self.storage.state();
        let mut picked = state.pick(&query)?;
        picked.retain(|_| state.is_own(&self.place, id));
        self.give(&state, picked.iter().map(|ts| (id.clone(), *ts)));
        let (of, until) = (state.conversation(id)?, key(&query.until)?);
        let messages = picked
            .into_iter()
            .filter_map(|ts| state.message(of, ts, until));
        Ok(messages.collect())
    }

    async fn list_marked(&self, channel: String, until: String, limit: u32) -> Result<Vec<Marked>> {
        self.hear(&channel)?;
        let (state, until) = (self.storage.state(), key(&until)?);
        let of = state.conversation(&channel)?;
        // Nothing is pinned here. Marks of members count; where it is not known who is in the channel, also of others, unless
        // people from outside may be there.
        let is_trusted = of.members.is_empty() && of.facts.audience().sees_open();
        let may_count = |message: &MessageRecord| {
            addressed::may_mark(&message.text)
                && !state.is_program(message)
                && (is_trusted || state.is_member(&message.user_id))
        };
        let newest = of.until(until).rev();
        let may_search = !state.cannot_search && state.is_own(&self.place, &channel);
        let newest = newest.filter(|(.., message)| may_search && may_count(message));
        let mut marked: Vec<TsKey> = newest.map(|(ts, ..)| ts).take(most(limit)).collect();
        marked.reverse();
        self.give(&state, marked.iter().map(|ts| (channel.clone(), *ts)));
        let messages = marked
            .into_iter()
            .filter_map(|ts| state.message(of, ts, until));
        let is_pinned = false;
        Ok(messages
            .map(|message| Marked { message, is_pinned })
            .collect())
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>> {
        for thread in &query.threads {
            self.own(Scope::Thread, thread)?;
        }
        let state = self.storage.state();
        self.give(&state, []);
        state.list_memories(&self.place, &query)
    }

    async fn find_candidates(&self, query: RecallQuery, _: Option<Meaning>) -> Result<Candidates> {
        let state = self.storage.state();
        if state.cannot_search {
            return Ok(nothing());
        }
        let found = state.find_candidates(&self.place, &query)?;
        let ids = found.messages.iter().map(|of| message_id(&of.at));
        self.give(&state, ids.collect::<Result<Vec<_>>>()?);
        Ok(found)
    }

    fn terms(&self, text: &str) -> Vec<String> {
        match self.storage.state().cannot_search {
            true => Vec::new(),
            false => terms(text),
        }
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>> {
        let state = self.storage.state();
        let mut texts = Vec::new();
        for span in spans {
            let (id, ts) = message_id(&span.message)?;
            let of = state
                .channels
                .get(&id)
                .filter(|_| state.shows_channel(&self.place, &id));
            if let Some(message) = of.and_then(|of| state.message(of, ts, ts)) {
                self.give(&state, [(id, ts)]);
                texts.push(KeptText {
                    text: erasure::part(&message.text, span.start, span.length),
                    user: message.user,
                    timestamp: message.timestamp,
                    span,
                });
            }
        }
        Ok(texts)
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due> {
        let may = matches!(self.place, Place::Schedule | Place::Operator);
        self.allow(may, "what is due")?;
        self.storage.state().list_due(&query)
    }

    async fn get_backlog(
        &self,
        channel: String,
        thread: Option<String>,
        until: String,
    ) -> Result<Backlog> {
        self.hear(&channel)?;
        let (thread, until) = (optional(thread.as_ref())?, key(&until)?);
        self.storage.state().backlog(&channel, thread, until)
    }

    async fn expect_first_version(&self, channel_ids: Vec<String>, since: String) -> Result<()> {
        let end = TsKey::from_database(key(&since)?.to_database() - 1);
        let mut state = self.storage.state();
        for id in channel_ids {
            if !state.has_version(&id) {
                let history = &mut state.channel(&id).history_through;
                *history = Some(history.unwrap_or(end).min(end));
            }
        }
        Ok(())
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        memories: BTreeSet<MemoryId>,
    ) -> Result<Memory> {
        self.own(draft.scope, &draft.scope_id)?;
        let mut state = self.storage.state();
        let (messages, since) = self.given(&state, &memories)?;
        state.save(&self.place, draft, (messages, memories), since)
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool> {
        let state = self.storage.state();
        Ok(state.shows_all(&self.place, &memories) && self.given(&state, &memories).is_ok())
    }

    async fn hand_out(&self, channel_id: String, ids: Vec<String>) -> Result<()> {
        self.hear(&channel_id)?;
        let ids = ids.iter().map(|ts| Ok((channel_id.clone(), key(ts)?)));
        self.give(&self.storage.state(), ids.collect::<Result<Vec<_>>>()?);
        Ok(())
    }

    async fn list_deferrals(&self, scope: Scope, scope_id: String) -> Result<Vec<Deferral>> {
        self.own(scope, &scope_id)?;
        let state = self.storage.state();
        let id = state.scope_id(scope, &scope_id)?;
        let types = [MemoryType::LongTerm, MemoryType::ShortTerm].into_iter();
        let deferrals = types.filter_map(|of| state.deferrals.get(&series(scope, &id, of)));
        Ok(deferrals.cloned().collect())
    }

    async fn defer(&self, scope: Scope, scope_id: String, deferral: Deferral) -> Result<()> {
        self.own(scope, &scope_id)?;
        let mut state = self.storage.state();
        let id = state.scope_id(scope, &scope_id)?;
        let of = series(scope, &id, deferral.memory_type);
        state.deferrals.insert(of, deferral);
        Ok(())
    }
}

impl Conversation {
    /// A message that is not deleted.
    pub(super) fn shown(&self, ts: TsKey) -> Option<&MessageRecord> {
        self.messages.get(&ts)?.record.as_ref()
    }

    /// The messages up to a time that are not deleted, oldest first.
    pub(super) fn until(
        &self,
        until: TsKey,
    ) -> impl DoubleEndedIterator<Item = (TsKey, &Said, &MessageRecord)> + Clone {
        let said = self.messages.range(..=until);
        said.filter_map(|(ts, said)| Some((*ts, said, said.record.as_ref()?)))
    }

    /// The replies of a thread.
    pub(super) fn replies(
        &self,
        thread: TsKey,
        until: TsKey,
    ) -> impl DoubleEndedIterator<Item = TsKey> {
        let replies = self
            .until(until)
            .filter(move |(.., of)| of.thread_ts == Some(thread));
        replies.map(|(ts, ..)| ts)
    }

    /// A channel as the component sees it: without a name, its name is its id.
    pub(super) fn channel(&self, id: &str) -> Channel {
        let name = Some(self.name.as_str()).filter(|name| !name.is_empty());
        Channel {
            id: id.to_owned(),
            name: name.unwrap_or(id).to_owned(),
            is_private: self.facts.is_private != Some(false),
        }
    }
}

impl State {
    pub(super) fn conversation(&self, id: &str) -> Result<&Conversation> {
        let error = || StorageError::NotFound(format!("channel `{id}` is not stored"));
        self.channels.get(id).ok_or_else(error)
    }

    /// The messages that a query asks for.
    fn pick(&self, query: &MessageQuery) -> Result<BTreeSet<TsKey>> {
        let of = self.conversation(&query.channel_id)?;
        let (since, until) = (optional(query.since.as_ref())?, key(&query.until)?);
        let whole_thread = optional(query.whole_thread.as_ref())?;
        let only_new = query.only_new && self.has_version(&query.channel_id);
        let is_meant = |(ts, said, message): &(TsKey, &Said, &MessageRecord)| {
            since.is_none_or(|since| *ts >= since)
                && whole_thread != Some(said.thread)
                && !(only_new && said.news_of.is_some())
                && !(query.keep == Keep::NewestTopLevel && message.thread_ts.is_some())
        };
        let mut picked: Vec<TsKey> = of
            .until(until)
            .filter(is_meant)
            .map(|(ts, ..)| ts)
            .collect();
        if query.keep != Keep::Oldest {
            picked.reverse();
        }
        picked.truncate(most(query.limit));
        if let Some(thread) = whole_thread {
            picked.extend(
                of.replies(thread, until)
                    .rev()
                    .take(most(query.thread_limit)),
            );
            picked.push(thread);
        }
        // The first message of a thread comes with each reply.
        let first = picked.clone().into_iter();
        let first = first.filter_map(|ts| of.shown(ts)?.thread_ts);
        let picked = picked.into_iter().chain(first);
        Ok(picked
            .filter(|ts| *ts <= until && of.shown(*ts).is_some())
            .collect())
    }

    /// A message as the component sees it at a time; `None` if it is deleted.
    pub(super) fn message(&self, of: &Conversation, ts: TsKey, until: TsKey) -> Option<Message> {
        let record = of.shown(ts)?;
        let first = || of.replies(ts, until).next().map(|_| ts);
        let user = self.users.get(&record.user_id);
        let names = [record.author_name.as_ref(), user.map(|user| &user.name)];
        let name = names.into_iter().flatten().find(|name| !name.is_empty());
        Some(Message {
            ts: ts.to_string(),
            user: User {
                id: record.user_id.clone(),
                // It must not look like a name, and must never be an id.
                name: name.map_or("(unknown user)", String::as_str).to_owned(),
                is_bot: self.is_program(record),
            },
            text: record.text.clone(),
            timestamp: utc(ts.unix_seconds()),
            thread_ts: record.thread_ts.or_else(first).map(|of| of.to_string()),
            edited_at: record.edited_at.map(utc),
            is_for_bot: false,
        })
    }

    fn is_program(&self, message: &MessageRecord) -> bool {
        message.is_bot || self.users.get(&message.user_id).is_some_and(|of| of.is_bot)
    }

    /// The versions of a memory, without its stand-in.
    pub(super) fn versions(&self, of: &Series) -> Vec<&Text> {
        let mut texts = self.current_texts();
        texts.retain(|text| text.series() == *of && text.memory.version != STAND_IN_VERSION);
        texts
    }

    /// The newest version that may be shown in a place.
    pub(super) fn newest_seen(&self, place: &Place, of: &Series) -> Option<&Memory> {
        let mut newest = self.versions(of).into_iter().rev();
        newest
            .find(|text| self.shows(place, text))
            .map(|text| &text.memory)
    }

    /// The newest version that was merged into a channel's long-term memory.
    pub(super) fn merged(&self, channel_id: &str) -> Option<MemoryId> {
        let of = series(Scope::Channel, channel_id, MemoryType::LongTerm);
        self.versions(&of).pop()?.memory.merged_through
    }

    fn list_memories(&self, place: &Place, query: &MemoryQuery) -> Result<Vec<Memory>> {
        let until = optional(query.until.as_ref())?.map(TsKey::unix_seconds);
        let is_made =
            |text: &Text| until.is_none_or(|of| text.memory.updated_at.unix_seconds <= of);
        let threads = query.threads.iter().filter_map(|id| thread_id(id).ok());
        let threads: BTreeSet<String> = threads.collect();
        let is_asked_for = |memory: &Memory| {
            let id = &memory.scope_id;
            let is_left = || self.channels.get(id).is_some_and(|of| of.is_left);
            match (memory.scope, &query.channels) {
                (Scope::Workspace, _) => query.workspace && self.sees_open(place),
                (Scope::Thread, _) => threads.contains(id),
                (Scope::Channel, ChannelFilter::None) => false,
                (Scope::Channel, ChannelFilter::One(one)) => {
                    one == id && self.shows_channel(place, id)
                }
                (Scope::Channel, ChannelFilter::All) => !is_left() && self.shows_channel(place, id),
            }
        };
        // The short-term versions of a channel are bounded by their number.
        let is_recent = |text: &Text| {
            let (of, series) = (&text.memory, text.series());
            let is_unmerged = || query.unmerged && Some(of.id) > self.merged(&of.scope_id);
            let newer = self.versions(&series).into_iter();
            let newer = newer.filter(|text| is_made(text) && text.memory.version > of.version);
            (of.scope, of.memory_type) != (Scope::Channel, MemoryType::ShortTerm)
                || of.version == STAND_IN_VERSION
                || newer.count() < most(query.history_limit)
                || is_unmerged()
        };
        let found = self.current_texts().into_iter().filter(|text| {
            is_made(text)
                && is_asked_for(&text.memory)
                && is_recent(text)
                && self.shows(place, text)
        });
        let memories = found.map(|text| text.memory.clone());
        Ok(match query.citations {
            true => memories.map(|of| self.with_programs(of)).collect(),
            false => memories.map(without_citations).collect(),
        })
    }

    /// Says of each line whether programs wrote all its messages.
    pub(super) fn with_programs(&self, mut memory: Memory) -> Memory {
        let is_by_program = |(id, ts): MessageId| {
            let message = self.channels.get(&id).and_then(|of| of.shown(ts));
            message.is_some_and(|message| self.is_program(message))
        };
        for line in &mut memory.citations {
            let mut messages = line.messages.iter().map(message_id);
            line.by_program = !line.messages.is_empty()
                && messages.all(|message| message.is_ok_and(is_by_program));
        }
        memory
    }
}

pub(super) fn without_citations(memory: Memory) -> Memory {
    Memory {
        citations: Vec::new(),
        records: Vec::new(),
        ..memory
    }
}

fn utc(unix_seconds: i64) -> Timestamp {
    Timestamp {
        unix_seconds,
        utc_offset_seconds: 0,
    }
}
