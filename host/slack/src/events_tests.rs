//! Payloads as the Events API sends them (<https://docs.slack.dev/reference/events>).
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::mrkdwn::Names;

#[derive(Default)]
struct Known(HashMap<&'static str, &'static str>);

impl Names for Known {
    fn user(&self, id: &str) -> Option<&str> {
        self.0.get(id).copied()
    }
    fn channel(&self, id: &str) -> Option<&str> {
        self.0.get(id).copied()
    }
}

impl People for Known {
    fn is_bot(&self, id: &str) -> Option<bool> {
        self.0.contains_key(id).then_some(id == "UBOT")
    }
}

fn of(event: Value) -> Vec<Effect> {
    let people = Known(HashMap::from([
        ("U1", "akari"),
        ("UBOT", "みゃお"),
        ("C2", "dev"),
    ]));
    let bot = BotIdentity {
        user_id: "UBOT".to_owned(),
        bot_id: Some("B1".to_owned()),
    };
    let payload = json!({ "type": "event_callback", "event_id": "Ev1", "event_time": 1_700_000_100, "event": event });
    let event = SlackEvent::parse(&payload.to_string()).unwrap();
    event.effects(&people, &bot).unwrap()
}

fn key(ts: &str) -> TsKey {
    TsKey::parse(ts).unwrap()
}

#[test]
fn a_message_is_kept_with_names_in_the_place_of_ids() {
    let done = of(json!({
        "type": "message", "channel": "C1", "channel_type": "channel", "user": "U1", "ts": "1700000000.000100",
        "text": "<@UBOT> see <#C2|old> &amp; <https://example.com|the page>",
    }));
    let [Effect::Message { record, changed }] = done.as_slice() else {
        panic!("{done:?}")
    };
    assert_eq!(
        record.text,
        "@みゃお see #dev & the page (https://example.com)"
    );
    assert_eq!((record.ts, *changed), (key("1700000000.000100"), record.ts));
}

#[test]
fn an_edit_is_as_new_as_its_event() {
    let done = of(json!({
        "type": "message", "subtype": "message_changed", "hidden": true, "channel": "C1", "ts": "1700000050.000200",
        "event_ts": "1700000050.000200",
        "message": { "type": "message", "user": "U1", "text": "edited", "ts": "1700000000.000100",
            "edited": { "user": "U1", "ts": "1700000050.000000" } },
    }));
    let [Effect::Message { record, changed }] = done.as_slice() else {
        panic!("{done:?}")
    };
    assert_eq!(
        (record.text.as_str(), record.ts),
        ("edited", key("1700000000.000100"))
    );
    assert_eq!(*changed, key("1700000050.000200"));
    assert_eq!(record.edited_at, Some(1_700_000_050));
}

#[test]
fn deletions_are_told_in_two_ways() {
    let plain = of(json!({
        "type": "message", "subtype": "message_deleted", "channel": "C1", "deleted_ts": "1700000000.000100",
        "ts": "1700000060.000300", "event_ts": "1700000060.000300",
    }));
    let with_replies = of(json!({
        "type": "message", "subtype": "message_changed", "channel": "C1", "ts": "1700000060.000300",
        "event_ts": "1700000060.000300",
        "message": { "type": "message", "subtype": "tombstone", "ts": "1700000000.000100", "text": "This message was deleted." },
    }));
    let expected = Effect::MessageDeleted {
        channel_id: "C1".to_owned(),
        ts: key("1700000000.000100"),
        at: key("1700000060.000300"),
    };
    assert_eq!(plain, [expected]);
    assert_eq!(with_replies, plain);
}

#[test]
fn a_mention_is_asked_once_by_a_person_and_never_by_a_program() {
    let mention = |more: Value| {
        let mut event = json!({
            "type": "app_mention", "channel": "C1", "user": "U1", "ts": "1700000000.000100", "text": "<@UBOT> hi",
            "thread_ts": "1699999999.000100",
        });
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        of(event)
    };
    let asked = mention(json!({}));
    let [
        Effect::Message { .. },
        Effect::Mention { ts, thread_ts, .. },
    ] = asked.as_slice()
    else {
        panic!("{asked:?}")
    };
    assert_eq!(
        (*ts, *thread_ts),
        (key("1700000000.000100"), Some(key("1699999999.000100")))
    );
    assert_eq!(mention(json!({ "bot_id": "B9" })).len(), 1);
    assert_eq!(mention(json!({ "user": "UBOT" })).len(), 1);
}

#[test]
fn direct_messages_stay_between_those_who_write_them() {
    for kind in ["im", "mpim"] {
        let event = json!({ "type": "message", "channel": "D1", "channel_type": kind, "user": "U1",
            "ts": "1700000000.000100", "text": "secret" });
        assert_eq!(of(event), []);
    }
}

#[test]
fn channels_come_and_go_with_the_bot() {
    let at = key("1700000000.000100");
    let presence = |id: &str, present| Effect::ChannelPresence {
        id: id.to_owned(),
        present,
        at,
    };
    let event = |kind: &str, user: &str| {
        of(json!({ "type": kind, "channel": "C1", "user": user, "event_ts": "1700000000.000100" }))
    };
    assert_eq!(
        event("member_joined_channel", "UBOT"),
        [presence("C1", true)]
    );
    assert_eq!(
        event("member_left_channel", "UBOT"),
        [presence("C1", false)]
    );
    assert_eq!(event("member_joined_channel", "U1"), []);
    assert_eq!(event("channel_archive", "U1"), [presence("C1", false)]);
    assert_eq!(event("channel_unarchive", "U1"), [presence("C1", true)]);
    let created = of(
        json!({ "type": "channel_created", "event_ts": "1700000000.000100",
        "channel": { "id": "C7", "name": "新規", "created": 1_700_000_000, "creator": "U1" } }),
    );
    assert_eq!(created[1], presence("C7", false));
    let renamed = of(
        json!({ "type": "channel_rename", "event_ts": "1700000000.000100",
        "channel": { "id": "C1", "name": "renamed", "created": 1_600_000_000 } }),
    );
    assert_eq!(
        renamed,
        [Effect::ChannelName {
            id: "C1".to_owned(),
            name: "renamed".to_owned(),
            is_private: None,
            at
        }]
    );
}

#[test]
fn a_changed_user_is_as_new_as_slack_says() {
    let done = of(
        json!({ "type": "user_change", "event_ts": "1700000000.000100",
        "user": { "id": "U1", "name": "a", "updated": 1_700_000_000, "profile": { "display_name": "あかり" } } }),
    );
    let [Effect::User { record, changed_at }] = done.as_slice() else {
        panic!("{done:?}")
    };
    assert_eq!(
        (record.name.as_str(), *changed_at),
        ("あかり", 1_700_000_000)
    );
}

#[test]
fn what_cannot_be_read_is_an_error_and_unknown_events_are_nothing() {
    let people = Known::default();
    let bot = BotIdentity {
        user_id: "UBOT".to_owned(),
        bot_id: None,
    };
    let message = |field: &str, value: Value| {
        let mut event =
            json!({ "type": "message", "channel": "C1", "ts": "1700000000.000100", "text": "x" });
        event[field] = value;
        json!({ "event": event }).to_string()
    };
    for bad in ["{", "{}", "[]", &message("ts", json!("later"))] {
        assert!(SlackEvent::parse(bad).is_err(), "{bad}");
    }
    let event = SlackEvent::parse(&message("text", json!(5))).unwrap();
    let error = event.effects(&people, &bot).unwrap_err();
    assert_eq!(
        error.to_string(),
        "it does not have the shape that Slack documents"
    );
    assert_eq!(
        of(json!({ "type": "pin_added", "channel_id": "C1", "event_ts": "1700000000.000100" })),
        []
    );
}
