//! A store without a database: what the component is asked for is there already, and is copied.

use std::collections::BTreeSet;
use std::sync::Arc;

use myao_plugin::storage::empty::EmptyStorage;
use myao_plugin::storage::{
    Backlog, Channel, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryId, MemoryQuery, Message,
    MessageQuery, Storage, StorageError,
};
use myao_plugin::{KeptSpan, KeptText, Place, Places, Scope};

/// A store that has all answers in memory.
#[derive(Debug, Clone)]
pub struct AtHand {
    /// All channels.
    pub channels: Vec<Channel>,
    /// The memories.
    pub memories: Vec<Memory>,
    /// The messages of the channel.
    pub messages: Vec<Message>,
}

#[async_trait::async_trait]
impl Storage for AtHand {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        Ok(self.channels.clone())
    }

    async fn list_messages(&self, _: MessageQuery) -> Result<Vec<Message>, StorageError> {
        Ok(self.messages.clone())
    }

    async fn list_memories(&self, _: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        Ok(self.memories.clone())
    }

    async fn read_spans(&self, spans: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        EmptyStorage.read_spans(spans).await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        EmptyStorage.list_due(query).await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        EmptyStorage.get_backlog(channel_id, thread_ts, until).await
    }

    async fn save_memory(
        &self,
        draft: MemoryDraft,
        handed: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        EmptyStorage.save_memory(draft, handed).await
    }

    async fn may_show(&self, _: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        Ok(true)
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        EmptyStorage.list_deferrals(scope, scope_id).await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        EmptyStorage.defer(scope, scope_id, deferral).await
    }
}

/// It holds one channel's data, and is not asked for another's.
impl Places for AtHand {
    fn at(&self, _: Place) -> Arc<dyn Storage> {
        Arc::new(self.clone())
    }
}
