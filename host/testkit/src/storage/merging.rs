//! One stored message, and how it is merged with another state of it.

use std::cmp::Ordering;

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

/// All that is known of a message. It is kept for ever, even after it is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredMessage {
    /// The first message of its thread; `None` for the top level and for that first message.
    pub(super) thread: Option<TsKey>,
    pub(super) user_id: String,
    pub(super) author_name: Option<String>,
    pub(super) is_bot: bool,
    /// Empty if it is deleted.
    pub(super) text: String,
    /// In Unix seconds, like the next field.
    pub(super) edited_at: Option<i64>,
    pub(super) deleted_at: Option<i64>,
    /// Whether it was only kept long enough: what was made from it stays.
    pub(super) is_expired: bool,
    /// When the text last changed; `None` if only the deletion is known.
    pub(super) changed: Option<TsKey>,
}

/// Which of two texts is kept if both have the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// The stored one: a second import of the same records changes nothing, even if it resolves names differently.
    Stored,
    /// The greater one, because events have no fixed order.
    Greater,
}

impl StoredMessage {
    pub(super) fn of(record: MessageRecord, changed: TsKey) -> Self {
        Self {
            thread: record.thread_ts.filter(|thread| *thread != record.ts),
            user_id: record.user_id,
            author_name: record.author_name,
            is_bot: record.is_bot,
            text: record.text,
            edited_at: record.edited_at,
            deleted_at: None,
            is_expired: false,
            changed: Some(changed),
        }
    }

    /// A message of which only the time of its deletion is known, in Unix seconds.
    pub(super) fn deleted(at: i64) -> Self {
        Self {
            thread: None,
            user_id: String::new(),
            author_name: None,
            is_bot: false,
            text: String::new(),
            edited_at: None,
            deleted_at: Some(at),
            is_expired: false,
            changed: None,
        }
    }

    /// The message without what it said, since a time in Unix seconds.
    pub(super) fn refused(self, since: i64, is_expired: bool) -> Self {
        Self {
            author_name: None,
            text: String::new(),
            deleted_at: Some(since),
            is_expired,
            ..self
        }
    }

    /// Whether it is not deleted.
    pub(super) fn is_shown(&self) -> bool {
        self.deleted_at.is_none()
    }

    /// Whether a reader sees a difference, or what was made from it no longer holds.
    pub(super) fn reads_differently(&self, before: &Self) -> bool {
        let seen = |message: &Self| {
            let author = message.author_name.clone();
            (message.is_shown(), message.is_expired, author)
        };
        self.text != before.text || seen(self) != seen(before)
    }

    /// Merges both states. With [`Tie::Greater`], neither order nor repetition matters.
    pub(super) fn merged(&self, new: &Self, tie: Tie) -> Self {
        let is_newer = match (new.changed.cmp(&self.changed), tie) {
            (Ordering::Equal, Tie::Greater) => {
                (&new.text, &new.author_name) > (&self.text, &self.author_name)
            }
            (order, _) => order.is_gt(),
        };
        let winner = if is_newer { new } else { self };
        let deleted_at = least(self.deleted_at, new.deleted_at);
        let (text, author_name) = match deleted_at {
            None => (winner.text.clone(), winner.author_name.clone()),
            Some(_) => (String::new(), None),
        };
        Self {
            thread: least(self.thread, new.thread),
            user_id: self.user_id.clone().max(new.user_id.clone()),
            author_name,
            is_bot: self.is_bot || new.is_bot,
            text,
            edited_at: self.edited_at.max(new.edited_at),
            deleted_at,
            // Whoever edits or deletes an expired message takes back what was made from it.
            is_expired: self.is_expired
                && (new.is_shown() || new.is_expired)
                && new.changed <= self.changed,
            changed: self.changed.max(new.changed),
        }
    }
}

/// The lesser of the values that are set.
pub(super) fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}
