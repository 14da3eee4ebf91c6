//! When a channel's readers change, what waits elsewhere is withdrawn: it is not stored what it was made from.

use myao_plugin::state::outbox::{NewPost, PartState, PostState};
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::storage::{Deferral, StorageError};
use myao_plugin::{MemoryType, Place, Scope};

use super::journal::{entry, first, recalled};
use super::places::{audience, stored};
use super::{New, Stored, deferral, key};
use crate::conformance::{WORKSPACE, message, time};

/// Begins an answer of two parts in a channel.
async fn begin_answer(stored: &Stored, channel_id: &str, ts: &str, kind: ReplyKind) {
    if kind == ReplyKind::Mention {
        let mention = Effect::Mention {
            channel_id: channel_id.into(),
            ts: key(ts),
            thread_ts: None,
            asked_at: 5,
        };
        stored.apply(&[mention]).await;
    }
    let post = NewPost {
        channel_id: channel_id.into(),
        answers: key(ts),
        thread_ts: None,
        kind,
        parts: vec!["one".into(), "two".into()],
        sources: Vec::new(),
    };
    let begun = stored.begin_post(post, 10).await.unwrap();
    assert!(matches!(begun, PostState::Post(parts) if parts.len() == 2));
}

/// The texts and states of the parts that wait.
async fn parts(stored: &Stored, channel_id: &str, ts: &str) -> Vec<(String, PartState)> {
    let parts = stored.begun_post(channel_id, key(ts)).await.unwrap();
    let parts = parts.into_iter();
    parts.map(|part| (part.text, part.state)).collect()
}

/// The answers that wait, and whether they are begun.
async fn waiting(stored: &Stored) -> Vec<(String, bool)> {
    let waiting = stored.waiting_replies(20, 9).await.unwrap().into_iter();
    let mut waiting: Vec<_> = waiting
        .map(|reply| (format!("{} {}", reply.channel_id, reply.ts), reply.is_begun))
        .collect();
    waiting.sort();
    waiting
}

/// It is not stored what an answer was made from.
pub async fn answer_that_is_not_sent_is_withdrawn_when_a_channel_becomes_private(new: New<'_>) {
    let stored = stored(new).await;
    begin_answer(&stored, "A", "10.0", ReplyKind::Mention).await;
    begin_answer(&stored, "B", "10.0", ReplyKind::Mention).await;
    begin_answer(&stored, "B", "20.0", ReplyKind::Unasked).await;
    stored.apply(&[audience("P", true, "30.0")]).await;
    assert_eq!(parts(&stored, "B", "10.0").await.len(), 2, "no change");
    stored.apply(&[audience("A", true, "31.0")]).await;
    assert_eq!(parts(&stored, "B", "10.0").await, []);
    assert_eq!(parts(&stored, "A", "10.0").await.len(), 2);
    // The mention waits for another answer.
    let (a, b) = ("A 10.000000".to_owned(), "B 10.000000".to_owned());
    assert_eq!(waiting(&stored).await, [(a, true), (b, false)]);
    begin_answer(&stored, "B", "10.0", ReplyKind::Mention).await;
}

pub async fn part_that_may_have_been_sent_is_withdrawn_but_not_forgotten(new: New<'_>) {
    let stored = stored(new).await;
    begin_answer(&stored, "B", "10.0", ReplyKind::Mention).await;
    stored.mark_sending("B", key("10.0"), 0).await.unwrap();
    stored.apply(&[audience("A", true, "30.0")]).await;
    let maybe_sent = (String::new(), PartState::MaybeSent);
    assert_eq!(parts(&stored, "B", "10.0").await, [maybe_sent]);
    let late = stored.mark_sending("B", key("10.0"), 1).await;
    assert!(matches!(late.unwrap_err(), StorageError::Conflict(_)));
    // It had arrived, and is all of the answer.
    let posted = stored.mark_sent("B", key("10.0"), 0, key("11.0"));
    posted.await.unwrap();
    stored.finish_post("B", key("10.0")).await.unwrap();
    assert_eq!(waiting(&stored).await, []);
}

pub async fn part_that_is_withdrawn_and_did_not_arrive_is_forgotten(new: New<'_>) {
    let stored = stored(new).await;
    begin_answer(&stored, "B", "10.0", ReplyKind::Mention).await;
    begin_answer(&stored, "B", "20.0", ReplyKind::Unasked).await;
    for ts in ["10.0", "20.0"] {
        stored.mark_sending("B", key(ts), 0).await.unwrap();
    }
    stored.apply(&[audience("A", true, "30.0")]).await;
    for ts in ["10.0", "20.0"] {
        stored.mark_not_sent("B", key(ts), 0).await.unwrap();
    }
    // The mention is answered anew; nobody waits for the other.
    assert_eq!(waiting(&stored).await, [("B 10.000000".to_owned(), false)]);
    begin_answer(&stored, "B", "10.0", ReplyKind::Mention).await;
}

pub async fn answer_that_waits_in_a_channel_is_withdrawn_when_outsiders_may_read_it(new: New<'_>) {
    let stored = stored(new).await;
    begin_answer(&stored, "P", "10.0", ReplyKind::Mention).await;
    begin_answer(&stored, "B", "10.0", ReplyKind::Mention).await;
    let shared = Effect::ChannelShared {
        id: "P".into(),
        is_shared: Some(true),
        at: key("30.0"),
    };
    stored.apply(&[shared]).await;
    assert_eq!(parts(&stored, "P", "10.0").await, []);
    assert_eq!(parts(&stored, "B", "10.0").await.len(), 2);
}

/// Its reason may quote what a model said of the channel.
pub async fn deferral_elsewhere_ends_when_a_channel_becomes_private(new: New<'_>) {
    let stored = stored(new).await;
    let deferral = Deferral {
        memory_type: MemoryType::LongTerm,
        until: time(100),
        failures: 1,
        reason: "why".into(),
    };
    let scopes = [
        (Scope::Channel, "A"),
        (Scope::Thread, "A:10.000000"),
        (Scope::Channel, "B"),
        (Scope::Thread, "B:10.000000"),
        (Scope::Workspace, WORKSPACE),
    ];
    for (scope, scope_id) in scopes {
        let place = stored.at(Place::of(scope, scope_id));
        let deferred = place.defer(scope, scope_id.into(), deferral.clone());
        deferred.await.unwrap();
    }
    assert_eq!(stored.deferrals().await.unwrap().len(), 5);
    stored.apply(&[audience("A", true, "30.0")]).await;
    let left = stored.deferrals().await.unwrap().into_iter();
    let mut left: Vec<String> = left.map(|deferred| deferred.scope_id).collect();
    left.sort();
    assert_eq!(left, ["A", "A:10.000000"]);
}

/// What a model answered is kept until its memory is made; it is not stored what it was told.
pub async fn answers_of_calls_go_when_a_channel_becomes_private_or_gets_outsiders(new: New<'_>) {
    let stored = stored(new).await;
    let answered = async || {
        for scope_id in ["A", "B", "P"] {
            let call = entry(scope_id, first("d"), "the place is Atami");
            stored.record(call).await.unwrap();
        }
    };
    let waiting = async || {
        let mut waiting = Vec::new();
        for scope_id in ["A", "B", "P"] {
            waiting.push(recalled(&stored, scope_id, first("d")).await.is_some());
        }
        waiting
    };
    answered().await;
    let shared = Effect::ChannelShared {
        id: "P".into(),
        is_shared: Some(true),
        at: key("30.0"),
    };
    stored.apply(&[shared]).await;
    assert_eq!(waiting().await, [true, true, false]);
    answered().await;
    stored.apply(&[audience("A", true, "31.0")]).await;
    assert_eq!(waiting().await, [false, false, false]);
}

pub async fn deferral_ends_when_a_message_of_its_channel_reads_differently(new: New<'_>) {
    let stored = stored(new).await;
    let defer = async || {
        for (scope, scope_id) in [
            (Scope::Channel, "A"),
            (Scope::Thread, "A:10.000000"),
            (Scope::Channel, "B"),
        ] {
            let place = stored.at(Place::of(scope, scope_id));
            let deferred = place.defer(scope, scope_id.into(), deferral());
            deferred.await.unwrap();
        }
    };
    let deferred = async || {
        let deferrals = stored.deferrals().await.unwrap().into_iter();
        let scope_ids: Vec<String> = deferrals.map(|deferred| deferred.scope_id).collect();
        scope_ids
    };
    let all = ["A", "B", "A:10.000000"];
    defer().await;
    let record = message("A", "30.0");
    let changed = record.ts;
    stored.apply(&[Effect::Message { record, changed }]).await;
    assert_eq!(
        deferred().await,
        all,
        "a new message says nothing of the others"
    );
    let edited = MessageRecord {
        text: "in other words".into(),
        edited_at: Some(41),
        ..message("A", "20.0")
    };
    let edit = Effect::Message {
        record: edited,
        changed: key("41.0"),
    };
    stored.apply(&[edit]).await;
    assert_eq!(deferred().await, ["B"]);
    defer().await;
    let deletion = Effect::MessageDeleted {
        channel_id: "A".into(),
        ts: key("10.0"),
        at: key("42.0"),
    };
    stored.apply(&[deletion]).await;
    assert_eq!(deferred().await, ["B"]);
}
