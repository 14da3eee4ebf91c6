//! Records, effects and drafts for the checks, and for a store's own tests.

use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::storage::{Deferral, MemoryDraft};
use myao_plugin::{MemoryType, Scope};

use super::super::{key, time};

/// A message of C1 by U1.
#[must_use]
pub fn record(ts: &str, thread: Option<&str>, text: &str) -> MessageRecord {
    MessageRecord {
        text: text.into(),
        thread_ts: thread.map(key),
        ..super::super::message("C1", ts)
    }
}

/// The effect of a new message.
#[must_use]
pub fn said(ts: &str, thread: Option<&str>, text: &str) -> Effect {
    message(record(ts, thread, text))
}

/// The effect of a message, changed at its own time.
#[must_use]
pub fn message(record: MessageRecord) -> Effect {
    let changed = record.ts;
    Effect::Message { record, changed }
}

/// The effect of an edit.
#[must_use]
pub fn edited(ts: &str, thread: Option<&str>, at: &str, text: &str) -> Effect {
    Effect::Message {
        record: MessageRecord {
            edited_at: Some(key(at).unix_seconds()),
            ..record(ts, thread, text)
        },
        changed: key(at),
    }
}

/// The effect of a deletion.
#[must_use]
pub fn deleted(ts: &str, at: &str) -> Effect {
    Effect::MessageDeleted {
        channel_id: "C1".into(),
        ts: key(ts),
        at: key(at),
    }
}

/// The effect of a channel's name.
#[must_use]
pub fn named(id: &str, name: &str, at: &str) -> Effect {
    Effect::ChannelName {
        id: id.into(),
        name: name.into(),
        is_private: None,
        at: key(at),
    }
}

/// The effect of joining or leaving a channel.
#[must_use]
pub fn present(id: &str, present: bool, at: &str) -> Effect {
    Effect::ChannelPresence {
        id: id.into(),
        present,
        at: key(at),
    }
}

/// The effects by which everybody in the workspace may see a channel.
#[must_use]
pub fn public(id: &str, at: &str) -> Vec<Effect> {
    let (id, at) = (id.to_owned(), key(at));
    vec![
        Effect::ChannelName {
            id: id.clone(),
            name: String::new(),
            is_private: Some(false),
            at,
        },
        Effect::ChannelShared {
            id: id.clone(),
            is_shared: Some(false),
            at,
        },
        Effect::ChannelMembers {
            id,
            members: Some(Vec::new()),
            at,
        },
    ]
}

/// The effect of a user's name.
#[must_use]
pub fn user(id: &str, name: &str, changed_at: i64) -> Effect {
    let record = UserRecord {
        id: id.into(),
        name: name.into(),
        is_bot: false,
    };
    Effect::User { record, changed_at }
}

/// The effect of a mention that asks for an answer.
#[must_use]
pub fn mention(ts: &str, thread: Option<&str>) -> Effect {
    Effect::Mention {
        channel_id: "C1".into(),
        ts: key(ts),
        thread_ts: thread.map(key),
        asked_at: key(ts).unix_seconds(),
    }
}

/// A new version of a channel's short-term memory.
#[must_use]
pub fn draft(channel: &str) -> MemoryDraft {
    super::super::draft(Scope::Channel, channel, MemoryType::ShortTerm, None)
}

/// A short-term memory that is deferred.
#[must_use]
pub fn deferral() -> Deferral {
    Deferral {
        memory_type: MemoryType::ShortTerm,
        until: time(900),
        failures: 1,
        reason: "the model failed".into(),
    }
}
