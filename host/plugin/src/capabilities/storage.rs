//! The import `storage`, over a [`Storage`].

use super::CallState;
use crate::bindings::storage::{
    Backlog, Deferral, Due, DueQuery, Host, ItemQuery, Marked, Memory, MemoryDraft, MemoryQuery,
    MessageQuery, StorageError, Strike,
};
use crate::bindings::types::{Channel, Item, KeptSpan, KeptText, MemoryType, Message, Scope};
use crate::storage::Storage;

type Stored<T> = wasmtime::Result<Result<T, StorageError>>;

/// Tells the store from which time on the first versions that are due begin. If the model is unavailable now, the next
/// run must not begin later.
async fn expect_first_versions(
    storage: &dyn Storage,
    due: &Due,
    window_start: String,
) -> Result<(), StorageError> {
    let channels = due.channels.iter();
    let first = channels.filter(|backlog| backlog.short_term_version.is_none());
    let ids: Vec<String> = first.map(|backlog| backlog.channel.id.clone()).collect();
    if ids.is_empty() {
        return Ok(());
    }
    storage.expect_first_version(ids, window_start).await
}

/// The schedule needs no names.
fn without_names(mut due: Due) -> Due {
    for backlog in due.channels.iter_mut().chain(&mut due.threads) {
        backlog.channel.name.clear();
    }
    due
}

impl Host for CallState {
    async fn list_channels(&mut self) -> Stored<Vec<Channel>> {
        self.bound.reads("channels")?;
        import!(self, "storage.list-channels", (), {
            self.storage.list_channels().await
        })
    }

    async fn list_messages(&mut self, query: MessageQuery) -> Stored<Vec<Message>> {
        self.bound.hears(&query.channel_id, "read messages of")?;
        import!(self, "storage.list-messages", query, {
            let channel_id = query.channel_id.clone();
            let messages = self.storage.list_messages(query).await;
            if let Ok(messages) = &messages {
                self.bound.hand_messages(messages);
                self.tape.saw_messages(&channel_id, messages);
            }
            messages
        })
    }

    async fn list_marked(
        &mut self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Stored<Vec<Marked>> {
        self.bound.hears(&channel_id, "read the marks of")?;
        import!(self, "storage.list-marked", (&channel_id, &until, limit), {
            let marked = self
                .storage
                .list_marked(channel_id.clone(), until, limit)
                .await;
            if let Ok(marked) = &marked {
                let messages: Vec<Message> =
                    marked.iter().map(|marked| marked.message.clone()).collect();
                self.bound.hand_messages(&messages);
                self.tape.saw_messages(&channel_id, &messages);
            }
            marked
        })
    }

    async fn list_strikes(&mut self) -> Stored<Vec<Strike>> {
        self.bound.reads("strikes")?;
        import!(self, "storage.list-strikes", (), {
            self.storage.list_strikes().await
        })
    }

    async fn list_memories(&mut self, query: MemoryQuery) -> Stored<Vec<Memory>> {
        self.bound.reads("memories")?;
        for thread in &query.threads {
            self.bound
                .owns(Scope::Thread, thread, "read the memory of thread")?;
        }
        import!(self, "storage.list-memories", query, {
            let memories = self.storage.list_memories(query).await;
            if let Ok(memories) = &memories {
                self.bound.hand_memories(memories);
                self.tape.saw_memories(memories);
            }
            memories
        })
    }

    async fn read_spans(&mut self, spans: Vec<KeptSpan>) -> Stored<Vec<KeptText>> {
        self.bound.may_read(&spans)?;
        import!(self, "storage.read-spans", spans, {
            let texts = self.storage.read_spans(spans).await;
            if let Ok(texts) = &texts {
                self.tape.saw_texts(texts);
            }
            texts
        })
    }

    async fn list_items(&mut self, query: ItemQuery) -> Stored<Option<Vec<Item>>> {
        match &query.channel_id {
            Some(channel_id) => self.bound.hears(channel_id, "read the items of")?,
            None => self.bound.reads("items")?,
        }
        import!(self, "storage.list-items", query, {
            let items = self.storage.list_items(query).await;
            if let Ok(Some(items)) = &items {
                let titles: Vec<KeptText> = items.iter().map(|item| item.title.clone()).collect();
                self.bound.hand_texts(&titles);
                let sources = items.iter().filter_map(|item| item.state_source.as_ref());
                self.bound.hand_references(sources);
                self.tape.saw_texts(&titles);
            }
            items
        })
    }

    async fn list_due(&mut self, query: DueQuery) -> Stored<Due> {
        self.bound.schedules()?;
        import!(self, "storage.list-due", query, {
            let window_start = query.window_start.clone();
            match self.storage.list_due(query).await.map(without_names) {
                Ok(due) if !self.capabilities.is_backfill => {
                    let expected = expect_first_versions(&*self.storage, &due, window_start).await;
                    expected.map(|()| due)
                }
                due => due,
            }
        })
    }

    async fn get_backlog(
        &mut self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Stored<Backlog> {
        self.bound.hears(&channel_id, "read the backlog of")?;
        import!(
            self,
            "storage.get-backlog",
            (&channel_id, &thread_ts, &until),
            { self.storage.get_backlog(channel_id, thread_ts, until).await }
        )
    }

    async fn save_memory(&mut self, draft: MemoryDraft) -> Stored<Memory> {
        self.bound
            .makes(draft.scope, &draft.scope_id, "save a memory of")?;
        import!(self, "storage.save-memory", draft, {
            self.bound.may_save(&draft)?;
            self.budget.save(draft_bytes(&draft))?;
            self.attempts
                .end(draft.scope, &draft.scope_id, draft.memory_type);
            // Text that was edited or deleted since is recorded nowhere.
            if self.tape.is_recording()
                && self.storage.may_show(self.bound.handed()).await == Ok(true)
            {
                self.tape.keep(&draft).await;
            }
            if let Some(turn) = &self.capabilities.turn
                && (draft.memory_type == MemoryType::LongTerm
                    || self
                        .capabilities
                        .settings
                        .is_on("memory.legacy_workspace_short_term"))
            {
                turn.come().await;
            }
            let saved = self.storage.save_memory(draft, self.bound.handed()).await;
            match &saved {
                Ok(saved) => {
                    let saved = std::slice::from_ref(saved);
                    self.bound.hand_memories(saved);
                    self.tape.saw_memories(saved);
                }
                Err(StorageError::Conflict(_)) => self.tape.discard().await,
                Err(_) => {}
            }
            saved
        })
    }

    async fn list_deferrals(&mut self, scope: Scope, scope_id: String) -> Stored<Vec<Deferral>> {
        self.bound.owns(scope, &scope_id, "read the deferrals of")?;
        import!(self, "storage.list-deferrals", (scope, &scope_id), {
            self.storage.list_deferrals(scope, scope_id).await
        })
    }

    async fn defer(&mut self, scope: Scope, scope_id: String, deferral: Deferral) -> Stored<()> {
        self.bound.makes(scope, &scope_id, "defer a memory of")?;
        import!(self, "storage.defer", (scope, &scope_id, &deferral), {
            self.budget.save(scope_id.len() + deferral.reason.len())?;
            self.attempts.end(scope, &scope_id, deferral.memory_type);
            self.storage.defer(scope, scope_id, deferral).await
        })
    }
}

/// How many bytes a memory adds to the store.
fn draft_bytes(draft: &MemoryDraft) -> usize {
    let texts = [&draft.scope_id, &draft.content, &draft.source_channel_id];
    let texts = texts.into_iter().chain(&draft.source_messages);
    let texts = texts.chain(&draft.source_latest_message_ts);
    texts.map(String::len).sum::<usize>()
        + size_of_val(draft.source_memories.as_slice())
        + size_of_val(draft.records.as_slice())
        + size_of_val(draft.items.as_slice())
}
