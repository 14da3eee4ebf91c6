//! Pins and emoji.

use serde_json::{Value, json};

use super::*;

#[test]
fn pins_and_reactions_are_states_of_their_message() {
    let (at, ts) = ("1700000009.000100", "1700000000.000100");
    let effect = |by, is_pinned| {
        vec![Effect::Pin {
            channel_id: "C1".to_owned(),
            ts: key(ts),
            by,
            is_pinned,
            at: key(at),
        }]
    };
    let pin = json!({ "type": "message", "channel": "C1", "message": { "ts": ts } });
    let by_platform = || PinnedBy::Platform {
        user_id: "U1".to_owned(),
    };
    for (kind, is_pinned) in [("pin_added", true), ("pin_removed", false)] {
        let event = json!({ "type": kind, "user": "U1", "item": pin, "event_ts": at });
        assert_eq!(of(event), effect(by_platform(), is_pinned));
    }
    let item = json!({ "type": "message", "channel": "C1", "ts": ts });
    let by_emoji = || PinnedBy::Emoji {
        user_id: "U1".to_owned(),
        name: "pushpin".to_owned(),
    };
    for (kind, is_pinned) in [("reaction_added", true), ("reaction_removed", false)] {
        let event = json!({
            "type": kind, "user": "U1", "reaction": "pushpin::skin-tone-2", "item": item, "event_ts": at,
        });
        assert_eq!(of(event), effect(by_emoji(), is_pinned));
    }
    let file = json!({ "type": "file", "file": "F1" });
    assert_eq!(
        of(
            json!({ "type": "reaction_added", "user": "U1", "reaction": "pushpin", "item": file, "event_ts": at })
        ),
        []
    );
    let message = json!({
        "ts": ts, "text": "x", "pinned_to": ["C1"],
        "pinned_info": { "channel": "C1", "pinned_by": "U1", "pinned_ts": 1_700_000_005 },
        "reactions": [{ "name": "pushpin", "users": ["U1"], "count": 1 }],
    });
    let found = crate::pins::of_message(&message, "C1");
    let by: Vec<&PinnedBy> = found
        .iter()
        .map(|effect| match effect {
            Effect::Pin {
                by,
                is_pinned: true,
                ..
            } => by,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(by, [&by_platform(), &by_emoji()]);
    assert_eq!(crate::pins::of_message(&message, "C2").len(), 1);
}

#[test]
fn thumbs_on_answers_of_the_bot_are_feedback() {
    let event = |kind: &str, reaction: &str, of: &str| {
        of_reaction(
            json!({ "type": kind, "user": "U1", "reaction": reaction, "item_user": of,
            "item": { "type": "message", "channel": "C1", "ts": "1700000000.000100" },
            "event_ts": "1700000009.000100" }),
        )
    };
    let feedback = |is_good, is_given| Effect::Feedback {
        channel_id: "C1".to_owned(),
        ts: key("1700000000.000100"),
        user_id: "U1".to_owned(),
        is_good,
        is_given,
        at: key("1700000009.000100"),
    };
    for (kind, reaction, expected) in [
        ("reaction_added", "+1", feedback(true, true)),
        (
            "reaction_added",
            "thumbsup::skin-tone-2",
            feedback(true, true),
        ),
        ("reaction_removed", "-1", feedback(false, false)),
    ] {
        assert_eq!(event(kind, reaction, "UBOT"), [expected]);
        assert_eq!(event(kind, reaction, "U1"), []);
    }
    assert_eq!(event("reaction_added", "eyes", "UBOT"), []);
}

#[test]
fn check_marks_are_marks_of_what_is_done() {
    let (at, ts) = ("1700000009.000100", "1700000000.000100");
    let mark = |emoji: &str| DoneMark {
        channel_id: "C1".to_owned(),
        ts: key(ts),
        user_id: "U1".to_owned(),
        emoji: emoji.to_owned(),
    };
    let item = json!({ "type": "message", "channel": "C1", "ts": ts });
    for (kind, is_given) in [("reaction_added", true), ("reaction_removed", false)] {
        for emoji in ["white_check_mark", "heavy_check_mark", "済"] {
            let event = json!({
                "type": kind, "user": "U1", "reaction": emoji, "item": item, "event_ts": at,
            });
            let expected = Effect::Done {
                mark: mark(emoji),
                is_given,
                at: key(at),
            };
            assert_eq!(of_reaction(event), [expected]);
        }
    }
    let message = json!({ "ts": ts, "text": "x", "reactions": [
        { "name": "eyes", "users": ["U1"], "count": 1 },
        { "name": "ballot_box_with_check", "users": ["U1"], "count": 1 },
    ] });
    let found = crate::done::of_message(&message, "C1");
    assert_eq!(found, [mark("ballot_box_with_check")]);
}

/// The effects of a reaction, without those that may pin.
fn of_reaction(event: Value) -> Vec<Effect> {
    let effects = of(event).into_iter();
    effects
        .filter(|effect| !matches!(effect, Effect::Pin { .. }))
        .collect()
}
