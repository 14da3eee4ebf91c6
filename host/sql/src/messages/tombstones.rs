//! Tombstones: what was to be forgotten does not come back with an import, an event or a history that is read again, and what
//! is said off the record is not stored.

use std::collections::HashMap;

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

/// The kind of a tombstone. The numbers are the values of the column `kind`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    All = 0,
    Channel = 1,
    User = 2,
    /// Messages that were kept long enough.
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

/// A time off the record.
#[derive(Debug, Clone, Copy)]
struct OffRecord {
    /// The first message that it is about.
    since: i64,
    /// The first message that it is not about any more; `None` while it goes on.
    until: Option<i64>,
}

impl OffRecord {
    fn has(&self, ts: i64) -> bool {
        ts >= self.since && self.until.is_none_or(|until| ts < until)
    }

    /// In Unix seconds.
    fn began(&self) -> i64 {
        TsKey::from_database(self.since).unix_seconds()
    }
}

/// The tombstones of a workspace, and what is off the record there.
#[derive(Default)]
pub(crate) struct Tombstones {
    all: Vec<Tombstone>,
    channels: HashMap<String, Tombstone>,
    users: HashMap<String, Tombstone>,
    channels_off_record: HashMap<String, Vec<OffRecord>>,
    users_off_record: HashMap<String, Vec<OffRecord>>,
}

/// Why a message is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// Since when, in Unix seconds.
    pub(crate) since: i64,
    /// True if it has only been kept long enough.
    pub(crate) is_expiry: bool,
}

impl Tombstones {
    pub(crate) fn of(connection: &Connection, workspace: i64) -> Result<Self> {
        let mut tombstones = Self::default();
        let sql = "SELECT kind, subject, through, made_at FROM tombstones WHERE workspace = ?1";

        connection.each(sql, [workspace], |row| -> Result<()> {
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
            Ok(())
        })?;
        tombstones.read_off_record(connection, workspace)?;
        Ok(tombstones)
    }

    fn read_off_record(&mut self, connection: &Connection, workspace: i64) -> Result<()> {
        let sql = "SELECT kind, subject, since, until FROM off_record WHERE workspace = ?1 \
            ORDER BY kind, subject, since";

        connection.each(sql, [workspace], |row| -> Result<()> {
            let of_kind = match row.get::<i64>(0)? {
                1 => &mut self.channels_off_record,
                _ => &mut self.users_off_record,
            };
            of_kind.entry(row.get(1)?).or_default().push(OffRecord {
                since: row.get(2)?,
                until: row.get(3)?,
            });
            Ok(())
        })
    }

    /// Messages that are or were off the record in a channel, or of a user.
    fn off_record<'t>(
        of_kind: &'t HashMap<String, Vec<OffRecord>>,
        subject: &str,
    ) -> impl Iterator<Item = &'t OffRecord> {
        of_kind.get(subject).into_iter().flatten()
    }

    /// Returns true if a memory of another program, made at `made_at` in Unix seconds, may hold what was to be forgotten.
    /// `channel_id` is its channel, or that of its thread; `None` for the workspace.
    pub(crate) fn refuse_memory(&self, channel_id: Option<&str>, made_at: i64) -> bool {
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
        let mut off_record = self
            .channels_off_record
            .iter()
            .filter(|(id, _)| channel_id.is_none_or(|of| of == id.as_str()))
            .chain(&self.users_off_record)
            .flat_map(|(_, times)| times);
        meant.any(|tombstone| !tombstone.is_retention && made_at <= tombstone.made_at)
            || off_record.any(|time| made_at >= time.began())
    }

    /// Why a message is to be forgotten; `None` if it is not.
    pub(crate) fn refusal(&self, record: &MessageRecord) -> Option<Refusal> {
        let of_channel = self.channels.get(&record.channel_id);
        let of_user = self.users.get(&record.user_id);
        let all = self.all.iter().chain(of_channel).chain(of_user);
        let ts = record.ts.to_database();
        let meant: Vec<&Tombstone> = all.filter(|tombstone| ts <= tombstone.through).collect();
        let of_channel = Self::off_record(&self.channels_off_record, &record.channel_id);
        let of_user = Self::off_record(&self.users_off_record, &record.user_id);
        // The operator writes to the bot.
        let is_meant = record.user_id != OPERATOR_ID;
        let mut times = of_channel.chain(of_user);
        let off_record = times.find(|time| is_meant && time.has(ts));
        let forgotten = meant.iter().map(|tombstone| tombstone.made_at);
        Some(Refusal {
            since: forgotten.chain(off_record.map(OffRecord::began)).min()?,
            is_expiry: off_record.is_none() && meant.iter().all(|tombstone| tombstone.is_retention),
        })
    }
}

/// Refuses messages up to `through` from now on.
pub(crate) fn add(
    connection: &Connection,
    workspace: i64,
    (kind, subject): (Kind, &str),
    through: TsKey,
    now: i64,
) -> Result<()> {
    connection.execute(
        include_str!("sql/add_tombstone.sql"),
        params![workspace, kind as i64, subject, through.to_database(), now],
    )?;
    Ok(())
}

/// Refuses no longer what has been kept long enough.
pub(crate) fn end_retention(connection: &Connection, workspace: i64) -> Result<()> {
    connection.execute(
        "DELETE FROM tombstones WHERE workspace = ?1 AND kind = ?2",
        [workspace, Kind::Retention as i64],
    )?;
    Ok(())
}
