//! Pins and emojis that were taken off while the bot was away: nothing in Slack's history tells of that, only the message
//! itself, as it is now.

use std::collections::BTreeSet;

use myao_plugin::state::catch_up::PinnedMessage;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::ts::TsKey;
use myao_slack::pins::shows_all_of;
use serde_json::Value;

use super::CatchUp;
use super::channel::CLOCK_SECONDS;
use crate::slack::history::id_of;

/// How many pins of a channel are looked at: no more of them are read for a prompt.
const MOST_PINS: u32 = 100;
/// After a shorter gap Slack tells an event once more, the last time after five minutes
/// (<https://docs.slack.dev/apis/events-api/#retries>), and requests are scarce.
const LONG_GAP_SECONDS: i64 = 600;

impl CatchUp {
    /// After a long gap, which began at `from`, pinned messages from before it are requested one by one: the history since
    /// then does not have them.
    pub(super) async fn look_for_pins(
        &self,
        channel_id: &str,
        from: TsKey,
        now: i64,
    ) -> Result<(), StorageError> {
        if now - from.unix_seconds() < LONG_GAP_SECONDS {
            return Ok(());
        }
        let pinned = self
            .workspace
            .pinned_messages(channel_id, MOST_PINS)
            .await?;
        let older = pinned.into_iter().map(|pinned| pinned.id);
        let mut older: Vec<_> = older.filter(|id| id.ts < from).collect();
        older.dedup();
        if older.is_empty() {
            return Ok(());
        }
        self.workspace.note_missing(channel_id, older).await
    }

    /// Stored pins that these messages no longer show; `pins` are those that they show.
    pub(super) async fn unpinned(
        &self,
        channel_id: &str,
        messages: &[Value],
        pins: &[Effect],
        now: i64,
    ) -> Result<Vec<Effect>, StorageError> {
        let emoji = &self.current.settings().pin_emoji;
        let read: BTreeSet<TsKey> = messages.iter().filter_map(id_of).collect();
        let cut = messages
            .iter()
            .filter(|message| !shows_all_of(message, emoji));
        let cut: BTreeSet<TsKey> = cut.filter_map(id_of).collect();
        let stored = self
            .workspace
            .pinned_messages(channel_id, MOST_PINS)
            .await?;
        let is_gone = |pinned: &PinnedMessage| {
            let ts = &pinned.id.ts;
            let may_be_left_out = pinned.emoji_of.is_some() && cut.contains(ts);
            read.contains(ts) && !may_be_left_out && !pins.iter().any(|pin| shows(pin, pinned))
        };
        let unpin = |pinned: PinnedMessage| Effect::Pin {
            channel_id: channel_id.to_owned(),
            ts: pinned.id.ts,
            by: match pinned.emoji_of {
                Some(user_id) => PinnedBy::Emoji {
                    user_id,
                    name: emoji.clone(),
                },
                None => PinnedBy::Platform {
                    user_id: String::new(),
                },
            },
            is_pinned: false,
            // The message was read after the pin was told of.
            at: TsKey::first_of(now - CLOCK_SECONDS).max(pinned.at),
        };
        let gone = stored.into_iter().filter(is_gone);
        Ok(gone.map(unpin).collect())
    }
}

/// Returns true if a pin that a message shows is this one.
fn shows(shown: &Effect, pinned: &PinnedMessage) -> bool {
    let Effect::Pin { ts, by, .. } = shown else {
        return false;
    };
    let is_same_source = match (by, &pinned.emoji_of) {
        (PinnedBy::Platform { .. }, None) => true,
        (PinnedBy::Emoji { user_id, .. }, Some(emoji_of)) => user_id == emoji_of,
        _ => false,
    };
    *ts == pinned.id.ts && is_same_source
}
