//! A post of the bot goes when what it was made from is taken back.

use myao_plugin::MessageRef;
use myao_plugin::state::forgetting::{Forget, Mode, Retention};
use myao_plugin::state::outbox::{FailedRetraction, NewPost, PartState, PostState};
use myao_plugin::state::parked::{EndOfParking, Parked, ParkedWork};
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;

use super::places::{audience, stored};
use super::{New, Stored, key};
use crate::conformance::{message, read};

fn from(channel_id: &str, ts: &str) -> MessageRef {
    MessageRef {
        channel_id: channel_id.into(),
        ts: key(ts).to_string(),
    }
}

fn post(channel_id: &str, answers: &str, sources: &[MessageRef]) -> NewPost {
    NewPost {
        channel_id: channel_id.into(),
        answers: key(answers),
        thread_ts: None,
        kind: ReplyKind::Unasked,
        parts: vec!["the code is 4711".into()],
        sources: sources.to_vec(),
    }
}

/// The bot's own post, as its event tells of it.
async fn told_of(stored: &Stored, channel_id: &str, ts: &str) {
    let record = MessageRecord {
        text: "the code is 4711".into(),
        is_bot: true,
        ..message(channel_id, ts)
    };
    let changed = record.ts;
    stored.apply(&[Effect::Message { record, changed }]).await;
}

/// Answers a message with one post.
async fn answer(
    stored: &Stored,
    (channel_id, answers): (&str, &str),
    posted: &str,
    sources: &[MessageRef],
) {
    let post = post(channel_id, answers, sources);
    let begun = stored.begin_post(post, 30).await.unwrap();
    assert!(matches!(begun, PostState::Post(_)));
    let answers = key(answers);
    stored.mark_sending(channel_id, answers, 0).await.unwrap();
    let sent = stored.mark_sent(channel_id, answers, 0, key(posted));
    sent.await.unwrap();
    told_of(stored, channel_id, posted).await;
    stored.finish_post(channel_id, answers).await.unwrap();
}

async fn retracted(stored: &Stored) -> Vec<String> {
    let posts = stored.retracted(99, 9).await.unwrap().into_iter();
    posts.map(|(id, ts)| format!("{id} {ts}")).collect()
}

/// The texts of a channel.
async fn texts(stored: &Stored, channel_id: &str) -> String {
    let query = myao_plugin::storage::MessageQuery {
        channel_id: channel_id.into(),
        ..read("99999.0")
    };
    let messages = stored.storage().list_messages(query).await.unwrap();
    messages.into_iter().map(|message| message.text).collect()
}

async fn delete(stored: &Stored, channel_id: &str, ts: &str) {
    let deleted = Effect::MessageDeleted {
        channel_id: channel_id.into(),
        ts: key(ts),
        at: key("50.0"),
    };
    stored.apply_at(50, &[deleted]).await;
}

pub async fn post_goes_with_what_it_was_made_from(new: New<'_>) {
    let stored = stored(new).await;
    answer(&stored, ("B", "10.0"), "31.0", &[from("A", "10.0")]).await;
    answer(&stored, ("B", "20.0"), "32.0", &[from("A", "20.0")]).await;
    assert!(texts(&stored, "B").await.contains("4711"));
    delete(&stored, "A", "10.0").await;
    assert_eq!(retracted(&stored).await, ["B 31.000000"]);
    assert_eq!(texts(&stored, "B").await.matches("4711").count(), 1);
    // What Slack still tells of it does not bring it back.
    told_of(&stored, "B", "31.0").await;
    assert_eq!(texts(&stored, "B").await.matches("4711").count(), 1);
    stored.end_retraction("B", key("31.0")).await.unwrap();
    assert!(retracted(&stored).await.is_empty());
    // An edit does the same.
    let record = MessageRecord {
        text: "something else".into(),
        edited_at: Some(60),
        ..message("A", "20.0")
    };
    let changed = key("60.0");
    stored
        .apply_at(60, &[Effect::Message { record, changed }])
        .await;
    assert_eq!(retracted(&stored).await, ["B 32.000000"]);
    assert!(!texts(&stored, "B").await.contains("4711"));
}

pub async fn post_that_was_made_from_a_post_goes_with_it(new: New<'_>) {
    let stored = stored(new).await;
    answer(&stored, ("B", "10.0"), "31.0", &[from("A", "10.0")]).await;
    answer(&stored, ("B", "20.0"), "32.0", &[from("B", "31.0")]).await;
    let what = Forget::Message {
        channel_id: "A".into(),
        ts: key("10.0"),
    };
    let receipt = stored.forget(what, 50, Mode::Erase).await.unwrap();
    assert_eq!((receipt.erased.messages, receipt.erased.posts), (1, 2));
    assert_eq!(retracted(&stored).await, ["B 31.000000", "B 32.000000"]);
    assert!(!texts(&stored, "B").await.contains("4711"));
}

pub async fn post_goes_when_its_source_is_hidden_from_its_channel(new: New<'_>) {
    let stored = stored(new).await;
    answer(&stored, ("B", "10.0"), "31.0", &[from("A", "10.0")]).await;
    answer(&stored, ("A", "10.0"), "32.0", &[from("A", "20.0")]).await;
    stored.apply_at(50, &[audience("A", true, "50.0")]).await;
    assert_eq!(retracted(&stored).await, ["B 31.000000"]);
    assert!(!texts(&stored, "B").await.contains("4711"));
    assert!(texts(&stored, "A").await.contains("4711"));
    // A channel that gets readers from outside keeps only its own talk.
    answer(&stored, ("P", "10.0"), "33.0", &[from("B", "10.0")]).await;
    let shared = Effect::ChannelShared {
        id: "P".into(),
        is_shared: Some(true),
        at: key("60.0"),
    };
    stored.apply_at(60, &[shared]).await;
    assert_eq!(retracted(&stored).await, ["B 31.000000", "P 33.000000"]);
}

pub async fn post_that_was_withdrawn_and_arrived_is_retracted(new: New<'_>) {
    let stored = stored(new).await;
    let begun = stored.begin_post(post("B", "10.0", &[from("B", "20.0")]), 30);
    begun.await.unwrap();
    stored.mark_sending("B", key("10.0"), 0).await.unwrap();
    delete(&stored, "B", "20.0").await;
    let parts = stored.begun_post("B", key("10.0")).await.unwrap();
    assert_eq!(parts[0].state, PartState::MaybeSent);
    assert!(parts[0].is_withdrawn() && retracted(&stored).await.is_empty());
    let sent = stored.mark_sent("B", key("10.0"), 0, key("31.0"));
    sent.await.unwrap();
    assert_eq!(retracted(&stored).await, ["B 31.000000"]);
    told_of(&stored, "B", "31.0").await;
    assert!(!texts(&stored, "B").await.contains("4711"));
}

pub async fn post_from_what_is_gone_is_refused(new: New<'_>) {
    let stored = stored(new).await;
    delete(&stored, "A", "10.0").await;
    let begun = stored.begin_post(post("B", "10.0", &[from("A", "10.0")]), 30);
    assert!(matches!(begun.await, Err(StorageError::Conflict(_))));
    let waiting = stored.waiting_replies(99, 9).await.unwrap();
    assert!(waiting.is_empty());
    let unknown = stored.begin_post(post("B", "10.0", &[from("X", "10.0")]), 30);
    assert!(matches!(unknown.await, Err(StorageError::NotFound(_))));
}

pub async fn answer_is_retracted_whatever_it_was_made_from(new: New<'_>) {
    let stored = stored(new).await;
    answer(&stored, ("B", "10.0"), "31.0", &[]).await;
    answer(&stored, ("B", "20.0"), "32.0", &[]).await;
    stored.retract("B", key("10.0"), 50).await.unwrap();
    assert_eq!(retracted(&stored).await, ["B 31.000000"]);
    assert_eq!(texts(&stored, "B").await.matches("4711").count(), 1);
}

pub async fn post_stays_when_its_source_was_only_kept_long_enough(new: New<'_>) {
    let stored = stored(new).await;
    answer(&stored, ("B", "10.0"), "31.0", &[from("A", "10.0")]).await;
    let retention = Retention {
        messages: Some(key("15.0")),
        memories: None,
        calls: None,
    };
    stored.expire(retention, 50).await.unwrap();
    assert!(retracted(&stored).await.is_empty());
    assert!(texts(&stored, "B").await.contains("4711"));
    delete(&stored, "A", "10.0").await;
    assert_eq!(retracted(&stored).await, ["B 31.000000"]);
}

pub async fn message_that_the_platform_gave_is_noticed_when_it_goes(new: New<'_>) {
    let stored = stored(new).await;
    let call = stored.at(myao_plugin::Place::Channel("B".into()));
    call.hand_out("B".into(), vec!["10.000000".into()])
        .await
        .unwrap();
    let nothing = std::collections::BTreeSet::new();
    assert!(call.may_show(nothing.clone()).await.unwrap());
    delete(&stored, "B", "10.0").await;
    assert!(!call.may_show(nothing).await.unwrap());
    let other = call.hand_out("A".into(), vec!["10.000000".into()]).await;
    assert!(matches!(other, Err(StorageError::NotFound(_))));
}

/// Two posts that are retracted, in the order of their messages.
async fn two_retracted(stored: &Stored) {
    answer(stored, ("B", "10.0"), "31.0", &[from("A", "10.0")]).await;
    answer(stored, ("B", "20.0"), "32.0", &[from("A", "10.0")]).await;
    delete(stored, "A", "10.0").await;
}

async fn fail(stored: &Stored, posted: &str, may_pass: bool, now: i64) {
    let failed = FailedRetraction {
        channel_id: "B".into(),
        posted: key(posted),
        error: "is_inactive".into(),
        may_pass,
    };
    stored.fail_retraction(failed, now).await.unwrap();
}

pub async fn retraction_that_fails_waits_longer_each_time_and_holds_up_no_other(new: New<'_>) {
    let stored = stored(new).await;
    two_retracted(&stored).await;
    let mut now = 100;
    for wait in [60, 120, 240, 480, 960, 1920, 3600, 3600] {
        fail(&stored, "31.0", true, now).await;
        now += wait;
        let early = stored.retracted(now - 1, 9).await.unwrap();
        assert_eq!(early, [("B".to_owned(), key("32.0"))], "after {wait} s");
        let all = stored.retracted(now, 9).await.unwrap();
        assert_eq!(all.len(), 2, "after {wait} s");
    }
    assert!(stored.parked(9).await.unwrap().is_empty());
}

pub async fn retraction_that_is_refused_is_parked_until_it_is_retried_or_dropped(new: New<'_>) {
    let stored = stored(new).await;
    two_retracted(&stored).await;
    fail(&stored, "31.0", false, 50).await;
    assert_eq!(retracted(&stored).await, ["B 32.000000"]);
    let parked = Parked {
        what: ParkedWork::Retraction("B".into(), key("31.0")),
        error: "is_inactive".into(),
        can_be_retried: true,
    };
    assert_eq!(stored.parked(9).await.unwrap(), [parked]);
    assert_eq!(stored.backlog().await.unwrap().parked.count, 1);
    let retried = stored.end_parking(EndOfParking::Retry, 60).await;
    assert_eq!(retried.unwrap(), 1);
    assert_eq!(retracted(&stored).await, ["B 31.000000", "B 32.000000"]);
    fail(&stored, "31.0", false, 70).await;
    let dropped = stored.end_parking(EndOfParking::Drop, 80).await;
    assert_eq!(dropped.unwrap(), 1);
    assert!(stored.parked(9).await.unwrap().is_empty());
    assert_eq!(retracted(&stored).await, ["B 32.000000"]);
}
