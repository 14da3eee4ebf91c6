//! Messages that people mark by words.

use myao_plugin::Place;
use myao_plugin::state::catch_up::PinnedMessage;
use myao_plugin::state::sync::StoredId;
use myao_plugin::storage::effects::{Effect, PinnedBy};
use myao_plugin::storage::records::{MessageRecord, UserRecord};

use super::{New, Stored, deleted, edited, key, message, present, public, record, said};

const PIN: &str = "@myao 覚えて: 合言葉は海";
const CORRECTION: &str = "@myao Correction: it is Atami on the 25th";

/// An open channel C1.
async fn channel(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored.apply(&[present("C1", true, "0.5")]).await;
    stored.apply(&public("C1", "0.5")).await;
    stored.apply(&[guest("U1", false, "0.5")]).await;
    stored
}

/// The ids of the marked messages of C1 up to an id.
async fn marked(stored: &Stored, until: &str, limit: u32) -> Vec<String> {
    let here = stored.at(Place::Channel("C1".into()));
    let marked = here.list_marked("C1".into(), until.into(), limit);
    let marked = marked.await.unwrap().into_iter();
    marked
        .map(|marked| {
            assert!(!marked.is_pinned);
            marked.message.ts.trim_end_matches("00000").to_owned()
        })
        .collect()
}

fn by(ts: &str, user_id: &str, is_bot: bool) -> Effect {
    message(MessageRecord {
        user_id: user_id.into(),
        is_bot,
        ..record(ts, None, PIN)
    })
}

fn guest(user_id: &str, is_guest: bool, at: &str) -> Effect {
    Effect::Guest {
        user_id: user_id.into(),
        is_guest,
        at: key(at),
    }
}

pub async fn marked_messages_come_oldest_first_up_to_a_time_and_a_number(new: New<'_>) {
    let stored = channel(new).await;
    stored
        .apply(&[
            said("4.0", None, PIN),
            said("2.0", None, CORRECTION),
            said("3.0", None, "the talk goes on"),
            said("5.0", Some("2.0"), " \n@myao　訂正：25日"),
            said("6.0", None, PIN),
        ])
        .await;
    assert_eq!(marked(&stored, "5.0", 9).await, ["2.0", "4.0", "5.0"]);
    assert_eq!(marked(&stored, "5.0", 2).await, ["4.0", "5.0"]);
    assert_eq!(marked(&stored, "1.0", 9).await, [""; 0]);
    let here = stored.at(Place::Channel("C1".into()));
    let all = here.list_marked("C1".into(), "9.0".into(), 9).await;
    let all = all.unwrap();
    assert_eq!(all[0].message.text, CORRECTION);
    assert_eq!(all[0].message.thread_ts.as_deref(), Some("2.000000"));
    assert_eq!(all[2].message.thread_ts.as_deref(), Some("2.000000"));
}

pub async fn mark_changes_and_goes_with_its_message_in_any_order(new: New<'_>) {
    let edit = || edited("3.0", None, "7.0", "never mind");
    let becomes = || edited("4.0", None, "7.0", PIN);
    let all = [
        said("2.0", None, PIN),
        said("3.0", None, PIN),
        said("4.0", None, "the talk"),
        deleted("2.0", "8.0"),
        edit(),
        becomes(),
    ];
    for turned in 0..all.len() {
        let stored = channel(new).await;
        let mut effects = all.clone();
        effects.rotate_left(turned);
        stored.apply(&effects).await;
        assert_eq!(marked(&stored, "9.0", 9).await, ["4.0"], "{turned}");
    }
}

pub async fn program_and_guest_mark_nothing(new: New<'_>) {
    let stored = channel(new).await;
    stored
        .apply(&[
            guest("U5", true, "1.0"),
            guest("U6", false, "1.0"),
            by("2.0", "B1", true),
            by("3.0", "U5", false),
            by("4.0", "U6", false),
            by("5.0", "U7", false),
        ])
        .await;
    assert_eq!(marked(&stored, "9.0", 9).await, ["4.0"]);
    // What was known later counts for what was said earlier.
    let record = UserRecord {
        id: "U6".into(),
        name: "ci".into(),
        is_bot: true,
    };
    let changed_at = 7;
    stored
        .apply(&[
            Effect::User { record, changed_at },
            guest("U5", false, "7.0"),
        ])
        .await;
    assert_eq!(marked(&stored, "9.0", 9).await, ["3.0"]);
}

pub async fn somebody_unknown_marks_nothing(new: New<'_>) {
    let stored = channel(new).await;
    stored
        .apply(&[by("2.0", "U7", false), by("3.0", "U1", false)])
        .await;
    assert_eq!(marked(&stored, "9.0", 9).await, ["3.0"]);
    stored.apply(&[guest("U7", false, "4.0")]).await;
    assert_eq!(marked(&stored, "9.0", 9).await, ["2.0", "3.0"]);
}

pub async fn marks_are_read_in_their_own_channel_alone(new: New<'_>) {
    let stored = channel(new).await;
    stored.apply(&[said("2.0", None, PIN)]).await;
    for place in [
        Place::Channel("C2".into()),
        Place::Workspace,
        Place::Schedule,
        Place::Person("U1".into()),
    ] {
        let there = stored.at(place);
        let marked = there.list_marked("C1".into(), "9.0".into(), 9).await;
        assert!(marked.is_err());
    }
}

fn pin(ts: &str, by: PinnedBy, is_pinned: bool, at: &str) -> Effect {
    Effect::Pin {
        channel_id: "C1".into(),
        ts: key(ts),
        by,
        is_pinned,
        at: key(at),
    }
}

fn platform(user_id: &str) -> PinnedBy {
    PinnedBy::Platform {
        user_id: user_id.into(),
    }
}

fn emoji(user_id: &str) -> PinnedBy {
    PinnedBy::Emoji {
        user_id: user_id.into(),
        name: "pushpin".into(),
    }
}

/// The ids of the pinned messages of C1 up to an id.
async fn pinned(stored: &Stored, until: &str) -> Vec<String> {
    let here = stored.at(Place::Channel("C1".into()));
    let marked = here.list_marked("C1".into(), until.into(), 9).await;
    let marked = marked.unwrap().into_iter();
    let pinned = marked.filter(|marked| marked.is_pinned);
    pinned
        .map(|marked| marked.message.ts.trim_end_matches("00000").to_owned())
        .collect()
}

pub async fn pin_is_the_newest_state_of_its_source_in_any_order(new: New<'_>) {
    let all = [
        said("2.0", None, "the code is 4711"),
        said("3.0", None, "the place is Atami"),
        said("4.0", None, "lunch"),
        pin("2.0", platform("U1"), true, "5.0"),
        pin("2.0", platform("U2"), false, "6.0"),
        pin("2.0", emoji("U1"), true, "5.0"),
        pin("3.0", emoji("U1"), true, "5.0"),
        pin("3.0", emoji("U1"), false, "5.0"),
        pin("4.0", PinnedBy::Operator, true, "7.0"),
        pin("9.0", PinnedBy::Operator, true, "7.0"),
    ];
    for turned in 0..all.len() {
        let stored = channel(new).await;
        let mut effects = all.clone();
        effects.rotate_left(turned);
        stored.apply(&effects).await;
        assert_eq!(pinned(&stored, "8.0").await, ["2.0", "4.0"], "{turned}");
        assert_eq!(pinned(&stored, "6.5").await, ["2.0"], "{turned}");
    }
}

pub async fn pin_of_a_program_or_a_guest_has_no_effect(new: New<'_>) {
    let stored = channel(new).await;
    stored
        .apply(&[
            guest("U5", true, "1.0"),
            by("2.0", "B1", true),
            said("3.0", None, "the place is Atami"),
            pin("2.0", platform("U5"), true, "5.0"),
            pin("3.0", emoji("U5"), true, "5.0"),
        ])
        .await;
    assert_eq!(pinned(&stored, "9.0").await, [""; 0]);
    // A member may pin what a program wrote.
    stored
        .apply(&[pin("2.0", platform("U1"), true, "6.0")])
        .await;
    assert_eq!(pinned(&stored, "9.0").await, ["2.0"]);
    stored.apply(&[deleted("2.0", "8.0")]).await;
    assert_eq!(pinned(&stored, "9.0").await, [""; 0]);
}

pub async fn pins_of_the_platform_are_listed_newest_message_first(new: New<'_>) {
    let stored = channel(new).await;
    stored
        .apply(&[
            said("2.0", None, "the code is 4711"),
            said("3.0", Some("2.0"), "the place is Atami"),
            said("4.0", None, "lunch"),
            said("5.0", None, "gone"),
            deleted("5.0", "8.0"),
            pin("2.0", platform("U1"), true, "6.0"),
            pin("2.0", emoji("U2"), true, "6.0"),
            pin("3.0", emoji("U1"), true, "6.0"),
            pin("3.0", platform("U1"), true, "6.0"),
            pin("3.0", platform("U2"), false, "7.0"),
            pin("4.0", PinnedBy::Operator, true, "6.0"),
            pin("5.0", platform("U1"), true, "6.0"),
            pin("9.0", platform("U1"), true, "6.0"),
        ])
        .await;
    let pinned = |ts, thread: Option<&str>, emoji_of: Option<&str>| PinnedMessage {
        id: StoredId {
            ts: key(ts),
            thread_ts: thread.map(key),
        },
        emoji_of: emoji_of.map(str::to_owned),
        at: key("6.0"),
    };
    let all = [
        pinned("3.0", Some("2.0"), Some("U1")),
        pinned("2.0", None, None),
        pinned("2.0", None, Some("U2")),
    ];
    assert_eq!(stored.pinned_messages("C1", 9).await.unwrap(), all);
    assert_eq!(stored.pinned_messages("C1", 2).await.unwrap(), all[..2]);
}

/// A correction by U1 of the time 5.0.
pub(super) fn correction() -> Effect {
    said("5.0", None, CORRECTION)
}

pub(super) fn strike(by: &str, struck: &[&str]) -> Effect {
    Effect::Strike {
        channel_id: "C1".into(),
        correction: key("5.0"),
        struck: struck.iter().map(|ts| key(ts)).collect(),
        by: by.into(),
    }
}

/// The messages that corrections strike, as a place sees them.
async fn struck(stored: &Stored, place: Place) -> Vec<String> {
    let strikes = stored.at(place).list_strikes().await.unwrap().into_iter();
    let struck = strikes.map(|strike| {
        assert_eq!(strike.message.channel_id, "C1");
        assert_eq!(strike.correction, "5.000000");
        strike.message.ts.trim_end_matches("00000").to_owned()
    });
    struck.collect()
}

pub async fn author_of_a_correction_picks_older_messages_that_it_strikes(new: New<'_>) {
    let stored = channel(new).await;
    let here = || Place::Channel("C1".into());
    let talk = |ts: &str| said(ts, None, "Atami is on the 24th");
    let talk = [talk("2.0"), talk("3.0"), talk("6.0")];
    stored.apply(&talk).await;
    stored.apply(&[strike("U1", &["2.0"])]).await;
    assert_eq!(struck(&stored, here()).await, [""; 0], "no correction yet");
    stored.apply(&[correction(), strike("U2", &["2.0"])]).await;
    assert_eq!(struck(&stored, here()).await, [""; 0], "not its author");
    // Neither what is newer nor what is not stored.
    let picked = strike("U1", &["2.0", "6.0", "4.0"]);
    stored.apply(&[picked.clone(), picked]).await;
    assert_eq!(struck(&stored, here()).await, ["2.0"]);
    stored.apply(&[strike("U1", &["3.0", "2.0"])]).await;
    assert_eq!(struck(&stored, here()).await, ["2.0", "3.0"]);
    stored.apply(&[strike("U1", &["3.0"])]).await;
    for (place, expected) in [
        (here(), &["3.0"][..]),
        (Place::Workspace, &["3.0"]),
        (Place::Person("U1".into()), &["3.0"]),
        (Place::Schedule, &[]),
    ] {
        assert_eq!(struck(&stored, place.clone()).await, expected, "{place}");
    }
}

pub async fn strikes_go_with_the_correction_and_with_what_it_strikes(new: New<'_>) {
    for (effect, left) in [
        (deleted("5.0", "8.0"), &[][..]),
        (
            edited("5.0", None, "8.0", "@myao correction: it is Hakone"),
            &[],
        ),
        (deleted("2.0", "8.0"), &["3.0"]),
        (
            edited("2.0", None, "8.0", "Atami is on Friday"),
            &["2.0", "3.0"],
        ),
    ] {
        let stored = channel(new).await;
        let talk = |ts: &str| said(ts, None, "Atami is on the 24th");
        let all = [talk("2.0"), talk("3.0"), correction()];
        stored.apply(&all).await;
        stored.apply(&[strike("U1", &["2.0", "3.0"])]).await;
        stored.apply(std::slice::from_ref(&effect)).await;
        assert_eq!(struck(&stored, Place::Workspace).await, left, "{effect:?}");
    }
}

pub async fn strikes_are_seen_where_their_channel_is(new: New<'_>) {
    let stored = channel(new).await;
    stored
        .apply(&[said("2.0", None, "Atami is on the 24th"), correction()])
        .await;
    stored.apply(&[strike("U1", &["2.0"])]).await;
    let private = Effect::ChannelName {
        id: "C1".into(),
        name: String::new(),
        is_private: Some(true),
        at: key("7.0"),
    };
    stored.apply(&[private]).await;
    assert_eq!(struck(&stored, Place::Workspace).await, [""; 0]);
    assert_eq!(struck(&stored, Place::Person("U9".into())).await, [""; 0]);
    assert_eq!(struck(&stored, Place::Channel("C1".into())).await, ["2.0"]);
}
