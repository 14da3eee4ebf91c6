//! What people mark as done.

use myao_plugin::state::forgetting::{Forget, Mode};
use myao_plugin::storage::ItemQuery;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{DoneMark, MessageRecord, UserRecord};
use myao_plugin::{ItemState, Place};

use super::{New, Stored, message, public, record, user};
use crate::conformance::key;

pub(super) const CHECK: &str = "white_check_mark";

pub(super) fn mark(user_id: &str, emoji: &str, is_given: bool, at: &str) -> Effect {
    Effect::Done {
        mark: DoneMark {
            channel_id: "C1".into(),
            ts: key("1.0"),
            user_id: user_id.into(),
            emoji: emoji.into(),
        },
        is_given,
        at: key(at),
    }
}

pub(super) fn guest(user_id: &str, is_guest: bool) -> Effect {
    Effect::Guest {
        user_id: user_id.into(),
        is_guest,
        at: key("1.0"),
    }
}

/// A task, the message 1.0 of C1.
async fn task(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored
        .apply(&[user("U1", "Akari", 1), user("U2", "Emiko", 1)])
        .await;
    stored
        .apply(&[guest("U1", false), guest("U2", false)])
        .await;
    let task = MessageRecord {
        user_id: "U2".into(),
        ..record("1.0", None, "todo: order labels")
    };
    stored.apply(&[message(task)]).await;
    stored.apply(&public("C1", "1.0")).await;
    stored
}

/// When the task was marked, as known at a time.
async fn done_at(stored: &Stored, until: &str) -> Option<String> {
    let query = ItemQuery {
        channel_id: Some("C1".into()),
        since: None,
        until: until.into(),
        closed: true,
    };
    let found = stored.at(Place::Channel("C1".into()));
    let found = found.list_items(query).await.unwrap().unwrap();
    assert_eq!(found.len(), 1);
    let is_done = found[0].state == ItemState::Done;
    is_done.then(|| found[0].state_since.clone())
}

fn at(ts: &str) -> Option<String> {
    Some(key(ts).to_string())
}

pub async fn newest_change_of_each_mark_counts_in_any_order(new: New<'_>) {
    let stored = task(new).await;
    assert_eq!(done_at(&stored, "99.0").await, None);
    stored.apply(&[mark("U1", CHECK, false, "12.0")]).await;
    stored.apply(&[mark("U1", CHECK, true, "11.0")]).await;
    stored.apply(&[mark("U1", CHECK, true, "12.0")]).await;
    assert_eq!(done_at(&stored, "99.0").await, None);
    stored.apply(&[mark("U1", CHECK, true, "13.0")]).await;
    assert_eq!(done_at(&stored, "99.0").await, at("13.0"));
    assert_eq!(done_at(&stored, "12.0").await, None);
}

pub async fn message_is_done_since_the_earliest_mark_that_stands(new: New<'_>) {
    let stored = task(new).await;
    let marks = [
        mark("U2", CHECK, true, "12.0"),
        mark("U1", "done", true, "11.0"),
        mark("U1", CHECK, true, "10.0"),
    ];
    stored.apply(&marks).await;
    assert_eq!(done_at(&stored, "99.0").await, at("10.0"));
    stored.apply(&[mark("U1", CHECK, false, "14.0")]).await;
    assert_eq!(done_at(&stored, "99.0").await, at("11.0"));
    stored
        .forget(Forget::User("U1".into()), 50, Mode::Erase)
        .await
        .unwrap();
    assert_eq!(done_at(&stored, "99.0").await, at("12.0"));
    // A history that is read again does not bring their mark back.
    stored.apply(&[mark("U1", "done", true, "11.0")]).await;
    assert_eq!(done_at(&stored, "99.0").await, at("12.0"));
}

pub async fn mark_of_a_program_or_a_stranger_does_not_count(new: New<'_>) {
    let stored = task(new).await;
    let program = Effect::User {
        record: UserRecord {
            id: "UBOT".into(),
            name: "CI".into(),
            is_bot: true,
        },
        changed_at: 1,
    };
    stored
        .apply(&[program, guest("UBOT", false), guest("UGUEST", true)])
        .await;
    for user_id in ["UBOT", "UGUEST", "UNOBODY"] {
        stored.apply(&[mark(user_id, CHECK, true, "10.0")]).await;
    }
    assert_eq!(done_at(&stored, "99.0").await, None);
}
