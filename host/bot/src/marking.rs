//! Marks and off-record changes of the operator, outside the chat.

use myao_plugin::state::Workspace;
use myao_plugin::state::off_record::Speaker;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::marks::OPERATOR_ID;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;

use super::clock::Clock;

/// Pins a message, or takes the operator's pin off. What people pinned in the chat stays.
///
/// # Errors
/// The error of the store. A message that is not stored is pinned once it comes.
pub async fn pin(
    workspace: &dyn Workspace,
    clock: &Clock,
    channel_id: &str,
    ts: TsKey,
    is_pinned: bool,
) -> Result<(), StorageError> {
    let pin = Effect::Pin {
        channel_id: channel_id.to_owned(),
        ts,
        by: PinnedBy::Operator,
        is_pinned,
        at: TsKey::from_database(clock.microseconds()),
    };
    workspace.apply_effects(vec![pin], clock.seconds()).await?;
    Ok(())
}

/// Stores a correction as a message of the operator's in a channel, and returns its id. It is not posted. `bot` is the name by
/// which people call the bot.
///
/// # Errors
/// The error of the store.
pub async fn correct(
    workspace: &dyn Workspace,
    clock: &Clock,
    bot: &str,
    channel_id: &str,
    text: &str,
) -> Result<TsKey, StorageError> {
    let ts = TsKey::from_database(clock.microseconds());
    let author = UserRecord {
        id: OPERATOR_ID.to_owned(),
        name: OPERATOR_ID.to_owned(),
        is_bot: false,
    };
    let record = MessageRecord {
        channel_id: channel_id.to_owned(),
        ts,
        user_id: author.id.clone(),
        author_name: None,
        is_bot: false,
        text: format!("@{bot} correction: {text}"),
        thread_ts: None,
        edited_at: None,
    };
    let effects = vec![
        Effect::User {
            record: author,
            changed_at: clock.seconds().max(1),
        },
        Effect::Guest {
            user_id: OPERATOR_ID.to_owned(),
            is_guest: false,
            at: ts,
        },
        Effect::Message {
            record,
            changed: ts,
        },
    ];
    workspace.apply_effects(effects, clock.seconds()).await?;
    Ok(ts)
}

/// Keeps the messages that the author of a correction picked to be struck, in place of those picked before. From anybody
/// else it has no effect.
///
/// # Errors
/// The error of the store.
pub async fn strike(
    workspace: &dyn Workspace,
    clock: &Clock,
    (channel_id, correction): (&str, TsKey),
    (by, struck): (&str, Vec<TsKey>),
) -> Result<(), StorageError> {
    let strike = Effect::Strike {
        channel_id: channel_id.to_owned(),
        correction,
        struck,
        by: by.to_owned(),
    };
    workspace
        .apply_effects(vec![strike], clock.seconds())
        .await?;
    Ok(())
}

/// Takes somebody's messages off the record from now on, or puts them back on it. Returns true if this changed
/// anything.
///
/// # Errors
/// The error of the store.
pub async fn off_record(
    workspace: &dyn Workspace,
    clock: &Clock,
    of: Speaker,
    is_off: bool,
) -> Result<bool, StorageError> {
    let now = clock.seconds();
    let at = first_message(now, is_off);
    workspace.set_off_record(of, is_off, at, now).await
}

/// The first message that such a change at `now` is about. The second in which somebody asks is off the record.
pub(super) fn first_message(now: i64, is_off: bool) -> TsKey {
    TsKey::first_of(if is_off { now } else { now.saturating_add(1) })
}
