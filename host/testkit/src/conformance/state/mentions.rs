//! How many mentions are answered.

use myao_plugin::state::outbox::NewPost;
use myao_plugin::state::replies::{Admission, MentionLimits, ReplyKind, ReplyState};
use myao_plugin::storage::StorageError;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;

use super::{New, Stored, deleted, key, mention, message, record, said};

/// One for each person and two for each channel within 100 seconds.
fn limits() -> MentionLimits {
    MentionLimits::default().with(|limits| {
        limits.per_person = 1;
        limits.per_channel = 2;
        limits.window_seconds = 100;
    })
}

/// A mention of C1, by a person.
fn by(user_id: &str, ts: &str) -> [Effect; 2] {
    let said = MessageRecord {
        user_id: user_id.into(),
        ..record(ts, None, &format!("@myao {ts}"))
    };
    [message(said), mention(ts, None)]
}

async fn mentioned(new: New<'_>, mentions: &[(&str, &str)]) -> Stored {
    let stored = Stored::of(new);
    for (user_id, ts) in mentions {
        stored.apply(&by(user_id, ts)).await;
    }
    stored
}

async fn admit(stored: &Stored, ts: &str) -> Admission {
    let admitted = stored.admit_mention("C1", key(ts), limits()).await;
    admitted.unwrap()
}

fn notify(answered: u32, until: i64, ts: &str) -> Admission {
    Admission::Notify {
        answered,
        window_seconds: 100,
        until,
        text: format!("@myao {ts}"),
    }
}

pub async fn first_mention_over_the_limit_of_a_person_is_notified_and_the_next_is_given_up(
    new: New<'_>,
) {
    let mentions = [
        ("U1", "1000.0"),
        ("U1", "1010.0"),
        ("U1", "1020.0"),
        ("U1", "1100.0"),
    ];
    let stored = mentioned(new, &mentions).await;
    assert_eq!(admit(&stored, "1000.0").await, Admission::Answer);
    for _ in 0..2 {
        assert_eq!(admit(&stored, "1010.0").await, notify(1, 1100, "1010.0"));
    }
    assert_eq!(admit(&stored, "1020.0").await, Admission::Silent);
    let given_up = stored.list_replies(Some(ReplyState::GivenUp), 9).await;
    let given_up = given_up.unwrap();
    assert_eq!((given_up.len(), given_up[0].ts), (1, key("1020.0")));
    assert_eq!(
        admit(&stored, "1100.0").await,
        Admission::Answer,
        "the time is over"
    );
}

pub async fn limit_of_a_day_holds_beside_the_shorter_one_and_has_a_notice_of_its_own(new: New<'_>) {
    let mentions = [
        ("U1", "1000.0"),
        ("U1", "1050.0"),
        ("U1", "2000.0"),
        ("U1", "3000.0"),
        ("U1", "3010.0"),
        ("U2", "3020.0"),
        ("U1", "87399.0"),
        ("U1", "87400.0"),
    ];
    let stored = mentioned(new, &mentions).await;
    let limits = limits().with(|limits| {
        limits.per_person_per_day = 2;
        limits.per_channel = 0;
    });
    let mut found = Vec::new();
    for (_, ts) in mentions {
        let admitted = stored.admit_mention("C1", key(ts), limits).await;
        found.push(admitted.unwrap());
    }
    let of_day = Admission::Notify {
        answered: 2,
        window_seconds: 86_400,
        until: 87_400,
        text: "@myao 3000.0".to_owned(),
    };
    let expected = [
        Admission::Answer,
        notify(1, 1100, "1050.0"),
        Admission::Answer,
        of_day,
        Admission::Silent,
        Admission::Answer,
        Admission::Silent,
        Admission::Answer,
    ];
    assert_eq!(found, expected);
}

pub async fn mentions_of_others_count_in_the_channel(new: New<'_>) {
    let mentions = [
        ("U1", "1000.0"),
        ("U2", "1010.0"),
        ("U3", "1020.0"),
        ("U4", "1030.0"),
    ];
    let stored = mentioned(new, &mentions).await;
    for ts in ["1000.0", "1010.0"] {
        assert_eq!(admit(&stored, ts).await, Admission::Answer);
    }
    assert_eq!(admit(&stored, "1020.0").await, notify(2, 1100, "1020.0"));
    assert_eq!(admit(&stored, "1030.0").await, Admission::Silent);
}

pub async fn mention_that_was_deleted_or_has_no_known_author_counts_for_nobody(new: New<'_>) {
    let stored = mentioned(new, &[("U1", "1000.0"), ("U1", "1010.0")]).await;
    stored.apply(&[deleted("1000.0", "1005.0")]).await;
    assert_eq!(admit(&stored, "1010.0").await, Admission::Answer);
    stored
        .apply(&[mention("1020.0", None), mention("1030.0", None)])
        .await;
    let of_person = limits().with(|limits| limits.per_channel = 0);
    let unknown = stored.admit_mention("C1", key("1030.0"), of_person).await;
    assert_eq!(unknown, Ok(Admission::Answer));
}

pub async fn what_is_no_mention_that_waits_is_not_admitted(new: New<'_>) {
    let stored = Stored::of(new);
    stored
        .apply(&[said("1.0", None, "text"), said("2.0", None, "text")])
        .await;
    let unasked = NewPost {
        channel_id: "C1".into(),
        answers: key("2.0"),
        thread_ts: None,
        kind: ReplyKind::Unasked,
        parts: vec!["text".into()],
        sources: Vec::new(),
    };
    stored.begin_post(unasked, 10).await.unwrap();
    for ts in ["1.0", "2.0"] {
        let admitted = stored.admit_mention("C1", key(ts), limits()).await;
        assert!(
            matches!(admitted, Err(StorageError::Conflict(_))),
            "{admitted:?}"
        );
    }
}
