//! Tokens with which agents ask for a person.

use crate::storage::StorageError;

/// A token that a person gave to an agent. The token itself is not stored, only its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AgentToken {
    /// Counted from 1 on, for all people; none comes twice.
    pub id: i64,
    /// The person, by the user's id.
    pub user_id: String,
    /// The person's name for it.
    pub name: String,
    /// In Unix seconds.
    pub made_at: i64,
    /// When it was last used, to the hour, in Unix seconds; `None` if it never was.
    pub used_at: Option<i64>,
}

/// The SHA-256 of a token.
pub type TokenHash = [u8; 32];

/// How exactly [`AgentToken::used_at`] is kept, in seconds: not every request writes.
pub const USED_SECONDS: i64 = 3600;

/// Tokens with which agents ask for a person. They go when what the person said is forgotten.
#[async_trait::async_trait]
pub trait AgentTokens: Send + Sync {
    /// Keeps a person's new token, at a time in Unix seconds.
    async fn add_agent_token(
        &self,
        user_id: &str,
        name: &str,
        hash: TokenHash,
        now: i64,
    ) -> Result<AgentToken, StorageError>;

    /// A person's tokens, oldest first.
    async fn agent_tokens(&self, user_id: &str) -> Result<Vec<AgentToken>, StorageError>;

    /// The token with this hash, used at a time in Unix seconds; `None` if there is none, or not any more.
    async fn use_agent_token(
        &self,
        hash: TokenHash,
        now: i64,
    ) -> Result<Option<AgentToken>, StorageError>;

    /// Removes a token at `now`, in Unix seconds, if it is this person's. Returns whether it was there.
    async fn remove_agent_token(
        &self,
        user_id: &str,
        id: i64,
        now: i64,
    ) -> Result<bool, StorageError>;
}
