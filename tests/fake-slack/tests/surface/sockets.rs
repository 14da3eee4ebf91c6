//! Socket Mode: tickets, acknowledgements, redelivery, slash commands.

use std::time::Duration;

use myao_fake_slack::{Disconnect, Entry, EventState};
use serde_json::json;
use tokio_tungstenite::connect_async;

use crate::support::{ALICE, GENERAL, Socket, call, workspace};

#[tokio::test]
async fn a_ticket_opens_one_socket() {
    let slack = workspace().await;
    let url = Socket::url(&slack).await;
    let socket = connect_async(&url).await.unwrap();
    assert!(connect_async(&url).await.is_err());
    slack.wait_connected().await;
    drop(socket);
    slack
        .wait_until("the socket is gone", |slack| slack.connections() == 0)
        .await;
}

#[tokio::test]
async fn acknowledgements_are_noted_in_order() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    slack.post(ALICE, GENERAL, "one", None);
    slack.post(ALICE, GENERAL, "two", None);
    let (one, two) = (socket.envelope().await, socket.envelope().await);
    assert!(!slack.is_settled());
    socket.acknowledge(&two, None).await;
    socket.acknowledge(&one, None).await;
    slack.wait_settled().await;
    let id =
        |envelope: &serde_json::Value| envelope["payload"]["event_id"].as_str().unwrap().to_owned();
    let (one, two) = (id(&one), id(&two));
    let sent = |event_id: &String| Entry::Sent {
        event_id: event_id.clone(),
        attempt: 0,
    };
    let acknowledged = |event_id: &String| Entry::Acknowledged {
        event_id: event_id.clone(),
    };
    let expected = [
        Entry::Called {
            method: "apps.connections.open".to_owned(),
        },
        Entry::Connected { connection: 1 },
        sent(&one),
        sent(&two),
        acknowledged(&two),
        acknowledged(&one),
    ];
    assert_eq!(slack.journal(), expected);
    assert_eq!(slack.ack_latencies().len(), 2);
}

#[tokio::test]
async fn what_was_not_acknowledged_comes_again_with_the_same_event_id() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    slack.post(ALICE, GENERAL, "again", None);
    let first = socket.envelope().await;
    slack.retry_unacknowledged();
    let second = socket.envelope().await;
    assert_eq!(
        (&second["retry_attempt"], &second["retry_reason"]),
        (&json!(1), &json!("timeout"))
    );
    drop(socket);
    let mut socket = Socket::open(&slack).await;
    let third = socket.envelope().await;
    assert_eq!(third["retry_attempt"], 2);
    for envelope in [&second, &third] {
        assert_eq!(envelope["payload"], first["payload"]);
        assert_ne!(envelope["envelope_id"], first["envelope_id"]);
    }
    // Any of the envelopes may be acknowledged.
    socket.acknowledge(&first, None).await;
    slack.wait_settled().await;
    slack.retry_unacknowledged();
    assert_eq!(slack.deliveries().len(), 3);
    assert_eq!(slack.events()[0].state, EventState::Acknowledged);
}

#[tokio::test]
async fn what_happens_while_nobody_is_connected_is_lost_unless_it_is_kept() {
    let slack = workspace().await;
    slack.post(ALICE, GENERAL, "lost", None);
    slack.keep_while_away(true);
    slack.post(ALICE, GENERAL, "kept", None);
    assert_eq!(slack.events()[0].state, EventState::Lost);
    let mut socket = Socket::open(&slack).await;
    let envelope = socket.envelope().await;
    assert_eq!(envelope["payload"]["event"]["text"], "kept");
    assert_eq!(envelope["retry_attempt"], 1);
}

#[tokio::test]
async fn a_disconnect_is_announced() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    slack.faults().disconnect(Disconnect::Warning);
    assert_eq!(socket.next().await.unwrap()["reason"], "warning");
    slack.faults().disconnect(Disconnect::RefreshRequested);
    let message = socket.next().await.unwrap();
    assert_eq!(
        (&message["type"], &message["reason"]),
        (&json!("disconnect"), &json!("refresh_requested"))
    );
    assert_eq!(socket.next().await, None);
    let mut socket = Socket::open(&slack).await;
    slack.faults().disconnect(Disconnect::LinkDisabled);
    assert_eq!(socket.next().await.unwrap()["reason"], "link_disabled");
}

#[tokio::test]
async fn a_slash_command_gives_its_acknowledgement_and_takes_responses() {
    let slack = workspace().await;
    let mut socket = Socket::open(&slack).await;
    let typist = slack.clone();
    let typed = tokio::spawn(async move {
        typist
            .slash_command(ALICE, GENERAL, "/memory", "history")
            .await
    });
    let envelope = socket.envelope().await;
    assert_eq!(
        (&envelope["type"], &envelope["accepts_response_payload"]),
        (&json!("slash_commands"), &json!(true))
    );
    let payload = &envelope["payload"];
    assert_eq!(
        (&payload["command"], &payload["text"]),
        (&json!("/memory"), &json!("history"))
    );
    assert_eq!(
        (&payload["channel_name"], &payload["user_id"]),
        (&json!("general"), &json!(ALICE))
    );
    socket
        .acknowledge(&envelope, Some(json!({ "text": "a moment" })))
        .await;
    let answer = typed.await.unwrap();
    assert_eq!(answer.payload, Some(json!({ "text": "a moment" })));
    assert_eq!(payload["response_url"], answer.response_url.as_str());

    let client = reqwest::Client::new();
    for uses in 1..=6 {
        let request = client
            .post(&answer.response_url)
            .json(&json!({ "text": uses }));
        let status = request.send().await.unwrap().status();
        assert_eq!(status.as_u16(), if uses < 6 { 200 } else { 404 });
    }
    assert_eq!(slack.responses().len(), 5);
    assert_eq!(slack.responses()[0].body, json!({ "text": 1 }));
}

#[tokio::test]
async fn pings_come_until_they_are_stopped() {
    let slack = workspace().await;
    slack.faults().ping_every(Duration::from_millis(1));
    let mut socket = Socket::open(&slack).await;
    assert!(socket.frame().await.is_ping());
    slack.faults().stop_pings();
    let mut socket = Socket::open(&slack).await;
    // Many periods go by.
    for _ in 0..20 {
        call(&slack, "auth.test", json!({})).await;
    }
    slack.faults().disconnect(Disconnect::Warning);
    assert!(socket.frame().await.is_text());
}
