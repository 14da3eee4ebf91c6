//! What events do to a store.
//!
//! **Invariant**: effects commute. Whatever their order, and however often one comes, channels, users, messages and
//! waiting mentions end up the same: the newest change of each wins, and a deletion wins over all. (The Python bot
//! lost names to events without one, and deleted messages came back.)

use super::records::{MessageRecord, UserRecord};
use crate::ts::TsKey;

/// One change that an event, or reading a channel's history, brings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A user as of a time. An empty name says nothing, other than that there is such a user.
    User {
        /// The user.
        record: UserRecord,
        /// Since when, in Unix seconds; greater than 0.
        changed_at: i64,
    },
    /// The name of a channel as of a time. A channel that is known only by this is not shown to the component.
    ChannelName {
        /// The channel.
        id: String,
        /// Its name without `#`; empty if not told.
        name: String,
        /// Whether only invited members see it, if told. Until that is known it counts as private.
        is_private: Option<bool>,
        /// The event's time.
        at: TsKey,
    },
    /// Whether the bot takes part in a channel, as of a time: false where it left, or the channel was archived or deleted.
    ChannelPresence {
        /// The channel.
        id: String,
        /// Whether.
        present: bool,
        /// The event's time.
        at: TsKey,
    },
    /// A message, new or edited. The newest text wins; a deleted one stays deleted.
    Message {
        /// The message.
        record: MessageRecord,
        /// Since when its text is this: the time of the edit's event, else its own id
        /// ([`MessageRecord::changed`] for one that was read from a history).
        changed: TsKey,
    },
    /// A message is deleted, also where it is not stored yet.
    MessageDeleted {
        /// Its channel.
        channel_id: String,
        /// Its id.
        ts: TsKey,
        /// The event's time.
        at: TsKey,
    },
    /// A message asks the bot for an answer.
    Mention {
        /// Its channel.
        channel_id: String,
        /// Its id.
        ts: TsKey,
        /// The thread to answer in; none for the top level.
        thread_ts: Option<TsKey>,
        /// When, in Unix seconds.
        asked_at: i64,
    },
}
