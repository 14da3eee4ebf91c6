use myao_slack::message::LeftOut;

use super::*;

#[test]
fn text_is_readable() {
    assert_eq!(
        texts(&[
            r#"{"text": "<@U1> &amp; <@U2|x> in <#C2>: <https://e.org|the page> \u003c!here\u003e &lt;@U1&gt;"}"#
        ]),
        ["@田中 & @Ben R&D in #random: the page (https://e.org) @here <@U1>"]
    );
}

#[test]
fn file_titles_stand_for_files() {
    assert_eq!(
        texts(&[
            r#"{"text": "", "files": [{"title": "plan.pdf"}]}"#,
            r#"{"text": "see", "files": [{"title": "a &amp; b"}, {"title": null, "name": "c.png"}, {"mode": "tombstone"}]}"#,
            r#"{"subtype": "file_share", "file": {"title": "old"}}"#,
            r#"{"subtype": "file_share", "text": "<@U1> uploaded <https://e.org|old>", "file": {"title": "old"}}"#,
        ]),
        [
            "[file: plan.pdf]",
            "see\n[file: a & b]\n[file: c.png]",
            "[file: old]",
            "@田中 uploaded old (https://e.org)",
        ]
    );
}

#[test]
fn notices_are_left_out_but_for_those_that_carry_knowledge() {
    let notice = |subtype: &str| {
        format!(r#"{{"subtype": "{subtype}", "user": "U1", "text": "<@U1> {subtype}"}}"#)
    };
    let all: Vec<String> = [
        "channel_join",
        "channel_leave",
        "group_join",
        "channel_archive",
        "pinned_item",
        "bot_add",
        "channel_topic",
        "channel_purpose",
        "channel_name",
        "reminder_add",
        "me_message",
        "not_yet_known",
    ]
    .into_iter()
    .map(notice)
    .collect();
    assert_eq!(
        texts(&all.iter().map(String::as_str).collect::<Vec<_>>()),
        [
            "@田中 channel_topic",
            "@田中 channel_purpose",
            "@田中 channel_name",
            "@田中 reminder_add",
            "@田中 me_message",
            "@田中 not_yet_known"
        ]
    );
}

#[test]
fn what_is_left_out_is_counted_by_reason() {
    let (sink, report) = read_day(
        r#"[
        {"subtype": "channel_join", "text": "x", "ts": "1.000001"},
        {"subtype": "channel_leave", "text": "x", "ts": "1.000002"},
        {"subtype": "tombstone", "text": "This message was deleted.", "ts": "1.000003"},
        {"subtype": "message_changed", "ts": "1.000004"},
        {"subtype": "reply_broadcast", "text": "", "attachments": [{"text": "copy"}], "ts": "1.000005"},
        {"text": " \n", "ts": "1.000006"},
        {"text": null, "files": [{"mode": "tombstone"}], "ts": "1.000007"},
        {"blocks": [{"type": "divider"}], "ts": "1.000008"},
        {"type": "reaction_added", "ts": "no id"}
    ]"#,
    );
    assert!(sink.messages.is_empty());
    let counts: Vec<_> = report.left_out.into_iter().collect();
    assert_eq!(
        counts,
        [
            (LeftOut::Notice, 2),
            (LeftOut::Deleted, 1),
            (LeftOut::EditWithoutMessage, 1),
            (LeftOut::BroadcastPointer, 1),
            (LeftOut::NoText, 3),
            (LeftOut::NotAMessage, 1),
        ]
    );
}

#[test]
fn edits_carry_the_time_of_the_edit() {
    let (sink, _) = read_day(
        r#"[{"text": "new", "edited": {"user": "U1", "ts": "1709287300.000000"}, "ts": "1709287200.000001"},
            {"text": "never", "edited": null, "ts": "1709287200.000002"}]"#,
    );
    assert_eq!(sink.messages[0].edited_at, Some(1_709_287_300));
    assert_eq!(sink.messages[1].edited_at, None);
}

#[test]
fn the_record_of_an_edit_brings_the_edited_message() {
    let (sink, _) = read_day(
        r#"[{"user": "U1", "text": "old", "ts": "1.000001"},
            {"subtype": "message_changed", "ts": "9.000000", "message": {"user": "U1", "text": "new", "ts": "1.000001"}},
            {"subtype": "message_changed", "ts": "9.000001",
             "message": {"user": "UB", "blocks": [{"type": "header", "text": {"text": "rich"}}], "edited": {"ts": "8.000000"}, "ts": "1.000002"}}]"#,
    );
    let edits: Vec<_> = sink
        .messages
        .iter()
        .map(|m| (m.ts.to_string(), m.text.as_str(), m.edited_at))
        .collect();
    assert_eq!(
        edits,
        [
            ("1.000001".to_owned(), "old", None),
            ("1.000001".to_owned(), "new", Some(9)),
            ("1.000002".to_owned(), "rich", Some(8))
        ]
    );
}

#[test]
fn a_recorded_deletion_takes_the_message_out_whichever_day_it_is_on() {
    let (sink, report) = read_days(&[
        (
            DAY,
            r#"[{"text": "secret", "ts": "1.000001"}, {"text": "stays", "ts": "1.000002"}]"#,
        ),
        (
            "general/2024-03-05.json",
            r#"[{"subtype": "message_deleted", "deleted_ts": "1.000001", "ts": "5.000001"}]"#,
        ),
        (
            "random/2024-03-01.json",
            r#"[{"text": "same id elsewhere", "ts": "1.000001"}]"#,
        ),
    ]);
    assert_eq!(sink.texts(), ["stays", "same id elsewhere"]);
    assert_eq!(report.left_out[&LeftOut::Deleted], 2);
}

#[test]
fn bot_posts_without_text_are_read_from_blocks_and_attachments() {
    assert_eq!(
        texts(&[
            r#"{"text": "", "bot_id": "B1", "attachments": [{"fallback": "<@U1> deployed"}]}"#,
            r#"{"text": "has text", "attachments": [{"text": "link preview"}]}"#,
            r#"{"bot_id": "B1", "blocks": [{"type": "section", "text": {"type": "mrkdwn", "text": "*build* &gt; 5 min"}}],
                "files": [{"title": "log"}]}"#,
        ]),
        ["@田中 deployed", "has text", "*build* > 5 min\n[file: log]"]
    );
}
