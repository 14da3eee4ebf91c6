//! What the authors of corrections picked to be struck: references between messages of a channel.

use myao_plugin::MessageRef;
use myao_plugin::state::audit::{Action, AuditEntry, Target};
use myao_plugin::storage::Strike;
use myao_plugin::storage::effects::Effect;

use crate::audit;
use crate::fault::Fault;
use crate::params;
use crate::place::Place;
use crate::rows;
use crate::session::{Connection, OptionalExtension, Result};
use crate::sight::Sight;

/// Takes in what the author of a correction picked.
pub(crate) fn pick(
    connection: &Connection,
    place: &Place,
    effect: &Effect,
    now: i64,
) -> Result<()> {
    let Effect::Strike {
        channel_id,
        correction,
        struck,
        by,
    } = effect
    else {
        return Ok(());
    };
    let ts = correction.to_database();
    let own = "SELECT m.channel FROM messages AS m JOIN channels AS c ON c.key = m.channel \
        WHERE c.workspace = ?1 AND c.id = ?2 AND m.ts_key = ?3 AND m.user_id = ?4 AND m.deleted_at IS NULL";
    let columns = params![place.workspace, channel_id, ts, by];
    let own: Option<i64> = connection
        .query_row(own, columns, |row| row.get(0))
        .optional()?;
    let said = audit::correction(connection, place, (channel_id, *correction))?;
    let Some(channel) = own.filter(|_| said.is_some()) else {
        return Ok(());
    };
    drop_of(connection, (place.workspace, channel, ts), false)?;
    for struck in struck {
        let insert = "INSERT INTO strikes (workspace, channel, ts_key, struck_key) \
            SELECT ?1, channel, ?3, ts_key FROM messages \
            WHERE channel = ?2 AND ts_key = ?4 AND ts_key < ?3 AND deleted_at IS NULL ON CONFLICT DO NOTHING";
        let columns = params![place.workspace, channel, ts, struck.to_database()];
        connection.execute(insert, columns)?;
    }
    let entry = AuditEntry {
        actor: place.user(by),
        ..place.act(
            Action::Correct,
            Target::message(channel_id, *correction),
            now,
        )
    };
    audit::note(connection, place, &entry)
}

/// Drops what was picked for a message, and if it has gone also where it was picked.
pub(crate) fn drop_of(
    connection: &Connection,
    (workspace, channel, ts): (i64, i64, i64),
    has_gone: bool,
) -> Result<()> {
    let drop = "DELETE FROM strikes \
        WHERE workspace = ?1 AND channel = ?2 AND (ts_key = ?3 OR (?4 = 1 AND struck_key = ?3))";
    connection.execute(drop, params![workspace, channel, ts, has_gone])?;
    Ok(())
}

/// What was picked in the channels that the place may see.
pub(crate) fn all(connection: &Connection, place: &Place) -> Result<Vec<Strike>, Fault> {
    let (own, sees_open) = Sight::of(connection, place)?.columns();
    let columns = params![place.workspace, own, sees_open];
    let statement = include_str!("sql/strikes.sql");
    let found = connection.query_map(statement, columns, |row| {
        Ok(Strike {
            message: MessageRef {
                channel_id: row.get(0)?,
                ts: rows::ts(row.get(1)?),
            },
            correction: rows::ts(row.get(2)?),
        })
    })?;
    Ok(found)
}
