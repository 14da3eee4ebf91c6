//! Saves a memory. Everything runs in the caller's transaction.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::names;
use myao_plugin::storage::{
    Memory, MemoryDraft, MemoryId, STAND_IN_VERSION, SaveMode, StorageError,
};
use myao_plugin::{MemoryType, Scope};

use crate::fault::Fault;
use crate::journal::calls as journal;
use crate::journal::recordings;
use crate::ledger;
use crate::memories::backlog::{recount_channel, recount_thread};
use crate::memories::lines;
use crate::memories::records;
use crate::memories::series::{Series, Subject, Text, subject};
use crate::messages::progress;
use crate::messages::stored::{channel_key, channel_keys, places};
use crate::place::Place;
use crate::rows;
use crate::schedule::deferrals;
use crate::sight::{Sight, json_array, json_ids};
use crate::visibility::lineage;
use crate::writing;

/// The input of a memory's call, used or not.
#[derive(Default)]
pub struct Handed {
    pub(crate) memories: BTreeSet<MemoryId>,
    /// Keys of messages, by channel id.
    pub(crate) messages: BTreeMap<String, BTreeSet<i64>>,
}

/// Saves a memory and returns it as it was saved.
pub fn save(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    given: &Handed,
) -> Result<Memory, Fault> {
    let (subject, scope_id) = subject(connection, place, draft.scope, &draft.scope_id)?;
    check(connection, place, draft)?;
    let series = Series {
        workspace: place.workspace,
        scope: draft.scope,
        scope_id: &scope_id,
        memory_type: draft.memory_type,
    };
    let source_latest = draft
        .source_latest_message_ts
        .as_deref()
        .map(rows::key)
        .transpose()?;
    let newest = series.newest(connection)?;
    let sight = Sight::of(connection, place)?;
    expect(draft, series.newest_seen(connection, sight)?)?;
    let own = subject.as_ref().map(|subject| subject.channel);
    let mut handed = given.memories.clone();
    handed.extend(&draft.source_memories);
    let heard = given.messages.keys().cloned().collect();
    let origins = lineage::origins(connection, place, own, &handed, &heard)?;
    let now = draft.now.unix_seconds;
    let newest = newest.map(|(_, version)| version);
    let (version, created_at) = numbered(connection, &series, draft, newest)?;
    series.supersede(connection, draft.mode, now)?;
    let id = series.insert(
        connection,
        &Text {
            version,
            content: &draft.content,
            engine: draft.engine,
            created_at,
            updated_at: now,
            source_message_count: draft.source_message_count,
            source_latest,
            merged_through: draft.merged_through,
            origins: Some(origins),
        },
    )?;
    add_origin(connection, place, draft, id)?;
    if lines::has_unknown(connection, id)? {
        let recorded = add_handed(connection, place, draft, given, id)?;
        if recorded == 0 && draft.source_messages.is_empty() && draft.source_memories.is_empty() {
            // It was made from something.
            connection.execute("UPDATE memories SET handed_known = 0 WHERE id = ?1", [id])?;
        }
    }
    recordings::link(connection, &series, &draft.content, id)?;
    if draft.mode != SaveMode::StandIn {
        deferrals::end(connection, &series)?;
        journal::end_wait(connection, &series, draft.engine, id)?;
        settle(
            connection,
            place.workspace,
            draft.memory_type,
            subject,
            id,
            now,
        )?;
    }
    Ok(Memory {
        id: rows::memory_id(id),
        scope: draft.scope,
        scope_id,
        memory_type: draft.memory_type,
        version,
        content: draft.content.clone(),
        engine: draft.engine,
        created_at: place.local_time.at(created_at),
        updated_at: place.local_time.at(now),
        source_message_count: draft.source_message_count,
        source_latest_message_ts: source_latest.map(rows::ts),
        merged_through: draft.merged_through,
        citations: lines::of_saved(connection, draft, id)?,
        records: draft.records.clone(),
    })
}

/// The version that a draft becomes, and when its first text was made.
fn numbered(
    connection: &Connection,
    series: &Series<'_>,
    draft: &MemoryDraft,
    newest: Option<u32>,
) -> Result<(u32, i64), Fault> {
    let now = draft.now.unix_seconds;
    let version = match draft.mode {
        SaveMode::NewVersion => {
            let version = newest.map_or(1, |version| version.saturating_add(1));
            return Ok((version, now));
        }
        SaveMode::Overwrite => 1,
        SaveMode::StandIn => STAND_IN_VERSION,
    };
    let created = series.first_created(connection, version)?;
    Ok((version, created.unwrap_or(now)))
}

/// Stores what a memory was made from.
fn add_origin(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    add_source_messages(connection, place, draft, memory)?;
    add_source_memories(connection, place, draft, memory)?;
    add_coverage(connection, draft, memory)?;
    lines::add(connection, place, draft, memory)?;
    records::add(connection, place, draft, memory)?;
    ledger::add(connection, place, draft)
}

/// Rejects a draft that is not valid.
fn check(connection: &Connection, place: &Place, draft: &MemoryDraft) -> Result<(), Fault> {
    if draft.content.trim().is_empty() {
        return Err(StorageError::Invalid(format!(
            "the text of the memory of `{}` is empty: save nothing instead",
            draft.scope_id
        ))
        .into());
    }
    if let Some(merged) = draft.merged_through {
        require_memory(connection, place, merged)?;
    }
    Ok(())
}

fn expect(draft: &MemoryDraft, newest: Option<u64>) -> Result<(), Fault> {
    if draft.expected == newest {
        return Ok(());
    }
    let text = |id: Option<u64>| id.map_or("none".to_owned(), |id| id.to_string());
    Err(StorageError::Conflict(format!(
        "the newest {} {} memory of `{}` is {}, not {}: read again",
        names::scope(draft.scope),
        names::memory_type(draft.memory_type),
        draft.scope_id,
        text(newest),
        text(draft.expected)
    ))
    .into())
}

fn add_source_messages(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    if draft.source_messages.is_empty() {
        return Ok(());
    }
    let channel = channel_key(connection, place, &draft.source_channel_id)?;
    let keys = draft.source_messages.iter().map(|ts| rows::key(ts));
    let keys = keys.collect::<Result<BTreeSet<i64>, _>>()?;
    let wanted = json_array(&keys);
    let found = connection.execute(
        include_str!("memories/sql/insert_source_messages.sql"),
        params![memory, channel, wanted],
    )?;
    if found == keys.len() {
        return Ok(());
    }
    let missing = connection.query_row(
        include_str!("memories/sql/missing_message.sql"),
        params![channel, wanted],
        |row| row.get(0),
    )?;
    Err(StorageError::Invalid(format!(
        "source message {} of channel `{}` is not stored",
        rows::ts(missing),
        draft.source_channel_id
    ))
    .into())
}

fn add_source_memories(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    memory: i64,
) -> Result<(), Fault> {
    let sources: BTreeSet<MemoryId> = draft.source_memories.iter().copied().collect();
    let insert = "INSERT INTO memory_source_memories (memory, source) SELECT ?1, m.id FROM integers(?2) AS wanted \
        CROSS JOIN memories AS m ON m.id = wanted.value AND m.workspace = ?3";
    let columns = params![memory, json_ids(&sources), place.workspace];
    if connection.execute(insert, columns)? < sources.len() {
        for source in sources {
            require_memory(connection, place, source)?;
        }
    }
    Ok(())
}

/// Stores what the call was given besides the sources: a line without a source may hold any of it. Returns how much that is.
fn add_handed(
    connection: &Connection,
    place: &Place,
    draft: &MemoryDraft,
    given: &Handed,
    memory: i64,
) -> Result<usize> {
    let ids = given.messages.keys().map(String::as_str);
    let channels = channel_keys(connection, place, ids)?;
    let messages = include_str!("memories/sql/insert_handed_messages.sql");
    let columns = params![memory, places(&channels, &given.messages)];
    let mut count = connection.execute(messages, columns)?;
    let memories = include_str!("memories/sql/insert_handed_memories.sql");
    let channel_id = (draft.scope == Scope::Channel).then_some(&draft.scope_id);
    count += connection.execute(
        memories,
        params![memory, json_ids(&given.memories), channel_id],
    )?;
    Ok(count)
}

fn add_coverage(connection: &Connection, draft: &MemoryDraft, memory: i64) -> Result<()> {
    let coverage = &draft.coverage;
    let left_out = &coverage.left_out;
    connection.execute(
        include_str!("memories/sql/insert_coverage.sql"),
        params![
            memory,
            draft.truncated,
            coverage.messages,
            coverage.covered,
            left_out.other_channels,
            left_out.workspace,
            left_out.messages,
            left_out.channel,
            coverage.chunks,
            coverage.calls,
            coverage.refused,
            coverage.late,
            coverage.unfounded,
            coverage.records,
            coverage.doubtful,
            coverage.refused_items,
        ],
    )?;
    Ok(())
}

/// Updates what waits. A memory was made from the messages that existed when its run began, at `now`.
fn settle(
    connection: &Connection,
    workspace: i64,
    memory_type: MemoryType,
    subject: Option<Subject>,
    memory: i64,
    now: i64,
) -> Result<()> {
    let Some(Subject { channel, thread }) = subject else {
        return Ok(());
    };
    let Some(thread) = thread else {
        if memory_type == MemoryType::ShortTerm {
            progress::settle(connection, channel, memory)?;
        }
        return recount_channel(connection, channel);
    };
    writing::end_changed(connection, workspace, (channel, thread), now)?;
    recount_thread(connection, channel, thread)
}

fn require_memory(connection: &Connection, place: &Place, id: u64) -> Result<(), Fault> {
    let statement = include_str!("memories/sql/memory_exists.sql");
    let exists: bool = connection.query_row(
        statement,
        [place.workspace, rows::memory_column(id)],
        |row| row.get(0),
    )?;
    if exists {
        return Ok(());
    }
    Err(StorageError::Invalid(format!("memory {id} does not exist in this workspace")).into())
}
