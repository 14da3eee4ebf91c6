//! What people say of the bot's answers.

use myao_plugin::state::forgetting::{Forget, Mode};
use myao_plugin::state::outbox::NewPost;
use myao_plugin::state::replies::ReplyKind;
use myao_plugin::state::view::StoredAnswer;
use myao_plugin::storage::effects::Effect;
use myao_plugin::storage::records::MessageRecord;
use myao_plugin::{MessageRef, Place};

use super::{New, Stored, mention, message, public, record, said, user};
use crate::conformance::key;

fn thumb(user_id: &str, post: &str, is_good: bool, is_given: bool, at: &str) -> Effect {
    Effect::Feedback {
        channel_id: "C1".into(),
        ts: key(post),
        user_id: user_id.into(),
        is_good,
        is_given,
        at: key(at),
    }
}

/// The question 20.0 of C1, answered from 1.0 by the posts 21.0 and 22.0.
async fn answered(new: New<'_>) -> Stored {
    let stored = Stored::of(new);
    stored
        .apply(&[user("U1", "Akari", 1), user("U2", "Emiko", 1)])
        .await;
    stored
        .apply(&[
            said("1.0", None, "The crane comes on Friday."),
            said("20.0", None, "When?"),
        ])
        .await;
    stored.apply(&public("C1", "1.0")).await;
    stored.apply_at(20, &[mention("20.0", None)]).await;
    let post = NewPost {
        channel_id: "C1".into(),
        answers: key("20.0"),
        thread_ts: None,
        kind: ReplyKind::Mention,
        parts: vec!["On Friday.".into(), "Perhaps.".into()],
        sources: vec![MessageRef {
            channel_id: "C1".into(),
            ts: "1.000000".into(),
        }],
    };
    stored.begin_post(post, 21).await.unwrap();
    for (number, posted) in [(0, "21.0"), (1, "22.0")] {
        stored
            .mark_sent("C1", key("20.0"), number, key(posted))
            .await
            .unwrap();
    }
    stored.finish_post("C1", key("20.0")).await.unwrap();
    let by_bot = |ts: &str, text: &str| {
        message(MessageRecord {
            user_id: "UBOT".into(),
            is_bot: true,
            ..record(ts, None, text)
        })
    };
    stored
        .apply_at(
            23,
            &[by_bot("21.0", "On Friday."), by_bot("22.0", "Perhaps.")],
        )
        .await;
    stored
}

async fn answers(stored: &Stored, judged: Option<bool>) -> Vec<StoredAnswer> {
    stored.all().answers(judged, 10).await.unwrap()
}

/// How many people say that the only answer was good, and bad.
async fn counts(stored: &Stored) -> (u32, u32) {
    let answers = answers(stored, None).await;
    assert_eq!(answers.len(), 1);
    (answers[0].good, answers[0].bad)
}

pub async fn answers_are_listed_with_what_they_were_made_from_and_what_people_say(new: New<'_>) {
    let stored = answered(new).await;
    assert_eq!(answers(&stored, Some(true)).await, []);
    let thumbs = [
        thumb("U1", "21.0", true, true, "30.0"),
        thumb("U1", "22.0", true, true, "30.0"),
        thumb("U2", "22.0", false, true, "31.0"),
        // About another message.
        thumb("U2", "1.0", true, true, "31.0"),
    ];
    stored.apply_at(40, &thumbs).await;
    let found = answers(&stored, None).await;
    let [answer] = found.as_slice() else {
        panic!("{found:?}")
    };
    assert_eq!(
        (answer.asked.text.as_str(), answer.posted),
        ("When?", key("21.0"))
    );
    assert_eq!(
        (answer.text.as_str(), answer.is_unasked),
        ("On Friday.\nPerhaps.", false)
    );
    // A person counts once, whichever part has the thumb.
    assert_eq!((answer.good, answer.bad), (1, 1));
    let sources: Vec<&str> = answer
        .sources
        .iter()
        .map(|source| source.text.as_str())
        .collect();
    assert_eq!(sources, ["The crane comes on Friday."]);
    assert_eq!(answers(&stored, Some(false)).await.len(), 1);
    assert_eq!(stored.all().answers(None, 0).await.unwrap(), []);
}

pub async fn newest_change_of_feedback_counts_in_any_order(new: New<'_>) {
    let stored = answered(new).await;
    stored
        .apply_at(40, &[thumb("U1", "21.0", true, false, "32.0")])
        .await;
    stored
        .apply_at(40, &[thumb("U1", "21.0", true, true, "31.0")])
        .await;
    assert_eq!(counts(&stored).await, (0, 0));
    stored
        .apply_at(40, &[thumb("U1", "21.0", true, true, "32.0")])
        .await;
    assert_eq!(counts(&stored).await, (0, 0));
    stored
        .apply_at(40, &[thumb("U1", "21.0", true, true, "33.0")])
        .await;
    assert_eq!(counts(&stored).await, (1, 0));
    assert_eq!(answers(&stored, Some(false)).await, []);
}

pub async fn answers_are_seen_where_their_channel_is(new: New<'_>) {
    let stored = answered(new).await;
    stored.apply(&public("C2", "1.0")).await;
    let from = |place: Place| stored.view(place);
    let elsewhere = Place::Channel("C2".into());
    assert_eq!(
        from(elsewhere.clone())
            .answers(None, 10)
            .await
            .unwrap()
            .len(),
        1
    );
    let private = Effect::ChannelName {
        id: "C1".into(),
        name: "one".into(),
        is_private: Some(true),
        at: key("50.0"),
    };
    stored.apply_at(50, &[private]).await;
    assert_eq!(from(elsewhere).answers(None, 10).await.unwrap(), []);
    let here = from(Place::Channel("C1".into()));
    assert_eq!(here.answers(None, 10).await.unwrap().len(), 1);
}

pub async fn feedback_of_a_forgotten_person_goes(new: New<'_>) {
    let stored = answered(new).await;
    let thumbs = [
        thumb("U1", "21.0", true, true, "30.0"),
        thumb("U2", "21.0", true, true, "30.0"),
    ];
    stored.apply_at(40, &thumbs).await;
    assert_eq!(counts(&stored).await, (2, 0));
    stored
        .forget(Forget::User("U2".into()), 50, Mode::Erase)
        .await
        .unwrap();
    assert_eq!(counts(&stored).await, (1, 0));
}
