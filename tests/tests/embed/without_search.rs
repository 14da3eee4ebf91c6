//! A store that cannot search, as a host may have one.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryId, MemoryQuery, Message,
    MessageQuery, Storage, StorageError,
};
use myao_plugin::{KeptSpan, KeptText, Place, Places, Scope};

/// A store that finds nothing, and is the same otherwise.
pub(crate) struct WithoutSearch<P>(pub(crate) P);

impl<P: Places> Places for WithoutSearch<P> {
    fn at(&self, place: Place) -> Arc<dyn Storage> {
        Arc::new(Opened(self.0.at(place)))
    }
}

/// Has the defaults of `find_candidates` and `terms`.
struct Opened(Arc<dyn Storage>);

#[async_trait::async_trait]
impl Storage for Opened {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.0.list_channels().await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.0.list_messages(query).await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        self.0.list_memories(query).await
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        self.0.read_spans(spans).await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        self.0.list_due(query).await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        self.0.get_backlog(channel_id, thread_ts, until).await
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        self.0.save_memory(draft, handed).await
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        self.0.may_show(memories).await
    }

    async fn hand_out(&self, channel_id: String, ids: Vec<String>) -> Result<(), StorageError> {
        self.0.hand_out(channel_id, ids).await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        self.0.list_deferrals(scope, scope_id).await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        self.0.defer(scope, scope_id, deferral).await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        self.0.expect_first_version(channel_ids, since).await
    }
}
