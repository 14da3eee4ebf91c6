//! The upkeep of a workspace: waits, deferrals and costs.

use crate::Scope;
use crate::journal::{CallsOfMemory, ModelUse, StoredCall};
use crate::storage::{Deferral, StorageError};
use crate::waits::Wait;

/// A deferred memory, with its scope.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDeferral {
    /// Its subject.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// The name of its channel, or of its thread's channel; `None` for the workspace.
    pub channel_name: Option<String>,
    /// Until when it is deferred, and why.
    pub deferral: Deferral,
}

/// Work of a kind that is not done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Pile {
    /// How many pieces.
    pub count: i64,
    /// Since when there is the oldest, in Unix seconds, if that is known.
    pub since: Option<i64>,
}

/// The work that is not done.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Backlog {
    /// Events that have not taken effect.
    pub events: Pile,
    /// Mentions that are not answered.
    pub mentions: Pile,
    /// Parked work.
    pub parked: Pile,
}

/// How this process fares with its database.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct DatabaseUse {
    /// Calls that failed since the start for a reason of the database.
    pub errors: u64,
    /// The connections that are in use.
    pub used: usize,
    /// How many there can be; 0 if their number is not limited.
    pub most: usize,
}

/// Waits, deferrals and costs. No call returns messages or memories.
#[async_trait::async_trait]
pub trait Upkeep: Send + Sync {
    /// Lists the waits at `now`, in Unix seconds, in this order: memories, answers, events, channels that could not be read,
    /// and conversations that are not judged again yet. At most 100 of each kind, the ones that end first. A time that
    /// is later than such a wait can last is ignored.
    async fn waits(&self, now: i64) -> Result<Vec<Wait>, StorageError>;

    /// The work that is not done.
    async fn backlog(&self) -> Result<Backlog, StorageError>;

    /// How this process fares with its database.
    fn database_use(&self) -> DatabaseUse;

    /// All deferred memories, ordered by scope, scope id and type.
    async fn deferrals(&self) -> Result<Vec<StoredDeferral>, StorageError>;

    /// Ends all deferrals, so that the next run tries everything again; returns how many there were.
    async fn clear_deferrals(&self) -> Result<usize, StorageError>;

    /// Accepts the current memories that are set aside because it is not known what they were made from: those of a
    /// channel and its threads, or all. From then on they count as made from their own channel, and the workspace's as
    /// made from no channel that anybody may not see. It happens at `now`, in Unix seconds. Returns how many there were.
    async fn accept_memories(
        &self,
        channel_id: Option<String>,
        now: i64,
    ) -> Result<usize, StorageError>;

    /// Sets the current memories of a channel and its threads aside, or all, as replaced at `now`, in Unix seconds. All
    /// their messages wait again, so that the next backfill makes the memories anew. Ends their deferrals. Returns how
    /// many memories there were.
    ///
    /// # Errors
    /// `StorageError::NotFound` if there is no such channel.
    async fn begin_again(
        &self,
        channel_id: Option<String>,
        now: i64,
    ) -> Result<usize, StorageError>;

    /// The calls of models that began at or after `since` and before `before`, in milliseconds since 1970, in order.
    async fn calls(&self, since: i64, before: i64) -> Result<Vec<StoredCall>, StorageError>;

    /// The use of each model in the calls that [`Self::calls`] returns, and each embedder of those that the store was told of,
    /// ordered by provider, model and answering model. A budget asks before each call, so a store should sum without reading
    /// every call.
    async fn use_of_models(&self, since: i64, before: i64) -> Result<Vec<ModelUse>, StorageError> {
        Ok(ModelUse::of(&self.calls(since, before).await?))
    }

    /// The calls that were made for a memory, with the digest of its input. For a memory of another workspace there are
    /// none.
    async fn calls_of_memory(&self, memory: u64) -> Result<CallsOfMemory, StorageError>;
}
