//! What people ask of a store: which memories there are, and what they were made from. All blocks.

use myao_plugin::storage::{Channel, Coverage, LeftOut, Memory, STAND_IN_VERSION, StorageError};
use myao_plugin::ts::TsKey;
use myao_plugin::{MemoryType, Scope, Timestamp};
use rusqlite::{Connection, Row, params};

use super::error::{Fault, StoreError};
use super::messages::channels;
use super::place::Place;
use super::rows;
use super::workspace::SqliteWorkspace;

/// Which memories to list. The default: all that are current, without their texts.
#[derive(Debug, Clone, Default)]
pub struct MemoryFilter {
    /// Only those about this.
    pub scope: Option<Scope>,
    /// Only those of this channel, thread or workspace.
    pub scope_id: Option<String>,
    /// Only those of this type.
    pub memory_type: Option<MemoryType>,
    /// The older texts of overwritten memories, in place of the current ones.
    pub superseded: bool,
    /// With their texts; else `content` is empty.
    pub with_text: bool,
}

/// A memory with what the component does not see of it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoredMemory {
    /// The memory.
    pub memory: Memory,
    /// The name of its channel, or of its thread's channel; none for the workspace.
    pub channel_name: Option<String>,
    /// When a newer text took its place.
    pub superseded_at: Option<Timestamp>,
    /// How many messages are known that it was made from.
    pub source_messages: u32,
    /// How many memories it was made from.
    pub source_memories: u32,
    /// Whether the model's answer was cut off at its token limit; none where that is not known.
    pub truncated: Option<bool>,
    /// What went into the text; none where that is not known.
    pub coverage: Option<Coverage>,
}

impl StoredMemory {
    /// Whether it was made in place of one that the model could not make.
    #[must_use]
    pub fn is_stand_in(&self) -> bool {
        self.memory.version == STAND_IN_VERSION
    }
}

/// A message that a memory was made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceMessage {
    /// Its channel.
    pub channel_id: String,
    /// The name of its channel.
    pub channel_name: String,
    /// Its id.
    pub ts: TsKey,
    /// Who wrote it.
    pub author: String,
    /// Its text, as it is now; empty if it was deleted.
    pub text: String,
    /// Whether it was deleted.
    pub deleted: bool,
}

/// A memory that another was made from.
#[derive(Debug, Clone, PartialEq)]
pub struct SourceMemory {
    /// Its id.
    pub id: u64,
    /// What it is about.
    pub scope: Scope,
    /// The channel, thread or workspace.
    pub scope_id: String,
    /// How far back it reaches.
    pub memory_type: MemoryType,
    /// Its version.
    pub version: u32,
    /// When its text was made.
    pub updated_at: Timestamp,
    /// Whether a newer text has taken its place.
    pub superseded: bool,
}

/// What a memory was made from.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Sources {
    /// Messages, oldest first.
    pub messages: Vec<SourceMessage>,
    /// Memories, oldest first.
    pub memories: Vec<SourceMemory>,
}

/// Why a name does not lead to one channel.
#[derive(Debug, thiserror::Error)]
pub enum FindChannelError {
    /// No channel has that id or name.
    #[error("no channel `{wanted}`{}", similar(.near))]
    NotFound {
        /// What was looked for.
        wanted: String,
        /// Channels with a similar name, the most similar first.
        near: Vec<Channel>,
    },
    /// Several channels have that name.
    #[error("several channels are named `{wanted}`: give one of the ids {}", ids(.candidates))]
    Ambiguous {
        /// What was looked for.
        wanted: String,
        /// The channels, in order of their ids.
        candidates: Vec<Channel>,
    },
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// How many similar names to offer.
const NEAR: usize = 3;

/// From which similarity on, between 0 and 1.
const SIMILAR: f32 = 0.5;

impl SqliteWorkspace {
    /// Memories, ordered by scope, scope id, type and version, older texts before newer ones.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn stored_memories(&self, filter: &MemoryFilter) -> Result<Vec<StoredMemory>, StoreError> {
        self.read(|connection, place| stored_memories(connection, place, filter))
    }

    /// The channels that the bot takes part in, ordered by name and then by id.
    ///
    /// # Errors
    /// What the file or the disk refuses.
    pub fn channels(&self) -> Result<Vec<Channel>, StoreError> {
        self.read(channels)
    }

    /// What a memory was made from. What another program made has no known sources.
    ///
    /// # Errors
    /// What the file or the disk refuses; `not-found` where this workspace has no such memory.
    pub fn sources(&self, memory: u64) -> Result<Sources, StoreError> {
        self.read(|connection, place| sources(connection, place, memory))
    }

    /// The channel with this id, or else with this name, with or without `#`.
    ///
    /// # Errors
    /// [`FindChannelError`], with the channels that may be meant.
    pub fn find_channel(&self, id_or_name: &str) -> Result<Channel, FindChannelError> {
        let channels = self.read(channels)?;
        find(channels, id_or_name)
    }
}

pub(super) fn stored_memories(
    connection: &Connection,
    place: &Place,
    filter: &MemoryFilter,
) -> Result<Vec<StoredMemory>, Fault> {
    let mut statement = connection.prepare_cached(include_str!("sql/stored_memories.sql"))?;
    let params = params![
        place.workspace,
        filter.scope.map(rows::scope_code),
        filter.scope_id,
        filter.memory_type.map(rows::type_code),
        filter.superseded,
        filter.with_text,
    ];
    let rows = statement.query_map(params, |row| {
        let superseded: Option<i64> = row.get(12)?;
        Ok(StoredMemory {
            memory: rows::memory(row, place.timezone)?,
            channel_name: row.get(13)?,
            superseded_at: superseded.map(|time| rows::timestamp(place.timezone, time)),
            source_messages: row.get(14)?,
            source_memories: row.get(15)?,
            truncated: row.get(16)?,
            coverage: coverage(row)?,
        })
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn coverage(row: &Row<'_>) -> rusqlite::Result<Option<Coverage>> {
    let Some(messages) = row.get(17)? else {
        return Ok(None);
    };
    Ok(Some(Coverage {
        messages,
        covered: row.get(18)?,
        left_out: LeftOut {
            other_channels: row.get(19)?,
            workspace: row.get(20)?,
            messages: row.get(21)?,
            channel: row.get(22)?,
        },
        chunks: row.get(23)?,
        calls: row.get(24)?,
    }))
}

pub(super) fn sources(connection: &Connection, place: &Place, id: u64) -> Result<Sources, Fault> {
    let column = rows::memory_column(id);
    let exists: bool = connection
        .prepare_cached(include_str!("sql/memory_exists.sql"))?
        .query_row([place.workspace, column], |row| row.get(0))?;
    if !exists {
        return Err(StorageError::NotFound(format!("there is no memory with the id {id}")).into());
    }
    let mut messages = connection.prepare_cached(include_str!("sql/source_messages.sql"))?;
    let mut memories = connection.prepare_cached(include_str!("sql/source_memories.sql"))?;
    Ok(Sources {
        messages: messages
            .query_map([column], source_message)?
            .collect::<rusqlite::Result<_>>()?,
        memories: memories
            .query_map([column], |row| source_memory(row, place))?
            .collect::<rusqlite::Result<_>>()?,
    })
}

fn source_message(row: &Row<'_>) -> rusqlite::Result<SourceMessage> {
    Ok(SourceMessage {
        channel_id: row.get(0)?,
        channel_name: row.get(1)?,
        ts: TsKey::from_database(row.get(2)?),
        author: row.get(3)?,
        text: row.get(4)?,
        deleted: row.get(5)?,
    })
}

fn source_memory(row: &Row<'_>, place: &Place) -> rusqlite::Result<SourceMemory> {
    Ok(SourceMemory {
        id: rows::memory_id(row.get(0)?),
        scope: rows::scope(row.get(1)?),
        scope_id: row.get(2)?,
        memory_type: rows::memory_type(row.get(3)?),
        version: row.get(4)?,
        updated_at: rows::timestamp(place.timezone, row.get(5)?),
        superseded: row.get(6)?,
    })
}

fn find(channels: Vec<Channel>, wanted: &str) -> Result<Channel, FindChannelError> {
    if let Some(channel) = channels.iter().find(|channel| channel.id == wanted) {
        return Ok(channel.clone());
    }
    let name = wanted.strip_prefix('#').unwrap_or(wanted);
    // In order of name and then of id, so these are in order of id.
    let mut candidates: Vec<Channel> = channels
        .iter()
        .filter(|channel| channel.name == name)
        .cloned()
        .collect();
    match (candidates.len(), candidates.pop()) {
        (1, Some(channel)) => Ok(channel),
        (_, Some(last)) => {
            candidates.push(last);
            Err(FindChannelError::Ambiguous {
                wanted: wanted.to_owned(),
                candidates,
            })
        }
        (_, None) => Err(FindChannelError::NotFound {
            wanted: wanted.to_owned(),
            near: near(channels, name),
        }),
    }
}

fn near(channels: Vec<Channel>, name: &str) -> Vec<Channel> {
    let name = name.to_lowercase();
    let likeness = |channel: &Channel| {
        let other = channel.name.to_lowercase();
        similar::TextDiff::from_chars(name.as_str(), other.as_str()).ratio()
    };
    let mut near: Vec<(f32, Channel)> = channels
        .into_iter()
        .map(|channel| (likeness(&channel), channel))
        .filter(|(likeness, _)| *likeness >= SIMILAR)
        .collect();
    // Stable: those that are equally similar stay in order of their names.
    near.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    near.into_iter()
        .take(NEAR)
        .map(|(_, channel)| channel)
        .collect()
}

fn similar(near: &[Channel]) -> String {
    if near.is_empty() {
        return ": `myao import` adds channels".to_owned();
    }
    let names: Vec<String> = near
        .iter()
        .map(|channel| format!("`{}` ({})", channel.name, channel.id))
        .collect();
    format!(": did you mean {}?", names.join(" or "))
}

fn ids(candidates: &[Channel]) -> String {
    let ids: Vec<String> = candidates
        .iter()
        .map(|channel| format!("`{}`", channel.id))
        .collect();
    ids.join(", ")
}
