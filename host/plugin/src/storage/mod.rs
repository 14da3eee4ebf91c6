//! The store of messages, channels and memories.
//!
//! [`Storage`] is what the component sees of it: one workspace, coarse calls. The crate `myao-sqlite` has
//! the store of the `myao` program; a platform that keeps its own messages implements the trait.

pub mod effects;
pub mod empty;
pub mod records;

use std::sync::Arc;

pub use crate::bindings::storage::{
    Backlog, ChannelFilter, Deferral, Due, DueQuery, Keep, Memory, MemoryDraft, MemoryQuery,
    MessageQuery, SaveMode, StorageError,
};
use crate::bindings::types::Scope;
pub use crate::bindings::types::{Channel, Coverage, LeftOut, Message};

/// The version of a stand-in: a memory made in place of one that the model could not make.
pub const STAND_IN_VERSION: u32 = 0;

/// One workspace of a store, as the component sees it. `wit/storage.wit` documents each call; an
/// implementation keeps every word of it (the conformance suite of `myao-testkit` checks one).
///
/// The store of the program is one; the store in memory of the crate `myao-testkit` is the one to read before writing
/// another.
#[async_trait::async_trait]
pub trait Storage: Send + Sync {
    /// All channels, ordered by name and then by id.
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError>;

    /// Messages of one channel, oldest first, with the first message of every thread that shows.
    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError>;

    /// Memories, ordered by scope, scope id, type and version, with the stand-ins beside them.
    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError>;

    /// What may be due.
    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError>;

    /// What waits in one channel, or in one of its threads.
    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError>;

    /// Saves one memory, all of it or nothing, and ends its deferral.
    async fn save_memory(&self, draft: MemoryDraft) -> Result<Memory, StorageError>;

    /// What rests of one workspace, channel or thread, by memory type.
    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError>;

    /// Lets a memory rest, in place of an earlier deferral of it.
    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError>;

    /// Has the first version of these channels take in everything from `since` on, however old it is by then: a run found
    /// them due with a message window that begins there. Of two such times the earlier counts; a channel that has a version
    /// is left as it is.
    ///
    /// The host calls this, not the component. Until the channel's first version is saved, its backlogs tell of it: they
    /// have no `short-term-version`, and `summarized-through` is the last id before `since`. `list-due` names the channel
    /// while it has a message after that. A store that does not keep it, as here, loses what its window has left behind when a
    /// model was away on a channel's first day.
    async fn expect_first_version(
        &self,
        _channel_ids: Vec<String>,
        _since: String,
    ) -> Result<(), StorageError> {
        Ok(())
    }
}

/// A shared one is one, too.
#[async_trait::async_trait]
impl<T: Storage + ?Sized> Storage for Arc<T> {
    async fn list_channels(&self) -> Result<Vec<Channel>, StorageError> {
        (**self).list_channels().await
    }

    async fn list_messages(&self, query: MessageQuery) -> Result<Vec<Message>, StorageError> {
        (**self).list_messages(query).await
    }

    async fn list_memories(&self, query: MemoryQuery) -> Result<Vec<Memory>, StorageError> {
        (**self).list_memories(query).await
    }

    async fn list_due(&self, query: DueQuery) -> Result<Due, StorageError> {
        (**self).list_due(query).await
    }

    async fn get_backlog(
        &self,
        channel_id: String,
        thread_ts: Option<String>,
        until: String,
    ) -> Result<Backlog, StorageError> {
        (**self).get_backlog(channel_id, thread_ts, until).await
    }

    async fn save_memory(&self, draft: MemoryDraft) -> Result<Memory, StorageError> {
        (**self).save_memory(draft).await
    }

    async fn list_deferrals(
        &self,
        scope: Scope,
        scope_id: String,
    ) -> Result<Vec<Deferral>, StorageError> {
        (**self).list_deferrals(scope, scope_id).await
    }

    async fn defer(
        &self,
        scope: Scope,
        scope_id: String,
        deferral: Deferral,
    ) -> Result<(), StorageError> {
        (**self).defer(scope, scope_id, deferral).await
    }

    async fn expect_first_version(
        &self,
        channel_ids: Vec<String>,
        since: String,
    ) -> Result<(), StorageError> {
        (**self).expect_first_version(channel_ids, since).await
    }
}
