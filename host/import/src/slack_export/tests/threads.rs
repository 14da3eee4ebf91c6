use super::*;

fn threads(days: &[(&str, &str)]) -> Vec<(String, Option<String>)> {
    read_days(days).0.threads()
}

fn at(ts: &str, thread: Option<&str>) -> (String, Option<String>) {
    (ts.to_owned(), thread.map(str::to_owned))
}

#[test]
fn a_parent_and_its_replies_carry_the_parents_id() {
    let day = r#"[
        {"text": "p", "ts": "1.000001", "thread_ts": "1.000001", "reply_count": 1},
        {"text": "alone", "ts": "1.000002"},
        {"text": "r", "ts": "1.000003", "thread_ts": "1.000001"}
    ]"#;
    assert_eq!(
        threads(&[(DAY, day)]),
        [
            at("1.000001", Some("1.000001")),
            at("1.000002", None),
            at("1.000003", Some("1.000001"))
        ]
    );
}

#[test]
fn a_parent_that_does_not_say_so_is_known_by_its_replies_on_later_days() {
    let days = [
        (
            DAY,
            r#"[{"text": "p", "ts": "1.000001"}, {"text": "q", "ts": "1.000002", "reply_count": 2}]"#,
        ),
        (
            "general/2024-03-09.json",
            r#"[{"text": "r", "ts": "9.000001", "thread_ts": "1.000001"}]"#,
        ),
        (
            "random/2024-03-01.json",
            r#"[{"text": "same id elsewhere", "ts": "1.000001"}]"#,
        ),
    ];
    assert_eq!(
        threads(&days),
        [
            at("1.000001", Some("1.000001")),
            at("1.000002", Some("1.000002")),
            at("9.000001", Some("1.000001")),
            at("1.000001", None),
        ]
    );
}

#[test]
fn ids_of_any_spelling_name_the_same_thread() {
    let day =
        r#"[{"text": "p", "ts": "1.5"}, {"text": "r", "ts": "2.000000", "thread_ts": "1.000005"}]"#;
    assert_eq!(threads(&[(DAY, day)])[0].1.as_deref(), Some("1.000005"));
}

#[test]
fn a_broadcast_reply_is_one_message_of_its_thread() {
    let day = r#"[
        {"text": "p", "ts": "1.000001", "thread_ts": "1.000001"},
        {"subtype": "thread_broadcast", "text": "to all", "ts": "1.000002", "thread_ts": "1.000001", "root": {"text": "p", "ts": "1.000001"}},
        {"subtype": "reply_broadcast", "text": "also to all", "ts": "1.000003", "thread_ts": "1.000001"}
    ]"#;
    let (sink, _) = read_day(day);
    assert_eq!(sink.texts(), ["p", "to all", "also to all"]);
    assert!(
        sink.messages
            .iter()
            .all(|m| m.thread_ts.is_some_and(|ts| ts.to_string() == "1.000001"))
    );
}

#[test]
fn replies_stay_when_their_parent_was_deleted() {
    let day = r#"[
        {"subtype": "tombstone", "user": "USLACKBOT", "text": "This message was deleted.", "ts": "1.000001", "thread_ts": "1.000001"},
        {"text": "r", "ts": "1.000002", "thread_ts": "1.000001"}
    ]"#;
    assert_eq!(threads(&[(DAY, day)]), [at("1.000002", Some("1.000001"))]);
}

#[test]
fn a_notice_that_people_reply_to_stays() {
    let day = r#"[
        {"subtype": "channel_join", "user": "U2", "text": "<@U2> has joined the channel", "ts": "1.000001"},
        {"subtype": "channel_join", "user": "U3", "text": "<@U3> has joined the channel", "ts": "1.000002"},
        {"text": "welcome!", "ts": "1.000003", "thread_ts": "1.000001"}
    ]"#;
    assert_eq!(
        threads(&[(DAY, day)]),
        [
            at("1.000001", Some("1.000001")),
            at("1.000003", Some("1.000001"))
        ]
    );
}

#[test]
fn a_thread_that_begins_on_a_bot_post_has_its_parent() {
    let day = r#"[
        {"subtype": "bot_message", "bot_id": "B1", "attachments": [{"title": "Build failed"}], "ts": "1.000001"},
        {"user": "U1", "text": "why?", "ts": "1.000002", "thread_ts": "1.000001"}
    ]"#;
    assert_eq!(
        threads(&[(DAY, day)]),
        [
            at("1.000001", Some("1.000001")),
            at("1.000002", Some("1.000001"))
        ]
    );
}
