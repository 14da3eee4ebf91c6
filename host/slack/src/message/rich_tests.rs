#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing
)]

use serde_json::json;

use super::*;

struct Known;

impl Names for Known {
    fn user(&self, id: &str) -> Option<&str> {
        (id == "U1").then_some("田中")
    }

    fn channel(&self, id: &str) -> Option<&str> {
        (id == "C1").then_some("general")
    }
}

fn blocks(blocks: Value) -> String {
    text_of(
        &RichContent {
            blocks,
            ..RichContent::default()
        },
        &Known,
    )
}

fn attachments(attachments: Value) -> String {
    text_of(
        &RichContent {
            attachments,
            ..RichContent::default()
        },
        &Known,
    )
}

#[test]
fn layout_blocks_are_read_line_by_line() {
    let text = blocks(json!([
        {"type": "header", "text": {"type": "plain_text", "text": "R&amp;D"}},
        {"type": "section", "text": {"type": "mrkdwn", "text": "by <@U1>"}, "fields": [{"type": "mrkdwn", "text": "*Due* 1 May"}]},
        {"type": "divider"},
        {"type": "context", "elements": [{"type": "mrkdwn", "text": "in <#C1>"}, {"type": "image", "alt_text": "logo"}]},
        {"type": "image", "title": {"text": "chart"}, "alt_text": "alt"},
        {"type": "actions", "elements": [{"type": "button", "text": {"text": "Approve"}}]},
        {"type": "table", "rows": [[{"type": "raw_text", "text": "a"}, {"type": "raw_text", "text": "b"}]]}
    ]));
    assert_eq!(
        text,
        "R&D\nby @田中\n*Due* 1 May\nin #general\nlogo\nchart\na | b"
    );
}

#[test]
fn rich_text_is_read_with_lists_mentions_and_links() {
    let text = blocks(json!([{"type": "rich_text", "elements": [
        {"type": "rich_text_section", "elements": [
            {"type": "user", "user_id": "U1"}, {"type": "text", "text": " &amp; <@U1> in "},
            {"type": "channel", "channel_id": "C1"}, {"type": "text", "text": " "},
            {"type": "link", "url": "https://e.org", "text": "page"}, {"type": "emoji", "name": "tada"},
            {"type": "broadcast", "range": "here"}, {"type": "usergroup", "usergroup_id": "S1"}, {"type": "user", "user_id": "U9"}
        ]},
        {"type": "rich_text_list", "elements": [
            {"type": "rich_text_section", "elements": [{"type": "text", "text": "one"}]},
            {"type": "rich_text_section", "elements": [{"type": "date", "timestamp": 1, "fallback": "1 May"}]}
        ]},
        {"type": "rich_text_preformatted", "elements": [{"type": "text", "text": "if a < b"}]}
    ]}]));
    assert_eq!(
        text,
        "@田中 &amp; <@U1> in #general page (https://e.org):tada:@here@unknown group@unknown user\n- one\n- 1 May\nif a < b"
    );
}

#[test]
fn attachments_are_read_with_titles_fields_and_blocks() {
    let text = attachments(json!([
        {"pretext": "new", "title": "PR &amp; 5", "title_link": "https://e.org/5?a=1&amp;b=2", "text": "by <@U1>",
         "fields": [{"title": "State", "value": "open"}, {"title": "Lines", "value": 12}, {"value": "bare"}, {"title": "x", "value": null}],
         "fallback": "not shown", "footer": "not shown"},
        {"fallback": "[no preview available]", "blocks": [{"type": "section", "text": {"text": "in blocks"}}]},
        {"fallback": "only <@U1>"},
        {"fallback": "[no preview available]"}
    ]));
    assert_eq!(
        text,
        "new\nPR & 5 (https://e.org/5?a=1&b=2)\nby @田中\nState: open\nLines: 12\nbare\nx\nin blocks\nonly @田中"
    );
}

/// They may come from a channel that the readers of this one do not see.
#[test]
fn of_messages_that_are_shared_or_unfolded_only_the_link_is_read() {
    let url = "https://a.slack.com/archives/C9/p1?thread_ts=1.0&amp;cid=C9";
    let shown = "https://a.slack.com/archives/C9/p1?thread_ts=1.0&cid=C9";
    for mark in ["is_share", "is_msg_unfurl", "is_reply_unfurl"] {
        let attachment = json!({mark: true, "from_url": url, "text": "secret", "fallback": "secret",
            "pretext": "secret", "author_name": "Eve", "channel_name": "secret",
            "message_blocks": [{"message": {"blocks": [{"type": "section", "text": {"text": "secret"}}]}}]});
        assert_eq!(
            attachments(json!([attachment, {"text": "own"}])),
            format!("{shown}\nown")
        );
    }
    let without_marks = json!([{"message_blocks": [], "text": "secret", "fallback": "secret"}]);
    assert_eq!(attachments(without_marks), "");
}

#[test]
fn shapes_that_nobody_documented_are_passed_over() {
    for odd in [
        json!(null),
        json!("x"),
        json!(1),
        json!({}),
        json!([null, 1, "x", [], {}]),
        json!([{"type": 5, "text": 5, "elements": {}}]),
    ] {
        assert_eq!(blocks(odd.clone()), "");
        assert_eq!(attachments(odd), "");
    }
    assert_eq!(
        blocks(
            json!([{"type": "rich_text", "elements": [{"elements": [{"type": "user"}, null]}]}])
        ),
        "@unknown user"
    );
}
