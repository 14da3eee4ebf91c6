//! One message as it is stored, and what becomes of it when another state of it comes.

use std::cmp::Ordering;

use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

/// All that is known of a message. It is there for ever, also once it is deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct StoredMessage {
    /// The first message of its thread; `None` for the top level and for that first message.
    pub(super) thread: Option<TsKey>,
    pub(super) user_id: String,
    pub(super) author_name: Option<String>,
    pub(super) is_bot: bool,
    /// Empty if it is deleted.
    pub(super) text: String,
    /// In Unix seconds, as the next.
    pub(super) edited_at: Option<i64>,
    pub(super) deleted_at: Option<i64>,
    /// Since when the text is this; `None` if nothing is known but the deletion.
    pub(super) changed: Option<TsKey>,
}

/// Which of two texts stays if both are of the same time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tie {
    /// The one that is stored: an import twice changes nothing, whatever names it resolves.
    Stored,
    /// The greater: of events, none is the first.
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
            changed: Some(changed),
        }
    }

    /// A message of which only its deletion is known, in Unix seconds.
    pub(super) fn deleted(at: i64) -> Self {
        Self {
            thread: None,
            user_id: String::new(),
            author_name: None,
            is_bot: false,
            text: String::new(),
            edited_at: None,
            deleted_at: Some(at),
            changed: None,
        }
    }

    /// Whether it is not deleted.
    pub(super) fn is_shown(&self) -> bool {
        self.deleted_at.is_none()
    }

    /// Whether a reader sees another message than before.
    pub(super) fn reads_differently(&self, before: &Self) -> bool {
        let seen = |message: &Self| (message.is_shown(), message.author_name.clone());
        self.text != before.text || seen(self) != seen(before)
    }

    /// Both states in one. With [`Tie::Greater`], neither order nor repetition matters.
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
            changed: self.changed.max(new.changed),
        }
    }
}

/// The lesser of those that there are.
pub(super) fn least<T: Ord>(a: Option<T>, b: Option<T>) -> Option<T> {
    a.into_iter().chain(b).min()
}
