//! The in-memory store and chat platform.

use myao_plugin::User;
use myao_plugin::chat::{Chat, ChatError, Message, PostOutcome, PostRequest};
use myao_plugin::ts::TsKey;
use myao_testkit::{MemoryChat, MemoryStorage};

use super::texts;

fn known(ts: &str, thread: Option<&str>) -> Message {
    Message {
        ts: ts.to_owned(),
        user: User {
            id: "U1".to_owned(),
            name: "alice".to_owned(),
            is_bot: false,
        },
        text: format!("text of {ts}"),
        timestamp: myao_plugin::Timestamp {
            unix_seconds: TsKey::parse(ts).unwrap().unix_seconds(),
            utc_offset_seconds: 0,
        },
        thread_ts: thread.map(str::to_owned),
        edited_at: None,
        is_for_bot: false,
    }
}

#[tokio::test]
async fn the_platform_tells_threads_and_the_newest_of_a_history() {
    let chat = MemoryChat::default();
    for message in [
        known("999.000001", None),
        known("1000.000001", Some("1000.000001")),
        known("1000.000002", Some("1000.000001")),
        known("1001.000000", None),
        known("1002.000000", None),
    ] {
        chat.add_message("C1", message).unwrap();
    }
    chat.add_message("C2", known("1000.5", None)).unwrap();
    assert!(
        chat.add_message(
            "C1",
            Message {
                ts: "noon".to_owned(),
                ..known("1.0", None)
            }
        )
        .is_err()
    );
    let ids = |messages: Vec<Message>| -> Vec<String> {
        messages.into_iter().map(|message| message.ts).collect()
    };
    let thread = chat.thread("C1".to_owned(), "1000.7".to_owned(), 9).await;
    assert!(matches!(thread, Err(ChatError::NotFound(_))));
    for (limit, expected) in [
        (9, vec!["1000.000001", "1000.000002"]),
        (0, vec!["1000.000001"]),
    ] {
        let thread = chat.thread("C1".to_owned(), "1000.000001".to_owned(), limit);
        assert_eq!(ids(thread.await.unwrap()), expected);
    }
    let history = chat
        .history("C1".to_owned(), "1001.999999".to_owned(), 2)
        .await;
    assert_eq!(
        ids(history.unwrap()),
        ["1000.000001", "1001.000000"],
        "no reply, nothing later"
    );
    assert!(matches!(
        chat.get_user("U9".to_owned()).await,
        Err(ChatError::NotFound(_))
    ));
}

#[tokio::test]
async fn posts_of_different_answers_have_different_ids() {
    let chat = MemoryChat::default();
    let post = |answers: &str| PostRequest {
        channel_id: "C1".to_owned(),
        thread_ts: None,
        text: "Yes.".to_owned(),
        answers: answers.to_owned(),
        may_notify: Vec::new(),
        citations: Vec::new(),
    };
    let first = chat.post(post("1.0")).await.unwrap();
    let second = chat.post(post("2.0")).await.unwrap();
    let (PostOutcome::Posted(first), PostOutcome::Posted(second)) = (first, second) else {
        panic!("both are posted");
    };
    assert_ne!(first, second);
    assert_eq!(
        chat.post(post("1.000000")).await.unwrap(),
        PostOutcome::Already(first),
        "one id, written otherwise"
    );
    assert_eq!(chat.posts().len(), 2);
}

#[tokio::test]
async fn messages_of_one_second_have_ids_in_the_order_in_which_they_were_said() {
    let storage = MemoryStorage::new();
    let first = storage.say("C1", 100, "alice", "one");
    storage.delete("C1", first);
    let second = storage.say("C1", 100, "bob", "two");
    assert!(second > first, "an id is never given twice");
    assert_eq!(texts(&storage).await, ["two"]);
}
