//! Pins.

use crate::messages::channels;
use crate::params;
use crate::session::{Connection, Result};
use myao_plugin::storage::effects::{Effect, PinnedBy};

/// Applies a pin; other effects change nothing.
pub(crate) fn pin(connection: &Connection, workspace: i64, effect: &Effect) -> Result<()> {
    let Effect::Pin {
        channel_id,
        ts,
        by,
        is_pinned,
        at,
    } = effect
    else {
        return Ok(());
    };
    let channel = channel_of_reaction(connection, workspace, channel_id)?;
    let (source, emoji_of, user_id) = columns_of(by);
    let (ts, at) = (ts.to_database(), at.to_database());
    let columns = params![channel, ts, source, emoji_of, user_id, is_pinned, at];
    connection.execute(include_str!("sql/pin.sql"), columns)?;
    Ok(())
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
