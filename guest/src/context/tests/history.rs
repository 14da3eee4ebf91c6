//! How messages are sorted into top level and threads.

use super::*;
use crate::bindings::types::User;
use crate::testing::message;

fn channel() -> Channel {
    Channel {
        id: "C1".to_owned(),
        name: "general".to_owned(),
        is_private: false,
    }
}

/// A reply in the thread that began at `thread` seconds.
fn reply(thread: i64, seconds: i64, text: &str) -> Message {
    Message {
        thread_ts: Some(ts(thread)),
        ..message(seconds, text)
    }
}

/// Top level, then each thread with its id, as texts.
fn sorted(
    messages: Vec<Message>,
    target: Option<String>,
) -> (Vec<String>, Vec<(String, Vec<String>)>) {
    let history = conversation_history(&channel(), messages, target.as_deref()).unwrap();
    let texts = |messages: Vec<Message>| messages.into_iter().map(|m| m.text).collect();
    let thread = |thread: Thread| (thread.thread_ts, texts(thread.messages));
    (
        texts(history.top_level_messages),
        history.threads.into_iter().map(thread).collect(),
    )
}

fn thread(seconds: i64, texts: &[&str]) -> (String, Vec<String>) {
    (
        ts(seconds),
        texts.iter().map(|&text| text.to_owned()).collect(),
    )
}

#[test]
fn messages_and_threads_are_sorted_oldest_first() {
    let messages = vec![
        reply(4, 6, "reply to d"),
        message(3, "c"),
        reply(2, 5, "reply to b"),
        message(4, "d"),
        message(1, "a"),
        message(2, "b"),
    ];
    let threads = vec![
        thread(2, &["b", "reply to b"]),
        thread(4, &["d", "reply to d"]),
    ];
    assert_eq!(
        sorted(messages, None),
        (vec!["a".to_owned(), "c".to_owned()], threads)
    );
}

#[test]
fn a_parent_without_a_thread_id_but_with_replies_heads_its_thread() {
    let messages = vec![message(1, "parent"), reply(1, 2, "reply")];
    assert_eq!(
        sorted(messages, None),
        (vec![], vec![thread(1, &["parent", "reply"])])
    );
}

#[test]
fn a_parent_heads_its_thread_even_if_a_bot_wrote_it() {
    let user = User {
        id: "B1".to_owned(),
        name: "bot".to_owned(),
        is_bot: true,
    };
    let parent = Message {
        user,
        ..reply(1, 1, "parent")
    };
    let messages = vec![reply(1, 2, "reply"), parent];
    assert_eq!(
        sorted(messages, None),
        (vec![], vec![thread(1, &["parent", "reply"])])
    );
}

#[test]
fn a_parent_whose_replies_are_still_to_come_is_top_level() {
    assert_eq!(
        sorted(vec![reply(1, 1, "parent")], None),
        (vec!["parent".to_owned()], vec![])
    );
}

#[test]
fn a_target_is_a_thread_even_without_replies() {
    let sorted = sorted(vec![message(1, "target"), message(2, "other")], Some(ts(1)));
    assert_eq!(
        sorted,
        (vec!["other".to_owned()], vec![thread(1, &["target"])])
    );
}

#[test]
fn replies_without_their_parent_are_a_thread() {
    assert_eq!(
        sorted(vec![reply(1, 2, "reply")], None),
        (vec![], vec![thread(1, &["reply"])])
    );
}

/// As text 999999999 would come last, and as floating-point numbers the last two would be equal.
#[test]
fn ids_are_compared_by_number() {
    let with_ts = |ts: &str| Message {
        ts: ts.to_owned(),
        ..message(0, ts)
    };
    let ids = [
        "999999999.000002",
        "1709287200.000001",
        "1709287200.000009",
        "1709287200.000010",
    ];
    let messages: Vec<Message> = [2, 0, 3, 1].map(|index: usize| with_ts(ids[index])).into();
    assert_eq!(sorted(messages, None).0, ids);
    let threads = [1, 0].map(|index: usize| Message {
        thread_ts: Some(ids[index].to_owned()),
        ..message(index.try_into().unwrap(), "reply")
    });
    let order: Vec<String> = sorted(threads.into(), None)
        .1
        .into_iter()
        .map(|thread| thread.0)
        .collect();
    assert_eq!(order, ids[..2]);
}

#[test]
fn an_id_that_is_none_is_an_error_that_names_it() {
    let bad = |bad: Message| {
        conversation_history(&channel(), vec![message(1, "a"), bad], None).unwrap_err()
    };
    let of_message = bad(Message {
        ts: "uuid-1".to_owned(),
        ..message(2, "b")
    });
    assert_eq!(of_message, Error::InvalidTs("uuid-1".to_owned()));
    let of_thread = bad(Message {
        thread_ts: Some("uuid-2".to_owned()),
        ..message(2, "b")
    });
    assert_eq!(of_thread, Error::InvalidTs("uuid-2".to_owned()));
}
