//! A store with nothing in it, for calls that are handed everything they need.

use super::{
    Backlog, Channel, Due, DueQuery, Memory, MemoryDraft, MemoryQuery, Message, MessageQuery,
    Storage, StorageError,
};

/// A store with nothing in it, which takes nothing in.
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

    async fn save_memory(&self, _: MemoryDraft) -> Result<Memory, StorageError> {
        Err(StorageError::Unavailable(
            "this store takes nothing in".to_owned(),
        ))
    }
}
