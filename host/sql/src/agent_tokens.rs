//! Tokens with which agents ask for a person.

use crate::params;
use crate::session::{OptionalExtension, Result, Row};
use myao_plugin::state::agent_tokens::{AgentToken, AgentTokens, TokenHash, USED_SECONDS};
use myao_plugin::storage::StorageError;

use crate::rows::list;
use crate::workspace::SqlWorkspace;

const COLUMNS: &str = "id, user_id, name, made_at, used_at";

#[async_trait::async_trait]
impl AgentTokens for SqlWorkspace {
    async fn add_agent_token(
        &self,
        user_id: &str,
        name: &str,
        hash: TokenHash,
        now: i64,
    ) -> Result<AgentToken, StorageError> {
        let (user_id, name) = (user_id.to_owned(), name.to_owned());
        self.writing(move |connection, place| {
            let sql = format!(
                "INSERT INTO agent_tokens (workspace, user_id, name, hash, made_at) VALUES (?1, ?2, ?3, ?4, ?5) \
                 RETURNING {COLUMNS}"
            );
            let columns = params![place.workspace, user_id, name, hash, now];
            Ok(connection.query_row(&sql, columns, token)?)
        })
        .await
    }

    async fn agent_tokens(&self, user_id: &str) -> Result<Vec<AgentToken>, StorageError> {
        let user_id = user_id.to_owned();
        self.reading(move |connection, place| {
            let sql = format!(
                "SELECT {COLUMNS} FROM agent_tokens WHERE workspace = ?1 AND user_id = ?2 ORDER BY id"
            );
            Ok(list(connection, &sql, params![place.workspace, user_id], token)?)
        })
        .await
    }

    async fn use_agent_token(
        &self,
        hash: TokenHash,
        now: i64,
    ) -> Result<Option<AgentToken>, StorageError> {
        let found = self
            .reading(move |connection, place| {
                let sql = format!(
                    "SELECT {COLUMNS} FROM agent_tokens WHERE workspace = ?1 AND hash = ?2"
                );
                let found = connection.query_row(&sql, params![place.workspace, hash], token);
                Ok(found.optional()?)
            })
            .await?;
        let Some(found) = found else {
            return Ok(None);
        };
        if found
            .used_at
            .is_some_and(|used_at| now < used_at + USED_SECONDS)
        {
            return Ok(Some(found));
        }
        self.writing(move |connection, _| {
            let sql =
                format!("UPDATE agent_tokens SET used_at = ?2 WHERE id = ?1 RETURNING {COLUMNS}");
            let used = connection.query_row(&sql, params![found.id, now], token);
            Ok(used.optional()?)
        })
        .await
    }

    async fn remove_agent_token(&self, user_id: &str, id: i64) -> Result<bool, StorageError> {
        let user_id = user_id.to_owned();
        self.writing(move |connection, place| {
            let sql = "DELETE FROM agent_tokens WHERE workspace = ?1 AND user_id = ?2 AND id = ?3";
            let columns = params![place.workspace, user_id, id];
            Ok(connection.execute(sql, columns)? > 0)
        })
        .await
    }
}

fn token(row: &Row<'_>) -> Result<AgentToken> {
    Ok(AgentToken {
        id: row.get(0)?,
        user_id: row.get(1)?,
        name: row.get(2)?,
        made_at: row.get(3)?,
        used_at: row.get(4)?,
    })
}
