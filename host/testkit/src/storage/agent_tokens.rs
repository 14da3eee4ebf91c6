//! Tokens with which agents ask for a person.

use myao_plugin::state::agent_tokens::{AgentToken, AgentTokens, TokenHash, USED_SECONDS};
use myao_plugin::storage::StorageError;

use super::MemoryStorage;

/// What was issued.
#[derive(Debug, Clone, Default)]
pub(super) struct Issued {
    tokens: Vec<(TokenHash, AgentToken)>,
    last_id: i64,
}

impl Issued {
    /// Forgets all that a person has.
    pub(super) fn forget(&mut self, user_id: &str) {
        self.tokens.retain(|(_, token)| token.user_id != user_id);
    }
}

#[async_trait::async_trait]
impl AgentTokens for MemoryStorage {
    async fn add_agent_token(
        &self,
        user_id: &str,
        name: &str,
        hash: TokenHash,
        now: i64,
    ) -> Result<AgentToken, StorageError> {
        let issued = &mut self.state().agent_tokens;
        issued.last_id += 1;
        let token = AgentToken {
            id: issued.last_id,
            user_id: user_id.to_owned(),
            name: name.to_owned(),
            made_at: now,
            used_at: None,
        };
        issued.tokens.push((hash, token.clone()));
        Ok(token)
    }

    async fn agent_tokens(&self, user_id: &str) -> Result<Vec<AgentToken>, StorageError> {
        let state = self.state();
        let tokens = state.agent_tokens.tokens.iter().map(|(_, token)| token);
        Ok(tokens
            .filter(|token| token.user_id == user_id)
            .cloned()
            .collect())
    }

    async fn use_agent_token(
        &self,
        hash: TokenHash,
        now: i64,
    ) -> Result<Option<AgentToken>, StorageError> {
        let mut state = self.state();
        let mut tokens = state.agent_tokens.tokens.iter_mut();
        let Some((_, token)) = tokens.find(|(of, _)| *of == hash) else {
            return Ok(None);
        };
        if token
            .used_at
            .is_none_or(|used_at| now >= used_at + USED_SECONDS)
        {
            token.used_at = Some(now);
        }
        Ok(Some(token.clone()))
    }

    async fn remove_agent_token(&self, user_id: &str, id: i64) -> Result<bool, StorageError> {
        let tokens = &mut self.state().agent_tokens.tokens;
        let before = tokens.len();
        tokens.retain(|(_, token)| token.id != id || token.user_id != user_id);
        Ok(tokens.len() < before)
    }
}
