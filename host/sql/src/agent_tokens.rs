//! Tokens with which agents ask for a person.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result, Row};
use myao_plugin::state::agent_tokens::{AgentToken, AgentTokens, TokenHash, USED_SECONDS};
use myao_plugin::state::audit::{Action, Target};
use myao_plugin::storage::StorageError;

use crate::audit::note;
use crate::place::Place;
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
            let added = connection.query_row(&sql, columns, token)?;
            note_token(connection, place, Action::MakeToken, (&user_id, added.id), now)?;
            Ok(added)
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

    async fn remove_agent_token(
        &self,
        user_id: &str,
        id: i64,
        now: i64,
    ) -> Result<bool, StorageError> {
        let user_id = user_id.to_owned();
        self.writing(move |connection, place| {
            Ok(remove(connection, place, (&user_id, Some(id)), now)? > 0)
        })
        .await
    }
}

/// Removes one token of a person, or all. Returns how many there were.
pub(crate) fn remove(
    connection: &Connection,
    place: &Place,
    (user_id, id): (&str, Option<i64>),
    now: i64,
) -> Result<usize> {
    let sql = "DELETE FROM agent_tokens WHERE workspace = ?1 AND user_id = ?2 AND id = COALESCE(?3, id) RETURNING id";
    let columns = params![place.workspace, user_id, id];
    let mut removed: Vec<i64> = list(connection, sql, columns, |row| row.get(0))?;
    removed.sort_unstable();
    for id in &removed {
        note_token(connection, place, Action::RemoveToken, (user_id, *id), now)?;
    }
    Ok(removed.len())
}

fn note_token(
    connection: &Connection,
    place: &Place,
    action: Action,
    (user_id, id): (&str, i64),
    now: i64,
) -> Result<()> {
    let target = Target {
        token: Some(id),
        ..Target::user(user_id)
    };
    note(connection, place, &place.act(action, target, now))
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
