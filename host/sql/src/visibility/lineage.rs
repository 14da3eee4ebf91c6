//! Where a memory may be shown: the channels from which it was made, directly or through other memories.
//!
//! **Invariant**: whether a text may be shown is decided when it is read, from its channels and from what they are now.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::audience::Audience;
use myao_plugin::state::audit::{Action, Target};
use myao_plugin::storage::{MemoryId, StorageError};
use myao_plugin::{MemoryType, Place as SeenFrom, Scope, digest};

use crate::audit;
use crate::fault::Fault;
use crate::memories::backlog::{recount_channel, recount_thread};
use crate::messages::progress;
use crate::messages::stored::{channel_key, channel_keys, not_stored};
use crate::place::Place;
use crate::rows;
use crate::sight::{Sight, json_array, json_ids};
use crate::writing::retraction;
use crate::writing::{Source, Writing};

/// The set of the channels from which a memory is made: its own, those of the memories that its call was given, and those
/// whose messages it was given, by their ids.
pub(crate) fn origins(
    connection: &Connection,
    place: &Place,
    own: Option<i64>,
    handed: &BTreeSet<MemoryId>,
    heard: &BTreeSet<String>,
) -> Result<i64, Fault> {
    if !Sight::of(connection, place)?.covers(connection, place, handed)? {
        return Err(StorageError::Conflict(format!(
            "a memory that this one was made from may not be shown to {} any more: read again",
            place.seen_from
        ))
        .into());
    }
    let mut channels: BTreeSet<i64> = own.into_iter().collect();
    let ids = heard.iter().map(String::as_str);
    let known = channel_keys(connection, place, ids)?;
    if let Some(id) = heard.iter().find(|id| !known.contains_key(*id)) {
        return Err(not_stored(id));
    }
    channels.extend(known.into_values());
    if !handed.is_empty() {
        let columns = params![place.workspace, json_ids(handed)];
        let sql = include_str!("sql/handed_channels.sql");
        let of_handed: Vec<i64> = rows::list(connection, sql, columns, |row| row.get(0))?;
        channels.extend(of_handed);
    }
    Ok(intern(connection, &channels)?)
}

/// The key of a set of channels. Each set is stored once.
pub(crate) fn intern(connection: &Connection, channels: &BTreeSet<i64>) -> Result<i64> {
    let digest = digest::sha256_hex(json_array(channels));
    let known: Option<i64> = connection
        .query_row(
            "SELECT key FROM origin_sets WHERE digest = ?1",
            [&digest],
            |row| row.get(0),
        )
        .optional()?;
    if let Some(key) = known {
        return Ok(key);
    }
    let key: i64 = connection.query_row(
        include_str!("sql/insert_origin_set.sql"),
        [&digest],
        |row| row.get(0),
    )?;
    let insert =
        "INSERT INTO origin_channels (origins, channel) SELECT ?1, value FROM integers(?2)";
    connection.execute(insert, params![key, json_array(channels)])?;
    Ok(key)
}

/// A channel's audience changed, at a time in Unix seconds: sets aside what may not be shown any more, and lets the
/// workspace's memory take in what may be shown now.
pub(crate) fn audience_changed(
    connection: &Connection,
    (workspace, channel): (i64, i64),
    (before, after): (Audience, Audience),
    now: i64,
) -> Result<(), Fault> {
    let mut posts = Vec::new();
    if before.is_open() && !after.is_open() {
        let elsewhere = include_str!("sql/withdrawn.sql");
        let texts = texts(connection, elsewhere, workspace, channel)?;
        withdraw(connection, workspace, &texts, now)?;
        withdraw_unfinished(connection, workspace, channel, true)?;
        posts.extend(retraction::told_elsewhere(connection, channel)?);
    }
    if !before.is_open() && after.is_open() {
        connection.execute(include_str!("sql/merge_again.sql"), [workspace])?;
    }
    if before.sees_open() && !after.sees_open() {
        let here = include_str!("sql/withdrawn_here.sql");
        let texts = texts(connection, here, workspace, channel)?;
        withdraw(connection, workspace, &texts, now)?;
        withdraw_unfinished(connection, workspace, channel, false)?;
        posts.extend(retraction::told_of_others(connection, channel)?);
    }
    if !posts.is_empty() {
        let mut writing = Writing::new(workspace, Source::Events(now));
        writing.delete_posts(connection, &posts)?;
        writing.finish(connection)?;
    }
    Ok(())
}

/// Sets texts aside that may not be shown any more; the next run makes them anew from what may still be shown. A
/// channel's later versions go with the first one that is set aside, so that its messages are summarised again in their
/// order.
fn withdraw(connection: &Connection, workspace: i64, texts: &[Text], now: i64) -> Result<()> {
    for text in texts {
        text.withdraw(connection, workspace, now)?;
    }
    Ok(())
}

/// Drops answers that are not sent yet, answers of the model that wait for their memory, and deferrals, elsewhere than in a channel or in it: it is not stored what they
/// were made from. What is still wanted is made anew.
fn withdraw_unfinished(
    connection: &Connection,
    workspace: i64,
    channel: i64,
    is_elsewhere: bool,
) -> Result<()> {
    let drop_answers = include_str!("../erasure/sql/drop_waiting_answers.sql");
    connection.execute(drop_answers, params![workspace, channel, is_elsewhere])?;
    for sql in [
        include_str!("../erasure/sql/withdraw_parts.sql"),
        include_str!("../erasure/sql/blank_parts.sql"),
        include_str!("sql/withdraw_unasked.sql"),
        include_str!("sql/withdraw_deferrals.sql"),
    ] {
        let columns = params![workspace, channel, is_elsewhere];
        connection.execute(sql, columns)?;
    }
    Ok(())
}

fn texts(connection: &Connection, sql: &str, workspace: i64, channel: i64) -> Result<Vec<Text>> {
    rows::list(connection, sql, params![workspace, channel], |row| {
        Ok(Text {
            id: row.get(0)?,
            scope: row.get(1)?,
            scope_id: row.get(2)?,
            memory_type: row.get(3)?,
            version: row.get(4)?,
        })
    })
}

/// Scope and type of a channel's versions.
const VERSION: (i64, i64) = (1, 1);

/// A text that is set aside.
struct Text {
    id: i64,
    scope: i64,
    scope_id: String,
    memory_type: i64,
    version: i64,
}

impl Text {
    fn withdraw(&self, connection: &Connection, workspace: i64, now: i64) -> Result<()> {
        if (self.scope, self.memory_type) == VERSION {
            progress::give_back(connection, workspace, &self.scope_id, self.version)?;
        }
        let set_aside = "UPDATE memories SET superseded_at = ?6 \
            WHERE workspace = ?1 AND scope = ?2 AND scope_id = ?3 AND memory_type = ?4 AND superseded_at IS NULL \
                AND (version >= ?5 OR version = 0)";
        connection.execute(
            set_aside,
            params![
                workspace,
                self.scope,
                self.scope_id,
                self.memory_type,
                self.version,
                now
            ],
        )?;
        if self.scope == rows::scope_code(Scope::Workspace) {
            return Ok(());
        }
        let (channel_id, thread) = match rows::thread_scope(&self.scope_id) {
            Ok((channel_id, thread)) if self.scope == 2 => (channel_id, Some(thread)),
            _ => (self.scope_id.as_str(), None),
        };
        let key: Option<i64> = connection
            .query_row(
                include_str!("../messages/sql/channel_key.sql"),
                params![workspace, channel_id],
                |row| row.get(0),
            )
            .optional()?;
        let Some(channel) = key else {
            return Ok(());
        };
        let Some(thread) = thread else {
            recount_channel(connection, channel)?;
            return self.begin_again(connection, channel);
        };
        recount_thread(connection, channel, thread)
    }

    /// If no version is left, the first one begins with the oldest message of this one.
    fn begin_again(&self, connection: &Connection, channel: i64) -> Result<()> {
        let begin = include_str!("sql/begin_again.sql");
        connection.execute(begin, [channel, self.id])?;
        Ok(())
    }
}

/// Accepts the current memories that are set aside because it is not known what they were made from: those of a channel
/// and its threads, or all. From then on they count as made from their own channel, and the workspace's as made from
/// none. It happens at `now`, in Unix seconds. Returns how many there were.
pub(crate) fn accept(
    connection: &Connection,
    place: &Place,
    channel_id: Option<&str>,
    now: i64,
) -> Result<usize, Fault> {
    let set_aside = "SELECT id, scope, scope_id, memory_type FROM memories \
        WHERE workspace = ?1 AND origins IS NULL AND superseded_at IS NULL ORDER BY id";
    let found: Vec<(i64, i64, String, i64)> =
        rows::list(connection, set_aside, params![place.workspace], |row| {
            Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?))
        })?;
    let mut accepted = 0;
    for (id, scope, scope_id, memory_type) in found {
        let scope = rows::scope(scope);
        let own = match SeenFrom::of(scope, &scope_id) {
            SeenFrom::Channel(own) => Some(own),
            _ => None,
        };
        if channel_id.is_some() && own.as_deref() != channel_id {
            continue;
        }
        let key = own
            .as_deref()
            .map(|own| channel_key(connection, place, own))
            .transpose()?;
        let origins = intern(connection, &key.into_iter().collect())?;
        connection.execute(
            "UPDATE memories SET origins = ?2 WHERE id = ?1",
            [id, origins],
        )?;
        match (key, scope) {
            (Some(key), Scope::Channel) => {
                if rows::memory_type(memory_type) == MemoryType::ShortTerm {
                    progress::settle(connection, key, id)?;
                }
                recount_channel(connection, key)?;
            }
            (Some(key), Scope::Thread) => {
                let (_, thread) = rows::thread_scope(&scope_id)?;
                recount_thread(connection, key, thread)?;
            }
            _ => {}
        }
        let target = Target {
            channel_id: own,
            memory: Some(rows::memory_id(id)),
            ..Target::default()
        };
        let entry = place.act(Action::AcceptMemory, target, now);
        audit::note(connection, place, &entry)?;
        accepted += 1;
    }
    Ok(accepted)
}
