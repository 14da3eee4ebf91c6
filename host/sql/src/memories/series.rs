//! The series of versions or texts of one subject.

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::storage::{SaveMode, StorageError};
use myao_plugin::{Engine, MemoryType, Scope};
use std::ops::ControlFlow;

use crate::fault::Fault;
use crate::messages::stored::channel_key;
use crate::place::Place;
use crate::rows;
use crate::sight::Sight;

/// The subject of a memory, as column values.
pub(crate) struct Series<'a> {
    pub(crate) workspace: i64,
    pub(crate) scope: Scope,
    pub(crate) scope_id: &'a str,
    pub(crate) memory_type: MemoryType,
}

/// A text to insert, as column values.
pub(crate) struct Text<'a> {
    pub(crate) version: u32,
    pub(crate) content: &'a str,
    pub(crate) engine: Engine,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) source_message_count: u32,
    pub(crate) source_latest: Option<i64>,
    pub(crate) merged_through: Option<u64>,
    /// The set of the channels from which it was made; `None` if not known.
    pub(crate) origins: Option<i64>,
}

/// A channel, or a thread of it, whose backlog a memory changes.
pub(crate) struct Subject {
    pub(crate) channel: i64,
    pub(crate) thread: Option<i64>,
}

impl Series<'_> {
    /// The id and version of the newest memory. Stand-ins do not count.
    pub(crate) fn newest(&self, connection: &Connection) -> Result<Option<(u64, u32)>> {
        connection
            .query_row(
                include_str!("sql/newest_memory.sql"),
                self.columns(),
                |row| Ok((rows::memory_id(row.get(0)?), row.get(1)?)),
            )
            .optional()
    }

    /// The id of the newest memory that may be seen. Stand-ins do not count.
    pub(crate) fn newest_seen(&self, connection: &Connection, sight: Sight) -> Result<Option<u64>> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        let statement = include_str!("sql/newest_memories.sql");
        let columns = params![workspace, scope, scope_id, memory_type];
        let mut newest = None;
        connection.each_until(statement, columns, |row| {
            let mut one: Vec<(i64, Option<i64>)> = vec![(row.get(0)?, row.get(1)?)];
            sight.retain(connection, &mut one, |(_, origins)| *origins)?;
            newest = one.first().map(|(id, _)| rows::memory_id(*id));
            Ok(if newest.is_some() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            })
        })?;
        Ok(newest)
    }

    /// When the first text of a version was made.
    pub(crate) fn first_created(
        &self,
        connection: &Connection,
        version: u32,
    ) -> Result<Option<i64>> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        connection
            .query_row(
                include_str!("sql/first_created.sql"),
                params![workspace, scope, scope_id, memory_type, version],
                |row| row.get(0),
            )
            .optional()
    }

    /// Marks as superseded the texts that a text saved in this mode replaces.
    pub(crate) fn supersede(
        &self,
        connection: &Connection,
        mode: SaveMode,
        now: i64,
    ) -> Result<()> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        let supersede = match mode {
            SaveMode::Overwrite => {
                "UPDATE memories SET superseded_at = ?5 \
                 WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4 AND superseded_at IS NULL"
            }
            SaveMode::NewVersion | SaveMode::StandIn => include_str!("sql/supersede_stand_in.sql"),
        };
        connection.execute(
            supersede,
            params![workspace, scope, scope_id, memory_type, now],
        )?;
        Ok(())
    }

    /// Inserts a text and returns its id, which is greater than all earlier ids.
    pub(crate) fn insert(&self, connection: &Connection, text: &Text<'_>) -> Result<i64> {
        let (workspace, scope, scope_id, memory_type) = self.columns();
        let id = connection.query_row(
            include_str!("sql/insert_memory.sql"),
            params![
                workspace,
                scope,
                scope_id,
                memory_type,
                text.version,
                text.content,
                rows::engine_code(text.engine),
                text.created_at,
                text.updated_at,
                text.source_message_count,
                text.source_latest,
                text.merged_through.map(rows::memory_column),
                text.origins,
            ],
            |row| row.get(0),
        )?;
        Ok(id)
    }

    /// Workspace, scope, scope id and memory type.
    pub(crate) fn columns(&self) -> (i64, i64, &str, i64) {
        let (scope, memory_type) = (
            rows::scope_code(self.scope),
            rows::type_code(self.memory_type),
        );
        (self.workspace, scope, self.scope_id, memory_type)
    }
}

/// The subject of a memory, and its scope id with the thread in its standard form.
pub(crate) fn subject(
    connection: &Connection,
    place: &Place,
    scope: Scope,
    scope_id: &str,
) -> Result<(Option<Subject>, String), Fault> {
    match scope {
        Scope::Workspace if scope_id == &*place.scope_id => Ok((None, scope_id.to_owned())),
        Scope::Workspace => Err(StorageError::Invalid(format!(
            "`{scope_id}` is not the workspace scope id: expected `{}`",
            place.scope_id
        ))
        .into()),
        Scope::Channel => {
            let channel = channel_key(connection, place, scope_id)?;
            Ok((
                Some(Subject {
                    channel,
                    thread: None,
                }),
                scope_id.to_owned(),
            ))
        }
        Scope::Thread => {
            let (channel_id, thread) = rows::thread_scope(scope_id)?;
            let channel = channel_key(connection, place, channel_id)?;
            let scope_id = rows::thread_scope_id(channel_id, thread);
            Ok((
                Some(Subject {
                    channel,
                    thread: Some(thread),
                }),
                scope_id,
            ))
        }
    }
}
