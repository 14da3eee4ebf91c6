//! Who reads a channel: derived from its facts, its members and who of them is a guest.

use std::collections::BTreeSet;

use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::audience::{Audience, ChannelFacts};
use myao_plugin::state::sync::Member;
use myao_plugin::ts::TsKey;

use crate::fault::Fault;
use crate::rows::list;
use crate::sight::json_texts;
use crate::visibility::lineage;

/// The column's value of an audience.
fn code(audience: Audience) -> i64 {
    match audience {
        Audience::Everybody => 0,
        Audience::Members => 1,
        Audience::MembersAndOutsiders => 2,
    }
}

/// The audience of a column's value.
pub(crate) fn of_code(code: i64) -> Audience {
    match code {
        0 => Audience::Everybody,
        1 => Audience::Members,
        _ => Audience::MembersAndOutsiders,
    }
}

/// Takes over a list of all members, unless a newer one is known.
pub(crate) fn list_members(
    connection: &Connection,
    channel: i64,
    members: Option<&[String]>,
    at: i64,
    too_late: i64,
) -> Result<()> {
    let known: i64 = connection.query_row(
        "SELECT members_at FROM channels WHERE key = ?1",
        [channel],
        |row| row.get(0),
    )?;
    let taken = connection.execute(
        include_str!("sql/list_members.sql"),
        params![channel, members.is_some(), at, too_late],
    )?;
    if taken == 0 {
        return Ok(());
    }
    let ids = json_texts(members.unwrap_or_default().to_vec());
    let columns = params![channel, ids, at, too_late];
    connection.execute(include_str!("sql/drop_members.sql"), columns)?;
    // Of two lists with the same time, only those are members who are in both.
    if known != at {
        connection.execute(include_str!("sql/add_members.sql"), columns)?;
    }
    Ok(())
}

/// Derives the audiences of channels again, at a time in Unix seconds. What may not be shown any more is set aside.
pub(crate) fn derive(
    connection: &Connection,
    workspace: i64,
    channels: &BTreeSet<i64>,
    now: i64,
) -> Result<(), Fault> {
    for channel in channels {
        let facts =
            connection.query_row(include_str!("sql/channel_facts.sql"), [channel], |row| {
                Ok(ChannelFacts {
                    is_private: row.get(0)?,
                    is_shared: row.get(1)?,
                    has_guests: row.get(2)?,
                })
            })?;
        let before = connection.query_row(
            "SELECT audience FROM channels WHERE key = ?1",
            [channel],
            |row| Ok(of_code(row.get(0)?)),
        )?;
        let after = facts.audience();
        if before == after {
            continue;
        }
        connection.execute(
            "UPDATE channels SET audience = ?2 WHERE key = ?1",
            [*channel, code(after)],
        )?;
        lineage::audience_changed(connection, (workspace, *channel), (before, after), now)?;
    }
    Ok(())
}

/// The channels of a user.
pub(crate) fn channels_of(
    connection: &Connection,
    workspace: i64,
    user_id: &str,
) -> Result<Vec<i64>> {
    let sql = "SELECT m.channel FROM channel_members AS m JOIN channels AS c ON c.key = m.channel \
         WHERE m.user_id = ?1 AND m.is_member = 1 AND c.workspace = ?2";
    list(connection, sql, params![user_id, workspace], |row| {
        row.get(0)
    })
}

/// The members of a channel that are known, ordered by id.
pub(crate) fn members(
    connection: &Connection,
    workspace: i64,
    channel_id: &str,
) -> Result<Vec<Member>> {
    let sql = "SELECT m.user_id, m.known_at FROM channel_members AS m JOIN channels AS c ON c.key = m.channel \
         WHERE c.workspace = ?1 AND c.id = ?2 AND m.is_member = 1 ORDER BY m.user_id";
    list(connection, sql, params![workspace, channel_id], |row| {
        Ok(Member {
            user_id: row.get(0)?,
            known_at: TsKey::from_database(row.get(1)?),
        })
    })
}

/// Returns true if a user is known to be a member of a channel since a time.
pub(crate) fn is_member(
    connection: &Connection,
    workspace: i64,
    (user_id, channel_id): (&str, &str),
    since: TsKey,
) -> Result<bool> {
    connection
        .query_row("SELECT EXISTS (SELECT 1 FROM channels AS c JOIN channel_members AS m ON m.channel = c.key \
             WHERE c.workspace = ?1 AND c.id = ?2 AND m.user_id = ?3 AND m.is_member = 1 AND m.known_at >= ?4)", 
            params![workspace, channel_id, user_id, since.to_database()],
            |row| row.get(0),
        )
}
