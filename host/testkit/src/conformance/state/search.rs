//! What is found by its terms, and where. The contract's own checks of the search are in the conformance component.

use myao_plugin::Place;
use myao_plugin::state::forgetting::{Forget, Mode, Retention};
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::recall::{Candidates, RecallQuery};
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{MemoryQuery, StorageError};

use super::places::audience;
use super::{New, Stored, deleted, draft, edited, present, public, record, said, user};
use crate::conformance::{Records, all_memories, key};

fn query(terms: &[&str]) -> RecallQuery {
    RecallQuery {
        terms: terms.iter().map(|term| (*term).to_owned()).collect(),
        text: String::new(),
        channels: Vec::new(),
        since: None,
        until: "99.0".into(),
        limit: 10,
        neighbours: 0,
    }
}

async fn find(stored: &Stored, place: &Place, query: RecallQuery) -> Candidates {
    let opened = stored.at(place.clone());
    opened.find_candidates(query, None).await.unwrap()
}

/// Channel and seconds of each message.
fn messages(found: &Candidates) -> Vec<String> {
    let found = found.messages.iter();
    found
        .map(|found| {
            let seconds = found.at.ts.split('.').next().unwrap_or_default();
            format!("{}:{seconds}", found.at.channel_id)
        })
        .collect()
}

async fn found(stored: &Stored, place: &Place, terms: &[&str]) -> Vec<String> {
    messages(&find(stored, place, query(terms)).await)
}

fn of(channel: &str, ts: &str, text: &str) -> Effect {
    super::message(MessageRecord {
        channel_id: channel.into(),
        ..record(ts, None, text)
    })
}

fn channel(id: &str) -> Place {
    Place::Channel(id.to_owned())
}

/// Two public channels, A and B, and a private one, P.
async fn stored(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    let mut effects = vec![user("U1", "Akari", 1)];
    for (id, is_private) in [("A", false), ("B", false), ("P", true)] {
        effects.push(present(id, true, "1.0"));
        effects.extend(public(id, "1.0"));
        effects.push(audience(id, is_private, "2.0"));
    }
    effects.extend([
        of("A", "10.0", "The crane comes"),
        of("A", "11.0", "lunch is at noon"),
        of("B", "12.0", "the CRANE is late"),
        of("P", "13.0", "the crane costs 500"),
        of("P", "14.0", "給与の話"),
    ]);
    stored.apply(&effects).await;
    stored
}

pub async fn only_what_a_place_may_see_is_found_and_counted(new: New<'_>) {
    let stored = stored(new).await;
    for (place, expected, total) in [
        (channel("A"), &["A:10", "B:12"][..], 3),
        (channel("P"), &["A:10", "B:12", "P:13"], 5),
        (Place::Workspace, &["A:10", "B:12"], 3),
        (Place::Schedule, &[], 0),
        (channel("X"), &[], 0),
    ] {
        let result = find(&stored, &place, query(&["crane", "500"])).await;
        assert_eq!(messages(&result), expected, "{place}");
        assert_eq!(result.message_count, total, "{place}");
        let cranes = u32::try_from(expected.len()).unwrap();
        assert_eq!(result.counts[0].messages, cranes, "{place}");
    }
}

pub async fn message_is_found_by_what_it_says_now(new: New<'_>) {
    let stored = stored(new).await;
    stored
        .import(Records::default().with(record("30.0", None, "a barge")))
        .await;
    assert_eq!(
        found(&stored, &Place::Operator, &["barge"]).await,
        ["C1:30"]
    );
    let later = MessageRecord {
        edited_at: Some(40),
        ..record("30.0", None, "a ferry")
    };
    stored.import(Records::default().with(later)).await;
    stored
        .apply_at(
            50,
            &[
                said("31.0", None, "a raft"),
                edited("31.0", None, "50.0", "a canoe"),
            ],
        )
        .await;
    let all = ["barge", "ferry", "raft", "canoe"];
    assert_eq!(
        found(&stored, &Place::Operator, &all).await,
        ["C1:30", "C1:31"]
    );
    assert!(
        found(&stored, &Place::Operator, &["barge", "raft"])
            .await
            .is_empty()
    );
    stored.apply_at(60, &[deleted("31.0", "60.0")]).await;
    let result = find(&stored, &Place::Operator, query(&all)).await;
    assert_eq!(messages(&result), ["C1:30"]);
    assert_eq!(result.message_count, 6);
    assert_eq!(result.counts[3].messages, 0);
}

pub async fn forgotten_and_expired_messages_are_not_found(new: New<'_>) {
    let stored = stored(new).await;
    let forget = Forget::Message {
        channel_id: "B".into(),
        ts: key("12.0"),
    };
    stored.forget(forget, 50, Mode::Erase).await.unwrap();
    assert_eq!(
        found(&stored, &Place::Operator, &["crane"]).await,
        ["A:10", "P:13"]
    );
    let retention = Retention {
        messages: Some(key("11.0")),
        ..Retention::default()
    };
    stored.expire(retention, 60).await.unwrap();
    assert_eq!(found(&stored, &Place::Operator, &["crane"]).await, ["P:13"]);
    stored
        .forget(Forget::Channel("P".into()), 70, Mode::Erase)
        .await
        .unwrap();
    let result = find(&stored, &Place::Operator, query(&["crane", "給与"])).await;
    assert!(result.messages.is_empty());
    assert_eq!(result.message_count, 1);
}

pub async fn dry_run_of_forgetting_leaves_what_is_found(new: New<'_>) {
    let stored = stored(new).await;
    let forget = Forget::Channel("P".into());
    stored.forget(forget, 50, Mode::DryRun).await.unwrap();
    assert_eq!(found(&stored, &Place::Operator, &["500"]).await, ["P:13"]);
}

pub async fn channel_that_is_converted_is_found_where_it_may_be_seen(new: New<'_>) {
    let stored = stored(new).await;
    stored.apply(&[audience("B", true, "20.0")]).await;
    assert_eq!(found(&stored, &channel("A"), &["crane"]).await, ["A:10"]);
    assert_eq!(
        found(&stored, &channel("B"), &["crane"]).await,
        ["A:10", "B:12"]
    );
    stored.apply(&[audience("B", false, "30.0")]).await;
    assert_eq!(
        found(&stored, &channel("A"), &["crane"]).await,
        ["A:10", "B:12"]
    );
    stored.apply(&[present("B", false, "40.0")]).await;
    assert_eq!(found(&stored, &channel("A"), &["crane"]).await, ["A:10"]);
}

pub async fn time_and_channels_bound_what_is_found_but_not_what_is_counted(new: New<'_>) {
    let stored = stored(new).await;
    let bounded = RecallQuery {
        since: Some("11.0".into()),
        channels: vec!["B".into(), "P".into()],
        ..query(&["crane"])
    };
    let result = find(&stored, &channel("A"), bounded.clone()).await;
    assert_eq!(messages(&result), ["B:12"]);
    assert_eq!((result.message_count, result.counts[0].messages), (3, 2));
    let newest = RecallQuery {
        terms: Vec::new(),
        ..bounded
    };
    assert_eq!(
        messages(&find(&stored, &Place::Operator, newest).await),
        ["B:12", "P:13", "P:14"]
    );
}

pub async fn what_was_found_may_not_be_shown_once_it_has_changed_or_is_private(new: New<'_>) {
    let gone = Effect::MessageDeleted {
        channel_id: "B".into(),
        ts: key("12.0"),
        at: key("50.0"),
    };
    for change in [gone, audience("B", true, "50.0")] {
        let stored = stored(new).await;
        let opened = stored.at(channel("A"));
        opened
            .find_candidates(query(&["crane"]), None)
            .await
            .unwrap();
        assert_eq!(opened.may_show(Default::default()).await, Ok(true));
        stored.apply_at(50, &[change]).await;
        assert_eq!(opened.may_show(Default::default()).await, Ok(false));
        let saved = opened.save_memory(draft("A"), Default::default()).await;
        assert!(matches!(saved, Err(StorageError::Conflict(_))), "{saved:?}");
    }
}

pub async fn memory_is_shown_only_where_the_messages_may_be_seen_that_its_call_found(new: New<'_>) {
    let stored = stored(new).await;
    let opened = stored.at(channel("A"));
    opened
        .find_candidates(query(&["crane"]), None)
        .await
        .unwrap();
    let saved = opened.save_memory(draft("A"), Default::default()).await;
    let seen = |place: Place| {
        let opened = stored.at(place);
        let query = MemoryQuery {
            threads: Vec::new(),
            ..all_memories()
        };
        async move { opened.list_memories(query).await.unwrap().len() }
    };
    assert!(saved.is_ok());
    assert_eq!(
        (seen(channel("A")).await, seen(Place::Workspace).await),
        (1, 1)
    );
    stored.apply(&[audience("B", true, "50.0")]).await;
    assert_eq!(
        (seen(channel("A")).await, seen(Place::Workspace).await),
        (0, 0)
    );
}
