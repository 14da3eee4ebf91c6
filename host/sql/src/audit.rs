//! The audit log. Each act is noted in its own transaction.

use myao_plugin::state::audit::{Action, Actor, Audit, AuditEntry, Door, Gone, Target};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;
use myao_terms::addressed;

use crate::params;
use crate::place::Place;
use crate::rows::{list, memory_column, memory_id};
use crate::session::{Connection, Error, OptionalExtension, Result, Row};
use crate::workspace::SqlWorkspace;

#[async_trait::async_trait]
impl Audit for SqlWorkspace {
    async fn note_sign_in(&self, now: i64) -> Result<(), StorageError> {
        self.writing(move |connection, place| {
            let entry = place.act(Action::SignIn, Target::default(), now);
            Ok(note(connection, place, &entry)?)
        })
        .await
    }

    async fn audit(&self, since: i64) -> Result<Vec<AuditEntry>, StorageError> {
        self.reading(move |connection, place| {
            let sql = include_str!("sql/audit.sql");
            let columns = params![place.workspace, since];
            Ok(list(connection, sql, columns, entry)?)
        })
        .await
    }

    async fn expire_audit(&self, before: i64) -> Result<usize, StorageError> {
        self.writing(move |connection, place| {
            let expire = "DELETE FROM audit WHERE workspace = ?1 AND at < ?2";
            Ok(connection.execute(expire, [place.workspace, before])?)
        })
        .await
    }
}

impl Place {
    /// An act of whoever the store was opened for, at a time in Unix seconds.
    pub(crate) fn act(&self, action: Action, target: Target, at: i64) -> AuditEntry {
        AuditEntry {
            at,
            actor: self.by.clone(),
            action,
            target,
            erased: None,
        }
    }

    /// A user of whom the chat tells; the id is empty if it does not say who it was.
    pub(crate) fn user(&self, id: &str) -> Actor {
        Actor {
            id: (!id.is_empty()).then(|| id.to_owned()),
            door: self.by.door,
        }
    }
}

/// Adds an entry.
pub(crate) fn note(connection: &Connection, place: &Place, entry: &AuditEntry) -> Result<()> {
    let (actor, target) = (&entry.actor, &entry.target);
    let erased = |count: fn(&Gone) -> usize| {
        let count = entry.erased.as_ref().map(count);
        count.map(|count| i64::try_from(count).unwrap_or(i64::MAX))
    };
    let columns = params![
        place.workspace,
        entry.at,
        actor.id,
        actor.door.code(),
        entry.action.code(),
        target.channel_id,
        target.ts.map(TsKey::to_database),
        target.user_id,
        target.memory.map(memory_column),
        target.token,
        erased(|gone| gone.messages),
        erased(|gone| gone.lines),
        erased(|gone| gone.memories),
    ];
    connection.execute(include_str!("sql/insert_audit.sql"), columns)?;
    Ok(())
}

/// An entry from the columns that `sql/audit.sql` selects.
fn entry(row: &Row<'_>) -> Result<AuditEntry> {
    let (door, action): (i64, i64) = (row.get(2)?, row.get(3)?);
    let unknown = || Error::Value(format!("no act has the codes {door} and {action}").into());
    let erased = row.get::<Option<usize>>(9)?.map(|messages| {
        Ok::<_, Error>(Gone {
            messages,
            lines: row.get(10)?,
            memories: row.get(11)?,
        })
    });
    Ok(AuditEntry {
        at: row.get(0)?,
        actor: Actor {
            id: row.get(1)?,
            door: Door::of_code(door).ok_or_else(unknown)?,
        },
        action: Action::of_code(action).ok_or_else(unknown)?,
        target: Target {
            channel_id: row.get(4)?,
            ts: row.get::<Option<i64>>(5)?.map(TsKey::from_database),
            user_id: row.get(6)?,
            memory: row.get::<Option<i64>>(7)?.map(memory_id),
            token: row.get(8)?,
        },
        erased: erased.transpose()?,
    })
}

/// Notes what a change by `actor` has made of a message whose text was a correction before, or was not: `before` has it.
pub(crate) fn note_correction(
    connection: &Connection,
    place: &Place,
    (channel_id, ts): (&str, TsKey),
    (before, actor): (Option<String>, Actor),
    at: i64,
) -> Result<()> {
    let after = correction(connection, place, (channel_id, ts))?;
    let action = match &after {
        after if *after == before => return Ok(()),
        Some(_) => Action::Correct,
        None => Action::UndoCorrection,
    };
    let entry = AuditEntry {
        actor,
        ..place.act(action, Target::message(channel_id, ts), at)
    };
    note(connection, place, &entry)
}

/// The text of a message of somebody, if it is a correction.
pub(crate) fn correction(
    connection: &Connection,
    place: &Place,
    (channel_id, ts): (&str, TsKey),
) -> Result<Option<String>> {
    let sql = "SELECT m.text FROM messages AS m JOIN channels AS c ON c.key = m.channel \
        WHERE c.workspace = ?1 AND c.id = ?2 AND m.ts_key = ?3 AND m.is_bot = 0";
    let columns = params![place.workspace, channel_id, ts.to_database()];
    let text: Option<String> = connection
        .query_row(sql, columns, |row| row.get(0))
        .optional()?;
    Ok(text.filter(|text| addressed::corrects(text, &place.bot)))
}
