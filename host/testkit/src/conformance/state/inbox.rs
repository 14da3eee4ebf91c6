//! The inbox.

use myao_plugin::state::forgetting::{Forget, Mode, Retention};
use myao_plugin::state::inbox::{Failed, IncomingEvent, Kept, MAX_FAILURES};
use myao_plugin::state::off_record::Speaker;
use myao_plugin::state::parked::{EndOfParking, ParkedWork};
use myao_plugin::state::upkeep::Pile;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::ts::TsKey;

use super::{New, Stored, deleted, edited, key, message, said};

fn event(id: &str, payload: &str) -> IncomingEvent {
    IncomingEvent {
        event_id: id.into(),
        received_at_ms: 5_000,
        payload: payload.into(),
    }
}

async fn keep(stored: &Stored, ids: &[&str]) -> Vec<Kept> {
    let events = ids.iter().map(|id| event(id, &format!("payload of {id}")));
    stored.keep_events(events.collect()).await.unwrap()
}

/// The ids of events that may be tried at a given time.
async fn waiting(stored: &Stored, now: i64) -> Vec<(i64, String)> {
    let waiting = stored.waiting_events(now, 10).await.unwrap();
    let waiting = waiting.into_iter();
    waiting.map(|event| (event.id, event.event_id)).collect()
}

async fn ids(stored: &Stored) -> Vec<i64> {
    waiting(stored, i64::MAX)
        .await
        .into_iter()
        .map(|(id, _)| id)
        .collect()
}

/// An effect that every store must refuse.
fn impossible() -> Effect {
    let record = MessageRecord {
        ts: TsKey::from_database(-7),
        ..super::record("1.0", None, "text")
    };
    message(record)
}

pub async fn events_wait_in_the_order_they_came_and_are_kept_once(new: New<'_>) {
    let stored = Stored::of(new);
    assert_eq!(
        keep(&stored, &["E2", "E1", "E2"]).await,
        [Kept::New, Kept::New, Kept::Duplicate]
    );
    assert_eq!(
        keep(&stored, &["E1", "E3"]).await,
        [Kept::Duplicate, Kept::New]
    );
    let waiting = stored.waiting_events(0, 2).await.unwrap();
    let waiting: Vec<_> = waiting
        .iter()
        .map(|e| (e.event_id.as_str(), e.payload.as_str()))
        .collect();
    assert_eq!(waiting, [("E2", "payload of E2"), ("E1", "payload of E1")]);
    stored.try_keeping().await.unwrap();
    assert_eq!(ids(&stored).await.len(), 3, "nothing stays of the try");
}

pub async fn event_takes_effect_once_and_is_known_until_it_is_forgotten(new: New<'_>) {
    let stored = Stored::of(new);
    keep(&stored, &["E1"]).await;
    let id = ids(&stored).await[0];
    let effects = vec![said("1.0", None, "text")];
    assert_eq!(stored.apply_event(id, effects.clone(), 100).await, Ok(true));
    let changed = vec![said("2.0", None, "must not come")];
    assert_eq!(stored.apply_event(id, changed, 100).await, Ok(false));
    assert_eq!(stored.texts().await.len(), 1);
    assert_eq!(ids(&stored).await, [0_i64; 0]);
    assert_eq!(keep(&stored, &["E1"]).await, [Kept::Duplicate]);
    assert_eq!(stored.forget_applied_events(100).await, Ok(0));
    assert_eq!(stored.forget_applied_events(101).await, Ok(1));
    assert_eq!(keep(&stored, &["E1"]).await, [Kept::New]);
    assert_eq!(
        stored.forget_applied_events(i64::MAX).await,
        Ok(0),
        "it waits"
    );
}

pub async fn event_that_cannot_be_applied_leaves_nothing_and_blocks_no_other(new: New<'_>) {
    let stored = Stored::of(new);
    keep(&stored, &["E1", "E2", "E3"]).await;
    let ids = ids(&stored).await;
    let events = vec![
        (ids[0], vec![said("1.0", None, "one")]),
        (ids[1], vec![said("2.0", None, "two"), impossible()]),
        (ids[2], vec![said("3.0", None, "three")]),
    ];
    let applied = stored.apply_events(events, 100).await.unwrap();
    assert_eq!((&applied[0], &applied[2]), (&Ok(true), &Ok(true)));
    assert!(applied[1].is_err(), "{applied:?}");
    let texts: Vec<_> = stored
        .texts()
        .await
        .into_iter()
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts, ["one", "three"]);
    assert_eq!(waiting(&stored, 0).await, [(ids[1], "E2".to_owned())]);
}

pub async fn effects_that_cannot_be_stored_leave_nothing(new: New<'_>) {
    let stored = Stored::of(new);
    let effects = vec![said("1.0", None, "one"), impossible()];
    assert!(stored.apply_effects(effects, 1).await.is_err());
    assert_eq!(stored.known_channel("C1").await.unwrap(), None);
}

pub async fn batch_that_is_applied_again_changes_nothing(new: New<'_>) {
    let stored = Stored::of(new);
    keep(&stored, &["E1", "E2"]).await;
    let ids = ids(&stored).await;
    let events = |text: &str| {
        let of = |number: usize, ts| (ids[number], vec![said(ts, None, text)]);
        vec![of(0, "1.0"), of(1, "2.0")]
    };
    let first = stored.apply_events(events("text"), 100).await.unwrap();
    assert_eq!(first, [Ok(true), Ok(true)]);
    let again = stored.apply_events(events("zzz"), 100).await.unwrap();
    assert_eq!(again, [Ok(false), Ok(false)]);
    assert!(stored.texts().await.iter().all(|(_, text)| text == "text"));
}

pub async fn event_that_fails_waits_longer_each_time_and_is_set_aside_at_last(new: New<'_>) {
    let stored = Stored::of(new);
    keep(&stored, &["bad", "good"]).await;
    let (bad, good) = (ids(&stored).await[0], ids(&stored).await[1]);
    let fail = async |now| stored.fail_event(bad, "no such shape".into(), now).await;
    let mut now = 1_000;
    let mut waits = Vec::new();
    for _ in 1..MAX_FAILURES {
        let Ok(Failed::TriedAgainAt(at)) = fail(now).await else {
            panic!("too early")
        };
        assert_eq!(waiting(&stored, at - 1).await, [(good, "good".to_owned())]);
        assert_eq!(waiting(&stored, at).await.len(), 2);
        waits.push(at - now);
        now = at;
    }
    assert_eq!(waits, [2, 4, 8, 16, 32, 64, 128, 256, 512]);
    assert_eq!(stored.set_aside_events(9).await.unwrap(), []);
    assert_eq!(fail(now).await, Ok(Failed::SetAside));
    assert_eq!(ids(&stored).await, [good]);
    let events = stored.set_aside_events(9).await.unwrap();
    assert_eq!(events.len(), 1);
    assert_eq!(
        (events[0].event_id.as_str(), events[0].received_at_ms),
        ("bad", 5_000)
    );
    assert_eq!(
        (events[0].payload.as_str(), events[0].error.as_str()),
        ("payload of bad", "no such shape")
    );
    assert_eq!(keep(&stored, &["bad"]).await, [Kept::Duplicate]);
    let gone = fail(now).await;
    assert!(
        matches!(&gone, Err(StorageError::NotFound(text)) if text.contains(&bad.to_string())),
        "{gone:?}"
    );
    let parked = stored.parked(9).await.unwrap();
    assert_eq!(parked.len(), 1);
    assert_eq!(parked[0].what, ParkedWork::Event("bad".into()));
    let backlog = stored.backlog().await.unwrap();
    let waits = Pile {
        count: 1,
        since: Some(5),
    };
    assert_eq!((backlog.events, backlog.parked.count), (waits, 1));
    assert_eq!(backlog.mentions, Pile::default());
    let retried = stored.end_parking(EndOfParking::Retry, now).await;
    assert_eq!(retried.unwrap(), 1);
    assert_eq!(ids(&stored).await, [bad, good]);
    set_aside(&stored, bad).await;
    let dropped = stored.end_parking(EndOfParking::Drop, now).await;
    assert_eq!(dropped.unwrap(), 1);
    assert!(stored.parked(9).await.unwrap().is_empty());
    assert_eq!(ids(&stored).await, [good]);
}

/// Keeps an event with a text, which names a message.
async fn keep_about(stored: &Stored, id: &str, ts: &str) -> i64 {
    let payload = format!(r#"{{"ts":"{}","text":"the code is 4711"}}"#, key(ts));
    stored.keep_events(vec![event(id, &payload)]).await.unwrap();
    *ids(stored).await.last().unwrap()
}

async fn set_aside(stored: &Stored, id: i64) {
    let mut failed = Failed::TriedAgainAt(0);
    while failed != Failed::SetAside {
        failed = stored.fail_event(id, "no".into(), 9).await.unwrap();
    }
}

/// The ids and payloads of the events that were set aside.
async fn aside(stored: &Stored) -> Vec<(String, String)> {
    let events = stored.set_aside_events(9).await.unwrap().into_iter();
    events
        .map(|event| (event.event_id, event.payload))
        .collect()
}

/// It was set aside, so its message was never stored.
pub async fn event_that_was_set_aside_goes_when_its_message_is_edited_or_deleted(new: New<'_>) {
    for change in [deleted("7.0", "9.0"), edited("7.0", None, "9.0", "new")] {
        let stored = Stored::of(new);
        for (id, ts) in [("E7", "7.0"), ("E8", "8.0")] {
            let kept = keep_about(&stored, id, ts).await;
            set_aside(&stored, kept).await;
        }
        // That it is read again is no change.
        stored.apply_at(9, &[said("8.0", None, "text")]).await;
        assert_eq!(aside(&stored).await.len(), 2);
        stored.apply_at(9, &[change]).await;
        let left = aside(&stored).await;
        assert!(left.len() == 1 && left[0].0 == "E8", "{left:?}");
    }
}

pub async fn event_that_is_set_aside_after_its_message_was_edited_or_deleted_has_no_text(
    new: New<'_>,
) {
    for change in [deleted("7.0", "9.0"), edited("7.0", None, "9.0", "new")] {
        let stored = Stored::of(new);
        let changed = keep_about(&stored, "E7", "7.0").await;
        let other = keep_about(&stored, "E8", "8.0").await;
        stored.apply_at(9, &[change]).await;
        // It may still take effect: it may be about a reply to that message.
        assert_eq!(ids(&stored).await, [changed, other]);
        set_aside(&stored, changed).await;
        set_aside(&stored, other).await;
        let left = aside(&stored).await;
        assert_eq!(left[0], ("E7".to_owned(), String::new()));
        assert!(left[1].1.contains("4711"), "{left:?}");
    }
}

/// Nobody can tell what such an event says, and of whom.
pub async fn event_that_is_set_aside_after_something_was_forgotten_has_no_text(new: New<'_>) {
    let stored = Stored::of(new);
    let early = keep_about(&stored, "E7", "7.0").await;
    let forget = |before, now| stored.forget(Forget::Before(key(before)), now, Mode::Erase);
    forget("1.0", 4).await.unwrap();
    set_aside(&stored, early).await;
    assert!(aside(&stored).await[0].1.contains("4711"));
    let late = keep_about(&stored, "E8", "8.0").await;
    forget("2.0", 5).await.unwrap();
    set_aside(&stored, late).await;
    assert_eq!(aside(&stored).await, [("E8".to_owned(), String::new())]);
}

pub async fn event_that_is_set_aside_in_a_time_off_the_record_has_no_text(new: New<'_>) {
    let stored = Stored::of(new);
    let early = keep_about(&stored, "E7", "7.0").await;
    let of = || Speaker::User("U1".into());
    // It came at 5.0.
    stored
        .set_off_record(of(), true, key("6.0"), 6)
        .await
        .unwrap();
    set_aside(&stored, early).await;
    assert!(aside(&stored).await[0].1.contains("4711"));
    stored
        .set_off_record(of(), false, key("7.0"), 7)
        .await
        .unwrap();
    stored
        .set_off_record(of(), true, key("4.0"), 7)
        .await
        .unwrap();
    let late = keep_about(&stored, "E8", "8.0").await;
    set_aside(&stored, late).await;
    let left = aside(&stored).await;
    assert!(left.contains(&("E8".to_owned(), String::new())), "{left:?}");
}

pub async fn event_that_was_set_aside_is_kept_no_longer_than_messages(new: New<'_>) {
    let stored = Stored::of(new);
    let expire = async |before: &str| {
        let retention = Retention {
            messages: Some(key(before)),
            memories: None,
            calls: None,
        };
        stored.expire(retention, 100).await.unwrap();
    };
    // It came at 5.0.
    let of_unknown = keep_about(&stored, "E4", "4.0").await;
    let of_stored = keep_about(&stored, "E2", "2.0").await;
    set_aside(&stored, of_unknown).await;
    set_aside(&stored, of_stored).await;
    stored.apply_at(9, &[said("2.0", None, "text")]).await;
    expire("2.0").await;
    assert_eq!(aside(&stored).await.len(), 2);
    expire("3.0").await;
    assert_eq!(aside(&stored).await[0].0, "E4");
    expire("5.0").await;
    assert_eq!(aside(&stored).await.len(), 1);
    expire("6.0").await;
    assert!(aside(&stored).await.is_empty());
}
