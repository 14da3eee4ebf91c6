//! `conversations.history` and `conversations.replies`.

use myao_fake_slack::FakeSlack;
use serde_json::{Value, json};

use crate::support::{ALICE, BOB, GENERAL, call, texts, workspace};

/// Top-level messages `1` to `5`, at seconds 101 to 105.
async fn five() -> FakeSlack {
    let slack = workspace().await;
    slack.set_clock("100.000000");
    for number in 1..=5 {
        slack.post(ALICE, GENERAL, &number.to_string(), None);
    }
    slack
}

async fn history(slack: &FakeSlack, mut params: Value) -> Value {
    params["channel"] = GENERAL.into();
    call(slack, "conversations.history", params).await
}

#[tokio::test]
async fn a_history_is_newest_first_and_keeps_to_its_range() {
    let slack = five().await;
    assert_eq!(
        texts(&history(&slack, json!({})).await),
        ["5", "4", "3", "2", "1"]
    );
    let range = json!({ "oldest": "102", "latest": "104.000000" });
    assert_eq!(texts(&history(&slack, range).await), ["3"]);
    let range = json!({ "oldest": "102", "latest": "104.000000", "inclusive": true });
    assert_eq!(texts(&history(&slack, range).await), ["4", "3", "2"]);
    let error = history(&slack, json!({ "oldest": "yesterday" })).await;
    assert_eq!(error["error"], "invalid_ts_oldest");
}

#[tokio::test]
async fn pages_of_a_history_follow_each_other_within_the_range() {
    let slack = five().await;
    let first = history(&slack, json!({ "limit": 2, "oldest": "101" })).await;
    assert_eq!(
        (texts(&first), &first["has_more"]),
        (vec!["5", "4"], &json!(true))
    );
    let cursor = &first["response_metadata"]["next_cursor"];
    // Messages that arrive in between move no page.
    slack.post(BOB, GENERAL, "6", None);
    let second = history(
        &slack,
        json!({ "limit": 2, "oldest": "101", "cursor": cursor }),
    )
    .await;
    assert_eq!(
        (texts(&second), &second["has_more"]),
        (vec!["3", "2"], &json!(false))
    );
    assert_eq!(second.get("response_metadata"), None);
}

#[tokio::test]
async fn a_page_holds_no_more_than_the_cap() {
    let slack = five().await;
    slack.faults().cap_pages(1);
    let page = history(&slack, json!({ "limit": 4 })).await;
    assert_eq!((texts(&page), &page["has_more"]), (vec!["5"], &json!(true)));
}

#[tokio::test]
async fn a_channels_history_has_parents_with_their_counts_and_no_plain_replies() {
    let slack = five().await;
    let parent = "103.000000";
    slack.post(BOB, GENERAL, "reply", Some(parent));
    let broadcast = slack.broadcast(ALICE, GENERAL, "also to the channel", parent);
    let answer = history(&slack, json!({})).await;
    assert_eq!(
        texts(&answer),
        ["also to the channel", "5", "4", "3", "2", "1"]
    );
    let messages = &answer["messages"];
    assert_eq!(messages[0]["subtype"], "thread_broadcast");
    assert_eq!(messages[0]["root"]["ts"], parent);
    assert_eq!(messages[3]["reply_count"], 2);
    assert_eq!(messages[3]["latest_reply"], broadcast.as_str());
    assert_eq!(messages[3]["reply_users"], json!([BOB, ALICE]));
    assert_eq!(messages[4].get("reply_count"), None);
}

#[tokio::test]
async fn replies_begin_with_the_parent_on_every_page() {
    let slack = five().await;
    let parent = "101.000000";
    for number in 1..=3 {
        slack.post(BOB, GENERAL, &format!("reply {number}"), Some(parent));
    }
    let replies = async |mut params: Value| {
        params["channel"] = GENERAL.into();
        params["ts"] = parent.into();
        call(&slack, "conversations.replies", params).await
    };
    let all = replies(json!({})).await;
    assert_eq!(texts(&all), ["1", "reply 1", "reply 2", "reply 3"]);
    assert_eq!(all["messages"][1]["parent_user_id"], ALICE);
    let first = replies(json!({ "limit": 2 })).await;
    assert_eq!(
        (texts(&first), &first["has_more"]),
        (vec!["1", "reply 1", "reply 2"], &json!(true))
    );
    let cursor = &first["response_metadata"]["next_cursor"];
    assert_eq!(
        texts(&replies(json!({ "limit": 2, "cursor": cursor })).await),
        ["1", "reply 3"]
    );
    let newer = replies(json!({ "oldest": all["messages"][2]["ts"] })).await;
    assert_eq!(texts(&newer), ["1", "reply 3"]);
}

#[tokio::test]
async fn a_message_without_replies_is_its_own_thread() {
    let slack = five().await;
    let alone = call(
        &slack,
        "conversations.replies",
        json!({ "channel": GENERAL, "ts": "102.000000" }),
    )
    .await;
    assert_eq!(texts(&alone), ["2"]);
    let missing = call(
        &slack,
        "conversations.replies",
        json!({ "channel": GENERAL, "ts": "1.000000" }),
    )
    .await;
    assert_eq!(missing["error"], "thread_not_found");
}

#[tokio::test]
async fn a_channel_without_the_bot_cannot_be_read() {
    let slack = workspace().await;
    slack.add_channel_without_bot("C0ELSE0001", "elsewhere");
    let answer = call(
        &slack,
        "conversations.history",
        json!({ "channel": "C0ELSE0001" }),
    )
    .await;
    assert_eq!(answer["error"], "not_in_channel");
}
