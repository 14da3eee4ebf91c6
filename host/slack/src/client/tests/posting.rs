use serde_json::{Value, json};

use super::message;
use crate::{
    client::PostMessage,
    testing::{Server, json as answer_json},
};

#[tokio::test]
async fn a_post_unfolds_no_links_and_looks_for_no_names() {
    let server =
        Server::start(|_, _| answer_json(&json!({"ok": true, "ts": "1700000000.000200"}))).await;
    assert_eq!(
        server.client().post_message(&message()).await.unwrap(),
        "1700000000.000200"
    );
    let call = &server.calls()[0];
    assert_eq!(
        call.params,
        json!({
            "channel": "C1", "thread_ts": "1700000000.000100", "text": "*日本* & <@U1>",
            "metadata": {"event_type": "answer", "event_payload": {"part": 1}},
            "mrkdwn": true, "parse": "none", "unfurl_links": false, "unfurl_media": false,
        })
    );
    assert_eq!(
        call.header("content-type"),
        "application/json; charset=utf-8"
    );
    let plain = PostMessage {
        thread_ts: None,
        metadata: None,
        ..message()
    };
    server.client().post_message(&plain).await.unwrap();
    assert!(server.calls()[1].params.get("thread_ts").is_none());
}

#[tokio::test]
async fn links_and_home_tabs_are_asked_for_as_documented() {
    let server = Server::start(|_, _| {
        answer_json(&json!({"ok": true, "permalink": "https://t.slack.com/p1"}))
    })
    .await;
    let client = server.client();
    assert_eq!(
        client.permalink("C1", "1.0").await.unwrap(),
        "https://t.slack.com/p1"
    );
    client
        .publish_home("U1", &json!({"type": "home", "blocks": []}))
        .await
        .unwrap();
    let params: Vec<Value> = server.calls().into_iter().map(|call| call.params).collect();
    assert_eq!(
        params,
        [
            json!({"channel": "C1", "message_ts": "1.0"}),
            json!({"user_id": "U1", "view": {"type": "home", "blocks": []}}),
        ]
    );
}
