//! A store that reports its calls to a listener.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_plugin::embedder::Meaning;
use myao_plugin::storage::recall::{Candidates, RecallQuery};
use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, ItemQuery, Marked, Memory, MemoryDraft, MemoryId,
    MemoryQuery, Message, MessageQuery, Storage, StorageError, Strike,
};
use myao_plugin::{Item, KeptSpan, KeptText, Place, Places, Scope};

use super::Line;

pub(super) fn tapped(inner: Arc<dyn Places>, line: Line) -> Arc<dyn Places> {
    Arc::new(TappedPlaces { inner, line })
}

struct TappedPlaces {
    inner: Arc<dyn Places>,
    line: Line,
}

impl Places for TappedPlaces {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        Arc::new(Tapped {
            inner: self.inner.at(place),
            line: self.line.clone(),
        })
    }
}

struct Tapped {
    inner: Arc<dyn Storage>,
    line: Line,
}

#[async_trait::async_trait]
impl Storage for Tapped {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        let call = self.line.call("storage.list-channels", &());
        self.line.through(call, self.inner.list_channels()).await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        let call = self.line.call("storage.list-messages", &query);
        let done = self.inner.list_messages(query);
        self.line.through(call, done).await
    }

    async fn list_marked(
        &self,
        channel_id: String,
        until: String,
        limit: u32,
    ) -> Result<Vec<Marked>, StorageError> {
        let arguments = (&channel_id, &until, limit);
        let call = self.line.call("storage.list-marked", &arguments);
        let done = self.inner.list_marked(channel_id, until, limit);
        self.line.through(call, done).await
    }

    async fn list_strikes(&self) -> Result<Vec<Strike>, StorageError> {
        let call = self.line.call("storage.list-strikes", &());
        self.line.through(call, self.inner.list_strikes()).await
    }

    async fn list_items(&self, query: ItemQuery) -> Result<Option<Vec<Item>>, StorageError> {
        let call = self.line.call("storage.list-items", &query);
        let done = self.inner.list_items(query);
        self.line.through(call, done).await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        let call = self.line.call("storage.list-memories", &query);
        let done = self.inner.list_memories(query);
        self.line.through(call, done).await
    }

    async fn find_candidates(
        &self,
        query: RecallQuery,
        meaning: Option<Meaning>,
    ) -> Result<Candidates, StorageError> {
        let call = self.line.call("recall.find-candidates", &query);
        let done = self.inner.find_candidates(query, meaning);
        self.line.through(call, done).await
    }

    fn terms(&self, text: &str) -> Vec<String> {
        self.inner.terms(text)
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        let call = self.line.call("storage.read-spans", &spans);
        let done = self.inner.read_spans(spans);
        self.line.through(call, done).await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        let call = self.line.call("storage.list-due", &query);
        self.line.through(call, self.inner.list_due(query)).await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        let arguments = (&channel_id, &thread_ts, &until);
        let call = self.line.call("storage.get-backlog", &arguments);
        let done = self.inner.get_backlog(channel_id, thread_ts, until);
        self.line.through(call, done).await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        // The component never calls it.
        self.inner.expect_first_version(channel_ids, since).await
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        let call = self.line.call("storage.save-memory", &draft);
        let done = self.inner.save_memory(draft, handed);
        self.line.through(call, done).await
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        // The component never calls it.
        self.inner.may_show(memories).await
    }

    async fn hand_out(&self, channel_id: String, ids: Vec<String>) -> Result<(), StorageError> {
        // The component never calls it.
        self.inner.hand_out(channel_id, ids).await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        let call = self
            .line
            .call("storage.list-deferrals", &(scope, &scope_id));
        let done = self.inner.list_deferrals(scope, scope_id);
        self.line.through(call, done).await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        let arguments = (scope, &scope_id, &deferral);
        let call = self.line.call("storage.defer", &arguments);
        let done = self.inner.defer(scope, scope_id, deferral);
        self.line.through(call, done).await
    }
}
