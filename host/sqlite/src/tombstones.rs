//! Tombstones: what was to be forgotten does not come back with an import, an event or a history that is read again.

use std::collections::HashMap;

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;
use rusqlite::{Connection, params};

/// What a tombstone is about. The numbers are the values of the column `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    All = 0,
    Channel = 1,
    User = 2,
    /// What has been kept long enough.
    Retention = 3,
}

/// A tombstone.
#[derive(Debug, Clone, Copy)]
struct Tombstone {
    /// The newest message that it is about.
    through: i64,
    /// In Unix seconds.
    made_at: i64,
    is_retention: bool,
}

/// The tombstones of a workspace.
#[derive(Default)]
pub(super) struct Tombstones {
    all: Vec<Tombstone>,
    channels: HashMap<String, Tombstone>,
    users: HashMap<String, Tombstone>,
}

/// Why a message is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refusal {
    /// Since when, in Unix seconds.
    pub(super) since: i64,
    /// Whether it has only been kept long enough.
    pub(super) is_expiry: bool,
}

impl Tombstones {
    pub(super) fn of(connection: &Connection, workspace: i64) -> rusqlite::Result<Self> {
        let mut tombstones = Self::default();
        let sql = "SELECT kind, subject, through, made_at FROM tombstones WHERE workspace = ?1";
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([workspace])?;
        while let Some(row) = rows.next()? {
            let (kind, subject): (i64, String) = (row.get(0)?, row.get(1)?);
            let tombstone = Tombstone {
                through: row.get(2)?,
                made_at: row.get(3)?,
                is_retention: kind == Kind::Retention as i64,
            };
            match kind {
                1 => drop(tombstones.channels.insert(subject, tombstone)),
                2 => drop(tombstones.users.insert(subject, tombstone)),
                _ => tombstones.all.push(tombstone),
            }
        }
        Ok(tombstones)
    }

    /// Whether a memory of another program, made at `made_at` in Unix seconds, may hold what was to be forgotten.
    /// `channel_id` is its channel, or that of its thread; `None` for the workspace.
    pub(super) fn refuse_memory(&self, channel_id: Option<&str>, made_at: i64) -> bool {
        let of_channels = self
            .channels
            .iter()
            .filter(|(id, _)| channel_id.is_none_or(|of| of == id.as_str()))
            .map(|(_, tombstone)| tombstone);
        let mut meant = self
            .all
            .iter()
            .chain(self.users.values())
            .chain(of_channels);
        meant.any(|tombstone| !tombstone.is_retention && made_at <= tombstone.made_at)
    }

    /// Why a message is to be forgotten; `None` if it is not.
    pub(super) fn refusal(&self, record: &MessageRecord) -> Option<Refusal> {
        let of_channel = self.channels.get(&record.channel_id);
        let of_user = self.users.get(&record.user_id);
        let all = self.all.iter().chain(of_channel).chain(of_user);
        let ts = record.ts.to_database();
        let meant: Vec<&Tombstone> = all.filter(|tombstone| ts <= tombstone.through).collect();
        Some(Refusal {
            since: meant.iter().map(|tombstone| tombstone.made_at).min()?,
            is_expiry: meant.iter().all(|tombstone| tombstone.is_retention),
        })
    }
}

/// Refuses messages up to `through` from now on.
pub(super) fn add(
    connection: &Connection,
    workspace: i64,
    (kind, subject): (Kind, &str),
    through: TsKey,
    now: i64,
) -> rusqlite::Result<()> {
    connection
        .prepare_cached(include_str!("sql/add_tombstone.sql"))?
        .execute(params![
            workspace,
            kind as i64,
            subject,
            through.to_database(),
            now
        ])?;
    Ok(())
}

/// Refuses no longer what has been kept long enough.
pub(super) fn end_retention(connection: &Connection, workspace: i64) -> rusqlite::Result<()> {
    connection
        .prepare_cached("DELETE FROM tombstones WHERE workspace = ?1 AND kind = ?2")?
        .execute([workspace, Kind::Retention as i64])?;
    Ok(())
}
