//! The import `storage`, over a [`Storage`](crate::storage::Storage).

use super::CallState;
use crate::bindings::storage::{
    Backlog, Deferral, Due, DueQuery, Host, Memory, MemoryDraft, MemoryQuery, MessageQuery,
    StorageError,
};
use crate::bindings::types::{Channel, Message, Scope};

impl Host for CallState {
    async fn list_channels(&mut self) -> Result<Vec<Channel>, StorageError> {
        self.capabilities.storage.list_channels().await
    }

    async fn list_messages(&mut self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        self.capabilities.storage.list_messages(query).await
    }

    async fn list_memories(&mut self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        self.capabilities.storage.list_memories(query).await
    }

    async fn list_due(&mut self, query: DueQuery) -> Result<Due, StorageError> {
        self.capabilities.storage.list_due(query).await
    }

    async fn get_backlog(
        &mut self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        self.capabilities
            .storage
            .get_backlog(channel_id, thread_ts, until)
            .await
    }

    async fn save_memory(&mut self, draft: MemoryDraft) -> Result<Memory, StorageError> {
        self.attempts
            .end(draft.scope, &draft.scope_id, draft.memory_type);
        self.capabilities.storage.save_memory(draft).await
    }

    async fn list_deferrals(
        &mut self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        let storage = &self.capabilities.storage;
        storage.list_deferrals(scope, scope_id).await
    }

    async fn defer(
        &mut self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        self.attempts.end(scope, &scope_id, deferral.memory_type);
        let storage = &self.capabilities.storage;
        storage.defer(scope, scope_id, deferral).await
    }
}
