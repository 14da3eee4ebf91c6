//! The changes that events make to a store.
//!
//! **Invariant**: effects commute. In any order, and however often one is repeated, channels, members, users, messages
//! and waiting mentions end up the same: the newest change of each wins, and a deletion wins over everything. (The
//! Python bot lost names to events without a name, and its deleted messages came back.)

use super::records::{DoneMark, MessageRecord, PinRecord, UserRecord};
use crate::ts::TsKey;

/// One change that comes from an event, or from reading a channel's history.
///
/// Exhaustive on purpose: a store must apply every effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// A user at a point in time. An empty name only says that the user exists.
    User {
        /// The user.
        record: UserRecord,
        /// The time of this state, in Unix seconds; greater than 0.
        changed_at: i64,
    },
    /// The name of a channel at a point in time. A channel of which only this is known is not shown to the component.
    ChannelName {
        /// The channel.
        id: String,
        /// Its name without `#`; empty if not reported.
        name: String,
        /// True if only invited members see it; `None` if not reported. Until that is known, the channel counts as private.
        is_private: Option<bool>,
        /// The event's time.
        at: TsKey,
    },
    /// The bot's membership in a channel, at a point in time: false if it left, or if the channel was archived or
    /// deleted. When it comes back, the channel counts as unread since it left, and until that is read
    /// ([`CatchUpState::end_unread`](crate::state::catch_up::CatchUpState::end_unread)) a private one is shown to nobody but the
    /// operator.
    ChannelPresence {
        /// The channel.
        id: String,
        /// True if the bot is a member.
        present: bool,
        /// The event's time.
        at: TsKey,
    },
    /// A channel is shared with another organisation or workspace, or not, at a point in time. Of two statements with the
    /// same time, the one that makes more people possible wins.
    ChannelShared {
        /// The channel.
        id: String,
        /// True if it is shared, or is about to be; `None` if that is not known any more.
        is_shared: Option<bool>,
        /// The event's time.
        at: TsKey,
    },
    /// All members of a channel at a point in time.
    ChannelMembers {
        /// The channel.
        id: String,
        /// The ids of the users; `None` if they are not known any more.
        members: Option<Vec<String>>,
        /// When they were read.
        at: TsKey,
    },
    /// Somebody joined or left a channel. Of two statements with the same time, the one that says that they are no
    /// member wins.
    Membership {
        /// The channel.
        channel_id: String,
        /// The user.
        user_id: String,
        /// True for a member.
        is_member: bool,
        /// The event's time.
        at: TsKey,
    },
    /// A user's account is closed, at a point in time: it sees nothing until a newer time tells if the user is a guest, and
    /// the tokens of its agents go for good.
    AccountClosed {
        /// The user's id.
        user_id: String,
        /// When it was known to be closed.
        at: TsKey,
    },
    /// A user is a guest of the workspace, or not, at a point in time.
    Guest {
        /// The user.
        user_id: String,
        /// True if they are a guest, or belong to another workspace.
        is_guest: bool,
        /// The event's time.
        at: TsKey,
    },
    /// A message, new or edited. The newest text wins; a deleted one stays deleted.
    Message {
        /// The message.
        record: MessageRecord,
        /// Since when it has this text: the time of the edit's event, or else its own id ([`MessageRecord::changed`]
        /// for a message from a channel's history).
        changed: TsKey,
    },
    /// A message was deleted, even if it is not stored yet.
    MessageDeleted {
        /// Its channel.
        channel_id: String,
        /// Its id.
        ts: TsKey,
        /// The event's time.
        at: TsKey,
    },
    /// A message is pinned, or not any more. Each source is for itself, and the newest change of each counts. Of two with the
    /// same time, the one that unpins wins. The message need not be stored.
    Pin {
        /// Its channel.
        channel_id: String,
        /// Its id.
        ts: TsKey,
        /// The source of the pin.
        by: PinnedBy,
        /// True if it is pinned.
        is_pinned: bool,
        /// The event's time.
        at: TsKey,
    },
    /// A person marks a message as done with an emoji, or takes that back. The newest change of each mark counts. Of two with the
    /// same time, the one that takes back wins. The message need not be stored.
    Done {
        /// The mark.
        mark: DoneMark,
        /// True if it is given, false if it is taken back.
        is_given: bool,
        /// The event's time.
        at: TsKey,
    },
    /// The author of a correction picks the older messages of its channel that it strikes, in place of those that were picked
    /// before. From anybody else it has no effect. What was picked goes with the correction, also if this reads differently.
    Strike {
        /// The channel.
        channel_id: String,
        /// The correction.
        correction: TsKey,
        /// The messages.
        struck: Vec<TsKey>,
        /// Who picks: the author's id.
        by: String,
    },
    /// A person says with an emoji whether an answer of the bot was good, or takes that back. Good and bad are each for
    /// themselves, and the newest change of each counts. Of two with the same time, the one that takes back wins. The answer
    /// need not be stored.
    Feedback {
        /// Its channel.
        channel_id: String,
        /// The message that the bot posted.
        ts: TsKey,
        /// The person.
        user_id: String,
        /// True if it was good.
        is_good: bool,
        /// True if the rating is given, false if it is taken back.
        is_given: bool,
        /// The event's time.
        at: TsKey,
    },
    /// A message asks the bot for an answer.
    Mention {
        /// Its channel.
        channel_id: String,
        /// Its id.
        ts: TsKey,
        /// The thread to answer in; `None` for the top level.
        thread_ts: Option<TsKey>,
        /// When it was written, in Unix seconds.
        asked_at: i64,
    },
}

/// The source of a pin.
///
/// Exhaustive on purpose: a store keeps it, and must know each case.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum PinnedBy {
    /// The platform's own pin: one of a message, whoever set it or took it off.
    Platform {
        /// Who did; empty if that is not known.
        user_id: String,
    },
    /// A person's reaction.
    Emoji {
        /// Whose it is.
        user_id: String,
        /// The emoji's name.
        name: String,
    },
    /// The operator.
    Operator,
}

impl From<&PinRecord> for Effect {
    fn from(pin: &PinRecord) -> Self {
        Self::Pin {
            channel_id: pin.channel_id.clone(),
            ts: pin.ts,
            by: PinnedBy::Platform {
                user_id: pin.user_id.clone(),
            },
            is_pinned: true,
            at: pin.at,
        }
    }
}
