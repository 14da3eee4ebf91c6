//! The messages that may be seen from a place, up to a time.

use std::collections::{BTreeMap, HashSet};
use std::ops::ControlFlow;

use crate::params;
use crate::session::{Connection, Dialect, Result};

use crate::messages::lookup;
use crate::place::Place;
use crate::rows::list;
use crate::search::index::{self, channel_of, key_of};
use crate::sight::Sight;
use crate::sight::json_array;

/// Up to so many channels are read one by one.
const FEW_CHANNELS: usize = 50;

/// A channel that may be seen.
pub(crate) struct Channel {
    pub(crate) id: String,
    pub(crate) name: String,
}

/// Messages that may be seen from a place.
pub(crate) struct Visible {
    pub(crate) workspace: i64,
    /// By key.
    pub(crate) channels: BTreeMap<i64, Channel>,
    /// The messages after the time.
    later: HashSet<i64>,
    pub(crate) until: i64,
    /// How many messages there are.
    pub(crate) total: u32,
    /// True if most of what is stored is not seen.
    is_part: bool,
}

impl Visible {
    pub(crate) fn of(
        connection: &Connection,
        place: &Place,
        sight: &Sight,
        until: i64,
    ) -> Result<Self> {
        let (own, sees_open) = sight.columns();
        let mut total: i64 = 0;
        let sql = include_str!("sql/visible_channels.sql");
        let columns = params![place.workspace, own, sees_open];
        let found = list(connection, sql, columns, |row| {
            total += row.get::<i64>(3)?;
            let (id, name) = (row.get(1)?, row.get(2)?);
            Ok((row.get(0)?, Channel { id, name }))
        })?;
        let channels: BTreeMap<i64, Channel> = found.into_iter().collect();
        let sql = "SELECT channel, key FROM messages INDEXED BY messages_by_time \
            WHERE workspace = ?1 AND ts_key > ?2 AND deleted_at IS NULL";
        let later: Vec<(i64, i64)> =
            list(connection, sql, params![place.workspace, until], |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
        let seen = later
            .iter()
            .filter(|(channel, _)| channels.contains_key(channel));
        total -= i64::try_from(seen.count()).unwrap_or(i64::MAX);
        Ok(Self {
            workspace: place.workspace,
            is_part: !sight.sees_open(),
            channels,
            later: later.into_iter().map(|(_, key)| key).collect(),
            until,
            total: u32::try_from(total.max(0)).unwrap_or(u32::MAX),
        })
    }

    /// The rows of the index with each of these terms, at most `most` of each.
    pub(crate) fn rows_with(
        &self,
        connection: &Connection,
        terms: &[&str],
        most: usize,
    ) -> Result<Vec<Vec<i64>>> {
        if connection.dialect() == Dialect::Postgres {
            return self.rows_with_tokens(connection, terms, most);
        }
        let mut found = vec![Vec::new(); terms.len()];
        for (term, found) in terms.iter().zip(&mut found) {
            if !self.is_part {
                self.gather(connection, term, (i64::MIN, i64::MAX), most, found)?;
                continue;
            }
            for channel in self.channels.keys() {
                self.gather(connection, term, index::rows_of(*channel), most, found)?;
            }
        }
        Ok(found)
    }

    fn rows_with_tokens(
        &self,
        connection: &Connection,
        terms: &[&str],
        most: usize,
    ) -> Result<Vec<Vec<i64>>> {
        // Later messages are left out here, so there may be so many more.
        let limit = i64::try_from(most.saturating_add(self.later.len())).unwrap_or(i64::MAX);
        let channels = json_array(&self.channels.keys().copied().collect());
        let sql = include_str!("../sql/postgres/rows_with_terms.sql");
        let tokens = lookup::tokens(self.workspace, terms);
        let columns = params![tokens, channels, index::KEY_MASK + 1, limit];
        let mut found = lookup::by_term(connection, terms, sql, columns)?;
        for found in &mut found {
            found.retain(|row| !self.later.contains(&key_of(*row)));
            found.truncate(most);
        }
        Ok(found)
    }

    fn gather(
        &self,
        connection: &Connection,
        term: &str,
        (first, last): (i64, i64),
        most: usize,
        found: &mut Vec<i64>,
    ) -> Result<()> {
        let sql = "SELECT rowid FROM message_index WHERE message_index MATCH ?1 AND rowid BETWEEN ?2 AND ?3";
        let columns = params![format!("\"{term}\""), first, last];
        // The rows of a channel stand side by side.
        let mut known = (i64::MIN, false);
        connection.each_until(sql, columns, |row| {
            if found.len() >= most {
                return Ok(ControlFlow::Break(()));
            }
            let row: i64 = row.get(0)?;
            let channel = channel_of(row);
            if known.0 != channel {
                known = (channel, self.channels.contains_key(&channel));
            }
            if known.1 && !self.later.contains(&key_of(row)) {
                found.push(row);
            }
            Ok(ControlFlow::Continue(()))
        })
    }

    /// The rows of the newest messages of these channels, or of all, from a time on.
    pub(crate) fn newest(
        &self,
        connection: &Connection,
        channels: Option<&HashSet<i64>>,
        since: i64,
        most: usize,
    ) -> Result<Vec<i64>> {
        let is_meant = |channel: &i64| {
            self.channels.contains_key(channel)
                && channels.is_none_or(|channels| channels.contains(channel))
        };
        let meant: Vec<i64> = self.channels.keys().copied().filter(is_meant).collect();
        if meant.len() > FEW_CHANNELS {
            return self.newest_of_all(connection, is_meant, since, most);
        }
        let sql = "SELECT ts_key, key FROM messages \
            WHERE channel = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL ORDER BY ts_key DESC LIMIT ?4";
        let mut found: Vec<(i64, i64)> = Vec::new();
        let limit = i64::try_from(most).unwrap_or(i64::MAX);
        for channel in meant {
            let columns = params![channel, since, self.until, limit];
            found.extend(list(connection, sql, columns, |row| {
                Ok((row.get(0)?, index::row_of(channel, row.get(1)?)))
            })?);
        }
        found.sort_unstable_by(|a, b| b.cmp(a));
        found.truncate(most);
        Ok(found.into_iter().map(|(_, row)| row).collect())
    }

    fn newest_of_all(
        &self,
        connection: &Connection,
        is_meant: impl Fn(&i64) -> bool,
        since: i64,
        most: usize,
    ) -> Result<Vec<i64>> {
        let sql = "SELECT channel, key FROM messages INDEXED BY messages_by_time \
            WHERE workspace = ?1 AND ts_key BETWEEN ?2 AND ?3 AND deleted_at IS NULL ORDER BY ts_key DESC, key DESC LIMIT ?4";
        // PostgreSQL sends all rows of a result, wanted or not.
        let mut limit = most.saturating_mul(2);
        loop {
            let at_most = i64::try_from(limit).unwrap_or(i64::MAX);
            let columns = params![self.workspace, since, self.until, at_most];
            let newest = list(connection, sql, columns, |row| {
                Ok((row.get(0)?, row.get(1)?))
            })?;
            let is_all = newest.len() < limit;
            let meant = newest.into_iter().filter(|(channel, _)| is_meant(channel));
            let found: Vec<i64> = meant
                .take(most)
                .map(|(channel, key)| index::row_of(channel, key))
                .collect();
            if is_all || found.len() >= most {
                return Ok(found);
            }
            limit = limit.saturating_mul(8);
        }
    }
}
