//! Conversations that nobody answered.

use myao_plugin::state::judgments::StoredJudgment;
use myao_plugin::state::outbox::NewPost;
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::{MessageRecord, UserRecord};
use myao_plugin::ts::TsKey;

use super::{New, Stored, deleted, key, mention, message, present, record, said, user};

async fn unanswered(stored: &Stored) -> Vec<(Option<TsKey>, TsKey)> {
    let unanswered = stored.unanswered(9_000, 100).await.unwrap();
    assert!(
        unanswered
            .iter()
            .all(|found| found.channel_id == "C1" && found.user_id == "U1")
    );
    unanswered
        .iter()
        .map(|found| (found.thread_ts, found.message_ts))
        .collect()
}

fn by_bot(ts: &str, thread: Option<&str>) -> Effect {
    message(MessageRecord {
        is_bot: true,
        ..record(ts, thread, "beep")
    })
}

pub async fn newest_message_of_the_top_level_and_of_each_thread_is_unanswered(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("200.0", None, "older"),
            said("300.0", None, "newest of the top level"),
            said("400.0", None, "first of a thread"),
            said("500.0", Some("400.0"), "reply"),
            said("600.0", Some("50.0"), "reply in an old thread"),
        ])
        .await;
    assert_eq!(
        unanswered(&stored).await,
        [
            (None, key("300.0")),
            (Some(key("50.0")), key("600.0")),
            (Some(key("400.0")), key("500.0"))
        ]
    );
}

pub async fn what_is_too_new_or_too_old_is_left_out_with_its_conversation(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("200.0", None, "waited"),
            said("9000.000001", None, "just now"),
            said("50.0", Some("40.0"), "long ago"),
            said("99.999999", Some("60.0"), "too old"),
            said("100.0", Some("61.0"), "old enough"),
            said("9000.0", Some("62.0"), "waited long enough"),
        ])
        .await;
    assert_eq!(
        unanswered(&stored).await,
        [
            (Some(key("61.0")), key("100.0")),
            (Some(key("62.0")), key("9000.0"))
        ]
    );
}

pub async fn what_a_program_wrote_last_is_answered(new: New<'_>) {
    let stored = Stored::of(new);
    let program = UserRecord {
        id: "U2".into(),
        name: "Deploys".into(),
        is_bot: true,
    };
    let of_program = MessageRecord {
        user_id: "U2".into(),
        ..record("300.0", Some("200.0"), "done")
    };
    stored
        .apply(&[
            said("200.0", None, "question"),
            Effect::User {
                record: program,
                changed_at: 1,
            },
            message(of_program),
            said("400.0", None, "question"),
            by_bot("500.0", None),
        ])
        .await;
    assert_eq!(unanswered(&stored).await, []);
    stored
        .apply(&[said("600.0", Some("200.0"), "thanks"), user("U1", "Aki", 1)])
        .await;
    assert_eq!(
        unanswered(&stored).await,
        [(Some(key("200.0")), key("600.0"))]
    );
}

pub async fn message_that_was_deleted_answered_or_asked_for_an_answer_is_left_out(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[
            said("200.0", None, "kept"),
            said("300.0", None, "deleted"),
            deleted("300.0", "301.0"),
            said("500.0", Some("400.0"), "mention"),
            mention("500.0", Some("400.0")),
        ])
        .await;
    assert_eq!(unanswered(&stored).await, [(None, key("200.0"))]);
    let post = NewPost {
        channel_id: "C1".into(),
        answers: key("200.0"),
        thread_ts: None,
        kind: ReplyKind::Unasked,
        parts: vec!["text".into()],
        sources: Vec::new(),
    };
    stored.begin_post(post, 1).await.unwrap();
    assert_eq!(unanswered(&stored).await, []);
    stored.apply(&[said("600.0", None, "another")]).await;
    assert_eq!(unanswered(&stored).await, [(None, key("600.0"))]);
    stored.apply(&[present("C1", false, "700.0")]).await;
    assert_eq!(unanswered(&stored).await, []);
}

pub async fn what_the_bot_posted_as_an_answer_to_no_message_answers_nothing(new: New<'_>) {
    let stored = Stored::of(new);
    stored.apply(&[said("400.0", None, "question")]).await;
    for (answers, posted, expected) in [
        ("450.0", "500.0", vec![(None, key("400.0"))]),
        ("399.0", "600.0", Vec::new()),
    ] {
        if answers == "399.0" {
            stored.apply(&[said(answers, None, "another")]).await;
        }
        let post = NewPost {
            channel_id: "C1".into(),
            answers: key(answers),
            thread_ts: None,
            kind: ReplyKind::Unasked,
            parts: vec!["text".into()],
            sources: Vec::new(),
        };
        stored.begin_post(post, 450).await.unwrap();
        let sent = stored.mark_sent("C1", key(answers), 0, key(posted));
        sent.await.unwrap();
        stored.apply(&[by_bot(posted, None)]).await;
        stored.finish_post("C1", key(answers)).await.unwrap();
        assert_eq!(unanswered(&stored).await, expected, "{answers}");
    }
}

pub async fn judgment_is_kept_for_each_conversation_until_it_is_over(new: New<'_>) {
    let stored = Stored::of(new);
    stored.apply(&[said("1.0", None, "text")]).await;
    let judged = |message: &str, until| StoredJudgment {
        message_ts: key(message),
        should_respond: false,
        confidence: 0.7,
        until,
    };
    let of = async |thread: Option<&str>| stored.judgment("C1", thread.map(key)).await.unwrap();
    let keep = async |thread: Option<&str>, judgment, now| {
        let kept = stored.keep_judgment("C1", thread.map(key), judgment, now);
        kept.await.unwrap();
    };
    assert_eq!(of(None).await, None);
    keep(None, judged("1.0", 700), 100).await;
    keep(Some("1.0"), judged("2.0", 800), 100).await;
    assert_eq!(of(None).await, Some(judged("1.0", 700)));
    assert_eq!(of(Some("1.0")).await, Some(judged("2.0", 800)));
    keep(Some("1.0"), judged("3.0", 900), 700).await;
    assert_eq!(of(Some("1.0")).await, Some(judged("3.0", 900)));
    assert_eq!(of(None).await, None, "it is over");
}
