//! Reads memories.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, Params, Result};
use myao_plugin::storage::{ChannelFilter, Memory, MemoryQuery};
use myao_plugin::ts::TsKey;

use crate::fault::Fault;
use crate::memories::lines;
use crate::memories::records;
use crate::place::Place;
use crate::rows;
use crate::sight::{Sight, json_ids, json_texts};

/// The memories that a query selects, ordered by scope, scope id, type and version. There is one statement for each
/// requested scope. A channel that is not stored has no memories.
pub(crate) fn memories(
    connection: &Connection,
    place: &Place,
    query: &MemoryQuery,
) -> Result<Vec<Memory>, Fault> {
    let sight = Sight::of(connection, place)?;
    let until = query.until.as_deref().map(TsKey::parse).transpose()?;
    let until = until.map_or(i64::MAX, TsKey::unix_seconds);
    let mut found = Vec::new();
    if query.workspace && sight.sees_open() {
        let sql = include_str!("sql/memories_of_workspace.sql");
        found.extend(select(
            connection,
            place,
            sql,
            params![place.workspace, place.scope_id, until],
        )?);
    }
    let channel = match &query.channels {
        ChannelFilter::None => None,
        ChannelFilter::One(id) => Some(Some(id)),
        ChannelFilter::All => Some(None),
    };
    if let Some(id) = channel {
        let sql = include_str!("sql/memories_of_channels.sql");
        let (own, sees_open) = sight.columns();
        let params = params![
            place.workspace,
            id,
            query.history_limit,
            query.unmerged,
            own,
            sees_open,
            until,
        ];
        let mut memories = select(connection, place, sql, params)?;
        memories.sort_by(|(a, _), (b, _)| order(a).cmp(&order(b)));
        found.extend(memories);
    }
    if !query.threads.is_empty() {
        let sql = include_str!("sql/memories_of_threads.sql");
        let scope_ids = json_texts(query.threads.clone());
        found.extend(select(
            connection,
            place,
            sql,
            params![place.workspace, scope_ids, until],
        )?);
    }
    sight.retain(connection, &mut found, |(_, origins)| *origins)?;
    let mut memories: Vec<Memory> = found.into_iter().map(|(memory, _)| memory).collect();
    if query.citations {
        let ids: BTreeSet<u64> = memories.iter().map(|memory| memory.id).collect();
        let mut citations = lines::citations(connection, &json_ids(&ids))?;
        for memory in &mut memories {
            let of_memory = citations.remove(&rows::memory_column(memory.id));
            memory.citations = of_memory.unwrap_or_default();
        }
        let mut kept = records::of(connection, &json_ids(&ids))?;
        for memory in &mut memories {
            let of_memory = kept.remove(&rows::memory_column(memory.id));
            memory.records = of_memory.unwrap_or_default();
        }
    }
    Ok(memories)
}

fn select(
    connection: &Connection,
    place: &Place,
    sql: &str,
    params: impl Params,
) -> Result<Vec<(Memory, Option<i64>)>> {
    let rows = connection.query_map(sql, params, |row| {
        Ok((rows::memory(row, &place.local_time)?, row.get(12)?))
    })?;
    Ok(rows)
}

fn order(memory: &Memory) -> (&str, i64, u32) {
    (
        &memory.scope_id,
        rows::type_code(memory.memory_type),
        memory.version,
    )
}
