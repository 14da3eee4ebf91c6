//! What those who look after a workspace ask: what waits, what is deferred, what was paid.

use crate::Scope;
use crate::journal::{CallsOfMemory, StoredCall};
use crate::storage::{Deferral, StorageError};
use crate::waits::Wait;

/// A deferred memory, with what it is about.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredDeferral {
    /// What it is about.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// The name of its channel, or of its thread's channel; `None` for the workspace.
    pub channel_name: Option<String>,
    /// Until when it is deferred, and why.
    pub deferral: Deferral,
}

/// What waits, what is deferred, and what was paid. No call returns what people said.
#[async_trait::async_trait]
pub trait Upkeep: Send + Sync {
    /// What waits at `now`, in Unix seconds: memories, answers, events, channels that could not be read, and conversations that
    /// are not judged again before; in this order. At most 100 of a kind, those that end first. Times further ahead than such a wait can last do not count.
    async fn waits(&self, now: i64) -> Result<Vec<Wait>, StorageError>;

    /// All deferred memories, ordered by scope, scope id and type.
    async fn deferrals(&self) -> Result<Vec<StoredDeferral>, StorageError>;

    /// Ends all deferrals, so that the next run tries everything again; returns how many there were.
    async fn clear_deferrals(&self) -> Result<usize, StorageError>;

    /// The calls of models that began from `since` on and before `before`, in milliseconds since 1970, in order.
    async fn calls(&self, since: i64, before: i64) -> Result<Vec<StoredCall>, StorageError>;

    /// The calls that a memory took, with the digest of its input. A memory of another workspace took none.
    async fn calls_of_memory(&self, memory: u64) -> Result<CallsOfMemory, StorageError>;
}
