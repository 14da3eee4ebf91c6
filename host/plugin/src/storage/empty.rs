//! An empty store, for calls that get everything they need as arguments.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Places;
use super::{
    Backlog, Channel, Deferral, Due, DueQuery, Memory, MemoryDraft, MemoryId, MemoryQuery, Message,
    MessageQuery, Storage, StorageError,
};
use crate::bindings::types::{KeptSpan, KeptText, Scope};
use crate::place::Place;

/// A store that is empty and cannot be written to.
#[derive(Debug, Clone, Copy)]
pub struct EmptyStorage;

#[async_trait::async_trait]
impl Storage for EmptyStorage {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        Ok(Vec::new())
    }

    async fn list_messages(&self, _: MessageQuery) -> Result<Vec<Message>, StorageError> {
        Ok(Vec::new())
    }

    async fn list_memories(&self, _: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        Ok(Vec::new())
    }

    async fn read_spans(&self, _: Vec<KeptSpan>) -> Result<Vec<KeptText>, StorageError> {
        Ok(Vec::new())
    }

    async fn list_due(&self, _: DueQuery) -> Result<Due, StorageError> {
        Ok(Due {
            channels: Vec::new(),
            threads: Vec::new(),
            workspace_long_term: false,
            workspace_short_term: false,
        })
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        _: Option<String>,
        _: String,
    ) -> Result<Backlog, StorageError> {
        Err(StorageError::NotFound(format!(
            "channel {channel_id}: this store is empty"
        )))
    }

    async fn save_memory(
        &self,
        _: MemoryDraft,
        _: BTreeSet<MemoryId>,
    ) -> Result<Memory, StorageError> {
        Err(takes_nothing_in())
    }

    async fn may_show(&self, memories: BTreeSet<MemoryId>) -> Result<bool, StorageError> {
        Ok(memories.is_empty())
    }

    async fn list_deferrals(&self, _: Scope, _: String) -> Result<Vec<Deferral>, StorageError> {
        Ok(Vec::new())
    }

    async fn defer(&self, _: Scope, _: String, _: Deferral) -> Result<(), StorageError> {
        Err(takes_nothing_in())
    }
}

impl Places for EmptyStorage {
    fn at(&self, _: Place) -> Arc<dyn Storage> {
        Arc::new(*self)
    }
}

fn takes_nothing_in() -> StorageError {
    StorageError::Unavailable("this store takes nothing in".to_owned())
}
