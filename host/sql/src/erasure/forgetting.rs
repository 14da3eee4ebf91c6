//! Forgets what people want gone, and what has been kept long enough.

use std::collections::{BTreeMap, BTreeSet};

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::audit::{Action, AuditEntry, Gone, Target};
use myao_plugin::state::forgetting::{
    Erased, Expired, Forget, Forgetting, Mode, Receipt, Retention,
};
use myao_plugin::storage::records::UserRecord;
use myao_plugin::storage::{Channel, StorageError};
use myao_plugin::ts::TsKey;

use crate::agent_tokens;
use crate::audit;
use crate::erasure::credentials;
use crate::fault::Fault;
use crate::ledger;
use crate::memories::lines;
use crate::memories::records;
use crate::messages::stored as messages;
use crate::messages::tombstones::{self, Kind};
use crate::place::Place;
use crate::rows::list;
use crate::schedule::begin_again;
use crate::search::query::{Forgotten, search};
use crate::sight::json_array;
use crate::workspace::SqlWorkspace;
use crate::writing::erase;
use crate::writing::{Source, Writing};

/// The maximum number of messages, and of memories, that one transaction removes because they were kept long enough.
const EXPIRED_AT_ONCE: i64 = 10_000;

#[async_trait::async_trait]
impl Forgetting for SqlWorkspace {
    async fn forget(&self, what: Forget, now: i64, mode: Mode) -> Result<Receipt, StorageError> {
        let forgotten = self.blocking(move |this| {
            let work =
                |connection: &Connection, place: &Place| forget(connection, place, &what, now);
            let (erased, forgotten) = match mode {
                Mode::DryRun => this.try_out(work)?,
                Mode::Erase | Mode::EraseAndSearch => this.write(work)?,
            };
            if mode != Mode::EraseAndSearch {
                return Ok(Receipt {
                    erased,
                    search: None,
                });
            }
            let kept = this.discard_erased()?;
            let mut found =
                this.read(|connection, place| search(connection, place.workspace, &forgotten))?;
            found.kept_pages = kept;
            Ok(Receipt {
                erased,
                search: Some(found),
            })
        });
        let receipt = forgotten.await?;
        if mode == Mode::Erase {
            self.discard_soon();
        }
        Ok(receipt)
    }

    async fn author(&self, channel_id: &str, ts: TsKey) -> Result<Option<String>, StorageError> {
        let channel_id = channel_id.to_owned();
        self.reading(move |connection, place| {
            let sql = "SELECT m.user_id FROM messages AS m JOIN channels AS c ON c.key = m.channel \
                WHERE c.workspace = ?1 AND c.id = ?2 AND m.ts_key = ?3 AND m.user_id <> ''";
            let columns = params![place.workspace, channel_id, ts.to_database()];
            let author = connection.query_row(sql, columns, |row| row.get(0));
            Ok(author.optional()?)
        })
        .await
    }

    async fn all_channels(&self) -> Result<Vec<Channel>, StorageError> {
        self.reading(|connection, place| {
            let sql = "SELECT id, COALESCE(NULLIF(name, ''), id) AS shown_name, is_private FROM channels \
                WHERE workspace = ?1 ORDER BY shown_name, id";
            Ok(list(connection, sql, params![place.workspace], |row| {
                Ok(Channel {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    is_private: row.get(2)?,
                })
            })?)
        })
        .await
    }

    async fn users(&self) -> Result<Vec<UserRecord>, StorageError> {
        self.reading(|connection, place| {
            let sql = include_str!("sql/authors.sql");
            Ok(list(connection, sql, params![place.workspace], |row| {
                Ok(UserRecord {
                    id: row.get(0)?,
                    name: row.get(1)?,
                    is_bot: row.get(2)?,
                })
            })?)
        })
        .await
    }

    async fn expire(&self, retention: Retention, now: i64) -> Result<Expired, StorageError> {
        let expired = self.writing(move |connection, place| {
            Ok(Expired {
                messages: expire_messages(connection, place, retention.messages, now)?,
                memories: expire_memories(connection, place, retention.memories, now)?,
                calls: expire_calls(connection, place, retention.calls)?,
            })
        });
        let expired = expired.await?;
        if !expired.is_nothing() {
            self.discard_soon();
        }
        Ok(expired)
    }
}

fn forget(
    connection: &Connection,
    place: &Place,
    what: &Forget,
    now: i64,
) -> Result<(Erased, Forgotten), Fault> {
    let of = match what {
        Forget::Message { channel_id, ts } => Some((channel_id.as_str(), *ts)),
        _ => None,
    };
    let correction = of.map(|of| audit::correction(connection, place, of));
    let correction = correction.transpose()?.flatten();
    let (erased, forgotten) = remove(connection, place, what, now)?;
    let (action, target) = match what {
        Forget::Message { channel_id, ts } => (Action::Forget, Target::message(channel_id, *ts)),
        Forget::User(id) => (Action::Forget, Target::user(id)),
        Forget::Channel(id) => (Action::Forget, Target::channel(id)),
        Forget::Before(ts) => (Action::Forget, Target::before(*ts)),
        Forget::Credentials => (Action::Redact, Target::default()),
    };
    let entry = AuditEntry {
        erased: Some(Gone::from(&erased)),
        ..place.act(action, target, now)
    };
    audit::note(connection, place, &entry)?;
    if let Some(of) = of {
        let change = (correction, place.by.clone());
        audit::note_correction(connection, place, of, change, now)?;
    }
    Ok((erased, forgotten))
}

fn remove(
    connection: &Connection,
    place: &Place,
    what: &Forget,
    now: i64,
) -> Result<(Erased, Forgotten), Fault> {
    let through = |newest: Option<i64>| {
        let now = TsKey::first_of(now.saturating_add(1)).to_database() - 1;
        TsKey::from_database(newest.map_or(now, |newest| newest.max(now)))
    };
    let meant: Vec<(String, i64)> = match what {
        Forget::Message { channel_id, ts } => {
            messages::channel_key(connection, place, channel_id)?;
            vec![(channel_id.clone(), ts.to_database())]
        }
        Forget::User(id) => {
            let is_known = "SELECT EXISTS (SELECT 1 FROM users WHERE workspace = ?1 AND id = ?2) \
                OR EXISTS (SELECT 1 FROM messages WHERE workspace = ?1 AND user_id = ?2)";
            if !connection.query_row(is_known, params![place.workspace, id], |row| {
                row.get::<bool>(0)
            })? {
                return Err(StorageError::NotFound(format!("no user has the id `{id}`")).into());
            }
            let meant = meant(connection, place, (Some(id), None, None))?;
            let of = (Kind::User, id.as_str());
            let through = through(meant.iter().map(|(_, ts)| *ts).max());
            tombstones::add(connection, place.workspace, of, through, now)?;
            for table in ["feedback", "done_marks"] {
                let delete = format!(
                    "DELETE FROM {table} WHERE user_id = ?2 AND channel IN (SELECT key FROM channels WHERE workspace = ?1)"
                );
                connection.execute(&delete, params![place.workspace, id])?;
            }
            ledger::forget_user(connection, place, id)?;
            agent_tokens::remove(connection, place, (id, None), now)?;
            meant
        }
        Forget::Channel(id) => {
            messages::channel_key(connection, place, id)?;
            let meant = meant(connection, place, (None, Some(id), None))?;
            let of = (Kind::Channel, id.as_str());
            let through = through(meant.iter().map(|(_, ts)| *ts).max());
            tombstones::add(connection, place.workspace, of, through, now)?;
            meant
        }
        Forget::Before(ts) => {
            let last = TsKey::from_database(ts.to_database() - 1);
            tombstones::add(connection, place.workspace, (Kind::All, ""), last, now)?;
            meant(connection, place, (None, None, Some(last.to_database())))?
        }
        Forget::Credentials => return credentials::redact(connection, place, now),
    };
    let mut writing = Writing::new(place.workspace, Source::Events(now));
    let mut forgotten = Forgotten::default();
    for (channel_id, ts) in &meant {
        if let Some(text) = text(connection, place, channel_id, *ts)? {
            forgotten.add(text);
        }
        writing.delete(connection, channel_id, TsKey::from_database(*ts), now)?;
    }
    let mut erased = writing.finish(connection)?;
    // Their texts may hold what was said; they could not be applied, and nobody can tell what they say.
    erased.events += connection.execute(
        "DELETE FROM events WHERE workspace = ?1 AND state = 2",
        [place.workspace],
    )?;
    if let Forget::Channel(id) = what {
        let of_channel = include_str!("sql/memories_of_subject.sql");
        let memories: Vec<i64> = list(
            connection,
            of_channel,
            params![place.workspace, id],
            |row| row.get(0),
        )?;
        erased += remove_texts(connection, place, &memories.into_iter().collect())?;
        begin_again::begin_again(connection, place, Some(id), now)?;
    }
    Ok((erased, forgotten))
}

/// The channels and ids of messages that are not deleted: of a user, of a channel, or up to a key.
fn meant(
    connection: &Connection,
    place: &Place,
    (user, channel, through): (Option<&str>, Option<&str>, Option<i64>),
) -> Result<Vec<(String, i64)>> {
    let sql = include_str!("sql/messages_to_forget.sql");
    let columns = params![place.workspace, user, channel, through];
    list(connection, sql, columns, |row| {
        Ok((row.get(0)?, row.get(1)?))
    })
}

fn text(
    connection: &Connection,
    place: &Place,
    channel_id: &str,
    ts: i64,
) -> Result<Option<String>> {
    let sql = "SELECT m.text FROM messages AS m JOIN channels AS c ON c.key = m.channel \
        WHERE c.workspace = ?1 AND c.id = ?2 AND m.ts_key = ?3";
    connection
        .query_row(sql, params![place.workspace, channel_id, ts], |row| {
            row.get(0)
        })
        .optional()
}

/// Removes whole texts of memories.
fn remove_texts(
    connection: &Connection,
    place: &Place,
    memories: &BTreeSet<i64>,
) -> Result<Erased, Fault> {
    let mut erased = Erased::default();
    let revision = erase::next_revision(connection, place.workspace)?;
    for memory in memories {
        let removed = connection
            .execute("UPDATE memories SET content = ?2, revised = ?3, handed_known = 0 WHERE id = ?1 AND content <> ?2", params![memory, erase::NOTHING_LEFT, revision])?;
        erased.memories += removed;
        erased.lines += lines::of(connection, *memory)?.len();
        lines::replace(connection, *memory, &[])?;
        records::remove(connection, *memory)?;
    }
    erased += erase::drop_copies(connection, place.workspace, "[]", memories)?;
    Ok(erased)
}

/// Removes old messages, and refuses older ones from now on. What was made from them stays.
fn expire_messages(
    connection: &Connection,
    place: &Place,
    before: Option<TsKey>,
    now: i64,
) -> Result<usize, Fault> {
    let Some(before) = before else {
        tombstones::end_retention(connection, place.workspace)?;
        return Ok(0);
    };
    let last = TsKey::from_database(before.to_database() - 1);
    let of = (Kind::Retention, "");
    tombstones::add(connection, place.workspace, of, last, now)?;
    let old_events =
        "DELETE FROM events WHERE workspace = ?1 AND state = 2 AND received_at < ?2 * 1000";
    connection.execute(old_events, [place.workspace, before.unix_seconds()])?;
    let sql = include_str!("sql/messages_to_expire.sql");
    let columns = params![place.workspace, last.to_database(), EXPIRED_AT_ONCE];
    let old: Vec<(i64, i64, Option<i64>)> = list(connection, sql, columns, |row| {
        Ok((row.get(0)?, row.get(1)?, row.get(2)?))
    })?;
    if old.is_empty() {
        return Ok(0);
    }
    let keys = json_array(&old.iter().map(|(key, ..)| *key).collect());
    connection.execute(include_str!("sql/expire_messages.sql"), params![keys, now])?;
    let mut writing = Writing::new(place.workspace, Source::Events(now));
    for (key, channel, thread) in &old {
        writing.touch_text(*channel, *key);
        writing.touch_channel(*channel);
        if let Some(thread) = thread {
            writing.touch_thread(*channel, *thread);
        }
    }
    writing.finish(connection)?;
    ledger::erase(connection, &keys)?;
    erase::drop_events(connection, place.workspace, &keys)?;
    erase::drop_copies(connection, place.workspace, &keys, &BTreeSet::new())?;
    Ok(old.len())
}

/// Removes the records of old calls. Those of a current memory stay: they say from which input it was made.
fn expire_calls(
    connection: &Connection,
    place: &Place,
    before: Option<i64>,
) -> Result<usize, Fault> {
    let Some(before) = before else {
        return Ok(0);
    };
    let old = params![place.workspace, before, EXPIRED_AT_ONCE];
    let of_models = connection.execute(include_str!("sql/expire_calls.sql"), old)?;
    let of_embedders = connection.execute(include_str!("sql/expire_embedding_calls.sql"), old)?;
    Ok(of_models + of_embedders)
}

/// Removes the texts of old memories, the current ones too.
fn expire_memories(
    connection: &Connection,
    place: &Place,
    before: Option<i64>,
    now: i64,
) -> Result<usize, Fault> {
    let Some(before) = before else {
        return Ok(0);
    };
    let sql = include_str!("sql/memories_to_expire.sql");
    let columns = params![place.workspace, before, EXPIRED_AT_ONCE];
    let old: BTreeMap<i64, (i64, String)> = list(connection, sql, columns, |row| {
        Ok((row.get(0)?, (row.get(1)?, row.get(2)?)))
    })?
    .into_iter()
    .collect();
    remove_texts(connection, place, &old.keys().copied().collect())?;
    let mut writing = Writing::new(place.workspace, Source::Events(now));
    for (memory, (scope, scope_id)) in &old {
        connection.execute(
            "UPDATE memories SET superseded_at = COALESCE(superseded_at, ?2) WHERE id = ?1",
            [*memory, now],
        )?;
        let (channel_id, thread) = match (scope, scope_id.split_once(':')) {
            (1, _) => (scope_id.as_str(), None),
            (2, Some((channel_id, thread))) => (channel_id, TsKey::parse(thread).ok()),
            _ => continue,
        };
        let channel = messages::channel_key(connection, place, channel_id)?;
        writing.touch_channel(channel);
        if let Some(thread) = thread {
            writing.touch_thread(channel, thread.to_database());
        }
    }
    writing.finish(connection)?;
    Ok(old.len())
}
