//! The outbox: a message is answered once.

use myao_plugin::state::outbox::{NewPost, Part, PartState, PostState};
use myao_plugin::state::replies::{ReplyKind, ReplyState};
use myao_plugin::storage::StorageError;

use super::{New, Stored, deleted, key, mention, said};

fn post(ts: &str, parts: &[&str]) -> NewPost {
    NewPost {
        channel_id: "C1".into(),
        answers: key(ts),
        thread_ts: None,
        kind: ReplyKind::Mention,
        parts: parts.iter().map(|part| (*part).to_owned()).collect(),
        sources: Vec::new(),
    }
}

/// A mention 5.0 at the top level.
pub(super) async fn mentioned(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored
        .apply(&[said("5.0", None, "@myao ?"), mention("5.0", None)])
        .await;
    stored
}

pub(super) async fn begin(stored: &Stored, parts: &[&str]) -> PostState {
    stored.begin_post(post("5.0", parts), 10).await.unwrap()
}

async fn parts(stored: &Stored) -> Vec<(String, PartState)> {
    match begin(stored, &["another text"]).await {
        PostState::Post(parts) => parts
            .into_iter()
            .map(|part| (part.text, part.state))
            .collect(),
        other => panic!("{other:?}"),
    }
}

async fn waiting(stored: &Stored, now: i64) -> Vec<String> {
    let waiting = stored.waiting_replies(now, 9).await.unwrap();
    waiting.iter().map(|reply| reply.ts.to_string()).collect()
}

async fn state(stored: &Stored) -> (ReplyState, u32, Option<String>) {
    let replies = stored.list_replies(None, 9).await.unwrap();
    assert_eq!(replies.len(), 1);
    (
        replies[0].state,
        replies[0].failures,
        replies[0].error.clone(),
    )
}

fn is_conflict<T: std::fmt::Debug>(result: &Result<T, StorageError>) -> bool {
    matches!(result, Err(StorageError::Conflict(text)) if text.contains("C1") && text.contains("5.000000"))
}

pub async fn mentions_wait_the_oldest_first_until_they_are_posted(new: New<'_>) {
    let stored = mentioned(new).await;
    stored
        .apply(&[
            mention("4.0", Some("3.0")),
            mention("6.0", None),
            mention("5.0", None),
        ])
        .await;
    let all = stored.waiting_replies(0, 2).await.unwrap();
    assert_eq!(
        (all[0].ts, all[0].thread_ts, all[0].asked_at),
        (key("4.0"), Some(key("3.0")), 4)
    );
    assert_eq!(
        (all[1].ts, all[1].kind, all[1].is_begun),
        (key("5.0"), ReplyKind::Mention, false)
    );
    assert_eq!(all.len(), 2);
    begin(&stored, &["text"]).await;
    assert_eq!(waiting(&stored, 0).await.len(), 3);
    stored.mark_sending("C1", key("5.0"), 0).await.unwrap();
    stored
        .mark_sent("C1", key("5.0"), 0, key("7.0"))
        .await
        .unwrap();
    stored.finish_post("C1", key("5.0")).await.unwrap();
    assert_eq!(waiting(&stored, 0).await, ["4.000000", "6.000000"]);
}

pub async fn text_that_was_written_down_first_is_the_one_that_is_posted(new: New<'_>) {
    let stored = mentioned(new).await;
    let begun = begin(&stored, &["one", "two"]).await;
    let part = |number, text: &str| Part {
        number,
        text: text.into(),
        state: PartState::NotSent,
    };
    assert_eq!(begun, PostState::Post(vec![part(0, "one"), part(1, "two")]));
    assert_eq!(begin(&stored, &["another"]).await, begun);
}

/// The process ended, or the platform's answer was lost: it is unknown whether the part was posted.
pub async fn part_that_was_being_sent_may_have_been_posted(new: New<'_>) {
    let stored = mentioned(new).await;
    begin(&stored, &["one", "two", "three"]).await;
    let workspace = &stored;
    workspace.mark_sending("C1", key("5.0"), 0).await.unwrap();
    workspace
        .mark_sent("C1", key("5.0"), 0, key("7.0"))
        .await
        .unwrap();
    workspace.mark_sending("C1", key("5.0"), 1).await.unwrap();
    let text = |text: &str, state| (text.to_owned(), state);
    assert_eq!(
        parts(&stored).await,
        [
            text("one", PartState::Sent(key("7.0"))),
            text("two", PartState::MaybeSent),
            text("three", PartState::NotSent)
        ]
    );
    workspace.mark_not_sent("C1", key("5.0"), 1).await.unwrap();
    assert_eq!(parts(&stored).await[1], text("two", PartState::NotSent));
    assert!(
        is_conflict(&workspace.mark_not_sent("C1", key("5.0"), 0).await),
        "it is sent"
    );
    assert!(
        is_conflict(&workspace.mark_sending("C1", key("5.0"), 0).await),
        "it is sent"
    );
    assert!(
        is_conflict(&workspace.mark_sent("C1", key("5.0"), 0, key("8.0")).await),
        "as another"
    );
    workspace
        .mark_sent("C1", key("5.0"), 0, key("7.0"))
        .await
        .unwrap();
    assert!(
        is_conflict(&workspace.mark_sending("C1", key("5.0"), 3).await),
        "there is none"
    );
}

pub async fn message_that_was_answered_is_not_answered_again(new: New<'_>) {
    let stored = mentioned(new).await;
    begin(&stored, &["one", "two"]).await;
    let workspace = &stored;
    assert!(
        is_conflict(&workspace.finish_post("C1", key("5.0")).await),
        "nothing is sent"
    );
    for (number, ts) in [(0, "7.0"), (1, "8.0")] {
        workspace
            .mark_sending("C1", key("5.0"), number)
            .await
            .unwrap();
        workspace
            .mark_sent("C1", key("5.0"), number, key(ts))
            .await
            .unwrap();
    }
    workspace.finish_post("C1", key("5.0")).await.unwrap();
    let posted = PostState::AlreadyPosted(vec![key("7.0"), key("8.0")]);
    assert_eq!(begin(&stored, &["again"]).await, posted);
    // It does not wait again if the event comes again; otherwise it would be answered though nobody asked.
    stored.apply(&[mention("5.0", None)]).await;
    assert_eq!(waiting(&stored, 99).await, [""; 0]);
    let own = NewPost {
        kind: ReplyKind::Unasked,
        ..post("5.0", &["own"])
    };
    assert_eq!(workspace.begin_post(own, 10).await, Ok(posted));
    assert!(is_conflict(
        &workspace
            .fail_reply("C1", key("5.0"), "late".into(), 1)
            .await
    ));
}

pub async fn reply_that_fails_is_tried_again_later_and_given_up_for_good(new: New<'_>) {
    let stored = mentioned(new).await;
    let workspace = &stored;
    workspace
        .fail_reply("C1", key("5.0"), "no model".into(), 100)
        .await
        .unwrap();
    assert_eq!(waiting(&stored, 99).await, [""; 0]);
    assert_eq!(waiting(&stored, 100).await, ["5.000000"]);
    assert_eq!(
        state(&stored).await,
        (ReplyState::Waiting, 1, Some("no model".into()))
    );
    workspace
        .give_up_reply("C1", key("5.0"), "still no model".into())
        .await
        .unwrap();
    assert_eq!(waiting(&stored, i64::MAX).await, [""; 0]);
    assert_eq!(
        state(&stored).await,
        (ReplyState::GivenUp, 1, Some("still no model".into()))
    );
    assert_eq!(
        begin(&stored, &["text"]).await,
        PostState::NotWanted(ReplyState::GivenUp)
    );
    let given_up = workspace
        .list_replies(Some(ReplyState::GivenUp), 9)
        .await
        .unwrap();
    assert_eq!(
        (given_up.len(), given_up[0].channel_name.as_str()),
        (1, "C1")
    );
    assert_eq!(
        workspace
            .list_replies(Some(ReplyState::Posted), 9)
            .await
            .unwrap(),
        []
    );
}

pub async fn reply_whose_message_was_deleted_before_anything_was_sent_is_dropped(new: New<'_>) {
    let stored = mentioned(new).await;
    begin(&stored, &["text"]).await;
    stored.apply(&[deleted("5.0", "6.0")]).await;
    let sending = stored.mark_sending("C1", key("5.0"), 0).await;
    assert!(is_conflict(&sending), "{sending:?}");
    assert_eq!(
        begin(&stored, &["text"]).await,
        PostState::NotWanted(ReplyState::Deleted)
    );
    assert_eq!(waiting(&stored, 99).await, [""; 0]);
}

pub async fn reply_that_may_be_posted_in_part_is_finished_though_its_message_was_deleted(
    new: New<'_>,
) {
    let stored = mentioned(new).await;
    begin(&stored, &["one", "two"]).await;
    stored.mark_sending("C1", key("5.0"), 0).await.unwrap();
    stored.apply(&[deleted("5.0", "6.0")]).await;
    assert_eq!(parts(&stored).await[0].1, PartState::MaybeSent);
}

pub async fn reply_of_its_own_accord_waits_only_while_it_is_half_posted(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("5.0", None, "?"),
            said("6.0", None, "deleted"),
            deleted("6.0", "7.0"),
        ])
        .await;
    assert_eq!(waiting(&stored, 99).await, [""; 0]);
    let own = |ts| NewPost {
        kind: ReplyKind::Unasked,
        ..post(ts, &["text"])
    };
    stored.begin_post(own("5.0"), 10).await.unwrap();
    let half = stored.waiting_replies(10, 9).await.unwrap();
    assert_eq!(
        (half.len(), half[0].kind, half[0].is_begun),
        (1, ReplyKind::Unasked, true)
    );
    let gone = stored.begin_post(own("6.0"), 10).await;
    assert_eq!(gone, Ok(PostState::NotWanted(ReplyState::Deleted)));
}

pub async fn post_without_text_or_to_an_unknown_channel_is_refused(new: New<'_>) {
    let stored = mentioned(new).await;
    let empty = stored.begin_post(post("5.0", &[]), 10).await;
    assert!(
        matches!(&empty, Err(StorageError::Invalid(text)) if text.contains("5.000000")),
        "{empty:?}"
    );
    let unknown = NewPost {
        channel_id: "C9".into(),
        ..post("5.0", &["text"])
    };
    let unknown = stored.begin_post(unknown, 10).await;
    assert!(
        matches!(&unknown, Err(StorageError::NotFound(text)) if text.contains("C9")),
        "{unknown:?}"
    );
}
