//! Pins.

use crate::audit;
use crate::messages::channels;
use crate::params;
use crate::place::Place;
use crate::session::{Connection, OptionalExtension, Result};
use myao_plugin::state::audit::{Action, AuditEntry, Target};
use myao_plugin::storage::effects::{Effect, PinnedBy};

/// Applies a pin at `now`, in Unix seconds, and notes it if it changes anything; other effects change nothing.
pub(crate) fn pin(connection: &Connection, place: &Place, effect: &Effect, now: i64) -> Result<()> {
    let Effect::Pin {
        channel_id,
        ts,
        by,
        is_pinned,
        ..
    } = effect
    else {
        return Ok(());
    };
    if !keep(connection, place.workspace, effect)? {
        return Ok(());
    }
    let action = match is_pinned {
        true => Action::Pin,
        false => Action::Unpin,
    };
    let entry = place.act(action, Target::message(channel_id, *ts), now);
    let actor = match by {
        PinnedBy::Platform { user_id } | PinnedBy::Emoji { user_id, .. } => place.user(user_id),
        PinnedBy::Operator => entry.actor.clone(),
    };
    audit::note(connection, place, &AuditEntry { actor, ..entry })
}

/// Stores a pin; other effects change nothing. Returns true if the message was not so before.
pub(crate) fn keep(connection: &Connection, workspace: i64, effect: &Effect) -> Result<bool> {
    let Effect::Pin {
        channel_id,
        ts,
        by,
        is_pinned,
        at,
    } = effect
    else {
        return Ok(false);
    };
    let channel = channel_of_reaction(connection, workspace, channel_id)?;
    let (source, emoji_of, user_id) = columns_of(by);
    let (ts, at) = (ts.to_database(), at.to_database());
    let before = "SELECT is_pinned FROM message_pins WHERE channel = ?1 AND ts_key = ?2 AND source = ?3 AND emoji_of = ?4";
    let of = params![channel, ts, source, emoji_of];
    let before: Option<bool> = connection
        .query_row(before, of, |row| row.get(0))
        .optional()?;
    let columns = params![channel, ts, source, emoji_of, user_id, is_pinned, at];
    let kept = connection.execute(include_str!("sql/pin.sql"), columns)?;
    Ok(kept > 0 && before != Some(*is_pinned))
}

/// The key of a channel in which somebody reacted. A new channel is added, of which it is not known yet whether the bot takes
/// part in it.
pub(crate) fn channel_of_reaction(
    connection: &Connection,
    workspace: i64,
    id: &str,
) -> Result<i64> {
    channels::known_or_added(connection, workspace, id, false)
}

/// The columns of what pins a message: source, whose emoji, who.
fn columns_of(by: &PinnedBy) -> (i64, &str, &str) {
    match by {
        PinnedBy::Platform { user_id } => (0, "", user_id),
        PinnedBy::Emoji { user_id, .. } => (1, user_id, user_id),
        PinnedBy::Operator => (2, "", ""),
    }
}
