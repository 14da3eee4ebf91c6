//! Which memories there are.

use crate::params;
use crate::session::{Connection, Result, Row, ToSql};
use myao_plugin::state::view::{ChannelTally, MemoryFilter, StoredMemory};
use myao_plugin::storage::{Coverage, LeftOut};
use myao_plugin::{MemoryType, Scope};

use crate::fault::Fault;
use crate::place::Place;
use crate::rows;
use crate::sight::{SeenChannels, Sight, json_ids, json_texts};

/// A memory, the set of channels that it was made from, and the key of its channel.
type Found = (StoredMemory, Option<i64>, Option<i64>);

/// Of the newest memories so many are read at a time, until enough of them may be seen.
const BATCH: u32 = 500;

/// The memories that may be seen.
pub(crate) fn stored_memories(
    connection: &Connection,
    place: &Place,
    filter: &MemoryFilter,
) -> Result<Vec<StoredMemory>, Fault> {
    let sight = Sight::of(connection, place)?;
    let seen = SeenChannels::of(connection, place, &sight)?;
    let (conditions, mut values) = conditions(place, filter);
    let sql = include_str!("sql/stored_memories.sql");
    let may_be_seen = |mut found: Vec<Found>| -> Result<Vec<StoredMemory>> {
        sight.retain(connection, &mut found, |(_, origins, _)| *origins)?;
        // The workspace's memories have no channel.
        found.retain(|(_, _, channel)| channel.map_or(sight.sees_open(), |key| seen.has(key)));
        Ok(found.into_iter().map(|(stored, ..)| stored).collect())
    };
    let Some(newest) = filter.newest else {
        let order = "ORDER BY m.scope, m.scope_id, m.memory_type, m.version, m.id";
        let sql = format!("{sql}{conditions} {order}");
        return Ok(may_be_seen(read(connection, place, &sql, &values)?)?);
    };
    // By id, which no other index orders by.
    let sql = sql.replace("FROM memories AS m", "FROM memories AS m NOT INDEXED");
    let before = format!("AND m.id < ?{}", values.len() + 1);
    let sql = format!("{sql}{conditions} {before} ORDER BY m.id DESC LIMIT {BATCH}");
    let wanted = usize::try_from(newest).unwrap_or(usize::MAX);
    let mut all = Vec::new();
    values.push(Box::new(i64::MAX));
    while all.len() < wanted {
        let found = read(connection, place, &sql, &values)?;
        let Some((oldest, ..)) = found.last() else {
            break;
        };
        values.pop();
        values.push(Box::new(rows::memory_column(oldest.memory.id)));
        all.extend(may_be_seen(found)?);
    }
    all.truncate(wanted);
    all.sort_by_cached_key(|StoredMemory { memory, .. }| {
        let (scope, memory_type) = (memory.scope, memory.memory_type);
        let series = (
            rows::scope_code(scope),
            memory.scope_id.clone(),
            rows::type_code(memory_type),
        );
        (series, memory.version, memory.id)
    });
    Ok(all)
}

fn read(
    connection: &Connection,
    place: &Place,
    sql: &str,
    values: &[Box<dyn ToSql>],
) -> Result<Vec<Found>> {
    let values: Vec<&dyn ToSql> = values.iter().map(AsRef::as_ref).collect();
    connection.query_map(sql, &*values, |row| {
        let origins: Option<i64> = row.get(25)?;
        let superseded: Option<i64> = row.get(12)?;
        let stored = StoredMemory {
            memory: rows::memory(row, &place.local_time)?,
            channel_name: row.get(13)?,
            superseded_at: superseded.map(|time| place.local_time.at(time)),
            source_messages: row.get(14)?,
            source_memories: row.get(15)?,
            truncated: row.get(16)?,
            coverage: coverage(row)?,
            is_set_aside: origins.is_none(),
        };
        let channel: Option<i64> = row.get(26)?;
        Ok((stored, origins, channel))
    })
}

/// The conditions of a filter, so written that the store's indexes serve them, and the values of their parameters.
fn conditions(place: &Place, filter: &MemoryFilter) -> (String, Vec<Box<dyn ToSql>>) {
    let mut conditions = String::new();
    let mut values: Vec<Box<dyn ToSql>> =
        vec![Box::new(place.workspace), Box::new(filter.with_text)];
    let mut add = |condition: &str, value: Box<dyn ToSql>| {
        values.push(value);
        let parameter = format!("?{}", values.len());
        conditions.push_str(&condition.replace('?', &parameter));
    };
    if let Some(scope) = filter.scope {
        add("AND m.scope = ? ", Box::new(rows::scope_code(scope)));
    }
    if let Some(id) = &filter.scope_id {
        add("AND m.scope_id = ? ", Box::new(id.clone()));
    }
    if let Some(channel) = &filter.threads_of {
        let threads = "AND m.scope = 2 AND m.scope_id BETWEEN ? || ':' AND ? || ';' ";
        add(threads, Box::new(channel.clone()));
    }
    if let Some(memory_type) = filter.memory_type {
        add(
            "AND m.memory_type = ? ",
            Box::new(rows::type_code(memory_type)),
        );
    }
    if let Some(ids) = &filter.ids {
        add(
            "AND m.id IN (SELECT value FROM integers(?)) ",
            Box::new(json_ids(ids)),
        );
    } else if filter.newest.is_some() {
        // Both.
    } else if filter.superseded {
        conditions.push_str("AND m.superseded_at IS NOT NULL ");
    } else {
        conditions.push_str("AND m.superseded_at IS NULL ");
    }
    (conditions, values)
}

/// How much is remembered of channels.
pub(crate) fn tallies(
    connection: &Connection,
    place: &Place,
    channel_ids: &[String],
) -> Result<Vec<ChannelTally>, Fault> {
    let ids = json_texts(channel_ids.to_vec());
    let mut groups = rows::list(
        connection,
        include_str!("sql/tallies.sql"),
        params![place.workspace, ids],
        |row| {
            let kind = (rows::scope(row.get(2)?), rows::memory_type(row.get(3)?));
            let (at, channel, origins): (i64, i64, Option<i64>) =
                (row.get(0)?, row.get(1)?, row.get(4)?);
            let (count, newest): (u32, i64) = (row.get(5)?, row.get(6)?);
            Ok((at, channel, kind, origins, count, newest))
        },
    )?;
    let sight = Sight::of(connection, place)?;
    sight.retain(connection, &mut groups, |(_, _, _, origins, ..)| *origins)?;
    let seen = SeenChannels::of(connection, place, &sight)?;
    let mut tallies = vec![ChannelTally::default(); channel_ids.len()];
    for (at, channel, kind, _, count, newest) in groups {
        let at = usize::try_from(at).ok().filter(|_| seen.has(channel));
        let Some(tally) = at.and_then(|at| tallies.get_mut(at)) else {
            continue;
        };
        tally.newest = tally.newest.max(Some(newest));
        match kind {
            (Scope::Channel, MemoryType::ShortTerm) => tally.versions += count,
            (Scope::Thread, _) => tally.threads += count,
            _ => {}
        }
    }
    Ok(tallies)
}

fn coverage(row: &Row<'_>) -> Result<Option<Coverage>> {
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
        unfounded: row.get(29)?,
        doubtful: row.get(31)?,
        refused: row.get(27)?,
        records: row.get(30)?,
        late: row.get(28)?,
        refused_items: row.get(32)?,
    }))
}
