//! Writes what importers read.

use crate::params;
use crate::session::{Connection, Params, Result};
use myao_plugin::state::import::Import;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{
    ChannelRecord, DoneMark, ImportSink, ImportTally, MemoryRecord, MessageRecord, PinRecord,
    Tally, UserRecord,
};
use myao_plugin::ts::TsKey;
use myao_plugin::{Engine, MemoryType, Scope};

use crate::backend::Transaction;
use crate::fault::Fault;
use crate::memories::lines;
use crate::memories::series::Series;
use crate::messages::done;
use crate::messages::pins;
use crate::rows;
use crate::visibility::audience;
use crate::workspaces::workspace_key;
use crate::writing::{Put, Source, Writing};

/// An import into one workspace: one transaction on its own connection. Dropping it leaves the store as it was. Blocks.
pub struct SqlImport {
    transaction: Box<dyn Transaction>,
    workspace: i64,
    /// When it began, in Unix seconds.
    now: i64,
    writing: Writing,
    memories: Vec<NewMemory>,
    tally: ImportTally,
}

/// A memory whose watermark and merge mark depend on the rest of the import.
struct NewMemory {
    id: i64,
    subject: Subject,
    memory_type: MemoryType,
    has_watermark: bool,
    updated_at: i64,
}

#[derive(Clone, Copy)]
enum Subject {
    Workspace,
    Channel(i64),
    Thread(i64, i64),
}

impl SqlImport {
    /// Imports in a transaction that has just begun, at `now` in Unix seconds.
    ///
    /// # Errors
    /// That of the database.
    pub fn begin(
        transaction: Box<dyn Transaction>,
        workspace: &str,
        now: i64,
    ) -> Result<Self, StorageError> {
        let workspace = workspace_key(transaction.connection(), workspace)
            .map_err(|error| transaction.error(error.into()))?;
        Ok(Self {
            transaction,
            workspace,
            now,
            writing: Writing::new(workspace, Source::Import),
            memories: Vec::new(),
            tally: ImportTally::default(),
        })
    }

    /// The same import, which stores credentials as placeholders (the default), or as they are.
    #[must_use]
    pub fn redacting(mut self, redacts: bool) -> Self {
        self.writing = self.writing.redacting(redacts);
        self
    }

    /// Deletes a message, at `deleted_at` in Unix seconds. No later import or event brings it back, even if it was not
    /// stored yet.
    ///
    /// # Errors
    /// That of the database.
    #[doc(hidden)]
    pub fn delete_message(
        &mut self,
        channel_id: &str,
        ts: TsKey,
        deleted_at: i64,
    ) -> Result<(), StorageError> {
        let connection = self.transaction.connection();
        self.writing
            .delete(connection, channel_id, ts, deleted_at)
            .map_err(|fault| self.error(fault))
    }

    /// Commits the import: stores everything, or nothing.
    ///
    /// # Errors
    /// That of the database.
    pub fn commit(self) -> Result<ImportTally, StorageError> {
        let Self {
            transaction,
            writing,
            memories,
            tally,
            ..
        } = self;
        complete(transaction.connection(), writing, &memories)
            .map_err(|fault| transaction.error(fault))?;
        transaction.commit()?;
        Ok(tally)
    }

    fn connection(&self) -> &Connection {
        self.transaction.connection()
    }

    fn error(&self, fault: Fault) -> StorageError {
        self.transaction.error(fault)
    }

    /// Inserts a row, or updates the existing one.
    fn put(
        &self,
        (insert, new): (&str, impl Params),
        (update, columns): (&str, impl Params),
    ) -> Result<Put> {
        if self.connection().execute(insert, new)? == 1 {
            return Ok(Put::New);
        }
        let changed = self.connection().execute(update, columns)? == 1;
        Ok(if changed {
            Put::Changed
        } else {
            Put::Unchanged
        })
    }

    /// Returns true if a memory of another program, made at `made_at` in Unix seconds, may hold what a deleted message said.
    fn may_hold_what_is_deleted(&self, channel_id: Option<&str>, made_at: i64) -> Result<bool> {
        let through = TsKey::first_of(made_at.saturating_add(1)).to_database();
        let Some(channel_id) = channel_id else {
            let anywhere = "SELECT EXISTS (SELECT 1 FROM messages \
                WHERE workspace = ?1 AND deleted_at IS NOT NULL AND expired = 0 AND ts_key < ?2)";
            let columns = params![self.workspace, through];

            return self
                .connection()
                .query_row(anywhere, columns, |row| row.get(0));
        };
        self.connection().query_row(
            include_str!("../messages/sql/has_deleted_before.sql"),
            params![self.workspace, channel_id, through],
            |row| row.get(0),
        )
    }

    fn try_memory(&mut self, memory: &MemoryRecord) -> Result<Put, Fault> {
        if memory.content.trim().is_empty() {
            let id = &memory.scope_id;
            return Err(StorageError::Invalid(format!("the memory of `{id}` has no text")).into());
        }
        let (subject, scope_id) = self.subject(memory)?;
        let channel_id = match memory.scope {
            Scope::Workspace => None,
            Scope::Channel => Some(scope_id.as_str()),
            Scope::Thread => scope_id.split(':').next(),
        };
        let tombstones = self.writing.tombstones(self.transaction.connection())?;
        if tombstones.refuse_memory(channel_id, memory.updated_at)
            || self.may_hold_what_is_deleted(channel_id, memory.updated_at)?
        {
            return Ok(Put::Forgotten);
        }
        let series = Series {
            workspace: self.workspace,
            scope: memory.scope,
            scope_id: &scope_id,
            memory_type: memory.memory_type,
        };
        if series.newest(self.transaction.connection())?.is_some() {
            return Ok(Put::Unchanged);
        }
        let content = self.writing.without_credentials(&memory.content);
        let id = series.insert(
            self.transaction.connection(),
            &crate::memories::series::Text {
                version: 1,
                content: &content,
                engine: Engine::Imported,
                created_at: memory.created_at,
                updated_at: memory.updated_at,
                source_message_count: memory.source_message_count,
                source_latest: memory.source_latest_message_ts.map(TsKey::to_database),
                merged_through: None,
                origins: None,
            },
        )?;
        lines::add_unknown(self.transaction.connection(), id, &content)?;
        self.memories.push(NewMemory {
            id,
            subject,
            memory_type: memory.memory_type,
            has_watermark: memory.source_latest_message_ts.is_some(),
            updated_at: memory.updated_at,
        });
        Ok(Put::New)
    }

    fn try_channel(&self, channel: &ChannelRecord) -> Result<Put, Fault> {
        let (workspace, id, facts) = (self.workspace, &channel.id, channel.facts);
        let columns = params![
            workspace,
            id,
            channel.name,
            facts.is_private,
            facts.is_shared,
            facts.has_guests
        ];
        let (insert, update) = (
            include_str!("../messages/sql/insert_imported_channel.sql"),
            include_str!("../messages/sql/update_channel.sql"),
        );
        let put = self.put((insert, columns), (update, columns))?;
        if put != Put::Unchanged {
            let key = self.connection().query_row(
                include_str!("../messages/sql/channel_key.sql"),
                params![workspace, id],
                |row| row.get(0),
            )?;
            audience::derive(
                self.transaction.connection(),
                self.workspace,
                &[key].into(),
                self.now,
            )?;
        }
        Ok(put)
    }

    fn channel(&mut self, id: &str) -> Result<i64> {
        self.writing.channel(self.transaction.connection(), id)
    }

    fn subject(&mut self, memory: &MemoryRecord) -> Result<(Subject, String), Fault> {
        Ok(match memory.scope {
            Scope::Workspace => (Subject::Workspace, memory.scope_id.clone()),
            Scope::Channel => (
                Subject::Channel(self.channel(&memory.scope_id)?),
                memory.scope_id.clone(),
            ),
            Scope::Thread => {
                let (channel_id, thread) = rows::thread_scope(&memory.scope_id)?;
                let subject = Subject::Thread(self.channel(channel_id)?, thread);
                (subject, rows::thread_scope_id(channel_id, thread))
            }
        })
    }
}

/// Adds what depends on the whole import.
fn complete(
    connection: &Connection,
    mut writing: Writing,
    memories: &[NewMemory],
) -> Result<(), Fault> {
    for memory in memories {
        memory.complete(connection)?;
        match memory.subject {
            Subject::Workspace => {}
            Subject::Channel(channel) => writing.touch_channel(channel),
            Subject::Thread(channel, thread) => writing.touch_thread(channel, thread),
        }
    }
    writing.finish(connection)?;
    Ok(())
}

impl NewMemory {
    /// Adds what the other program did not store.
    fn complete(&self, connection: &Connection) -> Result<()> {
        if !self.has_watermark {
            let newest = self.newest_source(connection)?;
            let set = "UPDATE memories SET source_latest_key = ?2 WHERE id = ?1";
            connection.execute(set, params![self.id, newest])?;
        }
        let merge = match (self.subject, self.memory_type) {
            (Subject::Workspace, _) => include_str!("../messages/sql/merge_imported_workspace.sql"),
            (Subject::Channel(_), MemoryType::LongTerm) => {
                include_str!("../messages/sql/merge_imported_channel.sql")
            }
            _ => return Ok(()),
        };
        connection.execute(merge, [self.id])?;
        Ok(())
    }

    /// The newest message that existed when the memory was made.
    fn newest_source(&self, connection: &Connection) -> Result<Option<i64>> {
        let until = TsKey::first_of(self.updated_at.saturating_add(1)).to_database() - 1;
        match self.subject {
            Subject::Workspace => Ok(None),
            Subject::Channel(channel) => connection.query_row(
                include_str!("../messages/sql/newest_in_channel.sql"),
                [channel, until],
                |row| row.get(0),
            ),
            Subject::Thread(channel, thread) => connection.query_row(
                include_str!("../messages/sql/newest_in_thread.sql"),
                [channel, thread, until],
                |row| row.get(0),
            ),
        }
    }
}

impl Put {
    fn count(self, tally: &mut Tally) {
        match self {
            Self::New => tally.new += 1,
            Self::Changed => tally.changed += 1,
            Self::Unchanged => tally.unchanged += 1,
            Self::Forgotten => tally.forgotten += 1,
        }
    }
}

impl Import for SqlImport {
    fn commit(self: Box<Self>) -> Result<ImportTally, StorageError> {
        Self::commit(*self)
    }
}

impl ImportSink for SqlImport {
    fn user(&mut self, user: &UserRecord) -> Result<(), StorageError> {
        let columns = params![self.workspace, user.id, user.name, user.is_bot];
        let new = params![self.workspace, user.id, user.name, user.is_bot, 0];
        let (insert, update) = (
            include_str!("../events/sql/insert_user.sql"),
            include_str!("../messages/sql/update_user.sql"),
        );
        let put = self
            .put((insert, new), (update, columns))
            .map_err(|error| self.error(error.into()))?;
        put.count(&mut self.tally.users);
        Ok(())
    }

    fn channel(&mut self, channel: &ChannelRecord) -> Result<(), StorageError> {
        let put = self
            .try_channel(channel)
            .map_err(|fault| self.error(fault))?;
        put.count(&mut self.tally.channels);
        Ok(())
    }

    fn message(&mut self, message: &MessageRecord) -> Result<(), StorageError> {
        let put = self
            .writing
            .message(self.transaction.connection(), message, message.changed())
            .map_err(|fault| self.error(fault))?;
        put.count(&mut self.tally.messages);
        Ok(())
    }

    fn pin(&mut self, pin: &PinRecord) -> Result<(), StorageError> {
        let pinned = pins::keep(
            self.transaction.connection(),
            self.workspace,
            &Effect::from(pin),
        );
        pinned.map(drop).map_err(|error| self.error(error.into()))
    }

    fn done(&mut self, mark: &DoneMark) -> Result<(), StorageError> {
        let marked = done::mark(
            self.transaction.connection(),
            self.workspace,
            mark,
            (true, mark.ts),
        );
        marked.map_err(|error| self.error(error.into()))
    }

    fn memory(&mut self, memory: &MemoryRecord) -> Result<(), StorageError> {
        let put = self.try_memory(memory).map_err(|fault| self.error(fault))?;
        put.count(&mut self.tally.memories);
        Ok(())
    }
}
