//! Payloads as the Events API sends them (<https://docs.slack.dev/reference/events>).
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]

mod reactions;

use std::collections::HashMap;

use serde_json::{Value, json};

use super::*;
use crate::mrkdwn::Names;
use myao_plugin::storage::effects::PinnedBy;
use myao_plugin::storage::records::DoneMark;

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
    effects_of(
        &json!({ "type": "event_callback", "event_id": "Ev1", "event_time": 1_700_000_100, "event": event }),
    )
}

fn effects_of(payload: &Value) -> Vec<Effect> {
    let people = Known(HashMap::from([
        ("U1", "akari"),
        ("UBOT", "みゃお"),
        ("C2", "dev"),
    ]));
    let bot = BotIdentity {
        user_id: "UBOT".to_owned(),
        bot_id: Some("B1".to_owned()),
        team_id: "T1".to_owned(),
    };
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

/// A change of a message that had a text, as Slack reports it.
fn change_to(now: Value, before: Value) -> Vec<Effect> {
    let message = |more: Value| {
        let mut message = json!({ "type": "message", "user": "U1", "team": "T1", "ts": "1700000000.000100",
            "client_msg_id": "de349a9f", "text": "<https://example.com/plan>" });
        let fields = more.as_object().unwrap().clone();
        message.as_object_mut().unwrap().extend(fields);
        message
    };
    of(json!({
        "type": "message", "subtype": "message_changed", "hidden": true, "channel": "C1", "channel_type": "channel",
        "message": message(now), "previous_message": message(before), "ts": "1700000050.000200",
        "event_ts": "1700000050.000200",
    }))
}

#[test]
fn a_preview_of_a_link_is_no_edit_and_programs_and_files_need_no_mark_of_one() {
    let state = |effects: Vec<Effect>| match effects.as_slice() {
        [Effect::Message { record, changed }] => (record.edited_at, *changed, record.text.clone()),
        _ => panic!("{effects:?}"),
    };
    let preview = json!([{ "from_url": "https://example.com/plan", "title": "The plan", "text": "Ship on 3 May", "id": 1 }]);
    let url = "https://example.com/plan".to_owned();
    let unfurl = state(change_to(json!({ "attachments": preview }), json!({})));
    assert_eq!(unfurl, (None, key("1700000000.000100"), url.clone()));

    // It was edited before: that is as old as the edit.
    let edited = |ts: &str| json!({ "user": "U1", "ts": ts });
    let first = edited("1700000020.000000");
    let unfurl = json!({ "attachments": preview, "edited": first });
    let unfurl = state(change_to(unfurl, json!({ "edited": first })));
    assert_eq!(
        unfurl,
        (Some(1_700_000_020), key("1700000020.999999"), url.clone())
    );

    // Within the second of an edit, another may follow.
    let now = key("1700000050.000200");
    let just = edited("1700000050.000000");
    let unfurl = json!({ "attachments": preview, "edited": just });
    let unfurl = state(change_to(unfurl, json!({ "edited": just })));
    assert_eq!(unfurl, (Some(1_700_000_050), now, url.clone()));

    let again = json!({ "edited": edited("1700000050.000000") });
    let edit = state(change_to(again, json!({ "edited": first })));
    assert_eq!(edit, (Some(1_700_000_050), now, url));

    // Neither is marked.
    let program = json!({ "bot_id": "B9", "text": "build 7 failed" });
    let build = state(change_to(
        program,
        json!({ "bot_id": "B9", "text": "build 7 runs" }),
    ));
    assert_eq!(
        build,
        (Some(1_700_000_050), now, "build 7 failed".to_owned())
    );
    let file =
        |mode: &str| json!({ "text": "see", "files": [{ "name": "plan.pdf", "mode": mode }] });
    let gone = state(change_to(file("tombstone"), file("hosted")));
    assert_eq!(gone, (Some(1_700_000_050), now, "see".to_owned()));
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
fn group_messages_stay_between_those_who_write_them() {
    let event = json!({ "type": "message", "channel": "C1", "channel_type": "mpim", "user": "U1",
        "ts": "1700000000.000100", "text": "secret" });
    assert_eq!(of(event), []);
}

#[test]
fn a_direct_message_asks_the_bot_and_is_private_to_the_two() {
    let event = |more: Value| {
        let mut event = json!({ "type": "message", "channel": "D1", "channel_type": "im", "user": "U1",
            "ts": "1700000000.000100", "text": "when?" });
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        of(event)
    };
    let asked = event(json!({}));
    assert!(matches!(&asked[0], Effect::Message { record, .. } if record.text == "when?"));
    assert!(matches!(&asked[1], Effect::Mention { channel_id, .. } if channel_id == "D1"));
    let private = Effect::ChannelName {
        id: "D1".to_owned(),
        name: "dm-akari".to_owned(),
        is_private: Some(true),
        at: key("1700000000.000100"),
    };
    assert!(asked.contains(&private), "{asked:?}");
    let two = Effect::ChannelMembers {
        id: "D1".to_owned(),
        members: Some(vec!["U1".to_owned(), "UBOT".to_owned()]),
        at: key("1700000000.000100"),
    };
    assert!(asked.contains(&two), "{asked:?}");
    // The bot's own messages there, an edit and a deletion ask nothing.
    assert_eq!(event(json!({ "user": "UBOT", "bot_id": "B1" })).len(), 1);
    let inner = json!({ "ts": "1700000000.000100", "user": "U1", "text": "where?" });
    let edit =
        json!({ "subtype": "message_changed", "message": inner, "event_ts": "1700000001.000100" });
    assert_eq!(event(edit).len(), 1);
    let gone = json!({ "subtype": "message_deleted", "deleted_ts": "1700000000.000100", "event_ts": "1700000001.000100" });
    assert!(matches!(event(gone)[..], [Effect::MessageDeleted { .. }]));
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
    let unknown = || Effect::ChannelMembers {
        id: "C1".to_owned(),
        members: None,
        at,
    };
    let own = || Effect::Membership {
        channel_id: "C1".to_owned(),
        user_id: "UBOT".to_owned(),
        is_member: true,
        at: key("1700000000.000101"),
    };
    assert_eq!(
        event("member_joined_channel", "UBOT"),
        [presence("C1", true), unknown(), own()]
    );
    assert_eq!(
        event("member_left_channel", "UBOT"),
        [presence("C1", false)]
    );
    assert_eq!(event("channel_archive", "U1"), [presence("C1", false)]);
    assert_eq!(
        event("channel_unarchive", "U1"),
        [presence("C1", true), unknown(), own()]
    );
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
fn people_come_and_go() {
    for (kind, is_member) in [
        ("member_joined_channel", true),
        ("member_left_channel", false),
    ] {
        let event = of(
            json!({ "type": kind, "channel": "C1", "channel_type": "C", "user": "U1", "team": "T1",
            "event_ts": "1700000000.000100" }),
        );
        let expected = Effect::Membership {
            channel_id: "C1".to_owned(),
            user_id: "U1".to_owned(),
            is_member,
            at: key("1700000000.000100"),
        };
        assert_eq!(event, [expected]);
    }
}

/// <https://docs.slack.dev/reference/events/message/channel_convert_to_private>
#[test]
fn a_conversion_is_told_by_a_notice() {
    for (subtype, kind, is_private) in [
        ("channel_convert_to_private", "group", true),
        ("channel_convert_to_public", "channel", false),
    ] {
        let converted = of(
            json!({ "type": "message", "subtype": subtype, "user": "U1", "channel": "C1", "channel_type": kind,
            "text": "made this channel *so*.", "ts": "1700000000.000100", "event_ts": "1700000000.000100" }),
        );
        let expected = Effect::ChannelName {
            id: "C1".to_owned(),
            name: String::new(),
            is_private: Some(is_private),
            at: key("1700000000.000100"),
        };
        assert_eq!(converted, [expected]);
    }
}

#[test]
fn a_channel_that_is_not_shared_with_one_organisation_may_be_with_others() {
    let event = |kind: &str, more: Value| {
        let mut event = json!({ "type": kind, "channel": "C1", "event_ts": "1700000000.000100" });
        for (name, value) in more.as_object().unwrap() {
            event[name] = value.clone();
        }
        let done = of(event);
        let [Effect::ChannelShared { is_shared, .. }] = done.as_slice() else {
            panic!("{done:?}")
        };
        *is_shared
    };
    let shared = event("channel_shared", json!({ "connected_team_id": "T2" }));
    assert_eq!(shared, Some(true));
    for (is_ext_shared, expected) in [(json!(true), Some(true)), (json!(false), None)] {
        let more = json!({ "previously_connected_team_id": "T2", "is_ext_shared": is_ext_shared });
        assert_eq!(event("channel_unshared", more), expected);
    }
    assert_eq!(event("channel_unshared", json!({})), None);
}

#[test]
fn a_guest_is_known_by_any_of_three_marks() {
    let standing = |marks: Value| {
        let mut user = json!({ "id": "U1", "name": "a", "team_id": "T1" });
        for (name, value) in marks.as_object().unwrap() {
            user[name] = value.clone();
        }
        let event = json!({ "type": "team_join", "event_ts": "1700000000.000100", "user": user });
        match of(event).get(1) {
            Some(Effect::Guest { is_guest, .. }) => Some(*is_guest),
            _ => None,
        }
    };
    assert_eq!(standing(json!({})), None);
    let member = json!({ "is_restricted": false, "is_ultra_restricted": false });
    assert_eq!(standing(member), Some(false));
    for mark in ["is_restricted", "is_ultra_restricted", "is_stranger"] {
        assert_eq!(standing(json!({ mark: true })), Some(true), "{mark}");
    }
    // Of another workspace, unless the organisation's record lists this one; to which nothing says.
    let of = |team: Value, more: Value| {
        let mut user = json!({ "is_restricted": false, "team_id": team });
        user["enterprise_user"] = more;
        standing(user)
    };
    let teams = |teams: Value| json!({ "enterprise_id": "E1", "teams": teams });
    assert_eq!(of(json!("T2"), Value::Null), Some(true));
    assert_eq!(of(json!("T2"), teams(json!(["T3", "T1"]))), Some(false));
    assert_eq!(of(json!("T2"), teams(json!(["T3"]))), Some(true));
    assert_eq!(of(json!("E1"), teams(Value::Null)), Some(true));
    assert_eq!(of(Value::Null, Value::Null), None);
}

#[test]
fn an_event_tells_that_its_channel_is_shared_with_others() {
    let shared = |wrapper: Value, event: Value| {
        let mut payload = wrapper;
        payload["event"] = event;
        let effects = effects_of(&payload);
        let shared = effects.iter().filter_map(|effect| match effect {
            Effect::ChannelShared { is_shared, .. } => Some(*is_shared),
            _ => None,
        });
        shared.collect::<Vec<_>>()
    };
    let said = |channel: &str, kind: &str, team: &str| {
        json!({
            "type": "message", "channel": channel, "channel_type": kind, "user": "U1", "text": "x",
            "ts": "1700000000.000100", "user_team": team,
        })
    };
    let outside = json!({ "is_ext_shared_channel": true });
    let inside = json!({ "is_ext_shared_channel": false });
    let yes = [Some(true)];
    assert_eq!(shared(outside.clone(), said("C1", "channel", "T2")), yes);
    assert_eq!(shared(inside.clone(), said("C1", "channel", "T2")), []);
    // A direct message says so itself.
    assert_eq!(
        shared(inside.clone(), said("D1", "im", "T1")),
        [Some(false)]
    );
    assert_eq!(shared(inside, said("D1", "im", "T2")), yes);
    assert!(shared(outside.clone(), said("D1", "im", "T1")).contains(&Some(true)));
    assert_eq!(shared(outside, said("G1", "mpim", "T1")), []);
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
        team_id: "T1".to_owned(),
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
