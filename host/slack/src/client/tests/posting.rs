use serde_json::{Value, json};

use super::message;
use crate::{
    client::{PostEphemeral, PostMessage, SLACK_API, SlackClient},
    error::SlackError,
    testing::{Server, TOKEN, answer, json as answer_json},
    token::Token,
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
async fn links_notes_and_home_tabs_are_asked_for_as_documented() {
    let server = Server::start(|_, _| {
        answer_json(&json!({"ok": true, "permalink": "https://t.slack.com/p1"}))
    })
    .await;
    let client = server.client();
    assert_eq!(
        client.permalink("C1", "1.0").await.unwrap(),
        "https://t.slack.com/p1"
    );
    let note = PostEphemeral {
        channel: "C1".to_owned(),
        user: "U1".to_owned(),
        text: "psst".to_owned(),
        ..PostEphemeral::default()
    };
    client.post_ephemeral(&note).await.unwrap();
    client
        .publish_home("U1", &json!({"type": "home", "blocks": []}))
        .await
        .unwrap();
    let params: Vec<Value> = server.calls().into_iter().map(|call| call.params).collect();
    assert_eq!(
        params,
        [
            json!({"channel": "C1", "message_ts": "1.0"}),
            json!({"channel": "C1", "user": "U1", "text": "psst", "parse": "none"}),
            json!({"user_id": "U1", "view": {"type": "home", "blocks": []}}),
        ]
    );
}

#[tokio::test]
async fn a_response_address_gets_the_answer_and_not_the_token() {
    let server = Server::start(|call, _| match call.path.as_str() {
        "/used" => answer(404, &[], "used_url"),
        "/json" => answer(200, &[], r#"{"ok": false, "error": "invalid_blocks"}"#),
        _ => answer(200, &[], "ok"),
    })
    .await;
    let respond = async |path: &str| {
        let url = format!("{}{path}", server.address);
        server
            .client()
            .respond(&url, &json!({"text": "here"}))
            .await
    };
    respond("/commands/1").await.unwrap();
    let call = &server.calls()[0];
    assert_eq!(
        (&call.params, call.header("authorization")),
        (&json!({"text": "here"}), "")
    );
    for (path, expected) in [("/used", "used_url"), ("/json", "invalid_blocks")] {
        let error = respond(path).await.unwrap_err();
        assert!(
            matches!(&error, SlackError::Refused { code, .. } if code == expected),
            "{error}"
        );
    }
}

#[test]
fn a_forged_response_address_is_not_followed() {
    let token = Token::new(TOKEN).unwrap();
    let slack = SlackClient::new(SLACK_API, token.clone()).unwrap();
    for genuine in [
        "https://hooks.slack.com/commands/T1/2/3",
        "https://hooks.slack.com:443/x",
        "https://hooks.slack-gov.com/x",
    ] {
        assert!(slack.response_address(genuine).is_ok(), "{genuine}");
    }
    for forged in [
        "http://hooks.slack.com/commands/T1",
        "https://hooks.slack.com:8443/x",
        "https://hooks.slack.com.evil.example/x",
        "https://hooks.slack.com@evil.example/x",
        "https://evil.example/?hooks.slack.com",
        "https://slack.com/api/x",
        "http://127.0.0.1:8080/metrics",
        "http://169.254.169.254/",
        "file:///etc/passwd",
        "hooks.slack.com",
        "",
    ] {
        assert!(slack.response_address(forged).is_err(), "{forged}");
    }
    let test = SlackClient::new("http://127.0.0.1:1/api/", token.clone()).unwrap();
    assert!(test.response_address("http://127.0.0.1:2/x").is_ok());
    assert!(test.response_address("http://127.0.0.2:2/x").is_err());
    let lookalike = SlackClient::new("https://notslack.com/api/", token).unwrap();
    assert!(lookalike.response_address("https://notslack.com/x").is_ok());
}
