//! Messages off the record, and how the bot takes part in channels.

use std::collections::BTreeMap;

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::audit::{Action, Target};
use myao_plugin::state::off_record::{OffRecord, Participation, Speaker};
use myao_plugin::storage::StorageError;
use myao_plugin::ts::TsKey;

use crate::audit;
use crate::fault::Fault;
use crate::messages::tombstones::Kind;
use crate::place::Place;
use crate::rows::list;
use crate::workspace::SqlWorkspace;
use crate::writing::{Source, Writing};

#[async_trait::async_trait]
impl OffRecord for SqlWorkspace {
    async fn set_off_record(
        &self,
        of: Speaker,
        is_off: bool,
        at: TsKey,
        now: i64,
    ) -> Result<bool, StorageError> {
        let changed = self.writing(move |connection, place| {
            let action = match (is_off, since(connection, place, &of)?) {
                (true, None) => {
                    begin(connection, place, &of, at)?;
                    delete(connection, place, &of, at, now)?;
                    Action::OffRecord
                }
                (false, Some(since)) => {
                    end(connection, place, &of, (since, at))?;
                    Action::OnRecord
                }
                _ => return Ok(false),
            };
            let target = match &of {
                Speaker::Channel(id) => Target::channel(id),
                Speaker::User(id) => Target::user(id),
            };
            audit::note(connection, place, &place.act(action, target, now))?;
            Ok(true)
        });
        let changed = changed.await?;
        if changed && is_off {
            self.discard_soon();
        }
        Ok(changed)
    }

    async fn off_record_since(&self, of: Speaker) -> Result<Option<TsKey>, StorageError> {
        self.reading(move |connection, place| Ok(since(connection, place, &of)?))
            .await
    }

    async fn all_off_record(&self) -> Result<Vec<(Speaker, TsKey)>, StorageError> {
        self.reading(|connection, place| {
            let sql = "SELECT kind, subject, since FROM off_record \
                WHERE workspace = ?1 AND until IS NULL ORDER BY kind, subject";
            Ok(list(connection, sql, params![place.workspace], |row| {
                let speaker = match row.get::<i64>(0)? {
                    kind if kind == Kind::Channel as i64 => Speaker::Channel(row.get(1)?),
                    _ => Speaker::User(row.get(1)?),
                };
                Ok((speaker, TsKey::from_database(row.get(2)?)))
            })?)
        })
        .await
    }

    async fn set_participation(
        &self,
        channel_id: &str,
        how: Participation,
        now: i64,
    ) -> Result<bool, StorageError> {
        let id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let sql = "UPDATE channels SET participation = ?3 \
                WHERE workspace = ?1 AND id = ?2 AND participation IS DISTINCT FROM ?3";
            let columns = params![place.workspace, id, code_of(how)];
            let is_changed = connection.execute(sql, columns)? > 0;
            if is_changed {
                let act = place.act(Action::SetMode, Target::channel(&id), now);
                audit::note(connection, place, &act)?;
            }
            Ok(is_changed)
        })
        .await
    }

    async fn note_greeting(&self, channel_id: &str) -> Result<bool, StorageError> {
        let id = channel_id.to_owned();
        self.writing(move |connection, place| {
            let sql = "UPDATE channels SET is_greeted = 1 \
                WHERE workspace = ?1 AND id = ?2 AND is_greeted = 0 AND present = 1";
            Ok(connection.execute(sql, params![place.workspace, id])? > 0)
        })
        .await
    }

    async fn participation(&self) -> Result<BTreeMap<String, Participation>, StorageError> {
        self.reading(|connection, place| {
            let sql = "SELECT id, participation FROM channels \
                WHERE workspace = ?1 AND participation IS NOT NULL";
            let set = list(connection, sql, params![place.workspace], |row| {
                Ok((row.get(0)?, of_code(row.get(1)?)))
            })?;
            Ok(set.into_iter().collect())
        })
        .await
    }
}

/// The column `participation`.
fn code_of(how: Participation) -> i64 {
    match how {
        Participation::Silent => 0,
        Participation::Mentions => 1,
        Participation::JoinsIn => 2,
    }
}

fn of_code(code: i64) -> Participation {
    match code {
        0 => Participation::Silent,
        1 => Participation::Mentions,
        _ => Participation::JoinsIn,
    }
}

fn since(connection: &Connection, place: &Place, of: &Speaker) -> Result<Option<TsKey>> {
    let sql = "SELECT since FROM off_record \
        WHERE workspace = ?1 AND kind = ?2 AND subject = ?3 AND until IS NULL";
    let (kind, subject) = columns_of(of);
    connection
        .query_row(sql, params![place.workspace, kind, subject], |row| {
            row.get(0)
        })
        .optional()
        .map(|since| since.map(TsKey::from_database))
}

/// A time that begins where an earlier one did goes on with it.
fn begin(connection: &Connection, place: &Place, of: &Speaker, at: TsKey) -> Result<()> {
    let sql = "INSERT INTO off_record (workspace, kind, subject, since) VALUES (?1, ?2, ?3, ?4) \
        ON CONFLICT (workspace, kind, subject, since) DO UPDATE SET until = NULL";
    let (kind, subject) = columns_of(of);
    let columns = params![place.workspace, kind, subject, at.to_database()];
    connection.execute(sql, columns)?;
    Ok(())
}

fn end(
    connection: &Connection,
    place: &Place,
    of: &Speaker,
    (since, at): (TsKey, TsKey),
) -> Result<()> {
    let sql = "UPDATE off_record SET until = MAX(since, ?5) \
        WHERE workspace = ?1 AND kind = ?2 AND subject = ?3 AND since = ?4";
    let (kind, subject) = columns_of(of);
    let (since, at) = (since.to_database(), at.to_database());
    let columns = params![place.workspace, kind, subject, since, at];
    connection.execute(sql, columns)?;
    Ok(())
}

/// Deletes what was written since, as far as it is stored.
fn delete(
    connection: &Connection,
    place: &Place,
    of: &Speaker,
    at: TsKey,
    now: i64,
) -> Result<(), Fault> {
    // Each reads few rows: the newest of the channel, or of the workspace.
    let (meant, id) = match of {
        Speaker::Channel(id) => (
            "SELECT c.id, m.ts_key FROM channels AS c CROSS JOIN messages AS m ON m.channel = c.key \
                WHERE c.workspace = ?1 AND c.id = ?2 AND m.ts_key >= ?3 AND m.deleted_at IS NULL",
            id,
        ),
        Speaker::User(id) => (
            "SELECT c.id, m.ts_key FROM messages AS m JOIN channels AS c ON c.key = m.channel \
                WHERE m.workspace = ?1 AND m.user_id = ?2 AND m.ts_key >= ?3 AND m.deleted_at IS NULL",
            id,
        ),
    };
    let columns = params![place.workspace, id, at.to_database()];
    let meant: Vec<(String, i64)> = list(connection, meant, columns, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    let mut writing = Writing::new(place.workspace, Source::Events(now));
    for (channel_id, ts) in meant {
        writing.delete(connection, &channel_id, TsKey::from_database(ts), now)?;
    }
    writing.finish(connection)?;
    Ok(())
}

/// The columns `kind` and `subject`.
fn columns_of(of: &Speaker) -> (i64, &str) {
    match of {
        Speaker::Channel(id) => (Kind::Channel as i64, id),
        Speaker::User(id) => (Kind::User as i64, id),
    }
}
