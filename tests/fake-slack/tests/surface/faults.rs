//! Faults that a test asks for.

use myao_fake_slack::{BOT_TOKEN, Fault, Order};
use reqwest::Client;
use serde_json::{Value, json};

use crate::support::{ALICE, GENERAL, Socket, call, respond, workspace};

#[tokio::test]
async fn calls_are_limited_and_fail_as_often_as_told() {
    let slack = workspace().await;
    slack
        .faults()
        .times(2, "auth.test", &Fault::RateLimited(30));
    slack.faults().next("auth.test", Fault::Status(503));
    slack
        .faults()
        .next("auth.test", Fault::Error("token_revoked"));
    let mut seen = Vec::new();
    for _ in 0..5 {
        let response = respond(&slack, "auth.test", &json!({})).await.unwrap();
        let wait = response
            .headers()
            .get("retry-after")
            .map(|wait| wait.to_str().unwrap().to_owned());
        let status = response.status().as_u16();
        let body = response.json::<Value>().await.unwrap_or_default();
        seen.push((
            status,
            wait,
            body["error"].as_str().unwrap_or_default().to_owned(),
        ));
    }
    let limited = (429, Some("30".to_owned()), "ratelimited".to_owned());
    let expected = [
        limited.clone(),
        limited,
        (503, None, String::new()),
        (200, None, "token_revoked".to_owned()),
        (200, None, String::new()),
    ];
    assert_eq!(seen, expected);
    // Other methods are spared.
    slack.faults().next("auth.test", Fault::Status(500));
    assert_eq!(call(&slack, "users.list", json!({})).await["ok"], true);
    slack.faults().clear();
    assert_eq!(call(&slack, "auth.test", json!({})).await["ok"], true);
}

#[tokio::test]
async fn a_lost_answer_leaves_the_post_and_a_hang_up_does_not() {
    let slack = workspace().await;
    let post = json!({ "channel": GENERAL, "text": "hi" });
    slack.faults().next("chat.postMessage", Fault::HangUp);
    assert!(respond(&slack, "chat.postMessage", &post).await.is_err());
    assert!(slack.posts().is_empty());
    slack.faults().next("chat.postMessage", Fault::LoseAnswer);
    assert!(respond(&slack, "chat.postMessage", &post).await.is_err());
    assert_eq!(slack.posts().len(), 1);
    assert_eq!(slack.requests_of("chat.postMessage").len(), 2);
}

#[tokio::test]
async fn a_held_call_goes_on_when_it_is_released() {
    let slack = workspace().await;
    for (fault, meanwhile) in [(Fault::HoldCall, 0), (Fault::HoldAnswer, 2)] {
        slack.faults().next("chat.postMessage", fault);
        let caller = slack.clone();
        let post = json!({ "channel": GENERAL, "text": "hi" });
        let called = tokio::spawn(async move { call(&caller, "chat.postMessage", post).await });
        slack
            .wait_until("the call waits", |slack| slack.faults().held() == 1)
            .await;
        assert_eq!(slack.posts().len(), meanwhile);
        slack.faults().release();
        assert_eq!(called.await.unwrap()["ok"], true);
        assert_eq!(slack.faults().held(), 0);
    }
    assert_eq!(slack.posts().len(), 2);
}

#[tokio::test]
async fn a_held_call_whose_caller_gives_up_does_nothing() {
    let slack = workspace().await;
    slack.faults().next("chat.postMessage", Fault::HoldCall);
    let url = format!("{}chat.postMessage", slack.api_url());
    let request = Client::new()
        .post(url)
        .bearer_auth(BOT_TOKEN)
        .json(&json!({ "channel": GENERAL, "text": "hi" }));
    let called = tokio::spawn(request.send());
    slack
        .wait_until("the call waits", |slack| slack.faults().held() == 1)
        .await;
    called.abort();
    slack
        .wait_until("the caller is gone", |slack| slack.faults().held() == 0)
        .await;
    slack.faults().release();
    assert!(slack.posts().is_empty());
}

#[tokio::test]
async fn dropped_sockets_are_gone_and_their_events_go_to_the_next() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    slack.post(ALICE, GENERAL, "one", None);
    socket.envelope().await;
    slack.faults().drop_sockets();
    assert_eq!((socket.next().await, slack.connections()), (None, 0));
    let mut socket = Socket::open(&slack).await;
    assert_eq!(socket.envelope().await["retry_attempt"], 1);
}

#[tokio::test]
async fn a_frozen_socket_is_silent_until_it_is_dropped() {
    let slack = workspace().await;
    let mut frozen = Socket::open(&slack).await;
    slack.faults().freeze_sockets();
    slack.post(ALICE, GENERAL, "unheard", None);
    slack.faults().drop_sockets();
    // Nothing came before the end.
    assert_eq!(frozen.next().await, None);
    let mut socket = Socket::open(&slack).await;
    assert_eq!(socket.event().await["text"], "unheard");
}

#[tokio::test]
async fn events_come_twice_and_out_of_order() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    slack.faults().duplicate_every(2);
    slack.faults().hold_events();
    for text in ["one", "two", "three"] {
        slack.post(ALICE, GENERAL, text, None);
    }
    slack.faults().release_events(Order::Reversed);
    let mut seen = Vec::new();
    for _ in 0..4 {
        let envelope = socket.envelope().await;
        seen.push((
            envelope["payload"]["event"]["text"].clone(),
            envelope["payload"]["event_id"].clone(),
        ));
    }
    let texts: Vec<&Value> = seen.iter().map(|(text, _)| text).collect();
    assert_eq!(texts, ["three", "two", "two", "one"]);
    assert_eq!(seen[1].1, seen[2].1);
}

#[tokio::test]
async fn a_reordering_is_the_same_for_the_same_seed() {
    let mut runs = Vec::new();
    for seed in [7, 7, 8] {
        let slack = workspace().await;
        let mut socket = Socket::open(&slack).await;
        slack.faults().reorder(4, seed);
        for number in 0..20 {
            slack.post(ALICE, GENERAL, &number.to_string(), None);
        }
        slack.faults().release_events(Order::Kept);
        let mut run = Vec::new();
        for _ in 0..20 {
            run.push(
                socket.event().await["text"]
                    .as_str()
                    .unwrap()
                    .parse::<u32>()
                    .unwrap(),
            );
        }
        assert!(!run.is_sorted());
        runs.push(run);
    }
    assert_eq!(runs[0], runs[1]);
    assert_ne!(runs[0], runs[2]);
}
