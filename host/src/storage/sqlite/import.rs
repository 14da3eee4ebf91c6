//! Writing what importers (and later events) bring.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use rusqlite::{Connection, OptionalExtension, Params, params};

use super::backlog::{recount_channel, recount_thread};
use super::error::{Fault, StoreError};
use super::save::Series;
use super::{rows, schema};
use crate::bindings::types::{Engine, MemoryType, Scope};
use crate::storage::StorageError;
use crate::storage::records::{
    ChannelRecord, ImportSink, ImportTally, MemoryRecord, MessageRecord, Tally, UserRecord,
};
use crate::ts::TsKey;

/// An import into one workspace: one transaction on a connection of its own. Dropping it leaves the store as
/// it was. Blocks.
pub struct SqliteImport {
    connection: Connection,
    path: PathBuf,
    workspace: i64,
    channels: HashMap<String, i64>,
    touched: Touched,
    memories: Vec<NewMemory>,
    tally: ImportTally,
}

/// What is to be counted anew before the commit.
#[derive(Default)]
struct Touched {
    channels: BTreeSet<i64>,
    /// Channel and thread.
    threads: BTreeSet<(i64, i64)>,
    /// Channel and message, which may be the first of a thread that was there before.
    messages: Vec<(i64, i64)>,
}

/// A memory whose watermark and merge mark follow from what else is imported.
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

impl SqliteImport {
    pub(super) fn begin(
        connection: Connection,
        path: &Path,
        workspace: &str,
    ) -> Result<Self, StoreError> {
        connection
            .execute_batch("BEGIN IMMEDIATE")
            .map_err(|error| StoreError::of(path, error))?;
        Self::within(connection, path, workspace)
    }

    /// Goes on in a transaction that has begun.
    pub(super) fn within(
        connection: Connection,
        path: &Path,
        workspace: &str,
    ) -> Result<Self, StoreError> {
        let workspace = schema::workspace_key(&connection, workspace)
            .map_err(|error| StoreError::of(path, error))?;
        Ok(Self {
            connection,
            path: path.to_owned(),
            workspace,
            channels: HashMap::new(),
            touched: Touched::default(),
            memories: Vec::new(),
            tally: ImportTally::default(),
        })
    }

    /// Deletes a message, at `deleted_at` in Unix seconds. No later import or event brings it back, also
    /// where it was not stored yet.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn delete_message(
        &mut self,
        channel_id: &str,
        ts: TsKey,
        deleted_at: i64,
    ) -> Result<(), StorageError> {
        self.try_delete(channel_id, ts.to_database(), deleted_at)
            .map_err(|fault| self.error(fault))
    }

    /// Ends the import: all of it is stored now.
    ///
    /// # Errors
    /// What the file or the disk refuses; the store is then as it was.
    pub fn commit(self) -> Result<ImportTally, StoreError> {
        self.finish().map_err(|fault| fault.at(&self.path))?;
        Ok(self.tally)
    }

    fn error(&self, fault: Fault) -> StorageError {
        fault.at(&self.path).into()
    }

    /// Inserts a row, or updates the one that is there.
    fn put(
        &self,
        insert: &str,
        update: &str,
        columns: impl Params + Copy,
    ) -> rusqlite::Result<Put> {
        if self.connection.prepare_cached(insert)?.execute(columns)? == 1 {
            return Ok(Put::New);
        }
        let changed = self.connection.prepare_cached(update)?.execute(columns)? == 1;
        Ok(if changed {
            Put::Changed
        } else {
            Put::Unchanged
        })
    }

    fn channel_key(&mut self, id: &str) -> rusqlite::Result<i64> {
        if let Some(key) = self.channels.get(id) {
            return Ok(*key);
        }
        // Its name may come later.
        let insert = include_str!("sql/insert_channel.sql");
        self.connection
            .prepare_cached(insert)?
            .execute(params![self.workspace, id, "", false])?;
        let key = self
            .connection
            .prepare_cached(include_str!("sql/channel_key.sql"))?
            .query_row(params![self.workspace, id], |row| row.get(0))?;
        self.channels.insert(id.to_owned(), key);
        Ok(key)
    }

    fn try_message(&mut self, message: &MessageRecord) -> Result<Put, Fault> {
        let channel = self.channel_key(&message.channel_id)?;
        let ts = message.ts.to_database();
        let thread = message
            .thread_ts
            .map(TsKey::to_database)
            .filter(|thread| *thread != ts);
        let inserted = self
            .connection
            .prepare_cached(include_str!("sql/insert_message.sql"))?
            .execute(params![
                self.workspace,
                channel,
                ts,
                thread,
                message.user_id,
                message.author_name,
                message.is_bot,
                message.text,
                message.edited_at,
            ])?;
        if inserted == 1 {
            self.touched.message(channel, ts, thread);
            return Ok(Put::New);
        }
        let Some(edited_at) = message.edited_at else {
            return Ok(Put::Unchanged);
        };
        let edited = self
            .connection
            .prepare_cached(include_str!("sql/edit_message.sql"))?
            .execute(params![
                channel,
                ts,
                message.author_name,
                message.text,
                edited_at
            ])?;
        Ok(if edited == 1 {
            Put::Changed
        } else {
            Put::Unchanged
        })
    }

    fn try_delete(&mut self, channel_id: &str, ts: i64, deleted_at: i64) -> Result<(), Fault> {
        let channel = self.channel_key(channel_id)?;
        let deleted: Option<Option<i64>> = self
            .connection
            .prepare_cached(include_str!("sql/delete_message.sql"))?
            .query_row(params![channel, ts, deleted_at], |row| row.get(0))
            .optional()?;
        match deleted {
            Some(thread) => self.touched.message(channel, ts, thread),
            None => {
                let insert = include_str!("sql/insert_deleted_message.sql");
                self.connection.prepare_cached(insert)?.execute(params![
                    self.workspace,
                    channel,
                    ts,
                    deleted_at
                ])?;
            }
        }
        Ok(())
    }

    fn try_memory(&mut self, memory: &MemoryRecord) -> Result<Put, Fault> {
        if memory.content.trim().is_empty() {
            let id = &memory.scope_id;
            return Err(StorageError::Invalid(format!("the memory of `{id}` has no text")).into());
        }
        let (subject, scope_id) = self.subject(memory)?;
        let series = Series {
            workspace: self.workspace,
            scope: memory.scope,
            scope_id: &scope_id,
            memory_type: memory.memory_type,
        };
        if series.newest(&self.connection)?.is_some() {
            return Ok(Put::Unchanged);
        }
        let id = series.insert(
            &self.connection,
            &super::save::Text {
                version: 1,
                content: &memory.content,
                engine: Engine::Imported,
                created_at: memory.created_at,
                updated_at: memory.updated_at,
                source_message_count: memory.source_message_count,
                source_latest: memory.source_latest_message_ts.map(TsKey::to_database),
                merged_through: None,
            },
        )?;
        self.memories.push(NewMemory {
            id,
            subject,
            memory_type: memory.memory_type,
            has_watermark: memory.source_latest_message_ts.is_some(),
            updated_at: memory.updated_at,
        });
        Ok(Put::New)
    }

    fn subject(&mut self, memory: &MemoryRecord) -> Result<(Subject, String), Fault> {
        Ok(match memory.scope {
            Scope::Workspace => (Subject::Workspace, memory.scope_id.clone()),
            Scope::Channel => (
                Subject::Channel(self.channel_key(&memory.scope_id)?),
                memory.scope_id.clone(),
            ),
            Scope::Thread => {
                let (channel_id, thread) = rows::thread_scope(&memory.scope_id)?;
                let subject = Subject::Thread(self.channel_key(channel_id)?, thread);
                (subject, rows::thread_scope_id(channel_id, thread))
            }
        })
    }

    fn finish(&self) -> Result<(), Fault> {
        let connection = &self.connection;
        let mut channels = self.touched.channels.clone();
        let mut threads = self.touched.threads.clone();
        let mut has_thread = connection.prepare_cached(include_str!("sql/has_thread.sql"))?;
        for message in &self.touched.messages {
            if has_thread.query_row(<[i64; 2]>::from(*message), |row| row.get(0))? {
                threads.insert(*message);
            }
        }
        for memory in &self.memories {
            memory.complete(connection)?;
            match memory.subject {
                Subject::Workspace => {}
                Subject::Channel(channel) => {
                    channels.insert(channel);
                }
                Subject::Thread(channel, thread) => {
                    threads.insert((channel, thread));
                }
            }
        }
        for channel in channels {
            recount_channel(connection, channel)?;
        }
        for (channel, thread) in threads {
            recount_thread(connection, channel, thread)?;
        }
        connection.execute_batch("COMMIT")?;
        Ok(())
    }
}

impl Touched {
    fn message(&mut self, channel: i64, ts: i64, thread: Option<i64>) {
        self.channels.insert(channel);
        self.messages.push((channel, ts));
        self.threads.extend(thread.map(|thread| (channel, thread)));
    }
}

impl NewMemory {
    /// Fills in what the other program did not write down.
    fn complete(&self, connection: &Connection) -> rusqlite::Result<()> {
        if !self.has_watermark {
            let newest = self.newest_source(connection)?;
            let set = include_str!("sql/set_watermark.sql");
            connection
                .prepare_cached(set)?
                .execute(params![self.id, newest])?;
        }
        let merge = match (self.subject, self.memory_type) {
            (Subject::Workspace, _) => include_str!("sql/merge_imported_workspace.sql"),
            (Subject::Channel(_), MemoryType::LongTerm) => {
                include_str!("sql/merge_imported_channel.sql")
            }
            _ => return Ok(()),
        };
        connection.prepare_cached(merge)?.execute([self.id])?;
        Ok(())
    }

    /// The newest message that there was when the memory was made.
    fn newest_source(&self, connection: &Connection) -> rusqlite::Result<Option<i64>> {
        let until = TsKey::first_of(self.updated_at.saturating_add(1)).to_database() - 1;
        match self.subject {
            Subject::Workspace => Ok(None),
            Subject::Channel(channel) => connection
                .prepare_cached(include_str!("sql/newest_in_channel.sql"))?
                .query_row([channel, until], |row| row.get(0)),
            Subject::Thread(channel, thread) => connection
                .prepare_cached(include_str!("sql/newest_in_thread.sql"))?
                .query_row([channel, thread, until], |row| row.get(0)),
        }
    }
}

/// What became of a record.
#[derive(Clone, Copy)]
enum Put {
    New,
    Changed,
    Unchanged,
}

impl Put {
    fn count(self, tally: &mut Tally) {
        match self {
            Self::New => tally.new += 1,
            Self::Changed => tally.changed += 1,
            Self::Unchanged => tally.unchanged += 1,
        }
    }
}

impl ImportSink for SqliteImport {
    fn user(&mut self, user: &UserRecord) -> Result<(), StorageError> {
        let columns: [&dyn rusqlite::ToSql; 4] =
            [&self.workspace, &user.id, &user.name, &user.is_bot];
        let (insert, update) = (
            include_str!("sql/insert_user.sql"),
            include_str!("sql/update_user.sql"),
        );
        let put = self
            .put(insert, update, columns)
            .map_err(|error| self.error(error.into()))?;
        put.count(&mut self.tally.users);
        Ok(())
    }

    fn channel(&mut self, channel: &ChannelRecord) -> Result<(), StorageError> {
        let columns: [&dyn rusqlite::ToSql; 4] = [
            &self.workspace,
            &channel.id,
            &channel.name,
            &channel.is_private,
        ];
        let (insert, update) = (
            include_str!("sql/insert_channel.sql"),
            include_str!("sql/update_channel.sql"),
        );
        let put = self
            .put(insert, update, columns)
            .map_err(|error| self.error(error.into()))?;
        put.count(&mut self.tally.channels);
        Ok(())
    }

    fn message(&mut self, message: &MessageRecord) -> Result<(), StorageError> {
        let put = self
            .try_message(message)
            .map_err(|fault| self.error(fault))?;
        put.count(&mut self.tally.messages);
        Ok(())
    }

    fn memory(&mut self, memory: &MemoryRecord) -> Result<(), StorageError> {
        let put = self.try_memory(memory).map_err(|fault| self.error(fault))?;
        put.count(&mut self.tally.memories);
        Ok(())
    }
}
